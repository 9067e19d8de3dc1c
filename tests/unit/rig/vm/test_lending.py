"""What a program needs of a system in a virtual machine, order by order."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult, RandomAccess
from fsgauge.errors import RigError
from fsgauge.record.records import Plan
from fsgauge.rig import session as sessions
from fsgauge.rig.happenings import Tell
from fsgauge.rig.session import Description
from fsgauge.rig.vm import lending
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.lending import Lending, lent_by
from fsgauge.rig.vm.messages import Do, Order, Reply
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.workload.folders import Place
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of

TARGET = FilesTarget(directory="/mnt/it", count=1, file_size_bytes=1 << 20)
SYSTEM = System.model_validate({"name": "ext3"})
ANSWERS = {
    "lend": TARGET.model_dump_json(),
    "settle": '"synced"',
    "program": '"/run/brought/iozone"',
    "say": '"1.98"',
}


def group(fails: str = "") -> tuple[NodeGroup, FakeNode]:
    def answer(node: FakeNode, order: Order) -> list[Reply | BaseException]:
        if order.do == fails:
            return [RigError("bonnie++ failed")]
        return [Reply(answer=ANSWERS.get(order.do, "null"))]

    node = FakeNode("node1", answer)
    return group_of([node]), node


def words_of(node: FakeNode, do: str) -> dict[str, Any]:
    (order,) = [order for order in node.orders if order.do == do]
    return order.words


def test_it_is_lent_used_and_given_back(tmp_path: Path) -> None:
    file = tmp_path / "iozone"
    file.write_bytes(b"\x7fELF")
    nodes, node = group()
    with lent_by(nodes, SYSTEM) as lent:
        assert lent.target == TARGET
        assert lent.settle() == "synced"
        assert lent.program("iozone", file) == "/run/brought/iozone"
        assert lent.said(["iozone", "-R"], "iozone failed", 60.0) == "1.98"
        lent.remove(["c00000"])
    assert [order.do for order in node.orders] == [
        "lend", "settle", "program", "say", "remove", "give_back",
    ]  # fmt: skip
    assert base64.b64decode(words_of(node, "program")["data"]) == b"\x7fELF"
    assert words_of(node, "say")["command"] == ["iozone", "-R"]


def test_what_failed_is_told_and_the_system_is_given_back() -> None:
    nodes, node = group(fails="say")
    with pytest.raises(RigError, match=r"bonnie\+\+ failed"), lent_by(nodes, SYSTEM) as lent:
        lent.said(["bonnie++"], "bonnie++ failed", 60.0)
    assert node.orders[-1].do == "give_back"


def test_an_error_in_giving_back_does_not_hide_the_first() -> None:
    nodes, _ = group(fails="give_back")
    with pytest.raises(KeyError, match="first"), lent_by(nodes, SYSTEM):
        raise KeyError("first")


def one_load(seed: int) -> LoadJob:
    return LoadJob(
        target=TARGET,
        interface="psync",
        direct=False,
        access=RandomAccess(),
        read_percent=100,
        block_sizes=[],
        queue_depth=1,
        jobs=1,
        duration_ns=1,
        seed=seed,
    )


class Lent:
    """A system that notes what is done with it."""

    target: Place = TARGET
    is_root = True

    def __init__(self) -> None:
        self.done: list[object] = []

    def settle(self) -> str:
        return "synced"

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        raise AssertionError(job)

    def load_at_once(self, loads: Sequence[LoadJob], *, lay_out: bool = False) -> list[LoadResult]:
        self.done.append(([load.seed for load in loads], lay_out))
        return []

    def program(self, name: str, file: Path | None) -> str | None:
        return str(file) if file else None

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        self.done.append((list(command), what, seconds))
        return "1.98,2.00a"

    def words(self, command: Sequence[str]) -> str:
        return " ".join(command)

    def remove(self, names: Sequence[str]) -> None:
        self.done.append(list(names))


class Session(sessions.Session):
    def __init__(self) -> None:
        self.system = Lent()
        self.given_back: list[str] = []

    def describe(self) -> Description:
        raise AssertionError

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        raise AssertionError(block)

    @contextmanager
    def lent(self, system: System) -> Iterator[Lent]:
        yield self.system
        self.given_back.append(system.name)


@pytest.fixture
def study() -> Study:
    return load_study("overhead", [], ["one=ext4", "other=xfs"], "loop:512MiB", 1)


def test_a_system_is_lent_until_it_is_given_back(study: Study) -> None:
    lending, session = Lending(), Session()

    def told(do: Do, **words: object) -> object:
        return json.loads(lending.done(do, words, study, session))

    assert FilesTarget.model_validate(told("lend", system="other")) == TARGET
    assert told("settle") == "synced"
    assert told("say", command=["bonnie++", "-q"], what="it failed", seconds=5.0) == "1.98,2.00a"
    told("remove", names=["Bonnie.*"])
    loads = [one_load(seed=3).model_dump(mode="json"), one_load(seed=4).model_dump(mode="json")]
    assert told("load_at_once", loads=loads, lay_out=True) == []
    assert session.system.done == [
        (["bonnie++", "-q"], "it failed", 5.0),
        ["Bonnie.*"],
        ([3, 4], True),
    ]
    assert session.given_back == []
    told("give_back")
    assert session.given_back == ["other"]
    with pytest.raises(RigError, match="lends no system"):
        told("settle")


def test_another_system_takes_its_place(study: Study) -> None:
    lending, session = Lending(), Session()
    for name in ("one", "other"):
        lending.done("lend", {"system": name}, study, session)
    assert session.given_back == ["one"]


def test_a_program_is_brought_with_the_order(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lending, "_BROUGHT", tmp_path / "brought")
    guest = Lending()
    guest.done("lend", {"system": "one"}, study, Session())
    data = base64.b64encode(b"#!/bin/sh\n").decode()
    answer = guest.done("program", {"name": "iozone", "data": data}, study, None)
    brought = Path(json.loads(answer))
    assert brought.read_bytes() == b"#!/bin/sh\n"
    assert brought.stat().st_mode & 0o111
    answer = guest.done("program", {"name": "bonnie++", "data": ""}, study, None)
    assert json.loads(answer) is None, "what is not installed is not found"


def test_nothing_is_lent_before_a_study_is_prepared() -> None:
    with pytest.raises(RigError, match="no study is prepared"):
        Lending().done("lend", {"system": "one"}, None, None)
