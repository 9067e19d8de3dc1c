"""`fsgauge report DIR --pdf`, `--png`, `--disclosure`: where files go, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli import report as report_command
from fsgauge.errors import RigError
from fsgauge.report.write import read_report
from tests.synthetic import ONE_CELL, make_study

from .conftest import Run


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return make_study(**ONE_CELL, blocks=3).write(tmp_path / "results")


def test_the_disclosure_goes_beside_the_records_or_into_a_file(
    fsgauge: Run, results: Path, tmp_path: Path
) -> None:
    done = fsgauge("report", str(results), "--disclosure")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"disclosure: {results / 'disclosure.html'}"
    done = fsgauge("report", str(results), "--disclosure", "how.html")
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "how.html").read_text(encoding="utf-8")
    assert written == (results / "disclosure.html").read_text(encoding="utf-8")
    assert "not recorded" in written


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["DIR", "--disclosure", "how.txt"], "neither HTML nor PDF"),
        (["--pdf", "DIR"], "--pdf takes a file, and"),
        (["DIR", "DIR", "--png", "one.png"], "is one file, for 2 folders"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(
    fsgauge: Run, results: Path, words: list[str], said: str
) -> None:
    done = fsgauge("report", *(str(results) if word == "DIR" else word for word in words))
    assert done.returncode == 2, done.stdout
    assert said in done.stderr and "next: " in done.stderr
    assert not (results / "report.html").exists()


def test_without_chromium_the_sheet_is_left_as_a_page(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = read_report(results)
    monkeypatch.setattr(report_command, "find_chromium", lambda: None)
    with pytest.raises(RigError) as caught:
        report_command.on_paper(report.stored, report.summary(), "summary")
    assert "apt-get install chromium" in caught.value.next
    assert str(results / "summary.html") in caught.value.next
    page = (results / "summary.html").read_text(encoding="utf-8")
    assert page == report.summary()
    with pytest.raises(RigError, match="takes the picture"):
        report_command.first_screen(report.stored, report.page())
