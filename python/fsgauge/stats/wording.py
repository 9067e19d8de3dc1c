"""What several answers say in the same words: lists, percentages, verdicts, too few blocks; and an
answer in lines, a headline that is read in a few seconds, then a sentence a line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from fsgauge.stats.verdict import OPEN
from fsgauge.units import count, exact_percent, plural, some_of
from fsgauge.units import listed as listed


def blocks_in_words(blocks: Iterable[int]) -> str:
    """ "block 4", "blocks 2 and 7", "blocks 1 to 3 and 8"."""
    numbers = sorted({block + 1 for block in blocks})
    spans: list[str] = []
    for _, members in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        span = [number for _, number in members]
        spans += [f"{span[0]} to {span[-1]}"] if len(span) > 2 else map(str, span)
    return f"{plural(len(numbers), 'block')} {listed(spans)}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_words(number: int) -> str:
    """ "two", "16"."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


NAMED_SYSTEMS = 3
"""A sentence names so many systems; of more it says the number."""


def named_systems(systems: Sequence[str], most: int = NAMED_SYSTEMS) -> str:
    """ "ext4, xfs and btrfs"; "ext4, xfs, btrfs and 2 more"."""
    return listed(systems) if len(systems) <= most else some_of(systems, most)


def together(named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Systems and the tests of each, as ("ext4 and xfs", "write and read"); systems with the same
    tests together."""
    by_system: dict[str, list[str]] = {}
    for system, test in named:
        by_system.setdefault(system, []).append(test)
    alike: dict[tuple[str, ...], list[str]] = {}
    for system, tests in by_system.items():
        alike.setdefault(tuple(tests), []).append(system)
    return [(listed(systems), listed(tests)) for tests, systems in alike.items()]


def left_out(systems: int, named: int = NAMED_SYSTEMS) -> str:
    """ " (26 more in the report)" after the names of the first ones; "" where these are all."""
    return f" ({systems - named} more in the report)" if systems > named else ""


def too_few(blocks: int, unseen: str = "an effect") -> str:
    number = "one complete block" if blocks == 1 else f"{blocks} complete blocks"
    return f"Undecided: {number} cannot tell {unseen} from noise."


def blocks_words(
    complete: int, planned: int, lacking: Mapping[str, int], compared: Mapping[str, int]
) -> str:
    """ "6 complete blocks"; "0 of 6 blocks complete (ocfs2 lacks runs in 6); nfs is compared in
    6"."""
    if not lacking:
        return count(complete, "complete block")
    lack = [f"{system} lacks runs in {number}" for system, number in lacking.items()]
    said = f"{complete} of {count(planned, 'block')} complete ({_some(lack)})"
    for number in dict.fromkeys(compared.values()):
        systems = [system for system in compared if compared[system] == number]
        verb = "is" if len(systems) == 1 else "are"
        said += f"; {named_systems(systems)} {verb} compared in {number}"
    return said


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - NAMED_SYSTEMS
    return listed([*parts[:NAMED_SYSTEMS], f"{more} more do"]) if more > 0 else listed(parts)


HOPELESS_PERCENT = 1000.0
"""A run that shows no smaller difference than this shows none that anyone asks about."""


FACTOR_PERCENT = 100.0
"""From this percentage on a difference is said as a factor."""


def least_shown(
    of_systems: Mapping[str, float],
    more: str = "",
    what: str = "difference",
    hopeless_percent: float = HOPELESS_PERCENT,
) -> str:
    """ "only a difference of 5 % on ext4 and 47 % on xfs would have shown", of each system its own;
    `more` follows the figure that all have.

    From `hopeless_percent` on a figure says nothing, and that is said.
    """
    most = "a tenfold" if hopeless_percent == HOPELESS_PERCENT else f"a {hopeless_percent:.0f} %"
    hopeless = [system for system, least in of_systems.items() if least >= hopeless_percent]
    seen = {system: each for system, each in of_systems.items() if system not in hopeless}
    if not seen:
        return f"not even {most} {what} would have shown"
    least, most_seen = min(seen.values()), max(seen.values())
    is_factor = what == "difference" and least >= FACTOR_PERCENT

    def said_of(percent: float) -> str:
        return f"{1 + percent / 100:.1f}" if is_factor else f"{shown_percent(percent)} %"

    what = "factor" if is_factor else what
    figures = {system: said_of(each) for system, each in seen.items()}
    if len(set(figures.values())) == 1 and not hopeless:
        return f"only a {what} of {next(iter(figures.values()))}{more} would have shown"
    if not hopeless and most_seen < _ALIKE * least:
        figure = f"{said_of(least).removesuffix(' %')} to {said_of(most_seen)}"
        return f"only a {what} of {figure}{more} would have shown"
    if len(seen) > NAMED_SYSTEMS:
        ends = (min(seen, key=seen.__getitem__), max(seen, key=seen.__getitem__))
        said = " to ".join(f"{figures[system]} ({system})" for system in ends)
    else:
        said = listed([f"{figure} on {system}" for system, figure in figures.items()])
    figure = most if hopeless_percent == HOPELESS_PERCENT else f"{hopeless_percent:.0f} %"
    also = f", not even {figure} on {named_systems(hopeless)}" if hopeless else ""
    return f"only a {what} of {said} would have shown{also}"


HOPELESS_LOSS_PERCENT = 90.0
"""A study that shows no smaller loss than this shows none that anyone asks about."""


def loss_shown(of_systems: Mapping[str, float]) -> str:
    """ "only a loss of 47 % would have shown"; "not even a 90 % loss ..." beyond that."""
    return least_shown(of_systems, what="loss", hopeless_percent=HOPELESS_LOSS_PERCENT)


_ALIKE = 1.25
"""Up to this factor between them, the figures of several systems are one range."""


def shown_percent(percent: float) -> str:
    """What would have shown, never as 0: "0.4", "3"."""
    return f"{max(percent, 0.1):.1f}" if percent < _WITHOUT_TENTHS else f"{percent:.0f}"


_WITHOUT_TENTHS = 0.95
"""From this percentage on, tenths of it are left out."""
Edges = tuple[float, float]
"""The ends of an interval of ratios."""
IN_EVERY_BLOCK = "in every block"
"""Of an interval without any width: "2.17 to 2.17" says less."""


def never_varied(low: float, high: float) -> bool:
    """Whether an interval has no width, but for the last digits of its reckoning."""
    return math.isclose(low, high, rel_tol=1e-9)


MOST_DIGITS = 6
NARROW = 1e-4
"""An interval of less width, as a share, has none that a reader could use."""


def _is_narrow(low: float, high: float) -> bool:
    return math.isclose(low, high, rel_tol=NARROW)


def _digits(edges: Edges | None, least: int, said: Callable[[float, int], str]) -> int | None:
    """Digits behind the point with which an interval has a width and lies on its own side of 1;
    None where not even many are enough."""
    if edges is None:
        return least
    low, high = edges
    if never_varied(*edges):
        apart = (d for d in range(least, MOST_DIGITS) if said(low, d) != said(1.0, d))
        return least if math.isclose(low, 1.0, rel_tol=1e-9) else next(apart, MOST_DIGITS)
    for digits in range(least, MOST_DIGITS + 1):
        one, ends = said(1.0, digits), (said(low, digits), said(high, digits))
        if (_is_narrow(low, high) or ends[0] != ends[1]) and (low <= 1 <= high or one not in ends):
            return digits
    return None


def _percent(ratio: float, digits: int) -> str:
    """Two digits at least of what is small: 1 % and 1.4 % are not the same, and neither is 0."""
    percent = 100 * ratio
    if 0 < percent < _SMALL_PERCENT:
        digits = max(digits, 1 - math.floor(math.log10(percent)))
        if digits > MOST_DIGITS:
            return f"under {10**-MOST_DIGITS:.{MOST_DIGITS}f}"
    text = f"{percent:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if percent < _SMALL_PERCENT and "." in text else text


_SMALL_PERCENT = 9.5


def percent(ratio: float, edges: Edges | None = None) -> str:
    """ "94 %"; with as many digits as the interval that follows has."""
    return f"{_percent(ratio, _digits(edges, 0, _percent) or 0)} %"


def percent_up(number: float) -> str:
    """What is seen, or excluded, in percent: rounded up, so never less than it is."""
    if not math.isfinite(number) or number >= HOPELESS_PERCENT:
        return f"over {HOPELESS_PERCENT:,.0f} %"
    steps = 10 if number < 9.9 else 1
    return f"{math.ceil(number * steps - 1e-6) / steps:g} %"


def percent_range(low: float, high: float, unit: str = "") -> str:
    """Two ratios as "78 to 86", with digits more where they would read alike, or as 100."""
    digits = _digits((low, high), 0, _percent)
    if never_varied(low, high) or _is_narrow(low, high):
        return IN_EVERY_BLOCK
    if digits is None:
        return f"{_percent(high, MOST_DIGITS)}{unit}"
    return f"{_percent(low, digits)} to {_percent(high, digits)}{unit}"


TIMES, MANY_TIMES = 1.995, 9.995
"""From this ratio on it is said in times, not in percent; then in whole ones."""


def share_words(ratio: float, edges: Edges | None = None) -> str:
    """ "94 %"; "3.10 times"."""
    return percent(ratio, edges) if ratio < TIMES else f"{_in_times(ratio, edges)} times"


def share_of(ratio: float, what: str, edges: Edges | None = None) -> str:
    """ "94 % of raw", "3.10 times raw"; the share alone where it is said of the same again."""
    said = share_words(ratio, edges)
    if not what:
        return said
    return f"{said} of {what}" if ratio < TIMES else f"{said} {what}"


def range_words(low: float, high: float, ratio: float | None = None) -> str:
    """ "78 to 86 %"; "2.90 to 3.40 times". In the unit of the ratio that it is of, if one is."""
    if (low if ratio is None else ratio) < TIMES or _is_narrow(low, high):
        return percent_range(low, high, " %")
    return f"{_in_times(low, (low, high))} to {_in_times(high, (low, high))} times"


def _in_times(ratio: float, edges: Edges | None) -> str:
    return _times(ratio, _digits(edges, 0, _times) or 0)


def _times(ratio: float, more: int) -> str:
    """Two digits behind the point, and `more`; none of ten times and more."""
    return factor_words(ratio, digits=more + (2 if ratio < MANY_TIMES else 0))


def factor_words(ratio: float, edges: Edges | None = None, digits: int = 2) -> str:
    """ "1.04": with as many digits as the interval that follows has; of a small one two that count,
    never "0.00"."""
    if edges is not None:
        digits = _digits(edges, digits, _factor) or digits
    return _factor(ratio, digits)


def _factor(ratio: float, digits: int) -> str:
    if 0 < ratio < SMALL_RATIO:
        digits = max(digits, 1 - math.floor(math.log10(ratio)))
        if digits > MOST_DIGITS:
            return f"under {10**-MOST_DIGITS:.{MOST_DIGITS}f}"
    return f"{ratio:,.{digits}f}"


SMALL_RATIO = 0.00995
"""Below it a ratio has two digits of its own."""


def remark(
    verdict: str | None, margin_percent: float | None = None, *, barely: bool = False
) -> str:
    """The words after an interval: ", undecided", ", equivalent within 3 %", ", barely"; or ""."""
    hangs = ", barely" if barely else ""
    if verdict == "equivalent" and margin_percent is not None:
        return f"{hangs or ','} equivalent within {exact_percent(margin_percent)}"
    if verdict is not None and verdict in ("equivalent", *OPEN):
        return f"{hangs or ','} {verdict}"
    return hangs


def ratio_range(low: float | None, high: float | None) -> str:
    """An interval of ratios; "no interval" from one block."""
    if low is None or high is None:
        return "no interval"
    digits = _digits((low, high), 2, _factor)
    if never_varied(low, high) or _is_narrow(low, high):
        return IN_EVERY_BLOCK
    if digits is None:
        return _factor(high, MOST_DIGITS)
    return f"{_factor(low, digits)} to {_factor(high, digits)}"


MOST_WORDS = 25
_OF_NAME = "\0"
"""Stands for a space inside a system's name, at which no sentence is parted."""

_QUOTED = r'(?<!\S)"(?=\S)[^"]*(?<=\S)"(?!\w)'
"""A quotation, not a sign of a name such as 'disk 3.5"'."""


def words_in(text: str) -> int:
    """How many words are read: signs that stand alone, as in "94 %", are none."""
    words = text.replace(_OF_NAME, " ").split()
    return sum(any(letter.isalnum() for letter in word) for word in words)


def is_headline(text: str) -> bool:
    return words_in(text) <= MOST_WORDS


def in_lines(text: str, systems: Sequence[str]) -> list[str]:
    """The headline and the sentences behind it; what the first one has too much follows it. A name
    of one of `systems`, and what is quoted, is never parted."""
    names = (rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(systems, key=len, reverse=True))
    for found in (_QUOTED, *names):
        text = re.sub(found, lambda each: each[0].replace(" ", _OF_NAME), text)
    first, *more = re.split(r"(?<=[.!?]) +", text)
    parts = _parted(first, systems)
    if more and len(parts) > 1 and parts[-1].startswith("Also ") and more[0].startswith("Also "):
        parts[-1] = f"{parts[-1][:-1]}, {more.pop(0).removeprefix('Also ')}"
    return [line.replace(_OF_NAME, " ") for line in (*parts, *more)]


def _parted(sentence: str, systems: Sequence[str]) -> list[str]:
    """The sentence; of a long one its first clauses, as much of its list as is short enough, or all
    but where it holds, then the rest."""
    if is_headline(sentence):
        return [sentence]
    clauses = sentence.split("; ")
    for many in range(len(clauses) - 1, 0, -1):
        head, rest = "; ".join(clauses[:many]), "; ".join(clauses[many:])
        if is_headline(head):
            return [f"{head}.", begun(rest, systems)]
    for cut in reversed(
        list(re.finditer(r"\)(?:, and |, | and )| above \S+ %(?= in )|(?=: )", sentence))
    ):
        if cut[0].startswith(" above") and is_headline(head := sentence[: cut.end()]):
            return [f"{head}.", f"That is{sentence[cut.end() :]}"]
        is_list = sentence[cut.start()] == ")"
        head = sentence[: cut.start() + is_list]
        if is_headline(head):
            rest = sentence[cut.end() :].removeprefix(": ")
            return [f"{head}.", f"Also {rest}" if is_list else begun(rest, systems)]
    return [sentence]


def begun(text: str, systems: Sequence[str]) -> str:
    """A text as a sentence: with a capital, unless a system's name begins it."""
    name = text.replace(_OF_NAME, " ").split(" ", 1)[0].rstrip(",:;")
    is_name = any(each.split(" ", 1)[0] == name for each in systems)
    return text if is_name else text[:1].upper() + text[1:]
