"""What `fsgauge gate accept` prints: what the gate has learnt, what it sees, what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from fsgauge.report import words
from fsgauge.report.gate_file import NAME
from fsgauge.stats.evidence import count
from fsgauge.stats.gate.accept import Readiness
from fsgauge.stats.gate.noise import FEWEST_RUNS, FEWEST_SITTINGS
from fsgauge.units import exact_percent

MOST_LINES = 6


def accepted_lines(
    ready: Readiness,
    file: str,
    baseline: str,
    already: Sequence[str] = (),
    despite: Sequence[str] = (),
) -> list[str]:
    """What a gate has learnt and what it sees with that, and what it had learnt `already`."""
    lines = [f"already accepted, and not counted twice: {', '.join(already)}"] if already else []
    lines.append(_state(ready))
    lines.append(f"{file}: {_learnt(ready)}")
    if ready.lines:
        beyond = "on another day" if ready.lines[0].elsewhere_percent is not None else ""
        relative = f"to {baseline}" if ready.lines[0].relative_spread_percent is not None else ""
        rows = [["", "spread of runs", relative, "sees a loss of", beyond]]
        rows += [
            [
                f"{each.cell}, {each.system}, {each.metric}",
                words.percent(each.spread_percent),
                known(each.relative_spread_percent, words.percent),
                words.percent_up(each.visible_percent),
                known(each.elsewhere_percent, words.percent_up),
            ]
            for each in ready.lines[:MOST_LINES]
        ]
        lines += aligned(rows)
        if (more := len(ready.lines) - MOST_LINES) > 0:
            lines.append(f"and {count(more, 'line')} that can see less")
    lines += [f"not judged, since an accepted run lacks it: {each}" for each in ready.missing]
    return [*lines, *_next_of_accept(ready, options_of(file, despite))]


def options_of(file: str, despite: Sequence[str]) -> str:
    """What a hint's command needs of what was given, with a space before it; "" of the defaults."""
    named = ["--file", file] if file != NAME else []
    given = [*named, *(word for fact in despite for word in ("--despite", fact))]
    return f" {shlex.join(given)}" if given else ""


def _state(ready: Readiness) -> str:
    asked = exact_percent(ready.loss_percent)
    if ready.state == "too few":
        return f"too few runs: {ready.runs} of at least {FEWEST_RUNS}"
    seen = ready.lines[0].visible_percent if ready.lines else None
    if ready.state == "too noisy":
        if seen is None:
            return "no accepted run has a line to judge"
        return (
            f"too noisy to see {asked}: the smallest loss that it sees in every line is"
            f" {words.percent_up(seen)}"
        )
    return (
        f"ready: sees a loss of {words.percent_up(seen or 0.0)} in each of {len(ready.lines)} lines"
        f" (asked for: {asked})"
    )


def _learnt(ready: Readiness) -> str:
    _, sample = ready.samples
    needs = (
        f"needs {count(ready.needed, sample)}"
        if ready.needed is not None
        else f"no number of {sample}s would be enough"
    )
    return f"learnt from {count(ready.runs, 'run')} in {count(ready.sittings, 'sitting')}; {needs}"


def _next_of_accept(ready: Readiness, options: str) -> list[str]:
    found = []
    if ready.state == "too few":
        more = max(FEWEST_RUNS, ready.needed or 0) - ready.runs
        found.append(f"next: {accept_more(more, 'run', options)}")
    elif ready.state == "too noisy":
        found += _against_noise(ready, options)
    if not ready.by_sitting and ready.state != "too few":
        days = FEWEST_SITTINGS - ready.sittings
        found.append(
            f"note: the runs are of {count(ready.sittings, 'sitting')}. A run of another day is"
            " taken to differ by a sitting as much as by a run, until runs of"
            f" {count(days, 'more sitting')} are accepted, each six hours or more after the last"
        )
    return found


def _against_noise(ready: Readiness, options: str) -> list[str]:
    """What makes the loss visible: more accepted runs, more new ones, or less noise."""
    have, sample = ready.samples
    asked = exact_percent(ready.loss_percent)
    if ready.needed is not None and ready.needed > have:
        return [f"next: {accept_more(ready.needed - have, sample, options)}"]
    worst = ready.lines[0].visible_percent if ready.lines else ready.loss_percent
    less = ask_for_less(worst, options)
    if ready.new_needed is not None:
        more = measure_each(ready.new_needed, options)
        return [f"next: {more}; accepted runs alone never show {asked}", f"or: {less}"]
    return [f"next: {less}"]


def accept_more(number: int, sample: str, options: str) -> str:
    """What makes noise known better."""
    return f"accept {count(number, f'more {sample}')}: fsgauge gate accept DIR{options}"


def measure_each(times: int, options: str) -> str:
    """What makes one build known better."""
    return (
        f"measure each new build {times} times and check all of its folders at once:"
        f" fsgauge gate check DIR DIR ...{options}"
    )


def ask_for_less(worst_percent: float, options: str) -> str:
    """What is left where no number of runs shows the loss: to ask for what the noisiest line sees,
    rounded up."""
    return (
        "use a quieter machine, more blocks or longer runs, or ask for less:"
        f" fsgauge gate accept --loss '{min(99, int(worst_percent) + 1)} %'{options}"
    )


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines; a column in which no row has anything is left out."""
    columns = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    widths = {column: max(len(row[column]) for row in rows) for column in columns}
    return [
        "  ".join(row[column].ljust(widths[column]) for column in columns).rstrip() for row in rows
    ]


def known(number: float | None, said: Callable[[float], str]) -> str:
    """A number in words; empty where it is not known."""
    return "" if number is None else said(number)
