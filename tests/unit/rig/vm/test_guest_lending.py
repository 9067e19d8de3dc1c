"""A guest lends a system: orders come one by one, and what was made is undone once."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult
from fsgauge.errors import RigError
from fsgauge.record.records import Plan
from fsgauge.rig import session as sessions
from fsgauge.rig.happenings import Tell
from fsgauge.rig.session import Description
from fsgauge.rig.vm import lending
from fsgauge.rig.vm.lending import Lending
from fsgauge.rig.vm.messages import Do
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.workload.folders import Place

TARGET = FilesTarget(directory="/mnt/it", count=1, file_size_bytes=1 << 20)


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
    assert session.system.done == [(["bonnie++", "-q"], "it failed", 5.0), ["Bonnie.*"]]
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
