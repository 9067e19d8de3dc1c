"""The answer of a study of many clients: what another system changes, test by test, under 60 words.

"ext4 delalloc writes 1.31 times as fast as ext4 nodelalloc (1.24 to 1.39), reads 1.02 times as fast
(0.97 to 1.07, undecided) and is backed up 1.40 times as fast (1.31 to 1.50); after writing, 1.00
extents per file instead of 20.0."
With several systems the first test names all of them, and the largest decided difference elsewhere
follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Cell
from fsgauge.stats import wording
from fsgauge.stats.between_systems import bound_of, is_near
from fsgauge.stats.results import Comparison
from fsgauge.stats.sentence import DECIDED, ends, hidden_from, largest, shortest, told_apart
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import is_headline
from fsgauge.units import exact_percent

NAMED_TESTS = 4
_WORDS = {
    "write": ("writes", "writing"),
    "read": ("reads", "reading"),
    "mix": ("does the mix", "the mix"),
    "stat": ("stats files", "stat"),
    "delete": ("deletes", "deleting"),
    "backup fill": ("fills the backup's files", "filling the backup's files"),
    "backup": ("is backed up", "backup"),
}
"""By test: what a system does in it, and the test as a thing."""


@dataclass(frozen=True)
class Tests:
    """The primary cells that have data, and each system's comparison in them."""

    __test__ = False

    baseline: str
    cells: list[Cell]
    found: dict[str, list[Comparison]]

    def of(self, system: str) -> list[tuple[Cell, Comparison]]:
        """What one system has, in the order of the tests."""
        return [
            (cell, entry)
            for cell in self.cells
            for entry in self.found[cell.id]
            if entry.system == system
        ]

    @property
    def systems(self) -> list[str]:
        """Every system that has any, in the study's order."""
        return list(dict.fromkeys(e.system for cell in self.cells for e in self.found[cell.id]))


def connections_answer(
    connections: Connections, baseline: str, primary: Sequence[Cell], found: Sequence[Comparison]
) -> str:
    """The sentence; `found` are the comparisons of the primary cells by their primary metric."""
    by_cell = {cell.id: [entry for entry in found if entry.cell == cell.id] for cell in primary}
    tests = Tests(baseline, [cell for cell in primary if by_cell[cell.id]], by_cell)
    entries = [entry for cell in tests.cells for entry in by_cell[cell.id]]
    if max(entry.n for entry in entries) < BLOCKS_FOR_A_VERDICT:
        return _too_few(tests, max(entry.n for entry in entries))
    extents = _extents(connections, tests)
    if len(tests.systems) == 1:
        return _one_system(tests, tests.systems[0]) + extents + "."
    return _several(tests, extents)


def _one_system(tests: Tests, system: str) -> str:
    found = tests.of(system)
    shown = found[:NAMED_TESTS]
    if all(entry.verdict in OPEN for _, entry in shown):
        return _open(system, tests.baseline, _nouns(shown), shown)
    unclear = [(cell, entry) for cell, entry in shown if entry.verdict in OPEN]
    if all(entry.verdict == "equivalent" for _, entry in shown):
        margin = max(entry.margin_percent for _, entry in shown)
        return f"{system} equals {tests.baseline} in {_nouns(shown)} within {exact_percent(margin)}"
    parts = [
        f"{verb_of(cell)} {_times(entry)} as fast"
        + (f" as {tests.baseline}" if at == 0 else "")
        + f" ({interval_words(entry)})"
        for at, (cell, entry) in enumerate(each for each in shown if each not in unclear)
    ]
    untold = _open_too(f"in {_nouns(unclear)}", _nouns(unclear), unclear) if unclear else ""
    if 2 * len(unclear) > len(shown) and _excluded_percent(unclear) is None:
        start = f"Too noisy to tell {system} from {tests.baseline} in {_nouns(unclear)}"
        return f"{start}; it {wording.listed(parts)}"
    return _in_two(system, parts) + (f"; {untold}" if untold else "")


def _open(systems: str, baseline: str, tests: str, found: Sequence[tuple[Cell, Comparison]]) -> str:
    """Where nothing is decided: what is excluded if that is of use, else what would have shown."""
    if (most := _excluded_percent(found)) is not None:
        return f"{systems}: no difference from {baseline} above {most} % in {tests}"
    return f"Too noisy to tell {systems} from {baseline} in {tests}: {_would_have_shown(found)}"


def _open_too(where: str, what: str, found: Sequence[tuple[Cell, Comparison]]) -> str:
    """The same of what is left behind decided ones."""
    if (most := _excluded_percent(found)) is not None:
        return f"no difference above {most} % {where}"
    return f"too noisy to tell {what} ({_would_have_shown(found)})"


def _excluded_percent(found: Sequence[tuple[Cell, Comparison]]) -> str | None:
    """The difference that all of them exclude; None where it is too large to be of use."""
    bounds = [(bound_of(entry), entry.detectable_percent) for _, entry in found]
    if not all(is_near(*each) for each in bounds):
        return None
    return wording.shown_percent(max(bound for bound, _ in bounds))


def _in_two(system: str, parts: Sequence[str]) -> str:
    """As many tests as a headline has room for, then the others in a clause of their own."""
    for many in range(len(parts), 0, -1):
        said = f"{system} {wording.listed(parts[:many])}"
        if is_headline(said):
            break
    return f"{said}; it {wording.listed(parts[many:])}" if parts[many:] else said


def _several(tests: Tests, extents: str) -> str:
    lead = tests.cells[0]
    entries = tests.found[lead.id]
    clear, unclear = told_apart(entries)
    untold = wording.named_systems([entry.system for entry in unclear])
    if clear:
        said = f"In {noun_of(lead)}, {_ratios(clear, tests.baseline)}"
        left = [(lead, entry) for entry in unclear]
        said += f"; {_open_too(f'on {untold}', untold, left)}" if unclear else ""
    else:
        said = _open(untold, tests.baseline, noun_of(lead), [(lead, each) for each in unclear])
    elsewhere = _largest_elsewhere(tests, lead)
    return shortest(f"{said}{tail}." for tail in (elsewhere + extents, elsewhere, ""))


def _ratios(entries: Sequence[Comparison], baseline: str) -> str:
    """ "xfs is 1.20 times as fast as ext4 (1.10 to 1.31) and btrfs 0.51 times (...)"; of many, the
    fastest and the slowest."""
    many = len(entries) > wording.NAMED_SYSTEMS
    shown = ends(entries, lambda entry: entry.ratio)
    parts = [
        f"{entry.system} {'is ' if at == 0 else ''}{_times(entry, is_pick=many)}"
        + (f" as fast as {baseline}" if at == 0 else "")
        + f" ({interval_words(entry, is_pick=many)})"
        for at, entry in enumerate(shown)
    ]
    between = len(entries) - len(shown)
    more = f", the {between} others between" if between else ""
    return f"{wording.listed(parts)}{more}"


def _largest_elsewhere(tests: Tests, lead: Cell) -> str:
    decided = [
        (cell, entry)
        for cell in tests.cells
        for entry in tests.found[cell.id]
        if cell.id != lead.id and entry.verdict in DECIDED
    ]
    if not decided:
        return ""
    cell, entry = largest(decided)
    return (
        f"; {wording.extreme(entry.verdict)} of the other tests: {noun_of(cell)} is"
        f" {_times(entry, is_pick=True)}"
        f" as fast on {entry.system} ({interval_words(entry, is_pick=True)})"
    )


def _extents(connections: Connections, tests: Tests) -> str:
    """ "; after writing, 1.00 extents per file instead of 20.0", of the first test whose files were
    scanned; it is named where others were told as well."""
    against = connections.extents_reference
    for cell in tests.cells:
        reference = connections.extents_of(cell.id, against)
        others = [
            (system, entry)
            for system in tests.systems
            if (entry := connections.extents_of(cell.id, system)) is not None and system != against
        ]
        if reference is None or not others:
            continue
        start = f"; after {noun_of(cell)}, " if len(tests.cells) > 1 else "; "
        differing = [
            (system, entry, entry.ratio.ratio)
            for system, entry in others
            if entry.ratio is not None and entry.ratio.verdict in DECIDED
        ]
        if not differing:
            if len(others) < len(tests.systems):
                return ""
            return f"{start}extents per file are the same, {_number(reference.per_file.value)}"
        if len(differing) == len(others) > 1:
            values = sorted(entry.per_file.value for _, entry, _ in differing)
            low, high = _number(values[0]), _number(values[-1])
            numbers = low if low == high else f"{low} to {high}"
            return (
                f"{start}{numbers} extents per file instead of {_number(reference.per_file.value)}"
            )
        system, entry, _ = max(differing, key=lambda each: abs(math.log(each[2])))
        of = "" if len(tests.systems) == 1 else f"{system}'s files have "
        return (
            f"{start}{of}{_number(entry.per_file.value)} extents per file instead of"
            f" {_number(reference.per_file.value)}"
        )
    return ""


def _number(value: float) -> str:
    """Two digits behind the point below 2, so that 1.02 is not 1; fewer above."""
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _too_few(tests: Tests, blocks: int) -> str:
    parts = [
        f"{system} {wording.listed([f'{verb_of(c)} {_times(e)}' for c, e in tests.of(system)])}"
        for system in tests.systems
    ]
    return shortest(
        f"{wording.too_few(blocks)} Against {tests.baseline}, {'; '.join(parts[:named])} as fast"
        f"{wording.left_out(len(parts), named)}."
        for named in range(min(wording.NAMED_SYSTEMS, len(parts)), 0, -1)
    )


def verb_of(cell: Cell) -> str:
    """What a system does in a test: "writes", "is backed up in inode order"."""
    return _words(cell, 0)


def noun_of(cell: Cell) -> str:
    """A test as a thing: "writing", "backup in inode order"."""
    return _words(cell, 1)


def _words(cell: Cell, form: int) -> str:
    """With its order, its swept number of clients and its hosts."""
    factors = ConnectionsFactors.of(cell)
    said = _WORDS[factors.test][form] if factors.test in _WORDS else cell.name
    order = f"in {factors.order} order" if factors.order not in (None, "directory") else ""
    hosts = f"on {factors.hosts_words}" if factors.hosts_words else ""
    return " ".join(filter(None, (said, order, factors.swept_words, hosts)))


def _nouns(found: Sequence[tuple[Cell, Comparison]]) -> str:
    return wording.listed([noun_of(cell) for cell, _ in found])


def _times(entry: Comparison, *, is_pick: bool = False) -> str:
    """ "1.40 times", "34.3 times": three digits, and more close to 1 or in a narrow interval."""
    digits = 3 if abs(entry.ratio - 1) < 0.01 else 2 if entry.ratio < 9.995 else 1
    digits = digits if entry.ratio < 99.95 else 0
    edges = _edges(entry, is_pick=is_pick) if entry.n >= BLOCKS_FOR_A_VERDICT else None
    return f"{wording.factor_words(entry.ratio, edges, digits)} times"


def _edges(entry: Comparison, *, is_pick: bool) -> tuple[float, float]:
    return entry.pick_edges if is_pick and entry.verdict in DECIDED else entry.edges


def interval_words(entry: Comparison, *, is_pick: bool = False) -> str:
    """The interval, of a pick the one that holds for any, and a word on what it shows."""
    word = wording.remark(entry.verdict, entry.margin_percent, barely=entry.barely)
    return f"{wording.ratio_range(*_edges(entry, is_pick=is_pick))}{word}"


def _would_have_shown(found: Sequence[tuple[Cell, Comparison]]) -> str:
    hidden = hidden_from(entry for _, entry in found)
    if not hidden:
        return "only larger differences would have shown"
    return wording.least_shown(hidden)
