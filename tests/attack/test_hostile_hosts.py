"""A host of a fleet that turns hostile: what it answers runs nothing here, and is a sentence.

The coordinator is the real one, and so are the connections. One host of two is ours to corrupt, at
each question that it is asked. Before, its answer was unpickled in the coordinator.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed.protocol import to_serialize

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.fleet import block, clock, host_answers, session
from fsgauge.rig.fleet.clock import Clock
from fsgauge.rig.fleet.hosts import Hosts, started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.nodes import HostPlugin
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.rig.happenings import BlockVoid, Happening, StudyVoid
from fsgauge.study.parse import load_study
from tests.fleet import stub_hosts
from tests.fleet.stub_hosts import FAULTS, LATE, PREPARING, StubLauncher, StubRig, one_clock
from tests.synthetic import make_study

SECONDS_TO_ANSWER = 2.0
WHOLE_STUDY_SECONDS = 90.0

QUESTIONS = (
    *("identify", "prepare", "look", "describe", "described", "measure", "attend"),
    *("compare_clock", "arm", "pass_meeting", "abort", "close"),
)
UNHEARD = frozenset({"describe", "measure", "attend", "abort", "close"})
"""What is answered to these is of no use, so that nonsense does no harm."""


class Bomb:
    """Makes a folder where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.path),)


class BombError(Exception):
    """An error of the same kind."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.args[0]),)


def raises(bomb: Bomb, _: Any) -> Any:
    raise BombError(bomb.path)


def bytes_of_an_error(bomb: Bomb, _: Any) -> Any:
    """dask unpickles them where it takes them for an error of its own."""
    data = pickle.dumps(bomb)
    return {"status": "uncaught-error", "exception": data, "traceback": data, "text": ""}


def with_another_number(_: Bomb, honest: Any) -> Any:
    found = json.loads(honest["answer"])
    return {"answer": json.dumps({**found, "serial": float("nan")})}


PICKLES: dict[str, Callable[[Bomb, Any], Any]] = {
    "a pickle": lambda bomb, _: {"answer": bomb},
    "a pickle in its words": lambda bomb, _: {"failed": bomb},
    "a pickle in place of all": lambda bomb, _: bomb,
    "serialized": lambda bomb, _: {"answer": to_serialize(bomb)},
    "an error": raises,
    "bytes of an error": bytes_of_an_error,
}
NONSENSE: dict[str, Callable[[Bomb, Any], Any]] = {
    "another message": lambda _, __: {"answer": '{"other": 1}'},
    "no text": lambda _, __: {"answer": {"serial": 1, "phase": "idle"}},
    "nothing": lambda _, __: None,
    "both": lambda _, honest: {**honest, "more": 1},
    "deep": lambda _, __: {"answer": "[" * 100_000 + "]" * 100_000},
    "deep values": lambda _, __: {"answer": nested(600)},
    "large": lambda _, __: {"answer": "x" * (17 << 20)},
    "not a number": with_another_number,
    "a long number": lambda _, __: {"answer": '{"serial": 1e999, "phase": "idle"}'},
    "a longer number": lambda _, __: {"answer": '{"serial": %s, "phase": "idle"}' % ("9" * 30)},
    "half a letter": lambda _, __: {"answer": '{"serial": 1, "phase": "idle", "offer": "\\ud800"}'},
    "an interrupt": lambda _, __: state(fault={"kind": "Interrupted", "what": "x"}, phase="failed"),
    "turns that are not planned": lambda _, honest: telling(honest, kind="run started", turn=99),
    "cells that are not planned": lambda _, honest: telling(
        honest, kind="run started", turn=0, text="../../x"
    ),
    "a start that is not planned": lambda _, honest: waiting(honest, cell="x"),
    "a meeting that is not planned": lambda _, honest: waiting(honest, turn=99, meeting="x"),
    "no record": lambda _, honest: telling(honest, kind="turn", turn=0),
    "the record of another": lambda _, honest: telling_again(honest, "system", "../../x"),
    "another record": lambda _, honest: telling_again(honest, "turn", 1),
    "sentences for ever": lambda _, __: state(said=["!"] * 5000),
    "happenings for ever": lambda _, __: state(told=[{"kind": "run", "turn": 0}] * 10_001),
}


def state(**more: object) -> dict[str, str]:
    return {"answer": json.dumps({"serial": time.monotonic_ns(), "phase": "working", **more})}


def waiting(honest: dict[str, str], **label: object) -> dict[str, str]:
    """A host that waits for something else than the block that it measures."""
    if json.loads(honest["answer"])["phase"] not in ("working", "armed"):
        return honest
    armed = {"block": 0, "turn": 0, "cell": "", **label}
    return state(phase="armed", armed=armed)


def telling(honest: dict[str, str], **told: object) -> dict[str, str]:
    """The honest answer of a host that measures, with something else told."""
    found = json.loads(honest["answer"])
    return {"answer": json.dumps({**found, "told": [told]})} if found["told"] else honest


def telling_again(honest: dict[str, str], key: str, value: object) -> dict[str, str]:
    """The honest answer, with something else in its records."""
    found = json.loads(honest["answer"])
    for told in found["told"]:
        if told["record"] is not None:
            told["record"][key] = value
    return {"answer": json.dumps(found)}


def nested(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


class Attacked:
    """Two stub hosts; `b` says something of its own when it is asked one question."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.witness = tmp_path / "it ran"
        self.said: list[str] = []
        self.launcher = StubLauncher(tmp_path)
        self._monkeypatch = monkeypatch
        for module in (block, session.control):
            monkeypatch.setattr(module, "ANSWER_SECONDS", SECONDS_TO_ANSWER)
        monkeypatch.setattr(clock, "_ASK_SECONDS", SECONDS_TO_ANSWER)
        monkeypatch.setattr(block, "_LEAST_PATIENCE_SECONDS", SECONDS_TO_ANSWER)
        monkeypatch.setattr(block, "_PATIENCE", 0.0)
        monkeypatch.setattr(host_answers, "HeldRig", StubRig)
        monkeypatch.setattr(host_answers.HostAnswers, "compare_clock", one_clock)

    def answer(self, asked: str, attack: Callable[[Bomb, Any], Any]) -> None:
        """Have `b` answer so to this question."""
        honestly, witness = HostPlugin.answer, self.witness

        async def answer(own: HostPlugin, question: str, words: dict[str, Any]) -> Any:
            honest = await honestly(own, question, words)
            if own._worker.name == "b" and question == asked:
                found = attack(Bomb(witness), honest)
                return await found if asyncio.iscoroutine(found) else found
            return honest

        self._monkeypatch.setattr(HostPlugin, "answer", answer)

    def measured(self) -> list[str]:
        """What people are told of a whole study, the error that ended it as the last."""
        study = load_study("overhead", [], [], None, 1)
        told: list[Happening] = []
        try:
            with started_hosts(self.hosts, self.launcher, "127.0.0.1", self.said.append) as running:
                self._measure(running, study, told)
        except FsgaugeError as error:
            assert isinstance(error, RigError | StudyVoid), error
            self.said += [error.what, *error.details]
        self.said += [each.because for each in told if isinstance(each, BlockVoid)]
        return self.said

    @property
    def hosts(self) -> list[Host]:
        return [Host(name="a"), Host(name="b")]

    def _measure(self, running: Hosts, study: Any, told: list[Happening]) -> None:
        served = Clock("127.0.0.1", 1, "0" * 64)
        over = FleetSession(running, served, lambda _: study, self.said.append, 0.3)
        try:
            over.prepare()
            over.describe()
            over.block(stub_hosts.STUDY[0].study.plan, 0, told.append)
        finally:
            self.said += [f"{name}: it did not end the study" for name in over.close("over")]


@pytest.fixture
def attacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attacked]:
    small = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    stub_hosts.STUDY[:] = [small]
    for faults in (FAULTS, PREPARING, LATE):
        faults.clear()
    yield Attacked(tmp_path, monkeypatch)


def held(attacked: Attacked) -> list[str]:
    """What was said, once it is known that nothing was run and that it did not last."""
    began = time.monotonic()
    said = attacked.measured()
    assert time.monotonic() - began < WHOLE_STUDY_SECONDS
    assert not attacked.witness.exists(), said
    return said


def names_b(said: list[str]) -> bool:
    return any(each.partition("b: ")[2] or each.startswith("b ") for each in said)


def test_two_honest_hosts_measure(attacked: Attacked) -> None:
    """So the others below fail for what `b` says."""
    assert held(attacked) == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_pickle_at_each_question(attacked: Attacked, question: str) -> None:
    attacked.answer(question, PICKLES["a pickle"])
    said = held(attacked)
    assert names_b(said) or question == "abort", said


@pytest.mark.parametrize("question", QUESTIONS)
def test_nonsense_at_each_question(attacked: Attacked, question: str) -> None:
    attacked.answer(question, NONSENSE["another message"])
    said = held(attacked)
    assert names_b(said) or question in UNHEARD, said


@pytest.mark.parametrize("pickled", PICKLES)
def test_each_way_to_send_a_pickle(attacked: Attacked, pickled: str) -> None:
    attacked.answer("look", PICKLES[pickled])
    assert names_b(held(attacked))


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_each_kind_of_nonsense(attacked: Attacked, nonsense: str) -> None:
    attacked.answer("look", NONSENSE[nonsense])
    assert names_b(held(attacked))


def test_a_host_that_never_answers(attacked: Attacked) -> None:
    async def never() -> Any:
        await asyncio.sleep(WHOLE_STUDY_SECONDS)

    attacked.answer("prepare", lambda _, __: never())
    assert any("b: it gave no answer for 2 s" in each for each in held(attacked))
