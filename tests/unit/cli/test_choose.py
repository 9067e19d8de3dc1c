"""What is raced: a program by its own name, options that are not refused, a budget."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from fsgauge.choosing.options import Option
from fsgauge.cli.choose import _of_words, _part_of
from fsgauge.cli.run import _require_endurance
from fsgauge.errors import InputError
from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study


def test_a_program_that_is_raced_is_called_by_its_own_name() -> None:
    """It was called SQLite, and a race was planned for what SQLite writes."""
    raced = load_study("command", list(_of_words("command", ["git", "clone"]))).workload
    assert isinstance(raced, CommandWorkload)
    assert (raced.called, raced.writes) == ("git clone", 0)
    assert _of_words("mine.toml", ["tool"]) == ['workload.program=["tool"]']
    assert _of_words("command", []) == ()


def test_a_value_that_is_refused_by_itself_is_not_tried() -> None:
    """J.size=256 was listed where all such systems were refused."""
    option = Option(("ext4",), "mkfs.-J.size", ("default", "256", "512"), (), "", "")
    weak = Option(("ext4",), "mount.nobarrier", (True,), (), "", "")
    refused = ["ext4", "ext4 (J.size=256)", "ext4 (noatime, J.size=512)"]
    assert option.without("ext4", refused).values == ("default", "512")
    assert option.without("xfs", refused) == option, "that is another file system"
    zero = Option(("xfs",), "mkfs.-m.reflink", ("default", 0), (), "", "")
    assert zero.without("xfs", refused) == zero
    assert not zero.without("xfs", ["xfs (reflink=0)"]).tried, "0 is not what it does by itself"
    assert not weak.without("ext4", ["ext4 (nobarrier)"]).tried


def test_two_races_have_half_of_the_budget_each() -> None:
    study = load_study("overhead", ["plan.mode=race", "plan.budget=2 h"], ["ext4", "xfs"])
    assert _part_of(study, 2).plan.budget == 3600 * 10**9
    assert _part_of(load_study("overhead"), 2).plan.budget is None


def test_a_race_that_is_run_is_held_against_the_device_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = load_study("overhead", ["plan.mode=race"], ["ext4", "xfs"], "device:nvme-X", seed=7)
    plan = make_plan(study, size_bytes=1 << 30).model_copy(
        update={"expected_written_bytes": 601 << 30}
    )
    planned = SimpleNamespace(plan=plan, size_bytes=1 << 30)
    monkeypatch.setattr("fsgauge.cli.plan_lines.plan_on", lambda *_: planned)
    with pytest.raises(InputError, match="more than it endures"):
        _require_endurance(study, None)  # type: ignore[arg-type]
