"""A run in a few words, while a study is measured."""

from __future__ import annotations

from fsgauge.progress.tally import operations_per_second, outcome
from tests.synthetic import make_study
from tests.synthetic_connections import make_connections


def test_a_plain_load_has_its_rate() -> None:
    run = make_study(blocks=2).runs[0]
    assert outcome(run).endswith("IOPS")


def test_clients_have_files_and_time_and_what_went_wrong() -> None:
    run = next(run for run in make_connections(blocks=2).runs if run.cell.test == "write")
    assert run.result is not None and run.result.clients is not None
    clients = run.result.clients
    assert outcome(run).startswith(f"{clients.files} files in ")
    assert "gave up" not in outcome(run)
    operations = sum(each.operations for each in clients.operations)
    assert operations_per_second(run) == operations * 1e9 / run.result.elapsed_ns
    wrong = clients.model_copy(update={"files_given_up": 3, "bad_records": 2})
    result = run.result.model_copy(update={"clients": wrong})
    said = outcome(run.model_copy(update={"result": result}))
    assert said.endswith(", 3 files given up, 2 bad records")
