"""What a plan says of studies in virtual machines, next to what they took."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsgauge.cli.plan_lines import time_and_bytes
from fsgauge.plan.around import Around
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.record.records import Plan
from fsgauge.rig.rig import around_on
from fsgauge.rig.vm import acceleration
from fsgauge.rig.vm.acceleration import CHOICE_VARIABLE
from fsgauge.rig.vm.disks import BYTES_PER_SECOND, IOPS
from fsgauge.rig.vm.qemu import Qemu
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

TOOK = {"sharing": (18 * 60 + 46, 189), "two-nodes": (19 * 60 + 39, 89)}
TOOK |= {"writers-nfs": (8 * 60 + 24, 30)}
"""Seconds of whole runs of 2026-11-24, emulated on two processors at a load of 5 to 8, and runs
that were measured. Of two-nodes these are more than the 81 of the plan: two blocks were void."""
NEAR = 1.5


@pytest.fixture(autouse=True)
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE_VARIABLE, "tcg")


def planned(name: str) -> tuple[Study, Plan]:
    study = with_seed(load_study(name), 1)
    around = around_on(VmRig(), study)
    return study, make_plan(study, size_bytes=study.storage.size, around=around)


@pytest.mark.parametrize("name", TOOK)
def test_a_plan_says_about_what_a_run_took(name: str) -> None:
    """The plan said 5 minutes of two-nodes, which took 20."""
    took, runs = TOOK[name]
    study, plan = planned(name)
    assert took / NEAR < plan.expected_seconds < took * NEAR
    assert runs >= sum(len(turn.cells) for turn in plan.turns)
    size_bytes = study.storage.size
    facts = describe(plan, study, size_bytes=size_bytes, around=around_on(VmRig(), study))
    assert facts.shortest_seconds <= plan.expected_seconds * 1.001 <= facts.longest_seconds * 1.01
    assert 0 < facts.under_load_share < 0.5


def test_of_kvm_only_the_limits_of_the_disks_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What machines take with it was not measured."""
    monkeypatch.setenv(CHOICE_VARIABLE, "kvm")
    around = VmRig().around(load_study("two-nodes"))
    assert around == Around(bytes_per_second=BYTES_PER_SECOND, operations_per_second=IOPS)


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """KVM may be used here, and was never tried; gives where it is kept what came of a trial."""
    qemu = Qemu("/usr/bin/qemu-system-x86_64", "7.2")
    monkeypatch.delenv(CHOICE_VARIABLE)
    monkeypatch.setattr(acceleration, "has_kvm", lambda: True)
    monkeypatch.setattr(acceleration, "find_qemu", lambda: qemu)
    monkeypatch.setattr(acceleration, "cache_folder", lambda: tmp_path)
    return tmp_path / "kvm.json"


def test_where_kvm_was_not_tried_a_plan_says_both_times(untried: Path) -> None:
    """It said 4 minutes, those of KVM, of what took 19."""
    assert acceleration.expects_kvm() is None
    study, plan = planned("sharing")
    around = around_on(VmRig(), study)
    facts = describe(plan, study, size_bytes=study.storage.size, around=around)
    time, _ = time_and_bytes(facts)
    found = re.match(r"time +about ([0-9.]+) min emulated, ([0-9.]+) min with KVM, ", time)
    assert found is not None, time
    assert float(found[1]) > 3 * float(found[2])
    assert TOOK["sharing"][0] / NEAR < 60 * float(found[1]) < TOOK["sharing"][0] * NEAR


@pytest.mark.parametrize("works", [True, False])
def test_once_it_was_tried_a_plan_says_one_time(untried: Path, works: bool) -> None:
    acceleration._keep(acceleration.find_qemu(), works=works)
    assert acceleration.expects_kvm() is works
    study, plan = planned("sharing")
    around = around_on(VmRig(), study)
    facts = describe(plan, study, size_bytes=study.storage.size, around=around)
    assert "KVM" not in time_and_bytes(facts)[0] and "emulated," not in time_and_bytes(facts)[0]
    untried.write_text("{")
    assert acceleration.expects_kvm() is None


def test_the_disks_of_the_machines_have_limits_where_the_study_names_none() -> None:
    """1.5 TiB at 800 MiB/s were said to take 2.7 hours, on disks of 64 MiB/s."""
    study, plan = planned("sharing-as-published")
    size_bytes = study.storage.size
    slowest = plan.expected_written_bytes / BYTES_PER_SECOND
    assert plan.expected_seconds > slowest / 2  # three in five are reads, which take as long
    facts = describe(plan, study, size_bytes=size_bytes, around=around_on(VmRig(), study))
    assert "writes 64 MiB/s" in facts.estimate_basis and "500 IOPS at most" in facts.estimate_basis
    assert facts.longest_seconds == pytest.approx(facts.shortest_seconds)


def test_what_is_written_in_blocks_is_within_the_operations_of_a_disk() -> None:
    """Random writes of 4 KiB at 500 IOPS were counted at the 20 000 IOPS of an SSD."""
    study, plan = planned("two-nodes")
    runs = sum(len(turn.cells) for turn in plan.turns)
    seconds = (study.workload.warm_up + study.workload.duration) / 1e9
    filled = (512 << 20) // 10 * len(plan.turns)
    assert plan.expected_written_bytes <= runs * seconds * IOPS * 4096 + filled


def test_what_comes_before_the_first_block_is_no_part_of_what_is_left() -> None:
    around = VmRig().around(load_study("two-nodes"))
    assert around.before_seconds > 0 and around.once_up.before_seconds == 0
    assert around.once_up.run_seconds == around.run_seconds


def test_a_file_of_a_size_of_its_own_is_all_that_is_written_first() -> None:
    """The plan took the whole disk for its file, and by that happened to be right."""
    study, plan = planned("sharing")
    assert plan.expected_written_bytes < 189 * (8 << 20) + 21 * (8 << 20)
    assert study.storage.size == 320 << 20
