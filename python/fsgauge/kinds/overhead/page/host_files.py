"""The table of several hosts on the same files, against separate ones."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.model import Overhead
from fsgauge.report.table_parts import Rows, Table, judged_cell
from fsgauge.stats.results import Results

_FOLDED_ROWS = 24


def host_files_table(results: Results) -> list[Table]:
    """A line a system and pair of cells; [] where the study does not vary the files."""
    own = Overhead.of(results)
    if own is None or not own.host_files:
        return []
    table = Rows(own.host_files).table(
        "host-files",
        "The same files, against separate ones",
        "Operations per second of all hosts together on the same files, over those of the same"
        " hosts on files that are divided between them; taken inside each block, verdicts corrected"
        " for all of these.",
        [
            ("system", "", lambda each: each.system),
            ("cell", "", lambda each: results.cell(each.same).name),
            ("ratio", "hosts", lambda each: judged_cell(each.ratio)),
        ],
        folded_from=_FOLDED_ROWS,
    )
    return [table]
