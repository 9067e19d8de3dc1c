"""What the page shows of a study of kind overhead: cost by block size and queue depth."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.overhead.analysis import FilesRatio, Fluctuation, Overhead
from fsgauge.kinds.overhead.page.heat_map import heat_map
from fsgauge.kinds.overhead.published import OF_HOSTS
from fsgauge.published.ledger import Claim, Ledger, ledger_of
from fsgauge.published.observe import observe
from fsgauge.published.trial import Trial
from fsgauge.published.verdict import judged
from fsgauge.report import words
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import (
    ELSEWHERE,
    NOTHING,
    Rows,
    Table,
    TableCell,
    estimate_cell,
    interval_text,
    judged_cell,
    place_of,
)
from fsgauge.stats.results import Results
from fsgauge.units import exact_duration


class OverheadPage(KindPage):
    sections = ("overhead/sections.html.j2",)

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [heat_map(results), depth_curves(results)]

    def values(self, results: Results) -> dict[str, Any]:
        return {
            "claims": claims_table(results, ledger_of("overhead")),
            "fluctuation": _fluctuation_table(results),
            "host_files": host_files_table(results),
        }


PAGE = OverheadPage()


def claims_table(results: Results, ledger: Ledger) -> list[Table]:
    """One table; empty where nothing of it was observed. Against a device, claims with a printed
    figure that nothing here tests are there without a number of ours."""
    on_device = results.baseline_kind == "raw"
    measured = {claim.id: _measured(results, claim) for claim in ledger.claim}
    if not any(measured.values()):
        return []
    source = ledger.publication
    return Rows(
        claim
        for claim in ledger.claim
        if measured[claim.id] or (on_device and claim.kind == "claim" and _printed(claim))
    ).tables(
        "claims",
        "Next to what was published",
        f'"{source.title}", on {source.storage}.{" A ratio is to the device." if on_device else ""}'
        " Verdicts are in fsgauge published overhead.",
        [
            ("published, in our words", "", lambda claim: claim.fact),
            ("measured here", "ratio", lambda claim: measured[claim.id]),
            ("printed", ELSEWHERE, lambda claim: TableCell(_printed(claim), claim.id)),
        ],
        folded_from=0,
    )


def _measured(results: Results, claim: Claim) -> TableCell | None:
    for trial in claim.trials:
        for asked in _by_system(trial, results):
            if seen := observe(asked, results):
                outcome = judged(trial, claim.published_ratio(trial), seen)
                named = "" if asked.system == trial.system else f"{asked.system}: "
                return TableCell(f"{named}{outcome.words}", trial.words)
    return None


def _by_system(trial: Trial, results: Results) -> list[Trial]:
    """A trial of several hosts is of any system; the others are of theirs, against a device."""
    if trial.quantity in OF_HOSTS:
        return [trial.model_copy(update={"system": system}) for system in results.systems]
    return [trial] if results.baseline_kind == "raw" else []


def _printed(claim: Claim) -> str:
    return "; ".join(figure.printed for figure in claim.figures if figure.printed)


def _fluctuation_table(results: Results) -> list[Table]:
    overhead = Overhead.of(results)
    if overhead is None or not overhead.fluctuations:
        return []
    lengths = sorted({each.interval_ns for each in overhead.fluctuations})
    intervals = sorted({each.intervals for each in overhead.fluctuations})
    note = (
        "Standard deviation of the rate over time inside a run, as a share of its mean:"
        f" {_span(intervals)} intervals of {' or '.join(map(exact_duration, lengths))} behind the"
        " warm-up. Less is better. Next to it what as many operations at random times would vary"
        " by; where that is as large, intervals of ratios are wide, since counts do not tell."
    )
    return Rows(overhead.fluctuations).tables(
        "fluctuation",
        "Fluctuation over time",
        note,
        [
            *place_of(results),
            ("fluctuation", "fluctuation", lambda each: estimate_cell(each.value, _percent)),
            ("by counting", "fluctuation", lambda each: _percent(each.counting)),
            (f"over {results.baseline}'s", "ratio", _ratio),
        ],
    )


def _span(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return str(first) if first == last else f"{first} to {last}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _ratio(each: Fluctuation) -> TableCell:
    """The baseline's is its second turn over its first: what equal systems differ by."""
    if each.ratio is not None:
        return judged_cell(each.ratio)
    if each.noise is None:
        return NOTHING
    again = interval_text(each.noise, words.ratio)
    return TableCell(f"{words.ratio(each.noise.value)} of itself", again)


def host_files_table(results: Results) -> list[Table]:
    own = Overhead.of(results)
    if own is None or not own.host_files:
        return []
    set_by_rig = any(each.limited_by for each in own.host_files)
    return Rows(own.host_files).tables(
        "host-files",
        "The same files, against separate ones",
        "Operations per second of all hosts together on the same files, over those of the same"
        " hosts on files that are divided between them; taken inside each block, verdicts corrected"
        " for all of these."
        + (" None: the rig set both rates, and no verdict is given." if set_by_rig else ""),
        [
            ("system", "", lambda each: each.system),
            ("cell", "", lambda each: results.cell(each.same).name),
            ("ratio", "hosts", _ratio_cell),
        ],
    )


def _ratio_cell(each: FilesRatio) -> TableCell:
    """A ratio with its verdict, or what of the rig set it: "1.001 none: a disk's IOPS limit"."""
    if not each.limited_by:
        return judged_cell(each.ratio)
    said = f"{words.ratio(each.ratio.ratio)} none: {each.limited_by}"
    return TableCell(said, interval_text(each.ratio, words.ratio))
