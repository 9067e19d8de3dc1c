"""Pages of whole studies, typical and broken: written, self-contained, complete."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.report import write_report
from fsgauge.report.page import repeat_command
from tests.long import long_but
from tests.synthetic import ONE_CELL, make_study
from tests.whole_page import whole_page

FIVE = {name: name for name in ("raw", "ext4", "xfs", "btrfs", "f2fs")}
STUDIES: dict[str, dict[str, Any]] = {
    "one cell": {**ONE_CELL},
    "one system": {"systems": {"xfs": "xfs"}, "patterns": ("randread",)},
    "faults": {"faults": lambda turn, cell: turn.system == "xfs", "patterns": ("randread",)},
    "interrupted": {"paused_after_runs": 150},
    "before the first block": {"paused_after_runs": 2},
    "under a pace": {"rate": 1000.0, "block_sizes": (4096,), "queue_depths": (1,)},
}


@pytest.fixture(
    scope="module", params=long_but(("one cell", "faults", "before the first block"), STUDIES)
)
def directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    make_study(**STUDIES[request.param]).write(folder)
    write_report(folder)
    return folder


def test_a_seed_stands_before_a_program_of_ones_own() -> None:
    """Behind it, it was the program's: `sleep 0.1 --seed 3565...`."""
    study = make_study(**ONE_CELL).study
    typed = ["fsgauge", "run", "command", "--", "tar", "--seed", "1"]
    command = repeat_command(study.model_copy(update={"command": typed}))
    assert command == f"fsgauge run command --seed {study.plan.seed} -- tar --seed 1"


def test_the_page_is_whole_and_asks_nothing_of_the_network(directory: Path) -> None:
    whole_page(directory)


@pytest.mark.long
def test_five_systems_and_36_cells_stay_below_five_megabytes(tmp_path: Path) -> None:
    make_study(systems=FIVE).write(tmp_path)
    assert write_report(tmp_path).stat().st_size < 5_000_000


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    make_study(**STUDIES["one cell"]).write(tmp_path)
    first = write_report(tmp_path).read_text(encoding="utf-8")
    assert write_report(tmp_path).read_text(encoding="utf-8") == first


@pytest.mark.usefixtures("blank_pictures")
def test_a_command_is_not_broken_at_the_dashes_of_an_option(tmp_path: Path) -> None:
    """The first screen ended a line with "--" and began the next with "system"."""
    study = make_study(**STUDIES["one cell"])
    command = ["fsgauge", "run", "overhead", "--system", "xfs:mkfs=-d agcount=8 <b>"]
    replace(study, study=study.study.model_copy(update={"command": command})).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    words = '<span class="option">--system</span> &#39;xfs:mkfs=-d agcount=8 &lt;b&gt;&#39;'
    assert page.count(words) == 4
    assert "code .option { white-space: nowrap; }" in page


def test_names_with_markup_stay_text(tmp_path: Path) -> None:
    study = STUDIES["one cell"] | {
        "systems": {"raw": "raw", '<b>"x"</b> & y': "ext4"},
        "question": "Is </script><script>alert(1)</script> safe?",
    }
    make_study(**study).write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<b>" not in page.replace('<b class="level">', "")
