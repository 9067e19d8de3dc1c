"""The printed summary: what is on the sheet, by kind of study. Its size is tested in a browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from fsgauge.report.tables import primary_lines
from fsgauge.report.write import Report, read_report
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_curve import Queue
from tests.synthetic_kinds import make_metadata

FASTER = {"ext4": Queue(5_000.0), "xfs": Queue(6_000.0)}
pytestmark = pytest.mark.usefixtures("blank_pictures")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("plain")
    make_study(patterns=("randread", "randwrite"), block_sizes=(4096,), blocks=3).write(folder)
    return read_report(folder)


def test_primary_numbers_are_a_line_a_cell_and_system(report: Report) -> None:
    results = report.results
    lines = primary_lines(results)
    assert len(lines) == len(results.primary_cells) * len(results.systems)
    for line in lines:
        is_baseline = line.system == results.baseline
        assert (line.ratio == "") == is_baseline
        assert line.value


def test_the_sheet_has_answer_options_and_ratios(report: Report) -> None:
    sheet = report.summary()
    said = sheet.replace("&#39;", "'")
    headline, *more = report.results.lines
    assert f">{headline}</p>" in said and f">{' '.join(more)}</p>" in said
    assert 'id="primary"' in sheet and 'id="options"' in sheet
    for turn in report.stored.turns:
        assert turn.facts.mount_options in sheet
    assert report.stored.before.load.kernel in sheet
    assert "http" not in sheet.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    ("make", "table"),
    [
        (partial(make_aging, blocks=3), "table-aging"),
        (partial(make_churn, blocks=3), "table-damage"),
        (partial(make_metadata, FASTER), "table-operations"),
    ],
)
def test_a_kind_with_numbers_of_its_own_prints_those(
    tmp_path: Path, make: Callable[[], SyntheticStudy], table: str
) -> None:
    make().write(tmp_path)
    sheet = read_report(tmp_path).summary()
    assert f'id="{table}"' in sheet
    assert 'id="primary"' not in sheet
