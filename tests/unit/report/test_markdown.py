"""The table for a pull request: the answer, a row per system; names cannot break it."""

from __future__ import annotations

from pathlib import Path

from fsgauge.report.write import read_report
from tests.synthetic import make_study


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
