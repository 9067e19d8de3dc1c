"""`fsgauge query`: tables for people, lines of JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from .conftest import Run

FOLDER = str(Path(__file__).parents[1] / "data" / "format-1")
COUNT = "select system, count(*) as runs from runs group by system order by system limit 1"


def test_a_table(fsgauge: Run) -> None:
    done = fsgauge("query", FOLDER, COUNT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["system  runs", "one        8"]


def test_json_and_csv(fsgauge: Run) -> None:
    assert json.loads(fsgauge("query", FOLDER, "--json", COUNT).stdout) == {
        "system": "one",
        "runs": 8,
    }
    rows = list(csv.DictReader(io.StringIO(fsgauge("query", FOLDER, "--csv", COUNT).stdout)))
    assert rows == [{"system": "one", "runs": "8"}]


def test_without_sql_the_views_are_listed(fsgauge: Run) -> None:
    done = fsgauge("query", FOLDER)
    assert "histograms: a filled bucket of a run's latency histogram;" in done.stdout
    columns = [json.loads(line) for line in fsgauge("query", FOLDER, "--json").stdout.splitlines()]
    assert {"view": "runs", "column": "elapsed_ns"}.items() <= next(
        each for each in columns if (each["view"], each["column"]) == ("runs", "elapsed_ns")
    ).items()


def test_wrong_sql_ends_in_two_with_duckdbs_words(fsgauge: Run) -> None:
    done = fsgauge("query", FOLDER, "select * from rns")
    assert done.returncode == 2
    assert 'Did you mean "runs"?' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_none(fsgauge: Run, tmp_path: Path) -> None:
    assert fsgauge("query", str(tmp_path), "select 1").returncode == 2
    assert fsgauge("query", str(tmp_path)).returncode == 2
