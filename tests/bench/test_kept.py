"""target/bench.json has the last rows of every bench, and the history all that were measured."""

import json
from itertools import permutations
from pathlib import Path

import kept
import run


def names_in(path: Path) -> list[object]:
    return [row["name"] for row in json.loads(path.read_text())]


def test_one_bench_alone_writes_its_rows_and_leaves_the_others(tmp_path: Path) -> None:
    last, history = tmp_path / "bench.json", tmp_path / "history.ndjson"
    kept.keep([{"name": "smb-100-dbench-rate", "ratio": 1.0}], ["smb-100-dbench"], last, history)
    kept.keep([{"name": "smb-10-dbench-rate", "ratio": 1.1}], ["smb-10-dbench"], last, history)
    kept.keep([{"name": "smb-100-dbench", "skipped": "no"}], ["smb-100-dbench"], last, history)
    assert names_in(last) == ["smb-10-dbench-rate", "smb-100-dbench"]
    assert len(history.read_text().splitlines()) == 3


def test_no_bench_has_the_rows_of_another() -> None:
    for one, other in permutations([*run.BENCHES, *run.LIMITS], 2):
        assert not kept.is_of({"name": other}, one)


def test_earlier_runs_are_this_machines_and_were_measured(tmp_path: Path) -> None:
    last, history = tmp_path / "bench.json", tmp_path / "history.ndjson"
    for ratio in (0.9, 1.0, 1.1):
        kept.keep([{"name": "null-depth-1", "ratio": ratio}], ["null-depth-1"], last, history)
    kept.keep([{"name": "null-depth-1", "failed": "why"}], ["null-depth-1"], last, history)
    other = {"name": "null-depth-1", "ratio": 5.0, "machine": "another"}
    history.write_text(history.read_text() + json.dumps(other) + '\n{"name": "null-de')
    found = kept.earlier("null-depth-1", 2, history)
    assert [row["ratio"] for row in found] == [1.0, 1.1]


def test_a_cut_or_missing_file_is_no_earlier_run(tmp_path: Path) -> None:
    last = tmp_path / "bench.json"
    assert kept.read(last) == []
    last.write_text('[{"name": "nu')
    assert kept.read(last) == []
    assert kept.earlier("null-depth-1", 2, tmp_path / "none") == []
