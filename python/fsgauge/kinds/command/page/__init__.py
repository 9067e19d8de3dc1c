"""What the page shows of a program: what it did on each system, and its own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.command.analysis.numbers import TIME, Command, OwnNumberResult, Waits
from fsgauge.report import words
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Rows, Table, judged_cell, known, number_cell, place_of
from fsgauge.stats.results import Results
from fsgauge.units import format_size


class CommandPage(KindPage):
    sections = ("command/sections.html.j2",)
    workers = "programs"

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """Ratios of its time, where the answer is about a number of its own."""
        return {"forest"} if _is_of_own_number(results) else set()

    def summary_tables(self, results: Results) -> list[Table]:
        return tables(results)

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "" if "forest" in drawings else "command/lead.html.j2"

    def values(self, results: Results) -> dict[str, Any]:
        found = tables(results)
        leading = found[1:] if _is_of_own_number(results) else []
        rest = [table for table in found if table not in leading]
        return {"command_tables": rest, "leading_tables": leading}


def _is_of_own_number(results: Results) -> bool:
    own = Command.of(results)
    return own is not None and own.primary != TIME


def tables(results: Results) -> list[Table]:
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
        " this machine's disk does. Bytes and requests are those of the device below while it"
        " ran, flushes those of its whole disk; what is written back later is not in them.",
        [
            *place_of(results),
            ("time", "complete", lambda each: words.estimate(each.time, "ns")),
            ("waiting for storage", "", lambda each: words.share_text(each.waiting)),
            ("CPU time", "", lambda each: words.share_text(each.processor)),
            ("memory", "", lambda each: format_size(each.peak_memory_bytes)),
            ("read", "", lambda each: known(each.read_bytes, format_size)),
            ("written", "", lambda each: known(each.written_bytes, format_size)),
            ("requests", "", lambda each: known(each.requests, "{:,.0f}".format)),
            ("flushes", "", lambda each: known(each.flushes, "{:,.0f}".format)),
        ],
    )


def _numbers(results: Results, numbers: list[OwnNumberResult]) -> list[Table]:
    return Rows(numbers).tables(
        "own-numbers",
        "Its own numbers",
        "What the program printed: means over blocks, with 95 % intervals. A ratio is to the"
        " baseline's in the same block; verdicts are corrected for all of these.",
        [
            ("number", "", lambda each: each.name + (f", {each.unit}" if each.unit else "")),
            *place_of(results),
            ("value", "", lambda each: number_cell(each.value)),
            (f"over {results.baseline}'s", "ratio", lambda each: judged_cell(each.ratio)),
        ],
    )


PAGE = CommandPage()
