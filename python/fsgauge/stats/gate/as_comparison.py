"""A check as a comparison of two sides, so that conditions of --fail-if mean what they do there.

A is all accepted runs together, B the new ones. Errors are those of the gate; where it knows no
noise yet, entries have values and no interval.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from fsgauge.stats.folders.compare import Basis, Between, Entry, SideFacts
from fsgauge.stats.gate import learned as gate
from fsgauge.stats.gate.folder import Folder
from fsgauge.stats.gate.judge import New, difference
from fsgauge.stats.gate.learned import Learned, Line
from fsgauge.stats.gate.measured import Mean
from fsgauge.stats.gate.noise import Noise, Noises
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import LEVEL
from fsgauge.stats.results import MetricInfo
from fsgauge.stats.welch import interval, p_of, shift

_BASES: tuple[tuple[gate.Basis, Basis], ...] = (("direct", "direct"), ("relative", "to baseline"))


def as_comparison(learned: Learned, folders: Sequence[Folder], new: New, noises: Noises) -> Between:
    """New runs over accepted ones, every line by both bases."""
    entries = [
        entry
        for line in learned.lines
        for ours, theirs in _BASES
        if (entry := _entry(line, ours, theirs, learned, new, noises)) is not None
    ]
    return Between(
        question=learned.question,
        baseline=learned.baseline,
        a=_accepted(learned),
        b=_new(folders, new),
        sittings_measured=True,
        same_machine=True,
        decides="direct",
        systems=learned.systems,
        cells=learned.cells,
        primary_cells=learned.primary_cells,
        primary_metrics=learned.primary_metrics,
        metrics=_metrics(learned),
        entries=entries,
        differences=[],
    )


def _entry(
    line: Line, ours: gate.Basis, theirs: Basis, learned: Learned, new: New, noises: Noises
) -> Entry | None:
    numbers, means = line.of(ours), new.means(line.key, ours)
    if numbers is None or means is None:
        return None
    old, logs = [log for log in numbers.logs() if log is not None], [mean.log for mean in means]
    noise = noises.get(line.key, {}).get(ours)
    log_ratio, error, freedom, reach = _known(means, old, noise, line, ours, new)
    low = high = None
    p = 1.0
    if error is not None and freedom is not None:
        low, high = interval(math.exp(log_ratio), error, freedom, LEVEL, reach)
        p = p_of(max(0.0, abs(log_ratio) - reach), error, freedom)
    robust = shift(old, logs, reach=reach)
    return Entry(
        cell=line.cell,
        system=line.system,
        metric=line.metric,
        primary=line.cell in learned.primary_cells,
        basis=theirs,
        decides=theirs == "direct",
        value_a=math.exp(statistics.fmean(old)),
        value_b=math.exp(statistics.fmean(old) + log_ratio),
        ratio=math.exp(log_ratio),
        low=low,
        high=high,
        alone_low=low,
        alone_high=high,
        within_low=None,
        within_high=None,
        sittings_measured=True,
        p=p,
        p_adjusted=p,
        verdict=None,
        bases_agree=True,
        blocks_a=sum(run.blocks for run in learned.runs),
        blocks_b=min(mean.blocks for mean in means),
        error=error,
        reach=reach,
        freedom=freedom,
        detectable_percent=None,
        margin_percent=learned.margin_percent,
        robust_ratio=robust.ratio,
        robust_low=robust.low,
        robust_high=robust.high,
        robust_p=robust.p,
    )


def _known(
    means: Sequence[Mean],
    old: Sequence[float],
    noise: Noise | None,
    line: Line,
    basis: gate.Basis,
    new: New,
) -> tuple[float, float | None, float | None, float]:
    """Log ratio, its standard error and degrees where the noise is known, and its reach."""
    if noise is None:
        log_ratio = statistics.fmean(mean.log for mean in means) - statistics.fmean(old)
        return log_ratio, None, None, 2 * max(mean.reach for mean in means)
    found = difference(line.key, basis, noise, new)
    assert found is not None  # noqa: S101 - the new runs have it, or there were no means
    return found.log, found.error, noise.freedom, found.reach


def _accepted(learned: Learned) -> SideFacts:
    return SideFacts(
        label=f"{len(learned.runs)} accepted runs",
        folders=[run.label for run in learned.runs],
        sittings=len(learned.sittings()),
        blocks_complete=sum(run.blocks for run in learned.runs),
        valid=True,
        invalid_reason="",
        data_lost=False,
        started_unix_ns=min(run.started_unix_ns for run in learned.runs),
    )


def _new(folders: Sequence[Folder], new: New) -> SideFacts:
    invalid = [folder.invalid for folder in folders if folder.invalid]
    return SideFacts(
        label=", ".join(folder.label for folder in folders),
        folders=[folder.label for folder in folders],
        sittings=len(new.sittings),
        blocks_complete=sum(folder.addition.run.blocks for folder in folders),
        valid=not invalid,
        invalid_reason="; ".join(invalid),
        data_lost=any(folder.data_lost for folder in folders),
        started_unix_ns=min(folder.started_unix_ns for folder in folders),
    )


def _metrics(learned: Learned) -> list[MetricInfo]:
    return [
        MetricInfo(
            name=name,
            label=METRICS[name].label,
            unit=METRICS[name].unit,
            higher_is_better=METRICS[name].higher_is_better,
            page=METRICS[name].page,
        )
        for name in dict.fromkeys(line.metric for line in learned.lines)
    ]
