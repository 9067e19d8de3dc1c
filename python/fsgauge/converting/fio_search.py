"""What a job of fio's looks for: the rate below a latency, or a rate that is steady."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.converting import numbers
from fsgauge.converting.fio_job import FioJob
from fsgauge.converting.groups import Group, Keys
from fsgauge.units import exact_duration

_QUANTILES = {50.0: "p50", 99.0: "p99", 99.9: "p999"}


def latency_search(jobs: Sequence[FioJob], groups: Sequence[Group]) -> tuple[Keys, Keys]:
    """The keys of [workload] and of [plan] where sections have a latency_target: a load curve
    raises their rates together, each step as long as the latency_window."""
    found = [
        (job, group)
        for job, group in zip(jobs, groups, strict=True)
        if job.read("latency_target", _time_ns, 0)
    ]
    if not found:
        return {}, {}
    plans = []
    for job, group in found:
        plans.append(_curve(job))
        window, window_ns = job.option("latency_window"), job.read("latency_window", _time_ns, 0)
        if window is not None and window_ns:
            group.duration_ns, group.sources["duration"] = window_ns, [window]
    first, last = found[0][0], found[-1][0]
    option = last.option("latency_target")
    if any(plan != plans[0] for plan in plans) and option is not None:
        last.refuse(option, "a study has one limit; the nearest is a study of each")
    source = first.option("latency_target")
    names = [f"operations of {group.name}" for _, group in found]
    is_usual = len(found) == 1 and found[0][1] is groups[0]
    workload: Keys = {} if is_usual else {"primary": (names, [source])}
    return workload, {key: (value, [first.option(of)]) for key, value, of in plans[0]}


def _curve(job: FioJob) -> list[tuple[str, str, str]]:
    """Keys of [plan], their values, and the options that these are from."""
    limit_ns = job.read("latency_target", _time_ns, 0)
    percent = job.read("latency_percentile", float, 100.0)
    option = job.option("latency_percentile") or job.option("latency_target")
    if percent not in _QUANTILES and option is not None:
        why = f"a limit of {percent:g} % of the operations; the nearest is latency_percentile=99.9"
        job.refuse(option, why)
    return [
        ("mode", "curve", "latency_target"),
        ("latency_limit", exact_duration(limit_ns), "latency_target"),
        ("quantile", _QUANTILES.get(percent, "p999"), "latency_percentile"),
    ]


def _time_ns(text: str) -> int:
    return numbers.time_ns(text, of_bare_us=1)


def steady_search(jobs: Sequence[FioJob], groups: Sequence[Group]) -> Keys:
    """The keys of [workload] where all sections end as soon as they are steady: the warm-up does,
    after runtime at the latest, and as long as a window is measured after it."""
    windows = {
        (
            job.text("steadystate", ""),
            job.read("steadystate_duration", numbers.time_ns, 0),
            group.duration_ns,
            bool(group.after or group.start_after_ns),
        )
        for job, group in zip(jobs, groups, strict=True)
    }
    asked, window_ns, longest_ns, is_apart = next(iter(windows))
    if len(windows) > 1 or not asked or is_apart or not 0 < window_ns <= (longest_ns or 0):
        return {}
    source = jobs[0].option("steadystate_duration")
    for group in groups:
        group.warm_up_ns += longest_ns or 0
        group.duration_ns, group.sources["duration"] = window_ns, [source] if source else []
    return {"steady_window": (exact_duration(window_ns), [source])}
