"""A simulated device that fills up, or has no room from the start: who is named, and what helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.execution import execute
from fsgauge.errors import InputError
from fsgauge.rig.simulator.life import place_in
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
    assert "--set storage.size=256MiB, or --set 'workload.fills=[" in said
    assert "this life fits then, or --without full" in said
    assert "resume" not in said
    assert "of 128 MiB are left for files" in said


def test_the_system_without_room_is_named_where_the_load_has_none() -> None:
    """The first system was named, whichever left the least."""
    study = parse_study(FILLS_UP, "mine.toml", "mine")
    first, full = study.systems
    with pytest.raises(InputError, match="clients have no room") as refused:
        place_in(study, first, 8 << 20, full)
    assert 'on "full"' in refused.value.cause
