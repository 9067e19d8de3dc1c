"""The table of several hosts on the same files, against separate ones."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.model import FilesRatio, Overhead
from fsgauge.report import words
from fsgauge.report.table_parts import Rows, Table, TableCell, interval_text, judged_cell
from fsgauge.stats.results import Results

_FOLDED_ROWS = 24


def host_files_table(results: Results) -> list[Table]:
    """A line a system and pair of cells; [] where the study does not vary the files."""
    own = Overhead.of(results)
    if own is None or not own.host_files:
        return []
    set_by_rig = any(each.limited_by for each in own.host_files)
    table = Rows(own.host_files).table(
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
        folded_from=_FOLDED_ROWS,
    )
    return [table]


def _ratio_cell(each: FilesRatio) -> TableCell:
    """A ratio with its verdict, or what of the rig set it: "1.001 none: a disk's IOPS limit"."""
    if not each.limited_by:
        return judged_cell(each.ratio)
    said = f"{words.ratio(each.ratio.ratio)} none: {each.limited_by}"
    return TableCell(said, interval_text(each.ratio, words.ratio))
