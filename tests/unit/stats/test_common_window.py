"""Rates over several hosts count only while all of them ran."""

from __future__ import annotations

import pytest

from fsgauge.record.parts import MachineStart
from fsgauge.record.records import RunRecord
from fsgauge.stats.common_window import common_window
from fsgauge.stats.samples import collect
from tests.synthetic import make_study

SECOND = 10**9


def two_hosts(late_ns: int, *, slow: float = 1.0) -> RunRecord:
    """Ten seconds, 1000 operations each, or `slow` as many on the second host, which is late."""
    study = make_study(
        patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2, warm_up_s=0
    )
    run = study.runs[0]
    parts, starts = [], []
    for name, late, share in (("a", 0, 1.0), ("b", late_ns, slow)):
        (part,) = run.parts
        (only,) = part.slices
        intervals = [
            each.model_copy(
                update={
                    "start_ns": at * SECOND,
                    "elapsed_ns": SECOND,
                    "warm_up": False,
                    "read": each.read.model_copy(
                        update={"operations": round(100 * share), "size_bytes": 409_600}
                    ),
                }
            )
            for at, each in enumerate(only.result.intervals[:10])
        ]
        result = only.result.model_copy(
            update={
                "intervals": intervals,
                "warm_up_ns": 0,
                "elapsed_ns": 10 * SECOND,
                "ended": "duration",
            }
        )
        slices = [only.model_copy(update={"result": result})]
        parts.append(part.model_copy(update={"machine": name, "slices": slices}))
        starts.append(
            MachineStart(
                machine=name,
                late_ns=late,
                last_late_ns=late,
                ended_ns=late + 10 * SECOND,
                bound_ns=10,
                round_trip_ns=20,
                real_time=False,
                spun=False,
            )
        )
    return run.model_copy(update={"parts": parts, "starts": starts})


def test_the_window_is_from_the_last_start_to_the_first_end() -> None:
    found = common_window(two_hosts(2 * SECOND))
    assert found is not None
    assert (found.start_ns, found.end_ns) == (2 * SECOND, 10 * SECOND)
    assert found.operations == pytest.approx(1600)


def test_the_part_of_an_interval_that_is_outside_is_taken_off() -> None:
    found = common_window(two_hosts(SECOND // 4))
    assert found is not None
    assert found.seconds == pytest.approx(9.75)
    assert found.operations == pytest.approx(2 * 975)


def test_a_rate_is_that_of_the_window() -> None:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    run = two_hosts(5 * SECOND, slow=0.5)
    samples = collect(study.study.plan, [run])
    (log,) = samples.of("iops", run.cell.id, run.system).values()
    assert 2.718281828459045**log == pytest.approx(150)


@pytest.mark.parametrize("late_ns", [10 * SECOND, 20 * SECOND])
def test_hosts_that_never_ran_at_once_have_none(late_ns: int) -> None:
    assert common_window(two_hosts(late_ns)) is None


def test_one_machine_has_none_and_neither_have_hosts_without_starts() -> None:
    run = two_hosts(0)
    assert common_window(run.model_copy(update={"parts": run.parts[:1]})) is None
    assert common_window(run.model_copy(update={"starts": []})) is None
