"""What all hosts did between runs, added up: steps such as ageing, and scans of what was left.

Counts add. What cannot be added (a map, the worst files, where something lies) is the first host's;
each host's own record has the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar

from pydantic import BaseModel

from fsgauge.engine.wire import AgeEnded, AgeResult, FreeSpace, Jumps, Room, ScanCounts, ScanResult
from fsgauge.record.records import ScanRecord, StepRecord

M = TypeVar("M", bound=BaseModel)

_WORST_LAST: tuple[AgeEnded, ...] = (
    "complete",
    "time_limit",
    "out_of_space",
    "gave_up",
    "interrupted",
)


def step_of_all(records: Sequence[StepRecord]) -> StepRecord:
    """One step of all hosts; `free_bytes` stays that of the first one."""
    first = records[0]
    if len(records) == 1:
        return first
    results = [each.result for each in records if each.result is not None]
    job = first.job
    if job is not None:
        spaces = [each.job.space_bytes for each in records if each.job is not None]
        job = job.model_copy(update={"space_bytes": _sum_of_known(spaces)})
    return first.model_copy(
        update={
            "job": job,
            "result": _aged(results) if len(results) == len(records) else None,
            "size_bytes": sum(each.size_bytes for each in records),
            "started_unix_ns": min(each.started_unix_ns for each in records),
            "elapsed_ns": max(each.elapsed_ns for each in records),
        }
    )


def scan_of_all(records: Sequence[ScanRecord]) -> ScanRecord:
    first = records[0]
    if len(records) == 1:
        return first
    failed = next((each for each in records if each.result is None), None)
    if failed is not None:
        return first.model_copy(update={"result": None, "fault": failed.fault})
    results = [each.result for each in records if each.result is not None]
    return first.model_copy(update={"result": _scanned(results)})


def _aged(results: Sequence[AgeResult]) -> AgeResult:
    live_bytes = sum(each.live_bytes for each in results)
    ages = [each.storage_age * each.live_bytes for each in results if each.storage_age is not None]
    checksums = "/".join(each.log_checksum for each in results)
    whole = len(ages) == len(results) and live_bytes > 0
    return results[0].model_copy(
        update={
            **_sums(results, "space_bytes", "written_bytes", "live_files", "directories"),
            **_sums(results, "reopened", "syncs", "user_ns", "system_ns"),
            "live_bytes": live_bytes,
            "storage_age": sum(ages) / live_bytes if whole else None,
            "ended": max((each.ended for each in results), key=_WORST_LAST.index),
            "log_checksum": hashlib.sha256(checksums.encode()).hexdigest(),
            "operations": _alike(
                [each.operations for each in results],
                attrgetter("operation"),
                ("done", "failed", "skipped", "size_bytes"),
            ),
            "errors": _alike(
                [each.errors for each in results], attrgetter("operation", "text"), ("count",)
            ),
            "sync_ns": max(each.sync_ns for each in results),
            "virtual_time_ns": max(each.virtual_time_ns for each in results),
            "started_unix_ns": min(each.started_unix_ns for each in results),
            "elapsed_ns": max(each.elapsed_ns for each in results),
            "common_start": None,
        }
    )


def _scanned(results: Sequence[ScanResult]) -> ScanResult:
    counts = results[0].counts.model_copy(
        update={
            name: _sum_of_known([getattr(each.counts, name) for each in results])
            for name in ScanCounts.model_fields
            if name != "jumps"
        }
        | {"jumps": _jumps([each.counts.jumps for each in results])}
    )
    return results[0].model_copy(
        update={
            "counts": counts,
            "ended": "interrupted"
            if any(each.ended == "interrupted" for each in results)
            else results[0].ended,
            "extent_lengths": _bins(each.extent_lengths for each in results),
            "files_by_extents": _alike(
                [each.files_by_extents for each in results],
                attrgetter("at_least_extents"),
                ("files", "extents"),
            ),
            "free": _free([each.free for each in results if each.free is not None], len(results)),
            "room": Room(),
            "problems": [one for each in results for one in each.problems],
            "started_unix_ns": min(each.started_unix_ns for each in results),
            "elapsed_ns": max(each.elapsed_ns for each in results),
        }
    )


def _jumps(of_hosts: Sequence[Jumps | None]) -> Jumps | None:
    known = [each for each in of_hosts if each is not None]
    if len(known) < len(of_hosts):
        return None
    return known[0].model_copy(update=_sums(known, *Jumps.model_fields))


def _free(known: Sequence[FreeSpace], hosts: int) -> FreeSpace | None:
    """None where one host does not know its own; `largest_bytes` is the largest of all."""
    if len(known) < hosts:
        return None
    names = ("size_bytes", "device_bytes", "unallocated_bytes", "unread_bytes", "extents")
    largest = [each.largest_bytes for each in known]
    return known[0].model_copy(
        update={
            **{name: _sum_of_known([getattr(each, name) for each in known]) for name in names},
            "largest_bytes": None if None in largest else max(filter(None, largest), default=0),
            "metadata": None,
            "lengths": _bins(each.lengths for each in known),
            "at_least": _alike(
                [each.at_least for each in known], attrgetter("at_least_bytes"), ("size_bytes",)
            ),
        }
    )


def _bins(lists: Iterable[Sequence[Any]]) -> list[Any]:
    by_length = attrgetter("at_least_bytes")
    return sorted(_alike(lists, by_length, ("extents", "size_bytes")), key=by_length)


def _alike(
    lists: Iterable[Iterable[M]], key: Callable[[M], Hashable], names: Sequence[str]
) -> list[M]:
    """Those of all lists with one key as one, the named numbers added, in their order."""
    groups: dict[Hashable, list[M]] = {}
    for each in chain.from_iterable(lists):
        groups.setdefault(key(each), []).append(each)
    return [group[0].model_copy(update=_sums(group, *names)) for group in groups.values()]


def _sums(values: Sequence[BaseModel], *names: str) -> dict[str, Any]:
    return {name: sum(getattr(each, name) for each in values) for name in names}


def _sum_of_known(values: Sequence[int | None]) -> int | None:
    """None where one of them is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
