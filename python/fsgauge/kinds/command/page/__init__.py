"""What the page shows of a program: what it did on each system, and its own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.command.analysis.model import TIME, Command, OwnNumberResult, Waits
from fsgauge.report import words
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell, estimate_cell, judged_cell
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import format_size, rounded


class CommandPage(KindPage):
    """Two tables; ratios of its time are those of every study."""

    sections = ("command/sections.html.j2",)
    workers = "programs"

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """Ratios of its time, where the answer is about a number of its own."""
        own = Command.of(results)
        return {"forest"} if own is not None and own.primary != TIME else set()

    def summary_tables(self, results: Results) -> list[Table]:
        return tables(results)

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """Its own numbers, where there is no picture of its time."""
        return "" if "forest" in drawings else "command/lead.html.j2"

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        found = tables(results)
        own = Command.of(results)
        leading = found[1:] if own is not None and own.primary != TIME else []
        rest = [table for table in found if table not in leading]
        return {"command_tables": rest, "leading_tables": leading}


def tables(results: Results) -> list[Table]:
    """The tables of a study of programs; [] if no run completed."""
    own = Command.of(results)
    if own is None:
        return []
    return [*_waits(results, own.waits), *_numbers(results, own.numbers)]


def _waits(results: Results, waits: list[Waits]) -> list[Table]:
    return Rows(waits).tables(
        "waits",
        "What it does in its time",
        "Waiting for storage: the share of its time in which one of its threads was blocked in the"
        " kernel and none computed, from looks at them every 20 ms. A wait that can be interrupted"
        " (io_uring, a network) does not count. With caches emptied, reading the program from"
        " this machine's disk does. Bytes, requests and flushes are those of the device"
        " below while it ran; what is written back later is not in them.",
        [
            ("cell", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("time", "complete", lambda each: words.estimate(each.time, "ns")),
            ("waiting for storage", "", _share),
            ("CPU time", "", lambda each: f"{100 * each.processor:.0f} %"),
            ("memory", "", lambda each: format_size(each.peak_memory_bytes)),
            ("read", "", lambda each: _size(each.read_bytes)),
            ("written", "", lambda each: _size(each.written_bytes)),
            ("requests", "", lambda each: _count(each.requests)),
            ("flushes", "", lambda each: _count(each.flushes)),
        ],
    )


def _numbers(results: Results, numbers: list[OwnNumberResult]) -> list[Table]:
    if not numbers:
        return []
    return Rows(numbers).tables(
        "own-numbers",
        "Its own numbers",
        "What the program printed: means over blocks, with 95 % intervals. A ratio is to the"
        " baseline's in the same block; verdicts are corrected for all of these.",
        [
            ("number", "", lambda each: each.name + (f", {each.unit}" if each.unit else "")),
            ("cell", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("value", "", lambda each: estimate_cell(each.value, rounded)),
            (f"over {results.baseline}'s", "ratio", _ratio),
        ],
    )


def _ratio(each: OwnNumberResult) -> TableCell:
    return NOTHING if each.ratio is None else judged_cell(each.ratio)


def _share(each: Waits) -> str | TableCell:
    return NOTHING if each.waiting is None else f"{100 * each.waiting:.0f} %"


def _size(size_bytes: float | None) -> str | TableCell:
    return NOTHING if size_bytes is None else format_size(round(size_bytes))


def _count(number: float | None) -> str | TableCell:
    return NOTHING if number is None else f"{number:,.0f}"


PAGE = CommandPage()
