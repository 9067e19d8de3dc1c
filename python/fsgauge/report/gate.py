"""What `fsgauge gate` prints. Of accept: what the gate has learnt, what it sees, what is missing.
Of check: the verdict first, the worst lines, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fsgauge.report import words
from fsgauge.report.gate_file import NAME
from fsgauge.report.table_parts import known
from fsgauge.stats.evidence import count
from fsgauge.stats.folders.limits import Required, Test
from fsgauge.stats.gate.accept import Readiness
from fsgauge.stats.gate.check import Checked
from fsgauge.stats.gate.judge import Compared, GateVerdict
from fsgauge.stats.gate.noise import FEWEST_RUNS, FEWEST_SITTINGS
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.verdict import is_too_wide
from fsgauge.stats.wording import ratio_range
from fsgauge.units import exact_percent, figure

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
    return f"accept {count(number, f'more {sample}')}: fsgauge gate accept DIR{options}"


def measure_each(times: int, options: str) -> str:
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


_ORDER = ("worse", "disagrees", "missing", "too noisy", "better", "no loss")


def checked_lines(checked: Checked, file: str, despite: Sequence[str] = ()) -> list[str]:
    ready = checked.readiness
    learnt = f"{count(ready.runs, 'accepted run')} in {count(ready.sittings, 'sitting')}"
    return [
        f"{checked.verdict}: {_summary(checked)}",
        *checked.idle,
        *_table(checked),
        *(_limit(each) for each in checked.limits),
        *(_condition(each) for each in checked.conditions),
        *_others(checked),
        f"against {learnt}, {file}",
        *_notes(checked),
        *_next(checked, options_of(file, despite)),
    ]


def _summary(checked: Checked) -> str:
    asked = exact_percent(checked.readiness.loss_percent)
    if checked.verdict != "pass":
        return "; ".join(checked.reasons)
    if checked.conditions:
        return f"no condition of --fail-if is met, in {count(len(checked.conditions), 'test')}"
    if not checked.lines:
        return f"all of {count(len(checked.limits), 'limit')} hold"
    return f"no loss in {count(len(checked.lines), 'line')}; one of {asked} would have been seen"


def _table(checked: Checked) -> list[str]:
    if not checked.lines:
        return []
    shown = sorted(checked.lines, key=_badness)[:MOST_LINES]
    beside = f"to {checked.baseline}" if any(each.to_baseline for each in checked.lines) else ""
    rows = [["", "accepted", "new", "ratio", beside, "runs differ by", "sees", ""]]
    rows += [_row(each, checked) for each in shown]
    found = aligned(rows)
    rest = len(checked.lines) - len(shown)
    return [*found, f"and {count(rest, 'line')} with less of a loss"] if rest > 0 else found


def _row(each: GateVerdict, checked: Checked) -> list[str]:
    unit = METRICS[each.metric].unit
    spreads = [found.spread_percent for found in (each.direct, each.to_baseline) if found]
    return [
        _name(each, checked),
        words.value(each.accepted, unit),
        _new(each, unit),
        _ratio(each.direct),
        _to_baseline(each, checked),
        " / ".join(map(words.percent, spreads)),
        known(each.visible_percent, words.percent_up),
        _outcome(each, checked),
    ]


def _new(each: GateVerdict, unit: str) -> str:
    if each.new is None:
        return "nothing" if each.idle else "none"
    return words.value(each.new, unit)


def _name(each: GateVerdict, checked: Checked) -> str:
    return f"{checked.cell_names[each.cell]}, {each.system}, {each.metric}"


def _ratio(each: Compared | None) -> str:
    return (
        ""
        if each is None
        else f"{words.ratio(each.ratio, each.low, each.high)} ({ratio_range(each.low, each.high)})"
    )


def _to_baseline(each: GateVerdict, checked: Checked) -> str:
    """Its ratio to the baseline, new over accepted; of the baseline, that to the others."""
    if each.to_baseline is None:
        return ""
    own = each.system == checked.baseline
    return _ratio(each.to_baseline) + (" to the others" if own else "")


def _outcome(each: GateVerdict, checked: Checked) -> str:
    if each.idle:
        return f"{each.outcome}: {each.idle}"
    if each.outcome != "disagrees" or each.direct is None or each.to_baseline is None:
        return each.outcome
    higher = METRICS[each.metric].higher_is_better
    corrected = each.direct.high < 1 if higher else each.direct.low > 1
    if corrected:
        return "worse, but not relative to " + (
            "the others" if each.system == checked.baseline else checked.baseline
        )
    return f"worse relative to {checked.baseline} alone"


def _badness(each: GateVerdict) -> tuple[int, float]:
    """The worst outcome first, and of one outcome the largest loss."""
    if each.direct is None:
        return _ORDER.index(each.outcome), 0.0
    gain = each.direct.ratio if METRICS[each.metric].higher_is_better else 1 / each.direct.ratio
    return _ORDER.index(each.outcome), gain


def _limit(each: Required) -> str:
    bounds = "no interval"
    if each.low is not None and each.high is not None:
        bounds = words.value_range(each.low, each.high, each.unit)
        if is_too_wide(each.low, each.high):
            bounds = "interval too wide"
    start = f"{each.outcome:<10} {each.limit}: {each.cell}, {each.system}:"
    if each.value is None:
        return f"{start} {each.reason}"
    return f"{start} {words.value(each.value, each.unit)} ({bounds}), {each.reason}"


def _condition(each: Test) -> str:
    bounds = "no interval"
    if each.low is not None and each.high is not None:
        bounds = f"{figure(each.low, 4)} to {figure(each.high, 4)}"
    start = f"{each.outcome:<10} {each.condition}: {each.cell}, {each.system}:"
    if each.ratio is None:
        return f"{start} {each.reason}"
    return f"{start} {words.ratio(each.ratio, each.low, each.high)} ({bounds}), {each.reason}"


def _others(checked: Checked) -> list[str]:
    """What moved and is not judged."""
    shown = sorted(checked.others, key=_badness)
    found = [
        f"not judged, but {each.outcome}: {_name(each, checked)}: {_ratio(each.direct)}"
        for each in shown[:MOST_LINES]
    ]
    more = len(shown) - MOST_LINES
    return (
        [*found, f"and {count(more, 'line')} that moved and are not judged"] if more > 0 else found
    )


def _notes(checked: Checked) -> list[str]:
    found = [f"compared despite {each.fact}: {each.a} / {each.b}" for each in checked.despite]
    found += [f"note: {each}" for each in checked.space]
    found += [f"not judged, since an accepted run lacks it: {each}" for each in checked.missing]
    if checked.lines and not any(each.to_baseline for each in checked.lines):
        found.append(
            "note: a study of one system has no value relative to a baseline, so a machine that"
            " became slower fails as well"
        )
    if checked.elsewhere:
        days = count(FEWEST_SITTINGS - checked.readiness.sittings, "more sitting")
        found.append(
            "note: no accepted run is of this sitting. A sitting is taken to differ by as much as a"
            f" run; to have it measured, accept runs of {days}, each six hours or more after the"
            " last"
        )
    return found


def _next(checked: Checked, options: str) -> list[str]:
    if checked.verdict == "fail":
        return [
            "next: look at what changed (fsgauge report DIR). If the loss is meant, begin a new"
            " file with runs of this build: fsgauge gate accept DIR DIR ... --file NEW"
        ]
    if checked.verdict == "undecided":
        return [
            "next: measure the build again and check both folders at once: fsgauge gate check DIR"
            f" DIR{options}. If the machine was changed for good, begin a new file"
        ]
    if checked.verdict == "too noisy":
        return [_against_noise_of(checked, options)]
    if any(each.outcome == "better" for each in checked.lines):
        return [
            "next: to hold what was gained, begin a new file with runs of this build: fsgauge gate"
            " accept DIR DIR ... --file NEW"
        ]
    return []


def _against_noise_of(checked: Checked, options: str) -> str:
    ready = checked.readiness
    have, sample = ready.samples
    wanted = max(FEWEST_RUNS, ready.needed or 0)
    if wanted > have:
        return f"next: {accept_more(wanted - have, sample, options)}"
    if ready.state == "ready" and checked.elsewhere:
        return "next: accept runs of more days, or measure this build together with accepted ones"
    if ready.state == "ready":
        return "next: measure this build again: its blocks scatter more than those of accepted runs"
    if ready.new_needed is not None:
        return f"next: {measure_each(ready.new_needed, options)}"
    worst = max((each.visible_percent or 0.0 for each in checked.lines), default=0.0)
    return f"next: {ask_for_less(worst, options)}"
