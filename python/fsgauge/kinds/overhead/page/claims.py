"""Published claims beside what this study measured of a file system against the device."""

from __future__ import annotations

from fsgauge.published.ledger import Claim, Ledger
from fsgauge.published.observe import observe
from fsgauge.published.verdict import judged
from fsgauge.report.table_parts import NOTHING, Column, Table, TableCell
from fsgauge.stats.results import Results


def claims_table(results: Results, ledger: Ledger) -> list[Table]:
    """One table; empty where the baseline is no device or nothing of it was observed.

    Claims with a printed figure that nothing here tests are there without a number of ours.
    """
    if results.baseline_kind != "raw":
        return []
    measured = {claim.id: _measured(results, claim) for claim in ledger.claim}
    if not any(measured.values()):
        return []
    rows = [
        [TableCell(claim.fact), measured[claim.id] or NOTHING, _published(claim)]
        for claim in ledger.claim
        if measured[claim.id] or (claim.kind == "claim" and _printed(claim))
    ]
    columns = [
        Column("published, in our words"),
        Column("measured here", "ratio"),
        Column("printed", elsewhere=True),
    ]
    source = ledger.publication
    note = (
        f'"{source.title}", on {source.storage}. A ratio is to the device; what a run of this study'
        " says to each claim is in fsgauge published overhead."
    )
    return [Table("claims", "Beside what was published", note, columns, rows, folded=True)]


def _measured(results: Results, claim: Claim) -> TableCell | None:
    for trial in claim.trials:
        if seen := observe(trial, results):
            outcome = judged(trial, claim.published_ratio(trial), seen)
            return TableCell(outcome.words, trial.words)
    return None


def _published(claim: Claim) -> TableCell:
    return TableCell(_printed(claim), claim.id)


def _printed(claim: Claim) -> str:
    return "; ".join(figure.printed for figure in claim.figures if figure.printed)
