"""How the parts and slices of a run become its one result: the only place where they are added.

Counts and histograms add. Time is the sum of a machine's slices, which come one after the other,
and the longest of the machines, which work side by side. `RULES` has one word for every number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel

from fsgauge.engine.wire import Ended, Histogram, LoadResult, Pauses
from fsgauge.record.parts import Part, Slice
from fsgauge.units import grouped

Rule = Literal[
    "first", "add", "span", "width", "rate", "least", "most", "farthest", "list", "roles", "named"
]
RULES: dict[str, Rule] = {
    # All say the same, or the first one speaks for them.
    **dict.fromkeys(("format", "kind", "engine", "interface", "features", "self_measure"), "first"),
    **dict.fromkeys(("dispatch", "order", "protocol", "role", "operation", "call"), "first"),
    **dict.fromkeys(("reason", "first_path", "message"), "first"),
    "common_start": "first",
    # The sum.
    **dict.fromkeys(
        ("operations", "size_bytes", "errors", "refused", "backlog_dropped", "unanswered"), "add"
    ),
    **dict.fromkeys(("user_ns", "system_ns", "busy_ns", "total_ns", "starved_ns"), "add"),
    **dict.fromkeys(("checked_blocks", "corrupt_blocks", "torn_blocks", "foreign_blocks"), "add"),
    **dict.fromkeys(("stale_blocks", "lost_blocks", "checked_records", "bad_records"), "add"),
    **dict.fromkeys(
        ("files", "files_given_up", "names", "clients_gave_up", "directories", "extents"), "add"
    ),
    **dict.fromkeys(("active_ns", "think_ns", "listing_ns", "comparing_ns"), "add"),
    **dict.fromkeys(("reconnections", "sent_bytes", "received_bytes"), "add"),
    "SyncResult.calls": "add",
    "ClientError.count": "add",
    # Time: slices one after the other, machines side by side.
    **dict.fromkeys(("warm_up_ns", "elapsed_ns", "connect_ns", "last_done_ns"), "span"),
    **dict.fromkeys(("fsync_ns", "close_ns", "sync_at_end_ns"), "span"),
    "Pauses.total_ns": "span",
    # What there is at once: the most of a machine's slices, the sum of machines.
    **dict.fromkeys(
        ("threads", "NetworkResult.connections", "peak_memory_bytes", "CompanionResult.count"),
        "width",
    ),
    # Operations per second: the slowest of a machine's slices, the sum of machines.
    "null_operations_per_second": "rate",
    "memory_operations_per_second": "rate",
    "memory_touched_operations_per_second": "rate",
    "memory_stride_operations_per_second": "rate",
    **dict.fromkeys(("started_unix_ns", "first_done_ns", "fewest_files"), "least"),
    **dict.fromkeys(("longest_ns", "late_start_ns", "null_operation_ns"), "most"),
    **dict.fromkeys(("most_files", "stonewall_ns"), "most"),
    # The one that is farthest from zero.
    **dict.fromkeys(("clock_error_ns", "wall_clock_step_ns"), "farthest"),
    # One after the other.
    **dict.fromkeys(("notes", "faulty", "bad"), "list"),
    # Elements of the same role (a machine may have none), and about the same operation and kind.
    "companions": "roles",
    "LoadResult.file_operations": "named",
    "ClientsResult.calls": "named",
    "ClientsResult.operations": "named",
    "ClientsResult.errors": "named",
    "ClientError.kind": "first",
}
"""How each number of a result is made one, by its name, or by its class and name."""
OWN = ("ended", "jobs", "in_flight_mean", "intervals", "steady", "longest_start_ns")
"""What is made one by code of its own."""
M = TypeVar("M", bound=BaseModel)
_ENDED: tuple[Ended, ...] = ("interrupted", "duration", "size_limit")


def merged(parts: Sequence[Part]) -> LoadResult | None:
    """What all machines measured in all slices, as one result; None where there is no part. Of one
    part with one slice it is that slice's result itself, with the time of its sync if that was
    timed. Raises ValueError for histograms of different resolution."""
    if not parts:
        return None
    return _of_machines([_of_slices(part.slices) for part in parts])


def _of_slices(slices: Sequence[Slice]) -> LoadResult:
    """One machine's slices, one after the other."""
    from fsgauge.record.series import in_sequence

    results = [_charged(each) for each in slices]
    if len(results) == 1:
        return results[0]
    jobs = [_model(list(places), across=False) for places in _by_place([r.jobs for r in results])]
    rows = in_sequence([result.intervals for result in results])
    return _result(results, across=False, jobs=jobs, intervals=rows)


def _charged(each: Slice) -> LoadResult:
    """A slice's result with the time that it took to write back what the slice had left."""
    if each.sync_ns is None or not each.result.elapsed_ns:
        return each.result
    elapsed_ns = each.result.elapsed_ns + each.sync_ns
    in_flight = each.result.in_flight_mean * each.result.elapsed_ns / elapsed_ns
    return each.result.model_copy(update={"elapsed_ns": elapsed_ns, "in_flight_mean": in_flight})


def _of_machines(results: Sequence[LoadResult]) -> LoadResult:
    """Several machines, side by side; each has jobs of its own."""
    from fsgauge.record.series import summed

    if len(results) == 1:
        return results[0]
    jobs = [job for result in results for job in result.jobs]
    rows = summed([result.intervals for result in results])
    return _result(results, across=True, jobs=jobs, intervals=rows)


def _result(results: Sequence[LoadResult], *, across: bool, **own: object) -> LoadResult:
    """Several results as one. Whether the rate was steady is not known of it: that is judged anew
    from its intervals. Nor does it have one moment at which it began: each machine has its clock.
    """
    added = _model(results, across=across)
    in_flight_ns = sum(result.in_flight_mean * result.elapsed_ns for result in results)
    own["in_flight_mean"] = in_flight_ns / added.elapsed_ns if added.elapsed_ns else 0.0
    own["ended"] = min((result.ended for result in results), key=_ENDED.index)
    return added.model_copy(update={**own, "steady": None, "common_start": None})


def _model(values: Sequence[M], *, across: bool) -> M:
    """Several of a class as one: `across` machines, or else those of one machine's slices."""
    first = values[0]
    if isinstance(first, Histogram):
        return cast(M, added_histograms(cast(Sequence[Histogram], values)))
    found = {}
    for name in type(first).model_fields:
        if name not in OWN:
            present = [each for value in values if (each := getattr(value, name)) is not None]
            found[name] = _one(type(first).__name__, name, present, across)
    if isinstance(first, Pauses):
        longest = max(cast(Sequence[Pauses], values), key=lambda each: each.longest_ns)
        found["longest_start_ns"] = longest.longest_start_ns
    return first.model_copy(update=found)


def _one(owner: str, name: str, values: list[Any], across: bool) -> object:
    """One value for a field from those of several runs; values of None are dropped before."""
    if not values:
        return None
    rule = RULES.get(f"{owner}.{name}") or RULES.get(name)
    if rule is None:
        return _model(values, across=across)
    return _DONE[rule](values, across)


def _by(key: Callable[[Any], object]) -> Callable[[list[Any], bool], list[Any]]:
    """Of several lists one, in which elements of one key are one."""

    def together(lists: list[Any], across: bool) -> list[Any]:
        found = grouped((key(each), each) for every in lists for each in every)
        return [_model(values, across=across) for values in found.values()]

    return together


def _by_place(lists: Sequence[Sequence[Any]]) -> list[list[Any]]:
    longest = max(map(len, lists))
    return [[each[at] for each in lists if at < len(each)] for at in range(longest)]


def _listed(lists: Sequence[Sequence[Any]], _: bool) -> list[Any]:
    """All in order; what several say alike once."""
    found: list[Any] = []
    for each in (each for every in lists for each in every):
        if each not in found:
            found.append(each)
    return found


_DONE: dict[Rule, Callable[[list[Any], bool], Any]] = {
    "first": lambda values, _: values[0],
    "add": lambda values, _: sum(values),
    "span": lambda values, across: max(values) if across else sum(values),
    "width": lambda values, across: sum(values) if across else max(values),
    "rate": lambda values, across: sum(values) if across else min(values),
    "least": lambda values, _: min(values),
    "most": lambda values, _: max(values),
    "farthest": lambda values, _: max(values, key=abs),
    "list": _listed,
    "roles": _by(lambda each: each.role),
    "named": _by(lambda each: (each.operation, getattr(each, "kind", None))),
}


def added_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """The sum; its buckets are added when they are asked for."""
    from fsgauge.record.series import added

    if len({each.sub_bucket_bits for each in histograms}) > 1:
        raise ValueError("histograms of different resolution cannot be added")
    filled = [each for each in histograms if each.operations] or list(histograms[:1])
    return histograms[0].model_copy(
        update={
            "counts": added([each.counts for each in histograms]),
            "operations": sum(each.operations for each in histograms),
            "sum_ns": sum(each.sum_ns for each in histograms),
            "min_ns": min(each.min_ns for each in filled),
            "max_ns": max(each.max_ns for each in filled),
        }
    )
