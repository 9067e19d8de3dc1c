"""Statistics of the study `aging`: rates against free space, layouts, predictions for a disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsgauge.kinds.aging.analysis.layouts import aged_files, aging_layouts, predictions
from fsgauge.kinds.aging.analysis.model import Aging, AgingLine, AgingPoint, DiskParameter
from fsgauge.kinds.aging.analysis.rates import aging_lines, levels_of, noise_of_sides
from fsgauge.kinds.aging.analysis.sizes import best_size, sizes_told_apart
from fsgauge.kinds.aging.disk import changed_disk, disk_of
from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.record.records import Cell, StepRecord, StudyRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.evidence import Evidence, Question, finding, part_of, turn_name
from fsgauge.stats.kept import NOUNS, Kept, Level, kept_sentences, picked
from fsgauge.stats.layouts import seeks_of
from fsgauge.stats.results import Finding
from fsgauge.stats.sentence import DECIDED
from fsgauge.stats.storage_findings import failed_scans, no_seeks, sparse_storage
from fsgauge.stats.wording import listed, percent
from fsgauge.units import format_size

FEWEST_IN_CHUNKS = 0.95
"""Published: nearly all bytes lie in extents of exactly the allocation size."""
FEWEST_LISTED = 0.999
ALL_FREE = 100


class AgingAnalysis(Analysis):
    own = Aging
    compares_systems = False

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return "bandwidth"

    def read(self, material: Material) -> Aging:
        study, samples, scans = material.study, material.samples, material.scans
        plan = study.plan
        workload: dict[str, Any] = study.study["workload"]
        chunks = chunks_of(study)
        model = disk_of(workload.get("disk") or {})
        changes = model.changes()
        predicted, unpredicted = predictions(samples, scans, model)
        return Aging(
            files=int(workload.get("files") or 0),
            streams=max(AgingFactors.of(cell).streams for cell in plan.cells),
            aged_by=str(workload.get("aged_by") or ""),
            levels=levels_of(plan),
            chunks=chunks,
            seeks=seeks_of(material.environment.storage),
            lines=aging_lines(samples, material.equivalence_percent),
            noise=noise_of_sides(samples),
            told_apart=sizes_told_apart(samples, chunks, material.equivalence_percent),
            layouts=aging_layouts(samples, scans, chunks, predicted),
            aged=aged_files(samples, scans, chunks),
            disk=[
                DiskParameter(name=name, value=value, is_default=name not in changes)
                for name, value in model
            ],
            unpredicted=unpredicted,
            failed_scans=sum(scan.result is None for scan in scans),
        )

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        aging = Aging.within(evidence)
        yield from _ended_early(evidence.steps)
        if aging.seeks == "no":
            yield no_seeks(
                "The storage has no moving heads. Measured rates show only that requests are split"
                " where extents end, not what seeks cost.",
                "Compare with the rates predicted for a disk, or measure on one:"
                " --storage /dev/disk/by-id/NAME.",
            )
        yield from sparse_storage(
            evidence,
            "Clean systems pay for that more than aged ones, so aged systems look better than they"
            " are.",
        )
        yield from _not_in_chunks(aging)
        yield from _still_slow(aging)
        yield from failed_scans(
            evidence, "the layout of those files and the rates predicted from it are missing"
        )
        if aging.unpredicted:
            yield finding(
                "aging.unpredicted",
                "note",
                f"No rate is predicted for a disk: {aging.unpredicted}.",
                "fsgauge report DIR where the engine can be run predicts them from the same"
                " records.",
            )
        yield from _no_layout(evidence, aging)
        yield from _listed_in_part(aging)

    def answer(self, question: Question) -> str | None:
        return aging_answer(Aging.within(question), question.primary, question.margin_percent)

    def with_disk(self, study: StudyRecord, changes: Sequence[str]) -> StudyRecord:
        workload = study.study.get("workload", {})
        disk = changed_disk(workload.get("disk") or {}, changes)
        workload = {**workload, "disk": disk.model_dump()}
        return study.model_copy(update={"study": {**study.study, "workload": workload}})


ANALYSIS = AgingAnalysis()
BLOCK_BYTES = 4096
"""The block of ldiskfs, in which its preallocation table counts."""


def chunks_of(study: StudyRecord) -> dict[str, int | None]:
    """Each system's allocation size in bytes, None where its file system decides. Of ldiskfs it is
    the largest window of its table, which a stream of large files gets."""
    tables = study.study.get("system", [])
    asked = {str(table.get("name")): _chunk_of(table) for table in tables}
    return {system: asked.get(system) for system in study.plan.systems}


def _chunk_of(table: dict[str, Any]) -> int | None:
    windows = str((table.get("settings") or {}).get("prealloc_table") or "").split()
    if windows:
        return max(map(int, windows)) * BLOCK_BYTES
    chunk: int | None = table.get("allocation_chunk")
    return chunk


def _ended_early(steps: Sequence[StepRecord]) -> Iterator[Finding]:
    """An op log that was not replayed whole leaves another file system than was asked for."""
    aged = [step for step in steps if step.result is not None]
    short = [step for step in aged if step.result is not None and step.result.ended != "complete"]
    failed = [step for step in aged if step.result is not None and step.result.errors]
    for broken, how in ((short, "ended early"), (failed, "met errors")):
        if broken:
            yield finding(
                "aging.incomplete",
                "warning",
                f"Ageing {how} in {part_of(len(broken), len(aged), 'turn')}: those turns do not"
                " have the files that were asked for.",
                "The step's record names each error: records/*/step-*.json.",
                [_place(step) for step in broken],
            )


def _place(step: StepRecord) -> str:
    ended = step.result.ended.replace("_", " ") if step.result is not None else ""
    return f"{turn_name(step)}: {ended}"


def _not_in_chunks(aging: Aging) -> Iterator[Finding]:
    """The file system did not allocate as it was asked to."""
    for aged in aging.aged:
        chunk = aging.chunks.get(aged.system)
        share = aged.chunk_share
        if chunk is None or share is None or share.value >= FEWEST_IN_CHUNKS:
            continue
        yield finding(
            "aging.other_extents",
            "warning",
            f"{aged.system} was asked for extents of {format_size(chunk)}, and"
            f" {100 * share.value:.0f} % of the aged files' bytes are in extents of exactly that"
            f" size; the mean extent has {format_size(aged.lengths.mean_extent_bytes)}.",
            "Read its results as those of the extents it has, not of that allocation size.",
        )


def _still_slow(aging: Aging) -> Iterator[Finding]:
    """With everything free again the layout is clean: what is slow then is not the layout."""
    slow = [
        (line, point.relative.value)
        for line in aging.lines
        if (point := line.at(ALL_FREE)) is not None and point.verdict == "worse" and point.relative
    ]
    if slow:
        line, kept = min(slow, key=lambda each: each[1])
        yield finding(
            "aging.still_slow",
            "warning",
            f"With all of the region free again, {line.system} {line.side}s at"
            f" {100 * kept:.0f} % of its clean rate. Its files are contiguous by then, so"
            " something else has changed: the storage below, or the rest of the file system.",
            "A sparse loop file is allocated on the disk below as it is written: --set"
            " storage.preallocate=true. Freed space returns to that disk only if the file system is"
            " mounted with discard.",
            [f"{each.system}, {each.side}" for each, _ in slow],
        )


def _no_layout(evidence: Evidence, aging: Aging) -> Iterator[Finding]:
    without = [
        system
        for system in evidence.study.plan.systems
        if any(line.system == system for line in aging.lines)
        and not any(layout.system == system for layout in aging.layouts)
    ]
    if without and not aging.failed_scans:
        yield finding(
            "aging.no_layout",
            "warning",
            f"{', '.join(without)}: the layout is unknown, so nothing is predicted.",
            "tmpfs and network file systems do not say where files lie.",
        )


def _listed_in_part(aging: Aging) -> Iterator[Finding]:
    part = [layout for layout in aging.layouts if layout.listed_share < FEWEST_LISTED]
    if part:
        least = min(part, key=lambda layout: layout.listed_share)
        yield finding(
            "aging.listed_in_part",
            "note",
            f"The scans do not list every extent: predicted rates of {least.system} rest on"
            f" {100 * least.listed_share:.0f} % of the bytes or more.",
            "A scan lists the first 10,000 extents of a file. Smaller files, or larger extents, are"
            " listed whole.",
            [f"{layout.system}, {layout.cell}" for layout in part],
        )


def aging_answer(aging: Aging, primary: Sequence[Cell], margin_percent: float) -> str:
    """It is about the level of the first primary cell that was measured after ageing."""
    for cell in primary:
        factors = AgingFactors.of(cell)
        lead, free_percent = factors.side, factors.free_percent
        other: Side = "read" if lead == "write" else "write"
        found = {side: list(_kept(aging, side, free_percent)) for side in (lead, other)}
        if free_percent is not None and found[lead]:
            level = Level(
                where=f"At {free_percent} % free",
                of="their clean rate",
                sides={NOUNS[side]: kept for side, kept in found.items() if kept},
                elsewhere=list(_elsewhere(aging, found, free_percent)),
                margin_percent=margin_percent,
            )
            best = best_size(aging.told_apart, cell, found[lead])
            predicted = _prediction(aging, found[lead], free_percent)
            return f"{best}{kept_sentences(level)}{predicted}"
    return "No answer yet: no turn has both its clean rate and one after ageing."


def _kept(aging: Aging, side: Side, free_percent: int | None) -> Iterator[Kept]:
    for line in aging.lines:
        point = line.at(free_percent)
        if line.side == side and point is not None and point.relative is not None:
            yield from _of_point(line, point)


def _of_point(line: AgingLine, point: AgingPoint) -> Iterator[Kept]:
    kept = point.relative
    if kept is not None:
        verdict = point.verdict or "undecided"
        yield Kept(line.system, kept.value, kept.edges, kept.n, verdict, point.detectable_percent)


def _elsewhere(
    aging: Aging, found: dict[Side, list[Kept]], free_percent: int
) -> Iterator[tuple[str, str, Kept]]:
    """What other levels decide of systems that are undecided here, side by side."""
    unclear = {(side, each.system) for side, kept in found.items() for each in kept if each.is_open}
    for line in aging.lines:
        for point in line.points:
            is_other = point.free_percent != free_percent and point.verdict in DECIDED
            if is_other and (line.side, line.system) in unclear:
                for kept in _of_point(line, point):
                    yield f"At {point.free_percent} % free", NOUNS[line.side], kept


def _prediction(aging: Aging, kept: Sequence[Kept], free_percent: int) -> str:
    """The model's sentence, with a space before it; "" where it does not know all of these."""
    layouts = [(each, aging.layout(each.system, free_percent)) for each in picked(kept)]
    said = [
        f"{percent(layout.predicted_relative.value)} on {each.system}"
        for each, layout in layouts
        if layout is not None and layout.predicted_relative is not None
    ]
    if aging.seeks != "no" or len(said) < len(layouts):
        return ""
    return f" A model, not a measurement, predicts {listed(said)} for a disk with heads."
