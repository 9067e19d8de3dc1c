"""target/bench.json has the last lines of every bench, also where one was run alone."""

import json
from itertools import permutations
from pathlib import Path

import lab
import report
import run


def names_in(path: Path) -> list[object]:
    return [line["name"] for line in json.loads(path.read_text())]


def test_one_bench_alone_writes_its_lines_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "target" / "bench.json"
    report.replace_lines([{"name": "smb-100-dbench-rate", "ratio": 1.0}], ["smb-100-dbench"], path)
    report.replace_lines([{"name": "smb-10-dbench-rate", "ratio": 1.1}], ["smb-10-dbench"], path)
    report.replace_lines([{"name": "smb-100-dbench", "skipped": "no"}], ["smb-100-dbench"], path)
    assert names_in(path) == ["smb-10-dbench-rate", "smb-100-dbench"]
    report.write_lines([{"name": "clients-memory", "peer": "limit"}], path)
    report.replace_lines([{"name": "help", "peer": "limit"}], ["help"], path)
    assert names_in(path) == ["clients-memory", "help"]


def test_no_bench_has_the_lines_of_another() -> None:
    for one, other in permutations([*run.BENCHES, *lab.BENCHES], 2):
        assert not report.is_of({"name": other}, one)


def test_run_alone_it_is_written(tmp_path: Path, monkeypatch, capsys) -> None:
    """Only a whole `make bench` wrote anything."""
    path = tmp_path / "bench.json"
    monkeypatch.setattr(report.replace_lines, "__defaults__", (path,))
    monkeypatch.setattr(lab, "BENCHES", {"help": lambda: iter([("help", 0.3, "s", [0.1, 0.2])])})
    monkeypatch.setattr("sys.argv", ["lab.py", "--only", "help"])
    lab.main()
    (line,) = json.loads(path.read_text())
    assert (line["name"], line["limit"], line["meets"]) == ("help", 0.3, True)
    assert "help" in capsys.readouterr().out
