"""What is proposed where the least rate is over the limit: it offers less, or asks for less."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from fsgauge.engine.wire import LoadJob, LoadResult
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.stats.curve.lower import _round_ns
from fsgauge.stats.curve.model import CurveResults
from tests.synthetic_curve import DEPTH, LIMIT_MS, Queue, make_curve, served

FAST = Queue(50_000.0)


def helps(slow: Queue, **study: Any) -> str:
    results = make_curve({"ext4": FAST, "xfs": slow}, **study).results()
    found = CurveResults.of(results)
    assert found is not None
    (each,) = [capacity for capacity in found.capacities if capacity.system == "xfs"]
    assert each.state == "less than"
    return each.helps


def test_longer_runs_where_their_operations_were_too_few_for_less() -> None:
    slow = Queue(50_000.0, base_ms=1.5 * LIMIT_MS)
    assert helps(slow) == "lower rates: --set workload.duration=8s"
    longer = make_curve({"ext4": FAST, "xfs": slow}, duration_s=8.0, p99_noise=0.0, noise=0.0)
    first = make_curve({"ext4": FAST, "xfs": slow}, p99_noise=0.0, noise=0.0)
    rates = [
        min(run.cell.pace.rate for run in each.runs if run.cell.pace) for each in (longer, first)
    ]
    assert rates[0] == pytest.approx(rates[1] / 4, rel=0.1)


def half_writes(job: LoadJob, queue: Queue, shift: float, factor: float) -> LoadResult:
    pace = job.rate and job.rate.model_copy(
        update={"operations_per_second": job.rate.operations_per_second / 2}
    )
    half = replace(queue, most=queue.most / 2)
    reads = served(job.model_copy(update={"rate": pace}), half, shift, factor)
    return reads.model_copy(update={"write": reads.read})


def test_of_a_mix_the_operations_count_that_the_limit_is_of() -> None:
    """More blocks were proposed, which offer the same rates: half of the operations are writes."""
    mix = OverheadWorkload(
        patterns=["randrw"],
        block_sizes=[4096],
        queue_depths=[DEPTH],
        read_percent=50,
        duration=2 * 10**9,
        warm_up=0,
    )
    slow = Queue(50_000.0, base_ms=1.5 * LIMIT_MS)
    assert helps(slow, workload=mix, serve=half_writes) == (
        "lower rates: --set workload.duration=8s"
    )


def test_a_higher_limit_where_operations_themselves_take_longer() -> None:
    found = helps(Queue(50_000.0, base_ms=3 * LIMIT_MS, service_ms=20.0))
    limit = re.fullmatch(r"a higher limit: --set 'plan.latency_limit=(\d+) ms'", found)
    assert limit is not None and int(limit[1]) >= 3 * LIMIT_MS


@pytest.mark.parametrize(
    ("seen_ms", "limit_ms"), [(6.0, 20), (2.4, 5), (2.5, 5), (0.3, 1), (50.0, 100), (51.0, 200)]
)
def test_a_limit_is_round_and_well_above_what_was_seen(seen_ms: float, limit_ms: float) -> None:
    assert _round_ns(seen_ms * 1e6) == pytest.approx(limit_ms * 1e6)
