"""The end of a race: whom a second one is around."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.choosing.options import Option
from fsgauge.choosing.refused import Refused
from fsgauge.cli import execution
from fsgauge.cli.choose import _Asked, _Entry, _grouped, _of_words, _one_of, _race, _tell
from fsgauge.cli.run import _require_endurance
from fsgauge.errors import InputError
from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study


@pytest.mark.parametrize(
    ("race", "winner"), [({"leader": "ext4", "chosen": "xfs"}, "xfs"), (None, "")]
)
def test_a_second_race_is_around_who_is_chosen(
    race: object, winner: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was around the leader, also of one that did better in the fresh blocks."""

    def executed(_study: object, *, concluded: Callable[[Path], None], **_: object) -> int:
        concluded(tmp_path)
        return 0

    monkeypatch.setattr(execution, "execute", executed)
    monkeypatch.setattr(execution, "report_in", lambda _: {"race": race})
    study = load_study("overhead", systems=["ext4", "xfs"])
    asked: Any = _Asked((), None, None, None, None, None, None, safe=False)  # type: ignore[arg-type]
    assert _race(study, None, asked, tmp_path, None) == (0, winner)  # type: ignore[arg-type]


def test_a_program_that_is_raced_is_called_by_its_own_name() -> None:
    """It was called SQLite, and a race was planned for what SQLite writes."""
    raced = load_study("command", list(_of_words("command", ["git", "clone"]))).workload
    assert isinstance(raced, CommandWorkload)
    assert (raced.called, raced.writes) == ("git clone", 0)
    assert _of_words("mine.toml", ["tool"]) == ['workload.program=["tool"]']
    assert _of_words("command", []) == ()


def test_a_tunable_that_is_refused_is_said_once() -> None:
    """ "ext4 (system the system): ..." was printed."""
    why = 'the kernel refused "5" for /sys/x (system "ext4 (a)"): no such value'
    assert _grouped([Refused("ext4 (a)", why)]) == [
        'ext4 (a): the kernel refused "5" for /sys/x: no such value'
    ]


def test_what_no_system_has_any_more_is_not_tried() -> None:
    """J.size=256 was listed where all such systems were refused."""
    option = Option(("ext4",), "mkfs.-J.size", ("default", "256", "512"), (), "", "")
    weak = Option(("ext4",), "mount.nobarrier", (True,), (), "", "")
    left = [{}, {"-J size": "512", "noatime": "on"}]
    found = option.left_in("ext4", left)
    assert found is not None and found.values == ("default", "512")
    assert option.left_in("ext4", [{}]) is None
    for key, name in (("mkfs.-m.reflink", "-m reflink"), ("mount.max_inline", "max_inline")):
        zero = Option(("xfs",), key, ("default", 0), (), "", "")
        assert zero.left_in("xfs", [{name: "0"}]) == zero, "0 is not what it does by itself"
    assert weak.left_in("ext4", left) is None
    assert weak.left_in("ext4", [{"nobarrier": "on"}]) == weak


def test_two_races_share_one_budget_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second one had as much again; then "--budget 5min" was called "150 s"."""
    study = load_study("overhead", ["plan.mode=race", "plan.budget=2 h"], ["ext4", "xfs"])
    assert _one_of(study, 2).plan.budget == 3600 * 10**9
    assert _one_of(load_study("overhead"), 2).plan.budget is None
    for races, budget in ((2, "budget    2 h: half each for two races\n"), (1, "")):
        monkeypatch.setattr("fsgauge.cli.choose._cost_lines", lambda *_: [])
        _tell(_Entry("x", "", ()), _one_of(study, races), None, races, sys.stdout)  # type: ignore[arg-type]
        assert capsys.readouterr().out.lstrip("\n") == budget

    def short(*_: object) -> list[str]:
        raise InputError("the budget of 1 h is too short for 3 blocks")

    monkeypatch.setattr("fsgauge.cli.choose._cost_lines", short)
    with pytest.raises(InputError) as error:
        _tell(_Entry("x", "", ()), _one_of(study, 2), None, 2, sys.stdout)  # type: ignore[arg-type]
    assert "the budget is 2 h: half each for two races" in error.value.render()


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
