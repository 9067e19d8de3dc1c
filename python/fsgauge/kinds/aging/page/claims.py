"""Published claims beside what this study measured and what its model says. A claim names an
allocation size; the first system that has it stands beside it."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.kinds.aging.analysis.model import Aging, AgingLayout
from fsgauge.kinds.aging.page.tables import kept_cell, least_kept
from fsgauge.kinds.aging.published import PublishedClaim, rates_elsewhere, tested_claims
from fsgauge.published.ledger import ledger_of
from fsgauge.report.table_parts import (
    ELSEWHERE,
    NOTHING,
    Cell,
    Rows,
    Table,
    TableCell,
    interval_text,
    share_cell,
)
from fsgauge.stats.results import Results
from fsgauge.units import format_size

LITTLE_DECREASE = "S-24"
LITTLE = 0.9
"""As the claim's own trials: it prints no amount."""


def claims_table(results: Results, aging: Aging) -> list[Table]:
    systems = {
        claim: system
        for claim in tested_claims()
        if (system := _system_of(results, aging, claim.chunk_bytes)) is not None
    }

    def own(
        of: Callable[[Results, Aging, PublishedClaim, str], TableCell],
    ) -> Cell[PublishedClaim]:
        return lambda row: of(results, aging, row, systems[row]) if row.test else None

    return Rows([*systems, *rates_elsewhere()] if systems else []).tables(
        "claims",
        "The published claims",
        "What was published of a large disk array, next to this study's own numbers. S-27 and the"
        f" like are claims: fsgauge published S-27.{_contradiction(aging)}",
        [
            ("claim", "", lambda row: row.text),
            (
                "simulated here" if results.simulation else "measured here",
                "relative_rate",
                own(_measured),
            ),
            ("predicted for a disk", "predicted_rate", own(_predicted)),
            ("published", ELSEWHERE, _published),
        ],
    )


def _published(claim: PublishedClaim) -> TableCell:
    """A figure is as printed; all else is in our words."""
    return TableCell(
        claim.published, f"{claim.claim}, in our words" if claim.in_our_words else claim.claim
    )


def _contradiction(aging: Aging) -> str:
    """Where the model loses much and the publication says that little is lost; "" elsewhere."""
    found: dict[int, float] = {}
    for claim in tested_claims():
        if claim.claim != LITTLE_DECREASE:
            continue
        for layout in aging.layouts:
            if aging.chunks.get(layout.system) == claim.chunk_bytes and layout.predicted_relative:
                least = layout.predicted_relative.value
                found[claim.chunk_bytes] = min(least, found.get(claim.chunk_bytes, least))
    lost = [
        f"{100 * least:.0f} % of the clean rate for {format_size(size)}"
        for size, least in sorted(found.items())
        if least < LITTLE
    ]
    if not lost:
        return ""
    return (
        " Here the model of a disk contradicts the publication: above 1 MiB that found very little"
        f" decrease ({LITTLE_DECREASE}), the model predicts as little as {' and '.join(lost)}."
        " Why is not known yet."
    )


def source_of_claims() -> str:
    source = ledger_of("aging").publication
    return (
        f"{source.title}, by {source.author}. Measured on {source.storage}."
        f" Method: {source.method}."
    )


def _system_of(results: Results, aging: Aging, chunk_bytes: int) -> str | None:
    return next((s for s in results.systems if aging.chunks.get(s) == chunk_bytes), None)


def _measured(results: Results, aging: Aging, claim: PublishedClaim, system: str) -> TableCell:
    line = aging.line(system, claim.side)
    match claim.test:
        case "kept":
            return kept_cell(least_kept(line) if line else None, named=True, judged=False)
        case "kept at":
            return kept_cell(line.at(claim.free_percent) if line else None, judged=False)
        case "in chunks":
            aged = next((each for each in aging.aged if each.system == system), None)
            return share_cell(aged.chunk_share) if aged else NOTHING
        case _:
            return _clean_of_smallest(results, aging, system)


def _clean_of_smallest(results: Results, aging: Aging, system: str) -> TableCell:
    sizes = [size for size in aging.chunks.values() if size]
    if aging.chunks.get(results.baseline) != min(sizes, default=None):
        return NOTHING
    line = aging.line(system, "write")
    clean = line.at(None) if line else None
    entry = results.comparison(clean.cell, system, "bandwidth") if clean else None
    if entry is None:
        return NOTHING

    def text(ratio: float) -> str:
        return f"{100 * ratio:.0f} %"

    return TableCell(text(entry.ratio), interval_text(entry, text))


def _predicted(results: Results, aging: Aging, claim: PublishedClaim, system: str) -> TableCell:
    """The model does not tell writes from reads: both move the same extents."""
    layouts = [each for each in aging.layouts if each.system == system]
    match claim.test:
        case "kept":
            known = [
                (each.predicted_relative.value, each) for each in layouts if each.predicted_relative
            ]
            _, least = min(known, key=lambda each: each[0], default=(1.0, None))
            return _relative_cell(least, named=True)
        case "kept at":
            return _relative_cell(aging.layout(system, claim.free_percent), named=False)
        case "clean":
            return _clean_prediction(results, aging, system)
        case _:
            return NOTHING


def _relative_cell(layout: AgingLayout | None, *, named: bool) -> TableCell:
    if layout is None or layout.predicted_relative is None:
        return NOTHING
    where = f"at {layout.free_percent} % free" if named else ""
    return TableCell(f"{100 * layout.predicted_relative.value:.0f} %", where)


def _clean_prediction(results: Results, aging: Aging, system: str) -> TableCell:
    own, baseline = aging.layout(system, None), aging.layout(results.baseline, None)
    if own is None or baseline is None or own.predicted is None or baseline.predicted is None:
        return NOTHING
    return TableCell(f"{100 * own.predicted.value / baseline.predicted.value:.0f} %")
