"""The process in the guest: orders over a socket, carried out by a rig of ours."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import sys, time
from contextlib import contextmanager
from fsgauge.errors import InputError
from fsgauge.rig.fleet import host_answers
from fsgauge.rig.vm import guest_process

class Session:
    def describe(self):
        raise InputError("there is nothing to describe")
    def block(self, plan, block, tell):
        time.sleep(600)

class Rig:
    def __init__(self, engine=None, say=None, remounts=False):
        assert remounts, "systems are mounted one after the other where the last one was"
    def check(self, study, destroy):
        if study.name == "wrong":
            raise InputError("it is wrong", cause=str(destroy))
    @contextmanager
    def opened(self, study):
        guest._say("opened")
        try:
            yield Session()
        finally:
            guest._say("closed")

guest_process.HostRig = host_answers.HostRig = Rig
guest_process.Guest._described = lambda self: '"here"'
guest = guest_process.Guest(guest_process.OrderPort(int(sys.argv[1])))
guest.serve()
"""
_STUDY = {
    "format": 1,
    "name": "test",
    "question": "Does it work?",
    "storage": {"kind": "device", "device": "/dev/disk/by-id/virtio-disk0"},
    "system": [{"name": "ext4"}],
    "workload": {"kind": "overhead"},
}
STUDY = json.dumps(_STUDY)
_PLAN = {
    "study": "test",
    "seed": 1,
    "baseline": "ext4",
    "systems": ["ext4"],
    "primary": [],
    "cells": [],
    "turns": [],
    "expected_seconds": 1.0,
    "expected_written_bytes": 0,
}
PLAN = json.dumps(_PLAN)


class Peer:
    """This machine's end."""

    def __init__(self, own: socket.socket) -> None:
        own.settimeout(60)
        self._own, self._lines = own, own.makefile("rb")

    def order(self, **words: Any) -> None:
        self._own.sendall(json.dumps(words).encode() + b"\n")

    def reply(self) -> dict[str, Any]:
        """The next one that is more than a sign of life."""
        while True:
            found: dict[str, Any] = json.loads(self._lines.readline())
            if not found.get("alive"):
                return found


@pytest.fixture
def guest() -> Iterator[Peer]:
    own, others = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(others.fileno())],
        pass_fds=[others.fileno()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    others.close()
    try:
        yield Peer(own)
        own.close()
    finally:
        process.kill()
        process.wait(60)


def test_it_says_who_it_is_and_what_it_may_destroy(guest: Peer) -> None:
    from fsgauge import __version__

    hello = guest.reply()
    assert hello["hello"] == __version__ and hello["work_seconds"] > 0
    guest.order(do="prepare", study=json.dumps(_STUDY | {"name": "wrong"}))
    fault = guest.reply()["fault"]
    assert fault["what"] == "it is wrong"
    assert "names=('disk0',), unknown_data=True" in fault["cause"]


def test_a_study_is_held_until_the_next_one(guest: Peer) -> None:
    guest.reply()
    guest.order(do="prepare", study=STUDY)
    assert [guest.reply(), guest.reply()] == [{"said": "opened"}, {"answer": "null"}]
    guest.order(do="prepare", study=json.dumps(_STUDY | {"name": "wrong"}))
    assert guest.reply() == {"said": "closed"}
    assert guest.reply()["fault"]["what"] == "it is wrong"
    guest.order(do="describe")
    assert guest.reply() == {"answer": '"here"'}


def test_an_order_is_aborted_and_the_next_one_is_carried_out(guest: Peer) -> None:
    guest.reply()
    guest.order(do="prepare", study=STUDY)
    guest.reply(), guest.reply()
    guest.order(do="block", plan=PLAN, block=0)
    guest.order(do="abort")
    fault = guest.reply()["fault"]
    assert fault["kind"] == "Interrupted"
    guest.order(do="describe")
    assert guest.reply() == {"answer": '"here"'}


def test_without_a_study_there_is_no_block(guest: Peer) -> None:
    guest.reply()
    guest.order(do="make", system="ext4")
    assert "no study is prepared" in guest.reply()["fault"]["what"]


def ask(guest: Peer, question: str, **words: Any) -> Any:
    """A question of the fleet, and its answer; what is said before is left out."""
    guest.order(do="ask", question=question, words=words)
    while "said" in (reply := guest.reply()):
        continue
    return json.loads(reply["answer"]) if "answer" in reply else reply["fault"]


def test_one_of_several_nodes_answers_the_questions_of_a_fleet(guest: Peer) -> None:
    guest.reply()
    assert ask(guest, "look", known=-1, seconds=0.0)["what"] == "no study is prepared on this host"
    words = {"study": STUDY, "number": 0, "hosts": 2, "run": "a"}
    assert ask(guest, "prepare", **words) == "ok"
    state, known = {"phase": "opening"}, -1
    while state["phase"] == "opening":
        state = json.loads(ask(guest, "look", known=known, seconds=5.0))
        known = state["serial"]
    assert state["phase"] == "failed"
    assert state["fault"]["what"] == "there is nothing to describe"
    assert ask(guest, "described") == "null"
    assert ask(guest, "abort", because="over") == "ok"
    assert ask(guest, "close", because="over", seconds=5.0) is True


def test_a_start_that_no_run_waits_for_is_missed(guest: Peer) -> None:
    guest.reply()
    guest.order(do="now")
    now = json.loads(guest.reply()["answer"])
    words = {"study": STUDY, "number": 0, "hosts": 2, "run": "a"}
    assert ask(guest, "prepare", **words) == "ok"
    found = ask(guest, "arm", block=0, turn=0, cell="randread", start_at_ns=now)
    assert found is False


def test_scripts_find_their_environment_and_say_why_they_fail(guest: Peer) -> None:
    guest.reply()
    words = {"text": 'echo "$FOLDER"', "environment": {"FOLDER": "/mnt/a b"}, "seconds": 60.0}
    guest.order(do="run", words=words)
    assert json.loads(guest.reply()["answer"]) == "/mnt/a b\n"
    guest.order(do="run", words=words | {"text": "echo before; false | true; echo after"})
    fault = guest.reply()["fault"]
    assert "exit code 1" in fault["what"] and fault["details"][-1] == "before"
    guest.order(do="run", words=words | {"text": "sleep 600", "seconds": 0.5})
    assert "did not end within" in guest.reply()["fault"]["what"]


def test_a_folder_without_a_file_system_has_no_room(guest: Peer, tmp_path: Path) -> None:
    guest.reply()
    guest.order(do="room", words={"folder": str(tmp_path)})
    assert "nothing is mounted at" in guest.reply()["fault"]["what"]
    guest.order(do="room", words={"folder": "/proc"})
    assert int(guest.reply()["answer"]) >= 0
