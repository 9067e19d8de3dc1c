"""What the page shows of commits: what each asks of the device."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.commits.analysis import CommitsResults
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Rows, estimate_cell, judged_cell, place_of
from fsgauge.report.traffic import count_text
from fsgauge.stats.results import Results
from fsgauge.units import format_size


class CommitsPage(KindPage):
    sections = ("commits/sections.html.j2",)

    def values(self, results: Results) -> dict[str, Any]:
        own = CommitsResults.within(results)
        return {
            "commits_tables": Rows(own.asked).tables(
                "asked",
                "What a commit asks of the device",
                "Requests and flushes that the device below completed, and bytes written to it,"
                " over the commits, warm-up included. A flush empties the device's cache; a write"
                " with FUA goes past it, and where the device takes none the kernel flushes in its"
                " place. Both are those of the whole disk below, with what else is on it. Several"
                " committers whose commits one flush makes durable have less than one each.",
                [
                    *place_of(results),
                    ("flushes", "flushes", lambda each: estimate_cell(each.flushes, _count)),
                    ("FUA writes", "fua", lambda each: estimate_cell(each.fua, _count)),
                    ("requests", "requests", lambda e: estimate_cell(e.requests, _count)),
                    ("written", "written", lambda e: estimate_cell(e.size_bytes, _size)),
                ],
            ),
            "meanwhile_tables": Rows(own.meanwhile).tables(
                "meanwhile",
                "While something else is written",
                "Commits a second, over those of the same cell with nothing meanwhile, on the same"
                " system and in the same block.",
                [*place_of(results), ("rate over that without", "ratio", judged_cell)],
            ),
            "syncs_tables": Rows(own.syncs).tables(
                "syncs",
                "Other ways of making a commit durable",
                "Commits a second, over those of the same cell with the study's first way, on the"
                " same system and in the same block.",
                [*place_of(results), ("rate over that of the first way", "ratio", judged_cell)],
            ),
        }


def _count(value: float) -> str:
    return count_text(value, 3)


def _size(value: float) -> str:
    return format_size(round(value)) if value >= 1 else "0 B"


PAGE = CommitsPage()
