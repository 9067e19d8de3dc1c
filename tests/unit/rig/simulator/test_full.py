"""A simulated device that fills up, or has no room from the start: who is named, and what helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.execution import execute
from fsgauge.engine import Engine
from fsgauge.errors import InputError
from fsgauge.plan.turns import make_plan
from fsgauge.rig.simulator import more_room
from fsgauge.rig.simulator.device import size_of
from fsgauge.rig.simulator.life import place_in
from fsgauge.rig.simulator.more_room import found_room
from fsgauge.rig.simulator.readable import with_sizes
from fsgauge.study.parse import parse_study

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
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`fsgauge resume` was the next command, and the same seed filled the same device again."""
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    assert execute(study, rig="simulator", results=tmp_path, destroy=None, style="quiet") == 3
    said = capsys.readouterr().err
    assert 'error: "full": the simulated device is full: client' in said
    assert "--set storage.size=256MiB" in said
    assert "workload.fills=" in said and ": this life fits then, or --without full" in said
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
    assert [option.split("=")[0] for option in found] == [
        "--set storage.size",
        "--set 'workload.fills",
    ]
    larger = study.storage.model_copy(update={"size": 256 << 20})
    grown = study.model_copy(update={"storage": larger})
    assert execute(grown, rig="simulator", results=tmp_path, destroy=None, style="quiet") == 0


def test_a_life_that_takes_long_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(more_room, "MOST_SECONDS", 0.0)
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
