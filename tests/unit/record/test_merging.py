"""Parts of several machines and several slices add up; one of each is what it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from fsgauge.engine.wire import (
    ClientsResult,
    CompanionResult,
    EngineFault,
    Histogram,
    Interval,
    IntervalCount,
    JobShare,
    LoadResult,
    Pauses,
)
from fsgauge.record.merging import OWN, RULES, merged
from fsgauge.record.parts import Part, Slice, in_one
from fsgauge.record.series import Intervals
from fsgauge.stats.metrics import readings
from tests.synthetic import histogram_of, make_study
from tests.synthetic.setting import with_result
from tests.synthetic_connections import make_connections

RUNS = make_study(patterns=("randread",), blocks=2).runs


def result(operations: int = 100, seconds: int = 2, latency_ns: int = 50) -> LoadResult:
    """So many reads of 4 KiB, all of one latency, in so many intervals of a second."""
    made = RUNS[0].result
    assert made is not None and made.read is not None
    read = made.read.model_copy(
        update={
            "operations": operations,
            "size_bytes": 4096 * operations,
            "service_latency": histogram_of({latency_ns: operations}),
        }
    )
    none = IntervalCount(operations=0, size_bytes=0, latency_sum_ns=0)
    each = operations // seconds
    counted = IntervalCount(
        operations=each, size_bytes=4096 * each, latency_sum_ns=each * latency_ns
    )
    return made.model_copy(
        update={
            "read": read,
            "write": None,
            "elapsed_ns": seconds * 10**9,
            "warm_up_ns": 0,
            "jobs": [JobShare(operations=operations, size_bytes=4096 * operations)],
            "in_flight_mean": operations * latency_ns / (seconds * 1e9),
            "intervals": [
                Interval(
                    start_ns=second * 10**9,
                    elapsed_ns=10**9,
                    warm_up=False,
                    read=counted,
                    write=none,
                )
                for second in range(seconds)
            ],
        }
    )


def part(machine: str, *results: LoadResult) -> Part:
    """One after the other, a minute apart."""
    slices = [
        Slice(start_ns=60 * 10**9 * number, result=each) for number, each in enumerate(results)
    ]
    return Part(machine=machine, slices=slices)


def whole(*parts: Part) -> LoadResult:
    found = merged(parts)
    assert found is not None
    return found


def test_one_machine_with_one_slice_is_its_result_itself() -> None:
    only = result()
    assert merged(in_one("one", only)) is only
    assert merged([Part(machine="one", slices=[Slice(start_ns=7, result=only)])]) is only
    for run in RUNS:
        assert run.result is run.parts[0].slices[0].result


def test_a_run_that_failed_has_no_part_and_no_result() -> None:
    fault = EngineFault(what="no room", cause="", next="", code="io.failed")
    assert in_one("one", None) == []
    assert with_result(RUNS[0], None, fault).result is None


def test_two_machines_work_side_by_side() -> None:
    found = whole(part("one", result(100, 2, 50)), part("two", result(300, 3, 60)))
    assert found.read is not None
    assert (found.read.operations, found.read.size_bytes) == (400, 4096 * 400)
    assert found.elapsed_ns == 3 * 10**9, "the longest"
    assert list(found.read.service_latency.counts) == [(50, 100), (60, 300)]
    assert [job.operations for job in found.jobs] == [100, 300], "each has jobs of its own"
    assert found.cpu.user_ns == 2 * result().cpu.user_ns
    assert found.cpu.threads == 2
    assert found.in_flight_mean == pytest.approx((100 * 50 + 300 * 60) / 3e9)


def test_machines_without_a_role_add_nothing_to_it() -> None:
    """The second machine has no reader, so its only companion stands first."""
    calls = histogram_of({100: 8})
    reader, log = (
        CompanionResult(role=role, count=1, operations=8, size_bytes=64, latency=calls)
        for role in ("reader", "log")
    )
    first = result().model_copy(update={"companions": [reader, log]})
    second = result().model_copy(update={"companions": [log]})
    found = whole(part("one", first), part("two", second)).companions
    assert found is not None
    assert [(each.role, each.count, each.operations) for each in found] == [
        *(("reader", 1, 8), ("log", 2, 16))
    ]


def test_two_slices_come_one_after_the_other() -> None:
    found = whole(part("one", result(100, 2, 50), result(300, 3, 60)))
    assert found.read is not None
    assert found.read.operations == 400
    assert found.elapsed_ns == 5 * 10**9, "the sum"
    assert list(found.read.service_latency.counts) == [(50, 100), (60, 300)]
    assert [job.operations for job in found.jobs] == [400], "the same job went on"
    assert found.cpu.threads == 1
    assert found.in_flight_mean == pytest.approx((100 * 50 + 300 * 60) / 5e9)


def test_two_halves_say_what_the_whole_says() -> None:
    """A run cut into two slices, or into two machines' shares, has the same rate and latencies."""
    one, halves = (
        readings(result(200, 4)),
        readings(whole(part("a", result(100, 2), result(100, 2)))),
    )
    assert halves.keys() == one.keys()
    for metric in one:
        if "cpu" not in metric:
            assert halves[metric] == one[metric], metric
    shared = readings(whole(part("a", result(100, 4)), part("b", result(100, 4))))
    assert shared["iops"] == one["iops"]


def test_buckets_that_both_have_add() -> None:
    found = whole(part("one", result(100, 2, 50), result(10, 1, 50)), part("two", result(5, 1, 50)))
    assert found.read is not None
    latency = found.read.service_latency
    assert list(latency.counts) == [(50, 115)]
    assert (latency.operations, latency.sum_ns) == (115, 115 * 50)


def test_an_empty_histogram_has_no_shortest_latency() -> None:
    empty = Histogram(sub_bucket_bits=6, counts=[], operations=0, sum_ns=0, min_ns=0, max_ns=0)
    some = result()
    assert some.read is not None
    read = some.read.model_copy(update={"operations": 0, "service_latency": empty})
    found = whole(part("one", some.model_copy(update={"read": read}), some))
    assert found.read is not None and found.read.service_latency.min_ns == 50


def test_histograms_of_different_resolution_are_not_added() -> None:
    some = result()
    assert some.read is not None
    fine = some.read.service_latency.model_copy(update={"sub_bucket_bits": 7})
    read = some.read.model_copy(update={"service_latency": fine})
    with pytest.raises(ValueError, match="resolution"):
        merged([part("one", some, some.model_copy(update={"read": read}))])


def test_the_series_of_slices_has_no_hole() -> None:
    rows = Intervals.of(whole(part("one", result(100, 2), result(300, 3))).intervals)
    assert rows.column("start_ns").tolist() == [each * 10**9 for each in range(5)]
    assert rows.column("read_operations").tolist() == [50, 50, 100, 100, 100]


def test_the_series_of_machines_add_interval_by_interval() -> None:
    rows = Intervals.of(whole(part("a", result(100, 2)), part("b", result(300, 3))).intervals)
    assert rows.column("start_ns").tolist() == [0, 10**9, 2 * 10**9]
    assert rows.column("elapsed_ns").tolist() == [10**9] * 3
    assert rows.column("read_operations").tolist() == [150, 150, 100]


def test_one_that_was_interrupted_interrupts_the_run() -> None:
    cut = result().model_copy(update={"ended": "interrupted"})
    assert whole(part("one", result()), part("two", cut)).ended == "interrupted"
    assert whole(part("one", result(), cut)).ended == "interrupted"


def test_pauses_tell_of_the_longest_one() -> None:
    def paused(longest_ns: int, at_ns: int, error_ns: int) -> LoadResult:
        pauses = Pauses(
            total_ns=longest_ns,
            longest_ns=longest_ns,
            longest_start_ns=at_ns,
            late_start_ns=0,
            clock_error_ns=error_ns,
            wall_clock_step_ns=0,
        )
        return result().model_copy(update={"pauses": pauses})

    found = whole(part("one", paused(5, 1, 3)), part("two", paused(9, 2, -4))).pauses
    assert found is not None
    assert (found.total_ns, found.longest_ns, found.longest_start_ns) == (9, 9, 2)
    assert found.clock_error_ns == -4
    assert found.starved_ns is None, "neither knew"


def test_operations_of_clients_add_by_their_name() -> None:
    runs = [run.result for run in make_connections(blocks=2).runs[:2]]
    first, second = (each for each in runs if each is not None and each.clients is not None)
    found = whole(part("one", first), part("two", second)).clients
    assert first.clients is not None and second.clients is not None and found is not None
    for name in {each.operation for each in found.operations}:
        each = [
            operation.operations
            for clients in (first.clients, second.clients)
            for operation in clients.operations
            if operation.operation == name
        ]
        assert sum(each) == operations_named(found, name) > 0
    assert found.files == first.clients.files + second.clients.files
    assert found.last_done_ns == max(
        first.clients.last_done_ns or 0, second.clients.last_done_ns or 0
    )


def operations_named(clients: ClientsResult, name: str) -> int:
    (found,) = [each.operations for each in clients.operations if each.operation == name]
    return found


def numbers_of(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Class and name of every field that is no model with numbers of its own."""
    for name, field in model.model_fields.items():
        inner = [each for each in models_in(field.annotation) if each is not Histogram]
        if RULES.get(f"{model.__name__}.{name}", RULES.get(name)) == "first":
            continue
        yield from ((model.__name__, name) for _ in range(not models_in(field.annotation)))
        for each in inner:
            yield from numbers_of(each)


def models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [each for part in getattr(annotation, "__args__", ()) for each in models_in(part)]


def test_every_number_of_a_result_has_its_rule() -> None:
    found = set(numbers_of(LoadResult))
    assert ("ProcessorTime", "user_ns") in found and ("BackupResult", "files") in found
    alone = {"FaultyBlock", "BadRecord", "Note", "Interval", "IntervalCount", "Steady"}
    without = {
        (owner, name)
        for owner, name in found
        if owner not in alone and name not in OWN
        if f"{owner}.{name}" not in RULES and name not in RULES
    }
    assert without == set()


def test_what_a_slice_left_to_be_written_back_counts_as_its_time() -> None:
    """Half a second after two: a fifth less. Without a sync nothing changes."""
    plain = result()
    synced = Slice(start_ns=0, result=plain, sync_ns=500_000_000)
    found = whole(Part(machine="one", slices=[synced]))
    assert found.elapsed_ns == 2_500_000_000
    assert found.in_flight_mean == pytest.approx(plain.in_flight_mean * 0.8)
    assert found.read is not None and found.read == plain.read
    both = whole(Part(machine="one", slices=[synced, Slice(start_ns=9, result=plain)]))
    assert both.elapsed_ns == 4_500_000_000
    assert both.in_flight_mean == pytest.approx(plain.in_flight_mean * 4 / 4.5)
    assert whole(part("one", plain)) is plain
    assert "sync_ns" not in Slice(start_ns=0, result=plain).model_dump()
