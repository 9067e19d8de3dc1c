"""Resuming a study with stages: a block is whole when each stage has its own runs and scans."""

from pathlib import Path

import pytest

from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from tests.sealing import seal
from tests.synthetic_churn import make_churn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_churn(fills=[50, 80], blocks=2, systems={"ext4": "ext4"}).write(tmp_path)


def test_every_stage_is_asked_for_its_own_cells_alone(folder: Path) -> None:
    stored = read_results(folder)
    assert whole_blocks(stored) == {0, 1}
    assert len(stored.steps) == len(stored.turns) == 2 * 2 * 4


@pytest.mark.parametrize(
    "lost", ["scan-aged.json", "scan-after-aged-50-write.json", "01-fresh-80-write.json"]
)
def test_a_stage_that_lacks_anything_breaks_its_block(folder: Path, lost: str) -> None:
    next(folder.glob(f"records/001-*/{lost}")).unlink()
    seal(folder)
    assert whole_blocks(read_results(folder)) == {0}
