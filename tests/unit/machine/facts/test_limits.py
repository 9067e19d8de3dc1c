"""The limits that this process is under, in trees as recorded, and for real where groups can be
made."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from fsgauge.machine.facts import control_groups
from fsgauge.machine.facts.control_groups import own_groups
from fsgauge.machine.facts.limits import capture_limits, watch_throttling
from fsgauge.record.limits import Throttled
from tests.unit.machine.facts.control_group_trees import NESTED_V2, V2, process_in


@pytest.fixture
def nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process seems to be in a nested group with limits."""
    process = process_in(tmp_path, "0::/outer/inner\n", V2, NESTED_V2)
    monkeypatch.setattr(control_groups, "own_groups", lambda: own_groups(process))
    return tmp_path


def test_all_of_them(nested: Path) -> None:
    missing: dict[str, str] = {}
    found = capture_limits(missing)
    assert found.groups[0] == "cpu:/outer/inner" and not missing
    assert found.processor_quota == 0.5 and found.memory_bytes == 160 << 20
    assert found.machine_memory_bytes is not None and found.machine_memory_bytes > 160 << 20
    assert found.nice == os.nice(0) and found.scheduling == "other"
    assert found.resources["nofile"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert found.throttled is not None and found.throttled.throttled_periods == 7
    assert len(found.io) == 2 and found.cpuset == "0-1,4"


def test_what_lies_between_two_readings_is_a_run_s(nested: Path) -> None:
    stat = nested / "0/outer/cpu.stat"
    between = watch_throttling()
    stat.write_text("nr_periods 50\nnr_throttled 10\nthrottled_usec 2500\n")
    assert between() == Throttled(periods=10, throttled_periods=3, throttled_ns=1_000_000)


def test_without_a_quota_nothing_is_counted(nested: Path) -> None:
    (nested / "0/outer/cpu.max").write_text("max 100000\n")
    assert watch_throttling()() is None
    assert capture_limits({}).throttled is None


def test_what_cannot_be_read_is_named(nested: Path) -> None:
    (nested / "0/outer/cpu.max").unlink()
    (nested / "0/outer/cpu.max").mkdir()
    missing: dict[str, str] = {}
    assert capture_limits(missing).processor_quota is None
    assert list(missing) == ["limits.cpu"] and "cpu.max" in missing["limits.cpu"]


def test_without_proc_the_reason_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Path("/no/such/process")
    monkeypatch.setattr(control_groups, "own_groups", lambda: own_groups(nowhere))
    missing: dict[str, str] = {}
    assert capture_limits(missing).groups == [] and "limits.groups" in missing
