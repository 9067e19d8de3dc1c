"""`make bench`: what is missing or fails costs its own rows, and the rest is kept."""

import json
from pathlib import Path

import pytest

import kept
import run
from side_by_side import Comparison, Failed, Measure, Sample, Skipped


def measured(value: float) -> Comparison:
    measure = Measure("rate", "rate", "operations/s", ">= 1", lambda ratio, _: ratio >= 1)
    return Comparison(
        "peer", [measure], lambda: Sample({"rate": value}), lambda: Sample({"rate": 1.0})
    )


def raises(error: Exception):
    def compare(_):
        raise error

    return compare


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rows go there, and the benches are seven that end in every way."""
    last, history = tmp_path / "bench.json", tmp_path / "history.ndjson"
    monkeypatch.setattr(kept.keep, "__defaults__", (last, history))
    monkeypatch.setattr(kept.read, "__defaults__", (last,))
    monkeypatch.setattr(kept.earlier, "__defaults__", (history,))
    monkeypatch.setattr(run.page, "PAGE", tmp_path / "bench.html")
    monkeypatch.setattr(
        run,
        "BENCHES",
        {
            "engine-good": lambda _: measured(2.0),
            "engine-bad": lambda _: measured(0.5),
            "peer-missing": raises(Skipped("fio is missing: apt-get install fio")),
            "peer-fails": raises(Failed("dbench: exit 1\nno smb in this build")),
            "peer-odd": raises(KeyError("jobs")),
        },
    )
    monkeypatch.setattr(
        run,
        "LIMITS",
        {
            "wait-help": lambda: iter([("wait-help", 0.3, "s", [0.1, 0.11, 0.12])]),
            "gate-runs": raises(Failed("is long, and not asked for")),
        },
    )
    return tmp_path


def test_one_peer_that_fails_costs_its_own_rows(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["run.py"])
    assert run.main() == 1
    rows = {row["name"]: row for row in json.loads((kept_in / "bench.json").read_text())}
    assert list(rows) == [*run.BENCHES, "wait-help"], "gate-runs is long and was not asked for"
    assert rows["engine-good"]["verdict"] == "met"
    assert rows["engine-bad"]["verdict"] == "missed"
    assert rows["wait-help"]["verdict"] == "met"
    assert "apt-get install fio" in rows["peer-missing"]["skipped"]
    assert "no smb in this build" in rows["peer-fails"]["failed"]
    assert rows["peer-odd"]["failed"] == "KeyError: 'jobs'"
    said = capsys.readouterr()
    assert "failed, for the reasons above: peer-fails, peer-odd" in said.err
    page = (kept_in / "bench.html").read_text()
    assert all(name in page for name in rows)
    assert "2 met, 1 missed, 0 undecided, 3 skipped or failed" in page


def test_rows_are_kept_as_they_come(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setitem(run.BENCHES, "peer-missing", interrupted)
    monkeypatch.setattr("sys.argv", ["run.py"])
    with pytest.raises(KeyboardInterrupt):
        run.main()
    rows = json.loads((kept_in / "bench.json").read_text())
    assert [row["name"] for row in rows] == ["engine-good", "engine-bad"]


def test_what_the_time_does_not_reach_keeps_its_row_and_is_next(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def order() -> list[str]:
        assert run.main() == 1
        return [row["name"] for row in json.loads((kept_in / "bench.json").read_text())]

    monkeypatch.setattr("sys.argv", ["run.py"])
    shares = iter([10.0, 10.0, 10.0, 10.0, 10.0, 0.0])
    monkeypatch.setattr(run.Allowance, "for_next", lambda _: next(shares))
    assert order() == [*run.BENCHES]
    assert "first the next time: wait-help\n" in capsys.readouterr().out
    shares = iter([10.0] * 6)
    assert order() == ["wait-help", *run.BENCHES]


def test_groups_and_long_ones_are_named(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.named(["engine"]) == ["engine-good", "engine-bad"]
    assert run.named(["gate-runs", "engine-bad"]) == ["engine-bad", "gate-runs"]
    assert "gate-runs" not in run.named(None)
    monkeypatch.setattr("sys.argv", ["run.py", "--only", "egnine"])
    with pytest.raises(SystemExit) as ended:
        run.main()
    assert ended.value.code == 2


def test_an_undecided_row_says_how_many_pairs(kept_in: Path, monkeypatch, capsys) -> None:
    values = iter([1.1, 0.9, 1.15, 0.95, 1.2, 0.98])
    comparison = measured(1.0)
    comparison.engine = lambda: Sample({"rate": next(values)})
    monkeypatch.setitem(run.BENCHES, "engine-good", lambda _: comparison)
    (row,) = run.bench("engine-good", None, 6)
    assert row["verdict"] == "undecided"
    assert f"{row['pairs_to_decide']} pairs would decide" in capsys.readouterr().out
