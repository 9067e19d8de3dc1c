"""A job file of fio's as groups: each section a group, stonewall and wait_for as their order; and
what it looks for: the rate below a latency, or a rate that is steady."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fsgauge.converting import numbers
from fsgauge.converting.fio_files import put_files, share_files
from fsgauge.converting.fio_job import FioJob
from fsgauge.converting.fio_load import put_load
from fsgauge.converting.fio_options import by_name, canonical
from fsgauge.converting.groups import (
    ALIKE,
    USUAL_DURATION_NS,
    Converted,
    Findings,
    Group,
    Keys,
    free_name,
)
from fsgauge.converting.job_file import Option, Section, read_job_file
from fsgauge.errors import InputError, did_you_mean, nearest, quoted
from fsgauge.units import exact_duration

_NO_SPACE = {"ENOSPC", "28", "EDQUOT", "122"}
PIECE_BYTES = 4096
"""Of what is compressible, each piece has its share."""


def convert_fio(
    path: Path,
    *,
    without: frozenset[str] = frozenset(),
    size_bytes: int | None = None,
) -> Converted:
    """Raises InputError where the load would be another one: for all its reasons at once."""
    again = f"fsgauge study from-fio {quoted(path)}"
    sections = read_job_file(path)
    return convert_sections(sections, path.name, "fio", again, without, size_bytes)


def convert_sections(
    sections: list[Section],
    title: str,
    tool: str,
    again: str = "",
    without: frozenset[str] = frozenset(),
    size_bytes: int | None = None,
) -> Converted:
    """The same of sections that are read; `again` is the command that takes --without."""
    findings = Findings(_as_written(without, sections))
    jobs = [FioJob(_without(section, findings), findings) for section in sections]
    for job in jobs:
        job.check_options()
    findings.raise_unknown()
    groups: list[Group] = []
    try:
        for job in jobs:
            taken = [group.name for group in groups]
            groups.append(_group(job, free_name(job.section.name, taken), size_bytes))
    except InputError:
        findings.raise_refusals(again)  # of more weight than a wrong value
        raise
    share_files(jobs, groups)
    _verify_what_is_read(jobs, groups)
    _require_equal_flows(jobs)
    _put_in_order(jobs, groups, [section.name for section in sections])
    workload, plan = _latency_search(jobs, groups)
    findings.raise_refusals(again)
    seed = max(job.read("randseed", numbers.size, 0) for job in jobs) or None
    workload = {**workload, **_steady_search(jobs, groups)}
    return Converted(title, tool, groups, findings, seed, workload=workload, plan=plan)


def _as_written(without: frozenset[str], sections: list[Section]) -> frozenset[str]:
    """What the user gave up, by the names that the job has for it: `bs` is its blocksize, too.
    InputError for what neither fio nor the job has."""
    given = {name for section in sections for name in section.options}
    for name in sorted(without - by_name().keys() - given):
        near = nearest(name, by_name(), least=ALIKE)
        raise InputError(
            f"fio 3.33 has no option {name} to leave out",
            cause=did_you_mean(near) or "it is misspelt, or of another version of fio",
            next="fsgauge study from-fio JOB.fio names what it refuses",
        )
    found: set[str] = set()
    for name in without:
        usual = canonical().get(name, name)
        found |= {each for each in given if canonical().get(each, each) == usual} or {name}
    return frozenset(found)


def _without(section: Section, findings: Findings) -> Section:
    kept = dict(section.options)
    for name in section.options:
        if name in findings.without:
            findings.note(kept.pop(name), "left out, as asked")
    return replace(section, options=kept)


def _group(job: FioJob, name: str, size_bytes: int | None) -> Group:
    group = Group(name)
    put_load(job, group)
    put_files(job, group, size_bytes)
    _full(job, group)
    if "write" in str(group.keys["operations"]):
        _data(job, group)
    return group


def _full(job: FioJob, group: Group) -> None:
    """Writes that find no space: of errors that are ignored, the second list is theirs."""
    of_writes = job.text("ignore_error", "").split(",")[1:2]
    is_ignored = any(_NO_SPACE & set(each.split(":")) for each in of_writes)
    if (is_ignored or job.switch("fill_device")) and {"write", "create"} & group.operations.keys():
        source = job.option("ignore_error" if is_ignored else "fill_device")
        group.put("continue_when_full", True, source)


def _data(job: FioJob, group: Group) -> None:
    if job.switch("zero_buffers"):
        group.put("data", "zero", job.option("zero_buffers"))
    if percent := job.percent("buffer_compress_percentage", 0):
        group.put("compressible", f"{percent} %", job.option("buffer_compress_percentage"))
    percent = job.percent("dedupe_percentage", 0)
    if percent and job.option("verify"):
        job.refuse("dedupe_percentage", "what is verified has no duplicates; leave verify out")
    elif percent:
        group.put("duplicates", f"{percent} %", job.option("dedupe_percentage"))
    _pattern(job, group)
    if "data" in group.keys:  # zeros, which are all alike
        group.keys.pop("duplicates", None)
    mode = job.option("dedupe_mode")
    if mode is not None and mode.value != "repeat":
        why = "blocks repeat an earlier one of their job; the nearest is dedupe_mode=repeat"
        job.refuse(mode, why)


def _pattern(job: FioJob, group: Group) -> None:
    """What buffers are filled with: of data that is compressed, the part that can be."""
    pattern, chunk = job.option("buffer_pattern"), job.option("buffer_compress_chunk")
    piece_bytes = job.read("buffer_compress_chunk", job.size, 0)
    others = piece_bytes not in (0, PIECE_BYTES)
    if others and "compressible" in group.keys:
        job.refuse(chunk, "pieces are of 4 KiB; the nearest is buffer_compress_chunk=4k")
    if chunk is None and group.keys.get("compressible") not in (None, "100 %"):
        what = "each 4 KiB has its share of zeros, in fio each 512 B"
        job.note("buffer_compress_chunk is not set", what)
    if pattern is None or "compressible" in group.keys:
        return
    if set((pattern.value or "").lower().removeprefix("0x").strip('"')) == {"0"}:
        group.put("data", "zero", pattern)
    else:
        why = "a block is random, in part or not; the nearest is buffer_compress_percentage"
        job.refuse(pattern, why)


def _verify_what_is_read(jobs: list[FioJob], groups: list[Group]) -> None:
    """Where a section verifies what an earlier one wrote, that one is, after the run."""
    named = {group.name: group for group in groups}
    for job, group in zip(jobs, groups, strict=True):
        option = job.option("verify")
        writes = "write" in str(group.keys["operations"])
        if option is None or option.value in ("0", "none") or writes:
            continue
        writer = named.get(str(group.keys.get("files_of", "")))
        if writer is None or writer.keys.get("operations") != {"write": 1}:
            job.refuse(option, "what another run wrote is not verified by a reader")
            continue
        writer.put("verify", True, option)
        job.note(option, "what was written is read back and verified after the run too")
    for group in groups:
        if "verify" in group.keys and group.keys.pop("continue_when_full", False):
            (source,) = group.sources.pop("continue_when_full")
            jobs[0].note(source, "what is verified has to be written: a full storage ends the run")


def _require_equal_flows(jobs: list[FioJob]) -> None:
    """Groups of equal weight go on at their own pace, which is told; others are refused."""
    given = [option for job in jobs if (option := job.option("flow")) is not None]
    if len({option.value for option in given}) > 1:
        why = "groups are not kept in proportion; the nearest is one group with weights"
        jobs[0].refuse(given[-1], why)


def _put_in_order(jobs: list[FioJob], groups: list[Group], named: list[str]) -> None:
    """What a group waits for: the one that ends last. startdelay counts from fio's own start."""
    ends_ns: dict[str, int] = {}
    phase: list[Group] = []
    before: list[Group] = []
    sources: Option | None = None
    for job, group in zip(jobs, groups, strict=True):
        if job.switch("stonewall") and phase:
            before, phase, sources = phase, [], job.option("stonewall")
        if (wait := job.option("wait_for")) is not None:
            above = named[: groups.index(group)]
            if wait.value not in above:
                known = ", ".join(above) or "none, for this is the first"
                job.wrong(wait, f"the name of a section above it ({known})")
            waited = max(place for place, name in enumerate(above) if name == wait.value)
            _after(group, groups[waited], wait, ends_ns)
        elif before:
            _after(group, max(before, key=lambda each: ends_ns[each.name]), sources, ends_ns)
        begin_ns = ends_ns.get(group.after, 0) + group.start_after_ns
        ends_ns[group.name] = begin_ns + (group.duration_ns or USUAL_DURATION_NS)
        if group.start_after_ns:
            group.put("start_after", exact_duration(group.start_after_ns), job.option("startdelay"))
        phase.append(group)


def _after(group: Group, other: Group, source: Option | None, ends_ns: dict[str, int]) -> None:
    group.follow(other, source)
    group.start_after_ns = max(group.start_after_ns - ends_ns[other.name], 0)


_QUANTILES = {50.0: "p50", 99.0: "p99", 99.9: "p999"}


def _latency_search(jobs: Sequence[FioJob], groups: Sequence[Group]) -> tuple[Keys, Keys]:
    """The keys of [workload] and of [plan] where sections have a latency_target: a load curve
    raises their rates together, each step as long as the latency_window."""
    both = zip(jobs, groups, strict=True)
    found = [(job, group) for job, group in both if job.time_ns("latency_target")]
    if not found:
        return {}, {}
    limits: list[tuple[str, str]] = []
    for job, group in found:
        limit = exact_duration(job.time_ns("latency_target"))
        percent = job.read("latency_percentile", float, 100.0)
        limits.append((limit, _QUANTILES.get(percent, "p999")))
        if percent not in _QUANTILES:
            near = "the nearest is latency_percentile=99.9"
            why = f"a limit of {percent:g} % of the operations; {near}"
            job.refuse(job.option("latency_percentile") or "latency_target", why)
        if window_ns := job.time_ns("latency_window"):
            group.last(window_ns, job.option("latency_window"))
    if len(set(limits)) > 1:
        why = "a study has one limit; the nearest is a study of each"
        found[-1][0].refuse("latency_target", why)
    target, share = map(found[0][0].option, ("latency_target", "latency_percentile"))
    (limit, quantile), *_ = limits
    names = [f"operations of {group.name}" for _, group in found]
    is_usual = len(found) == 1 and found[0][1] is groups[0]
    return {} if is_usual else {"primary": (names, [target])}, {
        "mode": ("curve", [target]),
        "latency_limit": (limit, [target]),
        "quantile": (quantile, [share]),
    }


def _steady_search(jobs: Sequence[FioJob], groups: Sequence[Group]) -> Keys:
    """The keys of [workload] where all sections end as soon as they are steady: the warm-up does,
    after runtime at the latest, and as long as a window is measured after it."""
    asked = {(job.text("steadystate", ""), job.time_ns("steadystate_duration")) for job in jobs}
    lasting = {group.duration_ns or 0 for group in groups}
    (what, window_ns), longest_ns = max(asked), max(lasting)
    several = len(asked) > 1 or len(lasting) > 1
    is_apart = any(group.after or group.start_after_ns for group in groups)
    if several or is_apart or not what or not 0 < window_ns <= longest_ns:
        return {}
    source = jobs[0].option("steadystate_duration")
    for group in groups:
        group.warm_up_ns += longest_ns
        group.last(window_ns, source)
    return {"steady_window": (exact_duration(window_ns), [source])}
