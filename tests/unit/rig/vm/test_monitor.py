"""QEMU's monitor: what it answers, and what it should not."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.vm import monitor
from fsgauge.rig.vm.monitor import Monitor


@pytest.fixture
def ends() -> Iterator[tuple[Monitor, socket.socket]]:
    """A monitor, and the other end of its socket, which has greeted."""
    own, other = socket.socketpair()
    with own, other:
        other.sendall(b'{"QMP": {}}\n{"return": {}}\n')
        yield Monitor(own), other


def test_events_between_answers_are_passed_over(ends: tuple[Monitor, socket.socket]) -> None:
    asked, qemu = ends
    qemu.sendall(b'{"event": "STOP"}\n{"return": [1, 2]}\n')
    assert asked.execute("query-block") == [1, 2]


def test_a_refusal_has_qemus_reason(ends: tuple[Monitor, socket.socket]) -> None:
    asked, qemu = ends
    qemu.sendall(b'{"error": {"class": "GenericError", "desc": "no such disk"}}\n')
    with pytest.raises(RigError, match="QEMU refuses blockdev-add: no such disk"):
        asked.execute("blockdev-add")


@pytest.mark.parametrize(
    "answer", [b"no JSON\n", b"[]\n", b"[" * 5000 + b"\n", b"\xff\n", b'{"return": 1'],
)  # fmt: skip
def test_what_is_no_message(
    ends: tuple[Monitor, socket.socket], answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "_SECONDS", 0.2)
    asked, qemu = ends
    qemu.sendall(answer)
    with pytest.raises(RigError, match="QEMU"):
        asked.execute("query-block")


def test_a_line_without_an_end() -> None:
    own, qemu = socket.socketpair()
    with own, qemu:
        asked = Monitor(own)
        asked._lines._longest_bytes = 100
        qemu.sendall(b"x" * 200)
        with pytest.raises(RigError, match="a line of more than"):
            asked.execute("query-block")


def test_events_alone_are_no_answer_for_ever(
    ends: tuple[Monitor, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "_SECONDS", 0.0)
    asked, qemu = ends
    asked._is_ready = True
    qemu.sendall((json.dumps({"event": "STOP"}) + "\n").encode() * 100)
    with pytest.raises(RigError, match="does not answer"):
        asked.execute("query-block")


def test_an_answer_that_was_late_is_not_the_next_one_s(
    ends: tuple[Monitor, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts of a run were those of the question before, which had been answered late."""
    asked, qemu = ends
    monkeypatch.setattr(monitor, "_SECONDS", 0.2)
    with pytest.raises(RigError, match="does not answer query-blockstats"):
        asked.execute("query-blockstats")
    late = asked._asked
    for text, number in (("old", late), ("new", late + 1)):
        qemu.sendall(json.dumps({"return": text, "id": number}).encode() + b"\n")
    assert asked.execute("query-blockstats") == "new"


def test_a_monitor_that_is_gone_is_a_sentence(ends: tuple[Monitor, socket.socket]) -> None:
    asked, qemu = ends
    qemu.close()
    with pytest.raises(RigError, match="QEMU's monitor is gone"):
        asked.execute("query-blockstats")
        asked.execute("query-blockstats")
