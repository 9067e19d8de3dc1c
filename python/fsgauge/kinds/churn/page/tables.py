"""The tables of a study of churn: damage, layouts aged and fresh, how trees were made."""

from __future__ import annotations

from fsgauge.kinds.churn.analysis.answer import NOUNS
from fsgauge.kinds.churn.analysis.model import Churn, Damage, Tree
from fsgauge.report import words
from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    judged_cell,
    known,
    number_cell,
    value_cell,
)
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.results import Results
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import loss_shown
from fsgauge.units import exact_percent, format_size


def damage_table(results: Results, churn: Churn) -> list[Table]:
    base, several = results.baseline, len(results.systems) > 1
    note = (
        "Bytes per second of the same work on the aged system over those on the fresh copy, inside"
        " a block. Worse: ageing made it slower. "
    )
    note += f"Over {base}'s ratio: above 1 a system suffers less. " if several else ""
    return Rows(churn.damages).tables(
        "damage",
        "Damage by fill",
        note + _noise_words(churn),
        [
            ("test", "", lambda d: NOUNS[d.side]),
            ("full", "", lambda d: f"{d.fill_percent} %"),
            ("system", "", lambda d: d.system),
            ("aged over fresh", "damage", _damage_cell),
            ("verdict", "", _verdict),
            (f"over {base}'s ratio", "damage", lambda d: _against(d, base)) if several else None,
            ("aged", "bandwidth", lambda d: value_cell(d.aged, "B/s")),
            ("fresh copy", "bandwidth", lambda d: value_cell(d.fresh, "B/s")),
        ],
    )


def layout_table(churn: Churn) -> list[Table]:
    note = (
        "Where the tree lay, and what was free around it, before it was read; new files were"
        " written afterwards. In use: what a scan reports for the whole file system, including the"
        " file system's own structures."
    )
    return Rows(churn.layouts).tables(
        "churn-layouts",
        "Layouts, aged and fresh",
        note,
        [
            ("full", "", lambda each: f"{each.fill_percent} %"),
            ("system", "", lambda each: each.system),
            ("tree", "", lambda each: each.wear),
            ("extents per file", "extents_per_file", lambda e: number_cell(e.extents_per_file)),
            ("files in several", "fragmented", lambda each: _share(each.fragmented_share)),
            ("layout score", "layout_score", lambda e: known(e.layout_score, "{:.4f}".format)),
            (
                "extents per new file",
                "extents_per_file",
                lambda e: number_cell(e.new_extents_per_file),
            ),
            ("free pieces", "free_space", lambda e: known(e.free_extents, "{:,.0f}".format)),
            ("largest", "free_space", lambda e: known(e.largest_free_bytes, format_size)),
            (
                "free in 1 MiB or more",
                "free_at_least",
                lambda e: known(e.free_at_least_1_mib_share, _share),
            ),
            ("in use", "free_space", lambda each: known(each.used_share, _share)),
        ],
    )


def tree_table(churn: Churn) -> list[Table]:
    return Rows(churn.trees).tables(
        "trees",
        "How the trees were made",
        "Means over turns. A fresh copy holds the files that the ageing left, each written once.",
        [
            ("full", "", lambda each: f"{each.fill_percent} %"),
            ("system", "", lambda each: each.system),
            ("tree", "", lambda each: each.wear),
            ("files", "extents", lambda each: f"{each.live_files:,.0f}"),
            ("live", "storage_age", lambda each: format_size(each.live_bytes)),
            ("of what was free", "damage", lambda each: known(each.live_share, _share)),
            ("written", "storage_age", lambda each: format_size(each.written_bytes)),
            ("storage age", "storage_age", lambda e: known(e.storage_age, "{:.2f}".format)),
            ("operations", "storage_age", lambda e: TableCell(f"{e.operations:,.0f}", _failed(e))),
        ],
        folded_from=0,
    )


def _damage_cell(damage: Damage) -> TableCell:
    return TableCell(words.ratio(damage.ratio, damage.low, damage.high), words.interval_of(damage))


def _verdict(damage: Damage) -> str:
    text: str = damage.verdict
    if damage.verdict == "equivalent":
        text = f"equivalent (within {exact_percent(damage.margin_percent)})"
    elif damage.verdict in OPEN and damage.detectable_loss_percent is not None:
        text = f"{text} ({loss_shown({damage.system: damage.detectable_loss_percent})})"
    return f"{GLYPHS[damage.verdict]} {text}"


def _against(damage: Damage, base: str) -> TableCell:
    against = damage.against_baseline
    if damage.system == base or against is None:
        return TableCell("baseline") if damage.system == base else NOTHING
    return TableCell(judged_cell(against).text, words.interval_of(against))


def _noise_words(churn: Churn) -> str:
    parts = [
        f"{NOUNS[side]} {words.interval_of(noise)}"
        for side, noise in churn.noise.items()
        if words.ends(noise) != (None, None)
    ]
    return f"Two equal turns of the baseline differ by: {', '.join(parts)}." if parts else ""


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _failed(tree: Tree) -> str:
    parts = [f"{tree.failed:,} failed"] if tree.failed else []
    parts += [each.replace("_", " ") for each in tree.ended if each != "complete"]
    return ", ".join(parts)
