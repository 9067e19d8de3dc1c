"""Hosts that are lost: the block is void and repeated, and a host that is lost thrice is left out.

The hosts are stubs; test_processes.py kills real ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.record.records import Plan, RunRecord
from fsgauge.rig import happenings
from fsgauge.rig.fleet import block, host_answers, session
from fsgauge.rig.fleet.clock import Clock
from fsgauge.rig.fleet.hosts import Hosts, started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.study.parse import load_study
from tests.fleet import stub_hosts
from tests.fleet.stub_hosts import FAULTS, LATE, PREPARING, StubLauncher, StubRig, one_clock
from tests.synthetic import make_study

NAMES = ["a", "b", "c"]


class Fleet:
    """Three stub hosts with a study prepared, and what is told of it."""

    def __init__(self, hosts: Hosts, launcher: StubLauncher) -> None:
        study = load_study("overhead", [], [], None, 1)
        self.hosts, self.launcher = hosts, launcher
        self.said: list[str] = []
        self.told: list[happenings.Happening] = []
        self.session = FleetSession(
            hosts, Clock("127.0.0.1", 1, "0" * 64), lambda _: study, self.said.append, 0.3
        )
        self.session.prepare()

    @property
    def plan(self) -> Plan:
        return stub_hosts.STUDY[0].study.plan

    def voided(self) -> list[str]:
        return [each.because for each in self.told if isinstance(each, happenings.BlockVoid)]

    def parts_of_runs(self) -> list[list[str]]:
        """Machines of the runs since the last block that was void."""
        found: list[list[str]] = []
        for each in self.told:
            if isinstance(each, happenings.BlockVoid):
                found.clear()
            if isinstance(each, RunRecord):
                found.append([part.machine for part in each.parts])
        return found

    def killing(self, name: str) -> Callable[[happenings.Happening], None]:
        """Ends a host with the first run that is told."""

        def tell(happening: happenings.Happening) -> None:
            self.told.append(happening)
            if isinstance(happening, RunRecord) and not self.voided():
                self.launcher.started[name].end()

        return tell


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    monkeypatch.setattr(host_answers, "HeldRig", StubRig)
    monkeypatch.setattr(host_answers.HostAnswers, "compare_clock", one_clock)
    small = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    stub_hosts.STUDY[:] = [small]
    FAULTS.clear()
    PREPARING.clear()
    LATE.clear()
    launcher = StubLauncher(tmp_path)
    with started_hosts([Host(name=name) for name in NAMES], launcher, "127.0.0.1") as hosts:
        yield Fleet(hosts, launcher)


def test_a_host_that_is_gone_is_started_again(fleet: Fleet) -> None:
    fleet.session.block(fleet.plan, 0, fleet.killing("b"))
    assert fleet.voided() == ["b: its connection was closed"]
    assert fleet.parts_of_runs() == [NAMES] * 4


def test_a_loss_is_seen_at_once(fleet: Fleet) -> None:
    """Within a second where the machine is idle; the limit is that of one that is not."""
    at: list[float] = []

    def tell(happening: happenings.Happening) -> None:
        if isinstance(happening, RunRecord) and not at:
            fleet.launcher.started["b"].end()
            at.append(time.monotonic())
        if isinstance(happening, happenings.BlockVoid):
            at.append(time.monotonic())

    fleet.session.block(fleet.plan, 0, tell)
    assert at[1] - at[0] < 10


def test_a_host_that_fails_once_costs_the_block_alone(fleet: Fleet) -> None:
    FAULTS[2] = ["fails"]
    fleet.session.close("prepared again with its fault")
    fleet.session.prepare()
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert fleet.voided() == ["c: the engine ended without a result"]
    assert fleet.parts_of_runs() == [NAMES] * 4


def test_what_a_host_refuses_ends_the_study(fleet: Fleet) -> None:
    """Another attempt would be refused as well, so no block is void and no host is left out."""
    FAULTS[1] = ["refuses"]
    fleet.session.close("prepared again with its refusal")
    fleet.session.prepare()
    with pytest.raises(InputError) as caught:
        fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert caught.value.what == "b: 4097 writers: 4096 is the limit"
    assert fleet.voided() == []
    assert fleet.session.describe().left_out == ()


def test_a_start_that_one_missed_is_given_to_all_again(fleet: Fleet) -> None:
    """Two nodes of a loaded machine lost a block because one start came 91 ms late."""
    LATE[1] = 1
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert fleet.voided() == [] and fleet.parts_of_runs() == [NAMES] * 4
    (missed,) = [each for each in fleet.told if isinstance(each, happenings.StartMissed)]
    assert missed.because == "b: the start was missed"
    begun = [each for each in fleet.told if isinstance(each, happenings.RunStarted)]
    assert len(begun) == 5 and begun[0] == begun[1]
    assert (missed.turn, missed.cell) == (begun[0].turn, begun[0].cell)
    first, second, *_ = [each for each in fleet.told if isinstance(each, happenings.LoadBegins)]
    assert second.ahead_seconds > first.ahead_seconds
    assert "the run begins again, 0.6 s after it is told" in fleet.said[0]


def test_a_start_that_is_missed_too_often_costs_the_block(fleet: Fleet) -> None:
    LATE[0] = happenings.MOST_STARTS
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    (because,) = fleet.voided()
    assert because.startswith("a: the start was missed, for the 4th time in block 1, turn 1, ")
    assert fleet.parts_of_runs() == [NAMES] * 4


def test_a_host_that_hangs_is_lost(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block, "ANSWER_SECONDS", 1.5)
    FAULTS[0] = ["hangs"]
    fleet.session.close("prepared again with its fault")
    fleet.session.prepare()
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    (because,) = fleet.voided()
    assert because == "a: it gave no answer for 2 s"
    assert fleet.parts_of_runs() == [NAMES] * 4


def test_a_host_that_always_fails_is_left_out_of_the_whole_study(fleet: Fleet) -> None:
    FAULTS[2] = ["fails"] * 9
    fleet.session.close("prepared again with its fault")
    fleet.session.prepare()
    with pytest.raises(
        happenings.StudyVoid, match="c is left out of the whole study: the engine ended"
    ):
        fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert len(fleet.voided()) == 3
    found = fleet.session.describe()
    assert [machine.name for machine in found.machines] == ["a", "b"]
    assert found.environment.left_out == ["c: the engine ended without a result"]
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert fleet.parts_of_runs() == [["a", "b"]] * 4


def test_a_host_that_hangs_while_it_is_prepared_is_started_again(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.session.close("prepared again, and it hangs")
    PREPARING[1] = 1
    with monkeypatch.context() as patched:
        patched.setattr(session.control, "ANSWER_SECONDS", 1.5)
        fleet.session.prepare()
    assert "while the study was prepared: b: it gave no answer for 2 s" in fleet.said
    fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert fleet.parts_of_runs() == [NAMES] * 4


def test_a_host_that_is_never_prepared_is_left_out(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study begins without it, and says so."""
    monkeypatch.setattr(session.control, "ANSWER_SECONDS", 1.5)
    fleet.session.close("prepared again, and it hangs")
    PREPARING[1] = 3
    fleet.session.prepare()
    found = fleet.session.describe()
    assert [machine.name for machine in found.machines] == ["a", "c"]
    assert found.environment.left_out == ["b: it gave no answer for 2 s"]


def test_without_any_host_the_study_ends(fleet: Fleet) -> None:
    for number in range(3):
        FAULTS[number] = ["fails"] * 9
    fleet.session.close("prepared again with its fault")
    fleet.session.prepare()
    for _ in range(2):
        with pytest.raises(happenings.StudyVoid):
            fleet.session.block(fleet.plan, 0, fleet.told.append)
    with pytest.raises(RigError, match="no host is left to measure with") as caught:
        fleet.session.block(fleet.plan, 0, fleet.told.append)
    assert not isinstance(caught.value, happenings.StudyVoid)
    assert len(caught.value.details) == 3


def test_what_tell_raises_ends_the_block_on_every_host(fleet: Fleet) -> None:
    def tell(happening: happenings.Happening) -> None:
        if isinstance(happening, RunRecord):
            raise RigError("the disk of the results is full")

    with pytest.raises(RigError, match="the disk of the results is full"):
        fleet.session.block(fleet.plan, 0, tell)
    assert session.MOST_REPEATS == 2
    fleet.session.block(fleet.plan, 1, fleet.told.append)
    assert fleet.parts_of_runs() == [NAMES] * 4
