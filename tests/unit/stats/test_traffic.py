"""Counts of a run over its operations, averaged over blocks."""

from __future__ import annotations

import pytest

from fsgauge.record.parts import Traffic
from fsgauge.report.traffic import traffic_tables
from fsgauge.stats import read_study
from fsgauge.stats.traffic import operations_of
from tests.synthetic import make_study
from tests.unit.stats.one_run import ONE_CELL


def test_each_operation_s_share_of_a_counter() -> None:
    study = make_study(**(ONE_CELL | {"blocks": 3}))
    runs = [
        run.model_copy(
            update={
                "traffic": [
                    Traffic(
                        name="nfs_operations",
                        title="NFS",
                        unit="operations",
                        parts={"READ": 2 * operations_of(run), "GETATTR": 0},
                    )
                ]
            }
        )
        if run.system == "ext4"
        else run
        for run in study.runs
    ]
    results = read_study(study.turns, runs, study.study, study.before, study.before)
    (found,) = results.traffic
    assert (found.system, found.name, found.unit) == ("ext4", "nfs_operations", "operations")
    assert found.per_operation.value == pytest.approx(2.0) and found.per_operation.n == 3
    assert found.parts["READ"] == pytest.approx(2.0) and found.parts["GETATTR"] == 0
    (table,) = traffic_tables(results)
    assert table.rows[0][3].text == "2" and table.rows[0][4].text == "READ 2"


def test_a_study_without_counters_has_no_table() -> None:
    study = make_study(**ONE_CELL)
    results = read_study(study.turns, study.runs, study.study, study.before, study.before)
    assert results.traffic == [] and traffic_tables(results) == []
    assert "traffic" not in results.model_dump()
