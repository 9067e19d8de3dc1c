"""The table for a pull request: the answer, a row per system; names cannot break it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.report.write import read_report
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_curve import Queue, make_curve
from tests.synthetic_kinds import make_metadata
from tests.synthetic_writers import make_writers


def test_the_answer_and_a_row_for_each_system(tmp_path: Path) -> None:
    report = read_report(make_study(blocks=5).write(tmp_path / "a"))
    answer, empty, head, rule, *rows = report.markdown().splitlines()
    assert answer.startswith("**") and answer.endswith("**") and not empty
    assert head.startswith("| load | system |") and set(rule) <= set("| -")
    assert len(rows) == len(report.results.primary_cells) * len(report.results.systems)
    assert all(row.count(" | ") == head.count(" | ") for row in rows)
    assert any("| baseline |" in row for row in rows)


def test_names_cannot_break_the_table(tmp_path: Path) -> None:
    report = read_report(make_study(blocks=3).write(tmp_path / "a"))
    odd = report.results.model_copy(update={"answer": "a|b <img> `x` *y*\n[z](w)"})
    answer = type(report)(report.stored, odd).markdown().splitlines()[0]
    assert answer == r"**a\|b \<img\> \`x\` \*y\*\\n\[z\](w)**"


EQUAL = {"ext4": Queue(5_000.0), "xfs": Queue(5_000.0)}


@pytest.mark.parametrize(
    ("make", "has"),
    [
        (lambda: make_curve(EQUAL, noise=0.4, p99_noise=0.4), "| at least 1.69 k IOPS |"),
        (lambda: make_aging(levels=(5, 50, 100), blocks=5), "| 61 % ▼ (59 to 63 %) |"),
        (lambda: make_churn(blocks=5, fills=(80, 95)), "| 0.82 (0.81 to 0.84) |"),
        (lambda: make_writers(blocks=6), "| +38 % (+35 to +41 %) |"),
        (
            lambda: make_writers(blocks=6, systems={"ext4": "ext4", "xfs": "xfs"}),
            "| 1.41 ▲ better (1.39 to 1.43) |",
        ),
        (lambda: make_metadata(EQUAL | {"xfs": Queue(6_000.0)}), "| 1.21 | 1.16 to 1.25 |"),
    ],
)
def test_the_numbers_of_the_headline_are_in_the_table(
    make: Callable[[], SyntheticStudy], has: str, tmp_path: Path
) -> None:
    report = read_report(make().write(tmp_path / "a"))
    assert has in report.markdown().split("\n\n", 1)[1]
