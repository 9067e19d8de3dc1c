"""The page of two results folders: comparison.html, comparison.json and its picture. Takes two
folders; reads their records, compares them and, when asked, writes into a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.plain_files.bounds import MOST_FOLDERS
from fsgauge.report import compared_models, words
from fsgauge.report.charts.between import between_chart, name_of
from fsgauge.report.compared_answer import changes_sentences
from fsgauge.report.compared_models import ends_sentence, side_words
from fsgauge.report.logged import write_page
from fsgauge.report.theme import GLYPHS, template
from fsgauge.stats.durability import running_with
from fsgauge.stats.folders.between import Between, Entry, IdleLine
from fsgauge.stats.folders.limits import Test
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN, is_too_wide
from fsgauge.store import read_results
from fsgauge.units import exact_percent, figure, grouped, listed, moment

_WITH_TIME = re.compile(r"-\d{4}(-\d\d){2}-\d{6}$")
"""The end of a results folder's name."""


@dataclass(frozen=True)
class FolderRow:
    """One entry in words; `other` is the ratio by the basis that does not decide, `within` the
    interval of these sittings alone."""

    cell: str
    system: str
    a: str
    b: str
    verdict: str
    ratio: str = ""
    interval: str = ""
    within: str = ""
    glyph: str = ""
    other: str = ""
    robust: str = ""
    blocks: str = ""


@dataclass(frozen=True)
class LinesOfMetric:
    """All lines of one metric."""

    name: str
    label: str
    better: str
    lines: list[FolderRow]


def read_sides(directories: Sequence[Path], *, accept_changed: bool = False) -> list[Side]:
    """The records of results folders, labelled by the shortest paths that tell them apart. Raises
    InputError where one is given twice: it would be compared with itself. ChangedError for records
    that were changed, unless that is accepted."""
    if len(directories) > MOST_FOLDERS:
        raise InputError(
            f"{len(directories):,} folders are given, and {MOST_FOLDERS:,} are allowed",
            next="name the latest ones",
        )
    seen: set[Path] = set()
    for directory in directories:
        real = directory.resolve()
        if real in seen:
            raise InputError(f"{directory} is given twice", next="name each results folder once")
        seen.add(real)
    studies = [read_results(each, accept_changed=accept_changed) for each in directories]
    return [Side.of(*pair) for pair in zip(_labels(directories), studies, strict=True)]


def _labels(directories: Sequence[Path]) -> list[str]:
    """Names that tell folders apart: "before" and "after" of before/gate-DATE and after/gate-DATE.
    A folder's own name says most, but not where only the times in the names differ."""
    parts = [directory.resolve().parts for directory in directories]
    above = [each[-2] for each in parts if _WITH_TIME.search(each[-1])]
    studies = {_WITH_TIME.sub("", each[-1]) for each in parts}
    if len(studies) == 1 and len(set(above)) == len(parts) > 1:
        return above
    for length in range(1, max(map(len, parts)) + 1):
        labels = ["/".join(each[-length:]) for each in parts]
        if len(set(labels)) == len(labels):
            return labels
    return [str(directory) for directory in directories]


def primary_lines(between: Between) -> list[FolderRow]:
    """What the answer is about: the primary cells by their primary metric."""
    lines = [line_of(between, entry) for entry in between.primary_entries(between.decides)]
    return lines + [_idle_line(between, each) for each in _primary_idle(between)]


def _primary_idle(between: Between) -> list[IdleLine]:
    metrics = between.primary_metrics
    return [
        each
        for each in between.nothing
        if each.cell in between.primary_cells and each.metric == metrics[each.cell]
    ]


def _idle_line(between: Between, each: IdleLine) -> FolderRow:
    return FolderRow(
        cell=between.cell(each.cell).name,
        system=each.system,
        a=_value(between, each, each.a, each.value_a),
        b=_value(between, each, each.b, each.value_b),
        verdict=each.idle.words,
    )


def _value(between: Between, each: IdleLine, nothing: str, value: float | None) -> str:
    if nothing or value is None:
        return "nothing" if nothing else ""
    return words.value(value, between.unit_in(each.cell, METRICS[each.metric].unit))


def line_of(between: Between, entry: Entry) -> FolderRow:
    """One entry in words. Values are those of the systems, also where ratios of ratios decide."""
    unit = between.unit_in(entry.cell, between.metric(entry.metric).unit)
    direct = between.entry(entry.cell, entry.system, entry.metric, "direct") or entry
    other = between.other(entry)
    robust = words.ratio(entry.robust_ratio)
    if entry.robust_low is not None:
        robust += f" ({words.interval(entry.robust_low, entry.robust_high, entry.blocks)})"
    return FolderRow(
        cell=name_of(between, entry),
        system=entry.system,
        a=words.value(direct.value_a, unit),
        b=words.value(direct.value_b, unit),
        ratio=words.ratio(entry.ratio, *entry.shown),
        interval=words.interval(*entry.shown, entry.blocks),
        within=words.interval(entry.within_low, entry.within_high, entry.blocks),
        glyph=GLYPHS.get(entry.verdict or "", ""),
        verdict=verdict_words(between, entry),
        other=_other_ratio(between, other) if other else "",
        robust=robust,
        blocks=f"{entry.blocks_a}, {entry.blocks_b}",
    )


def verdict_words(between: Between, entry: Entry) -> str:
    """The verdict with what belongs to it; two machines have none, nor two ends of a range."""
    if entry.verdict is None:
        return "a range" if between.ends else "two machines"
    if entry.verdict == "equivalent":
        return f"equivalent (within {exact_percent(entry.margin_percent)})"
    if not entry.bases_agree:
        return f"undecided (the ratio to {between.baseline} does not agree)"
    if entry.blocks < BLOCKS_FOR_A_VERDICT:
        return entry.verdict
    if entry.verdict in OPEN and entry.low is None:
        return f"{entry.verdict} (how sittings differ is not known)"
    if entry.verdict in OPEN and entry.detectable_percent is not None:
        return f"{entry.verdict} ({words.shown(entry.detectable_percent)})"
    return entry.verdict


def _other_ratio(between: Between, entry: Entry) -> str:
    """With its interval, but of two ends of a range, which have none."""
    ratio = words.ratio(entry.ratio, *entry.shown)
    if between.ends is not None:
        return ratio
    return f"{ratio} ({words.interval(*entry.shown, entry.blocks)})"


def limit_values(between: Between, test: Test) -> str:
    """ "11.6 k to 9.8 k IOPS": A's and B's own values in the line of a test; "" where there is no
    ratio."""
    ids = [cell.id for cell in between.cells if cell.name == test.cell]
    found = (between.entry(cell, test.system, test.metric, "direct") for cell in ids)
    entry = next(filter(None, found), None)
    if entry is None:
        return ""
    unit = between.unit_in(entry.cell, between.metric(entry.metric).unit)
    return words.span(words.value(entry.value_a, unit), words.value(entry.value_b, unit))


def limit_interval(test: Test) -> str:
    """A test's interval with four digits: rounding must not hide on which side the limit lies."""
    if test.low is None or test.high is None:
        return "no interval"
    if is_too_wide(test.low, test.high):
        return "interval too wide"
    return f"{figure(test.low, 4)} to {figure(test.high, 4)}"


def cautions(between: Between) -> list[str]:
    found = [
        f"{side.label} is not valid: {side.invalid_reason}"
        for side in (between.a, between.b)
        if not side.valid and not side.data_lost
    ]
    found += _how_made(between)
    found += [
        f"compared despite {each.fact}: {each.a} / {each.b}"
        for each in between.differences
        if each.despite
    ]
    alone = between.decides == "to baseline" and between.systems == [between.baseline]
    if alone and between.ends is None:
        found.append(
            f"{between.baseline} is the only system: there is no ratio that cancels the machine,"
            " and no verdict"
        )
    return [*found, *_not_shared(between), *_given_up(between)]


def _not_shared(between: Between) -> list[str]:
    """Which systems are left out, as one side alone has them."""
    sides = [f"{listed(systems)} in {label}" for label, systems in between.only_in.items()]
    if not sides:
        return []
    both = "; one run compares them, in turns" if len(sides) > 1 else ""
    return [f"not compared, as one side alone has them: {', '.join(sides)}{both}"]


def _how_made(between: Between) -> list[str]:
    found = compared_models.model_and_measured(between)
    if found is None:
        return []
    model, other = found
    return [
        f"{model.label} was simulated and {other.label} was measured: what differs between them is"
        " how far the model is from this system"
    ]


def _given_up(between: Between) -> list[str]:
    """A line a system and option by which durability is given up, and on which side."""
    on = grouped(
        ((weak.system, weak.option, weak.loses), side.label)
        for side in (between.a, between.b)
        for weak in side.durability.systems
    )
    return [
        f"{running_with([system], [option])} in {' and '.join(labels)}: {loses}"
        for (system, option, loses), labels in on.items()
        if system in between.systems
    ]


def write_comparison(between: Between, tests: Sequence[Test], output: Path) -> Path:
    drawing = between_chart(between)
    page = template("comparison.html.j2").render(
        between=between,
        answer=summary(between),
        basis=compared_models.basis_sentence(between),
        repetition=compared_models.repetition_sentence(between),
        cautions=cautions(between),
        drawing=drawing,
        models=compared_models.model_lines(between),
        side_words=side_words,
        tests=tests,
        tables=_tables(between),
        day=moment,
        limit_interval=limit_interval,
        limit_values=limit_values,
        words=words,
    )
    return write_page("comparison", between, page, output, drawing)


def summary(between: Between) -> str:
    """What changed, or the range of a model; before that, that a side lost data, or that somebody
    did nothing there."""
    sides = (between.a, between.b)
    lost = [f"Not valid: {side.label}: {side.invalid_reason}" for side in sides if side.data_lost]
    said = " ".join([*lost, *(f"{side.label}: {side.idle}" for side in sides if side.idle)])
    told = ends_sentence(between) or changes_sentences(between, _primary_idle(between))
    return " ".join(filter(None, (said, compared_models.model_sentence(between), told)))


def _tables(between: Between) -> list[LinesOfMetric]:
    tables = []
    for metric in between.metrics:
        lines = [
            line_of(between, entry)
            for entry in between.entries
            if entry.metric == metric.name and entry.decides
        ]
        lines += [_idle_line(between, e) for e in between.nothing if e.metric == metric.name]
        if lines:
            tables.append(LinesOfMetric(metric.name, metric.label, metric.better, lines))
    return tables
