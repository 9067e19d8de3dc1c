"""The latency of calls that make writes durable: read, compared, judged, shown and queried.

One path for the load's own calls and for log writers that work alongside it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import CompanionResult, DsyncSync, LoadResult, SyncResult
from fsgauge.pages import explain_metric
from fsgauge.record.parts import Part, Slice
from fsgauge.record.records import RunRecord
from fsgauge.report import write_report
from fsgauge.report.charts.latency import latency_percentiles
from fsgauge.report.tables import number_tables
from fsgauge.stats import Results, read_study
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.stats.metrics import latencies, values
from fsgauge.store.query import asked
from tests.sealing import compacted
from tests.synthetic import SyntheticStudy, histogram_of
from tests.synthetic.setting import with_result
from tests.synthetic_writers import make_writers

CALLS = 4000
SYNC_NS = {"raw": 2_000_000, "ext4": 2_000_000, "xfs": 3_000_000}
LOG_NS = {"raw": 500_000, "ext4": 1_000_000, "xfs": 500_000}


def around(mean_ns: float) -> Any:
    """A histogram of calls between 0.8 and 1.2 of a time, and a tail of ten times it."""
    return histogram_of(
        {
            round(0.8 * mean_ns): CALLS // 2,
            round(1.2 * mean_ns): CALLS // 2 - 50,
            round(10 * mean_ns): 50,
        }
    )


def synced(run: RunRecord) -> RunRecord:
    """The same run with syncs and log writers; their time differs by block as the rate does."""
    result = run.result
    assert result is not None
    shift = 1 + 0.01 * ((run.block * 7 + run.turn * 3) % 5 - 2)
    latency = around(SYNC_NS[run.system] * shift)
    log = around(LOG_NS[run.system] * shift)
    return with_result(
        run,
        result.model_copy(
            update={
                "sync": SyncResult(calls=latency.operations, latency=latency),
                "companions": [
                    CompanionResult(
                        role="log",
                        count=1,
                        operations=log.operations,
                        size_bytes=512 * log.operations,
                        latency=log,
                    )
                ],
            }
        ),
    )


def few_syncs(run: RunRecord) -> LoadResult:
    """Its result with 500 syncs: enough for a median, and too few for a p99."""
    result = run.result
    assert result is not None and result.sync is not None
    few = histogram_of({2_000_000: 500})
    return result.model_copy(
        update={"sync": result.sync.model_copy(update={"calls": 500, "latency": few})}
    )


@pytest.fixture(scope="module")
def study() -> SyntheticStudy:
    made = make_writers(blocks=6, sync="fdatasync")
    made.runs[:] = [synced(run) for run in made.runs]
    return made


@pytest.fixture(scope="module")
def results(study: SyntheticStudy) -> Results:
    return study.results()


def test_each_run_has_them_beside_reads_and_writes(study: SyntheticStudy) -> None:
    result = study.runs[0].result
    assert result is not None and list(latencies(result)) == ["write", "sync", "log"]
    found = values(result)
    assert found["sync.p99"] > 4 * found["sync.p50"] > 0
    assert found["log.mean"] > 0 and "log.p999" not in found  # 4000 calls are too few for it


def test_two_companions_of_one_role_are_added_up(study: SyntheticStudy) -> None:
    result = study.runs[0].result
    assert result is not None
    both = result.model_copy(update={"companions": 2 * result.companions})
    assert latencies(both)["log"].operations == 2 * CALLS


@pytest.mark.parametrize(
    ("metric", "system", "ratio", "verdict"),
    [
        ("sync.p99", "xfs", 1.5, "worse"),
        ("sync.mean", "xfs", 1.5, "worse"),
        ("sync.mean", "ext4", 1.0, "equivalent"),
        ("log.p50", "ext4", 2.0, "worse"),
        ("log.mean", "xfs", 1.0, "equivalent"),
    ],
)
def test_a_ratio_has_its_interval_and_verdict(
    results: Results, metric: str, system: str, ratio: float, verdict: str
) -> None:
    entry = results.comparison(results.primary_cells[0], system, metric)
    assert entry is not None and entry.low is not None and entry.high is not None
    assert entry.low < ratio < entry.high and entry.verdict == verdict


def test_the_report_has_them_in_tables_pictures_and_json(
    study: SyntheticStudy, results: Results, tmp_path: Path
) -> None:
    names = [table.label for table in number_tables(results)]
    assert "sync p99 latency" in names and "log write p99 latency" in names
    drawing = latency_percentiles(results, study.runs)
    assert drawing is not None
    assert {row["operation"] for row in drawing.rows} == {"write", "sync", "log"}
    assert "of syncs within" in drawing.wide and "of log writes within" in drawing.wide
    assert "sync latency" in drawing.wide and "log write latency" in drawing.wide
    study.write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    table = page.partition('id="table-sync"')[2].partition("</table>")[0]
    assert re.search(r"1\.[45]\d ▼ worse", table) and "log write, synced" in table
    stored = json.loads((tmp_path / "report.json").read_text())
    assert {"sync.p99", "log.p99"} <= {each["metric"] for each in stored["comparisons"]}
    assert {"sync.p99", "log.p99"} <= {each["metric"] for each in stored["measurements"]}


def test_a_short_run_leaves_each_system_its_own_wait(study: SyntheticStudy, tmp_path: Path) -> None:
    """It withheld the p99 of a commit for all systems, in the study that is about commits."""
    made = make_writers(blocks=6, sync="fdatasync")
    made.runs[:] = study.runs
    short = next(at for at, run in enumerate(made.runs) if run.system == "xfs")
    made.runs[short] = with_result(made.runs[short], few_syncs(made.runs[short]))
    made.write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    table = page.partition('id="table-sync"')[2].partition("</table>")[0]
    assert "too few samples" not in table
    assert table.count("all runs together: 1 of 6 too short") == 1
    stored = json.loads((tmp_path / "report.json").read_text())
    cell = made.runs[short].cell.id

    def p99(section: str) -> dict[str, Any]:
        return {
            each["system"]: each
            for each in stored[section]
            if (each["metric"], each["cell"]) == ("sync.p99", cell)
        }

    assert set(p99("comparisons")) == {"ext4"}
    found = p99("measurements")
    assert set(found) == set(made.study.plan.systems)
    assert found["xfs"]["short_runs"] == 1 and "short_runs" not in found["ext4"]


@pytest.mark.parametrize("finished", [0, 1], ids=["in JSON", "one block in Parquet"])
def test_queries_have_columns_of_them(study: SyntheticStudy, tmp_path: Path, finished: int) -> None:
    study.write(tmp_path)
    if finished:
        compacted(tmp_path, finished)

    def rows(sql: str) -> list[tuple[Any, ...]]:
        with asked(tmp_path, sql) as answer:
            return [row for batch in answer.batches() for row in batch]

    whole = len(study.runs) * CALLS
    assert rows("select sum(sync_operations) from runs") == [(whole,)]
    assert rows("select count(*) from runs where sync_service_max_ns > sync_service_min_ns") == [
        (len(study.runs),)
    ]
    assert rows("select role, sum(operations), sum(count) from companions group by role") == [
        ("log", whole, len(study.runs))
    ]
    assert rows(
        "select operation, sum(operations) from histograms where operation in ('sync', 'log')"
        " and latency = 'service' group by operation order by operation"
    ) == [("log", whole), ("sync", whole)]
    slow = "select system, max(high_ns) from histograms where operation = 'sync' group by system"
    assert dict(rows(slow))["xfs"] > 25_000_000


def test_with_o_dsync_the_writes_are_in_the_table(tmp_path: Path) -> None:
    made = make_writers(blocks=3)
    made.runs[:] = [
        run.model_copy(update={"job": run.job.model_copy(update={"sync": DsyncSync()})})
        for run in made.runs
    ]
    made.write(tmp_path)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "write, durable when it returns" in page.partition('id="table-sync"')[2]


def test_limits_take_them() -> None:
    assert parse_condition("ratio(sync.p99) > 1.1").metric == "sync.p99"
    assert parse_condition("ratio(log.mean, 2 writers) > 1.1").metric == "log.mean"


@pytest.mark.parametrize("name", ["sync", "sync.p99", "log.mean", "write_back"])
def test_each_has_a_page(name: str) -> None:
    assert "Lower is better" in explain_metric(name)


def test_what_a_slice_left_to_write_back_is_a_metric_of_its_own() -> None:
    made = make_writers(blocks=6)
    runs = []
    for run in made.runs:
        (part,) = run.parts
        (only,) = part.slices
        took_ns = 40_000_000 if run.system == "xfs" else 20_000_000
        charged = Slice(start_ns=0, result=only.result, sync_ns=took_ns)
        runs.append(
            run.model_copy(update={"parts": [Part(machine=part.machine, slices=[charged])]})
        )
    results = read_study(made.turns, runs, made.study, made.before, made.after)
    entry = results.comparison(results.primary_cells[0], "xfs", "write_back")
    assert entry is not None and entry.ratio == pytest.approx(2.0) and entry.verdict == "worse"
