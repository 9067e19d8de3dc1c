"""What each run check means to the reader, and what to do, knowing what the study did. Takes a
check's code and the situation; gives the sentence's head and the advice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.engine.wire import ShareFilesTarget
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord, RunRecord
from fsgauge.stats import run_checks, steadiness
from fsgauge.stats.results import Level
from fsgauge.units import format_duration, format_size

_SETTING = re.compile(r"--set workload\.(?P<key>[a-z_]+)=(?P<value>[\w.]*)")


@dataclass(frozen=True)
class Situation:
    """What the user did, as far as advice depends on it."""

    queue_advice: str
    direct: bool
    duration_ns: int
    warm_up_ns: int
    storage_kind: str
    storage_bytes: int
    memory_bytes: int
    blocks: int
    clock_source: str | None
    virtual_machine: str | None
    submits_several: bool = False
    """Whether one io_uring call carried several operations past the page cache."""
    processor_quota: float | None = None
    """In processors, where it binds."""


def situation_of(
    study: dict[str, Any],
    environment: EnvironmentRecord,
    blocks: int,
    runs: Sequence[RunRecord],
    queue_advice: str = "",
) -> Situation:
    """Read from the effective study; what it leaves out is taken as the safe case. `queue_advice`
    is its kind's own about queues that were not full."""
    workload = study.get("workload", {})
    return Situation(
        queue_advice=queue_advice,
        direct=all(bool(each.get("direct", True)) for each in (workload, *_groups(workload))),
        duration_ns=int(workload.get("duration") or 0),
        warm_up_ns=int(workload.get("warm_up") or 0),
        storage_kind=environment.storage.kind,
        storage_bytes=environment.storage.size_bytes,
        memory_bytes=environment.below.memory_bytes,
        blocks=blocks,
        clock_source=environment.load.clock_source,
        virtual_machine=environment.load.virtual_machine,
        submits_several=any(_submits_several(run) for run in runs),
        processor_quota=_quota(environment.load),
    )


def _groups(workload: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups = workload.get("group")
    return groups if isinstance(groups, list) else []


def in_its_keys(text: str, workload: Mapping[str, Any]) -> str:
    """Advice with the keys that the study has: those of a group stand below its name. `workload` is
    that of the effective study. Named is the first group that has a value of the key, one that the
    advice changes."""
    groups = _groups(workload)

    def own(match: re.Match[str]) -> str:
        key, advised = match["key"], match["value"]
        having = [each for each in groups if each.get(key) is not None]
        changed = [each for each in having if str(each[key]).lower() != advised]
        if key in workload or not having:
            return match[0]
        name = (changed or having)[0]["name"]
        setting = f"--set workload.group.{name}.{key}={advised}"
        return f"--set '{setting.removeprefix('--set ')}'" if " " in name else setting

    return _SETTING.sub(own, text)


def _quota(machine: Machine) -> float | None:
    quota = machine.limits.processor_quota if machine.limits is not None else None
    return None if quota is None or quota >= machine.processor_count else quota


def _submits_several(run: RunRecord) -> bool:
    load = run.load
    if load is None or isinstance(load.target, ShareFilesTarget):
        return False
    return load.direct and (load.submit_batch or 1) > 1


@dataclass(frozen=True)
class RunCheck:
    """One check of single runs. `sentence` follows "In N of M runs"."""

    code: str
    level: Level
    check: run_checks.Check
    sentence: str


RUN_CHECKS = (
    RunCheck(
        "run.little",
        "warning",
        run_checks.littles_law,
        "rate times mean latency does not match the operations counted in flight (Little's law):"
        " one of the three is wrong",
    ),
    RunCheck(
        "run.bytes",
        "warning",
        run_checks.bytes_match,
        "the bytes moved are not operations times block size",
    ),
    RunCheck(
        "run.debug_engine",
        "invalid",
        run_checks.debug_engine,
        "the engine was a debug build; its numbers say nothing about storage",
    ),
    RunCheck(
        "run.engine_share",
        "warning",
        run_checks.engine_heavy,
        "the engine itself took more than a fifth of its threads' time: differences between"
        " systems look smaller than they are",
    ),
    RunCheck(
        "run.clock",
        "warning",
        run_checks.clock_heavy,
        "reading the clock took more than 5 % of the latency that it measured",
    ),
    RunCheck(
        "run.not_steady",
        "warning",
        steadiness.not_steady,
        "the rate moved while it was measured by more than its own scatter explains (five rounds"
        " within 20 %, trend within 10 %, no lasting change); the runs are kept",
    ),
    RunCheck(
        "run.queue",
        "note",
        run_checks.queue_not_full,
        "the queue was less than nine tenths full: the load was lighter than its queue depth says",
    ),
    RunCheck(
        "run.retries",
        "note",
        run_checks.errors,
        "operations had to be tried again after EAGAIN or EINTR",
    ),
    RunCheck(
        "run.passes_cut",
        "warning",
        run_checks.passes_cut,
        "the time limit ended the run before its passes were done: the rate covers only the part"
        " that was written",
    ),
    RunCheck(
        "run.paused_at_pace",
        "warning",
        run_checks.pace_missed_in_pause,
        "the pace was missed while the engine was stopped, frozen or late, which may be the whole"
        " reason",
    ),
    RunCheck(
        "run.rate_missed",
        "warning",
        run_checks.pace_missed,
        "the pace was missed: response latencies grow with the length of the run",
    ),
    RunCheck(
        "run.gap",
        "warning",
        run_checks.gaps_in_series,
        "the series has a hole: the machine, or the engine on it, stalled",
    ),
    RunCheck(
        "run.paused",
        "warning",
        run_checks.paused,
        "the engine was stopped or frozen, or its machine stalled: latencies and rates are not the"
        " storage's alone",
    ),
    RunCheck(
        "run.starved",
        "warning",
        run_checks.starved,
        "the load waited for a processor more than 20 % of the time",
    ),
    RunCheck(
        "run.clock_jumped",
        "warning",
        run_checks.clock_jumped,
        "the engine's clock and the machine's clock do not agree on how long the run was",
    ),
    RunCheck(
        "run.unanswered",
        "warning",
        run_checks.unanswered,
        "operations had no answer a minute after the end; they are in no count and no latency",
    ),
    RunCheck(
        "run.late_answers",
        "note",
        run_checks.late_answers,
        "the storage took long to answer what was in flight when the time was up; that time counts"
        " as measured",
    ),
    RunCheck(
        "run.merged",
        "warning",
        run_checks.requests_merged,
        "the device got larger requests than the load has operations: the kernel merged neighbours",
    ),
    RunCheck(
        "run.split",
        "note",
        run_checks.requests_split,
        "the device got smaller requests than the load has operations: the kernel split them",
    ),
)


def advice_for(code: str, situation: Situation) -> str:
    longer = format_duration(3 * max(situation.warm_up_ns, 10**9))
    advice = {
        "run.little": "This is a bug of fsgauge: report it with the records.",
        "run.bytes": "This is a bug of fsgauge: report it with the records.",
        "run.debug_engine": "Build the engine with --release, or install the wheel; run again.",
        "run.engine_share": "Fewer operations per second and thread: larger blocks, or more jobs.",
        "run.clock": clock_advice(situation),
        "run.not_steady": f"Warm up longer (--set workload.warm_up={longer.replace(' ', '')}),"
        " fill the device once before, or let other work on it end.",
        "run.queue": queue_advice(situation),
        "run.retries": "Usual under memory pressure; give the machine more free memory.",
        "run.passes_cut": "A smaller file (--set workload.fill=...), or a duration instead of"
        " passes.",
        "run.paused_at_pace": "Repeat the study with nothing else running; a system that cannot"
        " keep up misses the pace again.",
        "run.rate_missed": "The system could not keep up, or the engine paused for less than"
        " 100 ms: offer less (--set workload.rate=...), or read the rate, not latency.",
        "run.paused": "Repeat the study with nothing else running; more blocks (--set"
        " plan.blocks=...) outweigh a few such runs.",
        "run.starved": starved_advice(situation),
        "run.clock_jumped": "Look for suspends, and for a clock source that the kernel dropped:"
        " dmesg | grep -i clocksource.",
        "run.unanswered": "dmesg | tail: the storage hangs, or a driver does.",
        "run.late_answers": "Read the longest latencies with the rate. In longer runs a stall"
        " weighs less (--set workload.duration=...).",
        "run.merged": merged_advice(situation),
        "run.split": "A file in many pieces, or blocks beyond the device's limit"
        " (/sys/block/*/queue/max_sectors_kb): read the cell as one of smaller requests.",
        "run.gap": "Look for suspends, VM pauses or a throttled host during the study.",
    }
    return advice.get(code, "")


def merged_advice(situation: Situation) -> str:
    """What to do about merged requests; one operation at a time is the default past the cache."""
    if situation.submits_several:
        return (
            "Submit one operation at a time (--set workload.submit_batch=1), or choose a scheduler"
            " that merges nothing (none); read the cell as one of larger requests."
        )
    return (
        "Choose a scheduler that merges nothing (none), where the requests reach a scheduler;"
        " read the cell as one of larger requests."
    )


def starved_advice(situation: Situation) -> str:
    """What to do about threads that wait for a processor: a quota keeps them off idle ones."""
    quota = situation.processor_quota
    if quota is None:
        return "Fewer jobs than processors, or a machine without other work."
    return (
        f"The CPU quota of {quota:.3g} processors does this: raise it (cpu.max, CPUQuota= of the"
        " unit, --cpus of the container)."
    )


def queue_advice(situation: Situation) -> str:
    """What to do about a queue that was not full, unless the kind of study says it."""
    return situation.queue_advice or (
        "Use more jobs, or a larger queue depth; compare by operations in flight."
    )


def clock_advice(situation: Situation) -> str:
    """What to do about a clock that costs: which one the kernel uses says why."""
    source = situation.clock_source or "unknown"
    if source != "tsc":
        virtual = " and the virtual machine passes it on" if situation.virtual_machine else ""
        return (
            f"The kernel's clock source is {source}, which is slow; use tsc, if the processor's is"
            f" stable{virtual} (/sys/devices/system/clocksource/clocksource0). Rates are true;"
            " short latencies are too long."
        )
    return (
        "The operations are as short as the clock: rates are true, but compare latencies only"
        " between systems, or use larger blocks."
    )


def cache_advice(situation: Situation) -> str:
    """What to do when a system was faster than the device under it."""
    larger = format_size(2 * situation.memory_bytes)
    if not situation.direct:
        return (
            "The study asked for cached I/O (workload.direct = false):"
            f" use --set workload.direct=true, or files larger than {larger} in all."
        )
    if situation.storage_kind == "ram":
        return (
            "Memory is the storage here, so both are as fast as the software;"
            " use --storage with a device to see the cost on a disk."
        )
    if situation.storage_kind == "loop":
        return (
            "A loop file shares its disk and its disk's caches: use --storage with a whole device,"
            f" or a loop file larger than {larger}."
        )
    return (
        f"Direct I/O was on, so the page cache was not it: check the device's own cache, use files"
        f" larger than it, or see whether the files are on a smaller part of the device than the"
        f" {format_size(situation.storage_bytes)} that raw was spread over."
    )
