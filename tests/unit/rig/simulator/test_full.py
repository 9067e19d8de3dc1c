"""A simulated device that fills up, or has no room from the start: who is named, and what helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.execution import execute
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import EngineFault, SimulatedStep
from fsgauge.errors import FullModelError, InputError
from fsgauge.plan.turns import make_plan
from fsgauge.rig.registry import rig_named
from fsgauge.rig.simulator import full
from fsgauge.rig.simulator.full import Room, found_room, require_whole, with_sizes
from fsgauge.rig.simulator.life import place_in
from fsgauge.rig.simulator.models import size_of
from fsgauge.study.parse import parse_study
from tests.unit.rig.simulator.windows import windows

FILLS_UP = """\
format = 1
question = "What is left at 98 %?"
[storage]
kind = "simulated"
size = "128 MiB"
[[system]]
name = "first"
kind = "first-fit"
[[system]]
name = "full"
kind = "ext4-6.18"
[workload]
kind = "churn"
storage_age = 1.0
fills = ["98 %"]
write_fill = "99 %"
new_file_size = "64 KiB"
tests = ["write"]
[plan]
blocks = 2
seed = 7
"""


def test_a_full_device_names_its_system_and_what_gives_it_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fsgauge resume` was the next command, and the same seed filled the same device again."""
    monkeypatch.setattr("sys.argv", ["/usr/bin/fsgauge", "run", "mine.toml"])
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    rig = rig_named("simulator")
    ended = execute(study, rig=rig, results=tmp_path, destroy=None, style="quiet")
    assert ended.code == 3
    said = capsys.readouterr().err
    assert 'error: "full": the simulated device is full: client' in said
    command = "\nnext: fsgauge run mine.toml --seed 7 --set storage.size=256MiB"
    assert f"{command}, or --set 'workload.fills=" in said
    assert said.count("\n  tried: with --set ") == 2 and " every turn has room\n" in said
    assert ", or --without full\n" in said
    assert "resume" not in said
    assert "of 128 MiB are left for files, in" in said
    [journal] = tmp_path.rglob("journal.ndjson")
    assert journal.with_name("report.html").exists()


def test_what_is_proposed_was_tried(tmp_path: Path) -> None:
    """Twice the size was proposed to studies that fill a share of any size, and failed again."""
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    plan = make_plan(study, size_bytes=size_of(study))
    turn = next(each for each in plan.turns if each.system == "full")
    found = found_room(study, plan.seed, turn, Engine())
    assert [each.option.split("=")[0] for each in found] == [
        "--set storage.size",
        "--set 'workload.fills",
    ]
    larger = study.storage.model_copy(update={"size": 256 << 20})
    grown = study.model_copy(update={"storage": larger})
    rig = rig_named("simulator")
    ended = execute(grown, rig=rig, results=tmp_path, destroy=None, style="quiet")
    assert ended.code == 0


def test_a_size_in_which_another_turn_fills_up_is_not_proposed() -> None:
    """600 MiB were proposed to 300 MiB: the turn that had filled up fitted, and the system's next
    turn filled the larger device again."""
    study = windows("300 MiB", "98 %", "write", 3215811742875610)
    plan = make_plan(study, size_bytes=size_of(study))
    turn = next(each for each in plan.turns if each.system == "large")
    larger, *_ = found_room(study, plan.seed, turn, Engine())
    assert larger.option == "--set storage.size=2400MiB" and larger.is_of_all


def test_what_only_one_turn_was_seen_to_fit_in_says_so() -> None:
    """Where there is no time to live all turns, no more is said than was seen."""
    study = windows("300 MiB", "98 %", "write", 3215811742875610)
    fault = EngineFault(code="simulate.full", what="it is full", cause="", next="", errno=28)
    steps = [SimulatedStep(size_bytes=1, free_bytes=0, elapsed_ns=1, fault=fault)]
    with pytest.raises(FullModelError) as refused:
        require_whole(study, study.systems[1], 4, steps, lambda: [Room("--set a=1", False)])
    assert refused.value.details[1:] == (
        "tried: with --set a=1 this turn has room; not all others were tried",
    )
    refused.value.repeated("fsgauge run mine.toml --seed 7")
    assert refused.value.next == "fsgauge run mine.toml --seed 7 --set a=1, or --without large"


def test_a_life_that_takes_long_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full, "MOST_SECONDS", 0.0)
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    plan = make_plan(study, size_bytes=size_of(study))
    assert found_room(study, plan.seed, plan.turns[0], Engine()) == []


def test_sizes_in_the_engines_words_have_units() -> None:
    """A life had "no space for 1048576 more", and live files "would take 103079215104 bytes"."""
    said = with_sizes("has 1048576 of 2097152 bytes and no space for 1048576 bytes more")
    assert said == "has 1 MiB of 2 MiB and no space for 1 MiB more"


def test_the_system_without_room_is_named_where_the_load_has_none() -> None:
    """The first system was named, whichever left the least."""
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    first, full = study.systems
    with pytest.raises(InputError, match="clients have no room") as refused:
        place_in(study, first, 8 << 20, full)
    assert 'on "full"' in refused.value.cause
