"""The parts of an answer.

Runs with too few operations for the latency that judges them: the page says what is missing.
"""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.stats.sentence import ends, next_step, shortest
from tests.synthetic import make_study
from tests.synthetic_connections import make_connections
from tests.unit.kinds.metadata.studies import cell_of, workload

SLOW: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (1,),
    "duration_s": 10,
}


@pytest.mark.parametrize("systems", [{"raw": "raw", "xfs": "xfs"}, {"xfs": "xfs"}])
def test_the_answer_names_the_metric_what_is_needed_and_the_next_step(
    systems: dict[str, str],
) -> None:
    results = make_study(**SLOW, rate=20.0, systems=systems).results()
    runs = 8 * (len(systems) + 1)
    missing = (
        "The read p99 latency needs 1,000 operations in a run, and"
        f" {runs} of {runs} runs had fewer: 200."
    )
    assert results.answer.startswith(f"No answer. {missing} Measure longer")
    assert "workload.rate" in results.answer and len(results.answer.split()) <= 60
    found = {each.code: each.sentence for each in results.findings}
    assert found["operations.few"] == missing and "noise.unknown" not in found


def test_where_work_ends_a_run_more_of_it_is_the_next_step() -> None:
    made = make_connections(blocks=2)
    assert next_step(made.runs).startswith("Measure more files (--set workload.files_per_")
    assert next_step([]) == "Measure longer."


def test_files_that_are_each_done_once_are_no_more_at_a_higher_pace() -> None:
    runs = make_study(**SLOW, rate=200.0).runs
    files = cell_of(workload(), "create")
    of_files = [run.model_copy(update={"cell": files}) for run in runs]
    assert next_step(runs).endswith("at a higher rate (--set workload.rate=...).")
    assert next_step(of_files) == "Measure more files (--set workload.entries=...)."


def test_enough_operations_are_no_finding() -> None:
    results = make_study(**SLOW, rate=200.0).results()
    assert "p99" in results.answer and not results.answer.startswith("No answer")
    assert "operations.few" not in {each.code for each in results.findings}


def test_a_study_that_was_cut_short_lacks_blocks_and_not_operations() -> None:
    results = make_study(**SLOW, rate=200.0, paused_after_runs=1).results()
    assert "operations" not in results.answer
    assert "noise.unknown" in {each.code for each in results.findings}


def test_the_longest_sentence_that_has_fewer_words_than_the_limit_is_said() -> None:
    long, short, shorter = (" ".join(["word"] * number) for number in (60, 59, 3))
    assert shortest([long, short, shorter]) == short
    assert shortest([long, long + " more"]) == long + " more"
    assert shortest([]) == ""


def test_of_more_than_are_named_the_most_and_the_least_are() -> None:
    assert ends([2.0, 3.0, 1.0], float) == [2.0, 3.0, 1.0]
    assert ends([2.0, 4.0, 1.0, 3.0], float) == [4.0, 1.0]
    assert ends([2.0, 4.0], float, named=1) == [4.0]
