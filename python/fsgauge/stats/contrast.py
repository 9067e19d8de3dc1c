"""What a study holds against what: every ratio is declared, and all are judged in one place.

Takes contrasts and the samples that they are of; gives each ratio with its interval and its p value
corrected within its family (Benjamini and Hochberg), its verdict, and the effect that would have
shown. The interval that is shown is the one that the verdict rests on: it excludes 1 exactly where
the verdict is better or worse, and lies within the margin where it is equivalent. Where both sides
were measured in the same blocks, each block gives one ratio (`in_blocks`); it is taken to scatter
at least as the baseline does against itself in the same cells (A/A). Folders share no block,
so all blocks of one side are held against all of the other (`in_folders`), sitting by sitting.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from fsgauge.plan.levels import ALPHA, corrected
from fsgauge.stats.estimate import ByBlock, over
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.noise import ASKED_PERCENT
from fsgauge.stats.ratio import Ratio, deviation_of_steps, ratio_of_blocks
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import (
    BLOCKS_FOR_A_VERDICT,
    OPEN,
    Verdict,
    benjamini_hochberg,
    claimed,
    judge,
    log_margin,
    thresholds,
)
from fsgauge.stats.welch import OverSittings, Scatter, over_sittings
from fsgauge.units import grouped

Key = TypeVar("Key")
R = TypeVar("R", bound=Ratio)
Sittings = Sequence[Sequence[Samples]]
"""The folders of one side, sitting by sitting."""


class Value(NamedTuple):
    """What one system had in one cell; of the baseline, the mean of its two turns in a block."""

    metric: str
    cell: str
    system: str


@dataclass(frozen=True)
class Contrast:
    """`numerator` over `denominator`; a contrast of contrasts is a ratio of ratios. Contrasts of
    one `family` are corrected together for their number."""

    numerator: Value | Contrast
    denominator: Value | Contrast
    family: Hashable = None

    @property
    def metric(self) -> str:
        return self.numerator.metric

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better; what no run has is counted in layouts, and is less the better."""
        return self.metric in METRICS and METRICS[self.metric].higher_is_better


@dataclass(frozen=True)
class ContrastResult(Generic[R]):
    """A ratio and what it means. `logs` are the log ratios of blocks; of two folders they are the
    logs of the numerator's blocks, and `against` those of the denominator's.
    """

    contrast: Contrast
    ratio: R
    p_adjusted: float
    threshold: float
    family: int
    verdict: Verdict
    margin_percent: float
    logs: ByBlock
    against: ByBlock = field(default_factory=dict)

    def numbers(self) -> dict[str, Any]:
        """What every model of a judged ratio has, by the names of its fields."""
        low, high = self.interval
        return {
            "ratio": self.ratio.ratio,
            "low": low,
            "high": high,
            "p_adjusted": self.p_adjusted,
            "verdict": self.verdict,
            "n": self.ratio.n,
            "barely": self.barely,
            "rig_deviation": self.ratio.least,
        }

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """What the verdict rests on: 95 % where it is equivalent, else the corrected one."""
        alone = self.ratio.low, self.ratio.high
        if self.verdict == "equivalent":
            return alone
        return self.ratio.at(1 - self.threshold) or alone

    @property
    def of_pick(self) -> tuple[float | None, float | None]:
        """The interval where it is named for being the largest or the least of its family. The
        largest of many is too large on average; at 95 % for all of them together (Bonferroni), the
        one that is picked holds its true ratio whichever it is."""
        return self.ratio.at(corrected(self.family)) or (self.ratio.low, self.ratio.high)

    @property
    def barely(self) -> bool:
        """Whether the verdict would be another one without some one of its blocks. Of as few blocks
        as a verdict needs, none can be left out: that they are few is said once, and not of each
        verdict."""
        if self.verdict in OPEN or self.against:
            return False
        if len(self.logs) <= BLOCKS_FOR_A_VERDICT:
            return False
        return any(self._without(block) != self.verdict for block in self.logs)

    def _without(self, block: int) -> Verdict:
        rest = [log for other, log in self.logs.items() if other != block]
        ratio = ratio_of_blocks(
            rest, reach=self.ratio.reach, level=self.ratio.drawn, least=self.ratio.least
        )
        if ratio is None:
            return "undecided"
        p_adjusted = ratio.p * ALPHA / self.threshold
        return _verdict(self.contrast, ratio, p_adjusted, self.margin_percent)

    def detectable_percent(self) -> float | None:
        """What would have shown in 80 of 100 studies, the family's others being as they are."""
        return self.ratio.detectable_percent(1 - self.threshold)

    @property
    def blocks(self) -> list[tuple[int, float]]:
        return [(block, math.exp(log)) for block, log in sorted(self.logs.items())]


def in_blocks(
    contrasts: Mapping[Key, Contrast], samples: Samples, equivalence_percent: float
) -> dict[Key, ContrastResult[Ratio]]:
    """Every contrast of which a block has both sides, in the order given."""
    found, rig = {}, Rig(samples)
    for key, contrast in contrasts.items():
        logs = logs_of(contrast, samples)
        reach, level = reach_of(contrast, samples), samples.level
        least = rig.deviation(contrast)
        alone = ratio_of_blocks(list(logs.values()), reach=reach, level=level)
        ratio = ratio_of_blocks(list(logs.values()), reach=reach, level=level, least=least)
        if ratio is not None and alone is not None:
            found[key] = _Found(contrast, ratio, alone, logs, {})
    return _judged(found, equivalence_percent)


def in_folders(
    contrasts: Mapping[Key, Contrast],
    a: Sittings,
    b: Sittings,
    equivalence_percent: float,
    known: Callable[[Key], Scatter | None],
) -> dict[Key, ContrastResult[OverSittings]]:
    """Every contrast of numerators in `b` over denominators in `a`, whose blocks are not paired.
    `known` is what is known of how sittings differ in each."""
    found = {}
    for key, contrast in contrasts.items():
        sides = (contrast.denominator, a), (contrast.numerator, b)
        if any(_did_nothing(value, side) for value, side in sides):
            continue
        before, after = (_logs_of_sittings(*side) for side in sides)
        reaches = [
            max((reach_of(value, samples) for sitting in side for samples in sitting), default=0.0)
            for value, side in sides
        ]
        ratio = over_sittings(
            before,
            after,
            known=known(key),
            steps=deviation_of_steps(max(reaches)),
            reach=sum(reaches),
        )
        if ratio is not None:
            found[key] = _Found(contrast, ratio, ratio, _numbered(after), _numbered(before))
    return _judged(found, equivalence_percent)


def _did_nothing(value: Value | Contrast, sittings: Sittings) -> bool:
    """Whether some folder has none of it because a system did nothing there."""
    places = [(each.metric, each.cell, each.system) for each in _values(value)]
    return any(
        place in samples.nothing for sitting in sittings for samples in sitting for place in places
    )


def _values(side: Value | Contrast) -> list[Value]:
    if isinstance(side, Value):
        return [side]
    return [*_values(side.numerator), *_values(side.denominator)]


def _logs_of_sittings(value: Value | Contrast, sittings: Sittings) -> list[list[float]]:
    """The logs of all blocks that have it, sitting by sitting, without those that have none."""
    logs = [
        [log for samples in sitting for log in logs_of(value, samples).values()]
        for sitting in sittings
    ]
    return [each for each in logs if each]


def _numbered(sittings: list[list[float]]) -> dict[int, float]:
    return dict(enumerate(log for sitting in sittings for log in sitting))


def judged_ratio(found: ContrastResult[Ratio] | None) -> JudgedRatio | None:
    return None if found is None else JudgedRatio(**found.numbers())


def ratio_of(contrast: Contrast, samples: Samples) -> Ratio | None:
    """The ratio alone, without a verdict; None where no block has both sides."""
    logs = list(logs_of(contrast, samples).values())
    return ratio_of_blocks(logs, reach=reach_of(contrast, samples), level=samples.level)


def logs_of(side: Value | Contrast, samples: Samples) -> dict[int, float]:
    if isinstance(side, Value):
        return samples.block_logs(*side)
    both = _idle_in(side.numerator, samples) & _idle_in(side.denominator, samples)
    found = over(logs_of(side.numerator, samples), logs_of(side.denominator, samples))
    return {block: log for block, log in found.items() if block not in both}


def _idle_in(side: Value | Contrast, samples: Samples) -> set[int]:
    """Blocks in which a side did nothing: where both did, their ratio is not known."""
    return set.intersection(*(samples.idle_blocks(*value) for value in _values(side)))


def reach_of(side: Value | Contrast, samples: Samples) -> float:
    """How far these logs may be off; the sides of a ratio may be so away from each other."""
    if isinstance(side, Value):
        return samples.reach(*side)
    return reach_of(side.numerator, samples) + reach_of(side.denominator, samples)


@dataclass(frozen=True)
class Rig:
    """How far blocks scatter where nothing differs: what A/A of a study shows."""

    samples: Samples
    variances: dict[tuple[str, str], float] = field(default_factory=dict)
    """Of one run, by metric and cell."""

    def deviation(self, side: Value | Contrast) -> float:
        """How far a block's log of such cells scatters; 0 where A/A has too few blocks."""
        return math.sqrt(math.fsum(self._of_value(value) for value in _values(side)))

    def _of_value(self, value: Value) -> float:
        """Of the baseline, whose value is the mean of two runs, half of one run's."""
        place = value.metric, value.cell
        if place not in self.variances:
            logs = list(self.samples.twin_log_ratios(*place).values())
            enough = len(logs) >= BLOCKS_FOR_A_VERDICT
            self.variances[place] = statistics.variance(logs) / 2 if enough else 0.0
        return self.variances[place] / (2 if self.samples.has_twin(value.system) else 1)


@dataclass(frozen=True)
class _Found(Generic[R]):
    """`alone` is the ratio with the scatter of its own blocks."""

    contrast: Contrast
    ratio: R
    alone: R
    logs: ByBlock
    against: ByBlock


def _verdict(contrast: Contrast, ratio: Ratio, p_adjusted: float, margin_percent: float) -> Verdict:
    return judge(
        ratio,
        log_margin=log_margin(margin_percent),
        p_adjusted=p_adjusted,
        higher_is_better=contrast.higher_is_better,
    )


def _judged(found: Mapping[Key, _Found[R]], margin_percent: float) -> dict[Key, ContrastResult[R]]:
    families = grouped((each.contrast.family, key) for key, each in found.items())
    judged: dict[Key, ContrastResult[R]] = {}
    for keys in families.values():
        members = [found[key] for key in keys]
        alone = benjamini_hochberg([each.alone.p for each in members])
        p_values = [each.ratio.p for each in members]
        adjusted, needed = benjamini_hochberg(p_values), thresholds(p_values)
        for key, each, p_alone, p, threshold in zip(
            keys, members, alone, adjusted, needed, strict=True
        ):
            said = ContrastResult(
                contrast=each.contrast,
                ratio=each.ratio,
                p_adjusted=p,
                threshold=threshold,
                family=len(members),
                verdict=_verdict(each.contrast, each.ratio, p, margin_percent),
                margin_percent=margin_percent,
                logs=each.logs,
                against=each.against,
            )
            low, high = said.interval
            least = said.detectable_percent()
            verdict = claimed(
                said.verdict,
                alone=_verdict(each.contrast, each.alone, p_alone, margin_percent),
                low=low,
                high=high,
                shows=least is not None and least <= max(ASKED_PERCENT, 2 * said.margin_percent),
            )
            judged[key] = replace(said, verdict=verdict)
    return {key: judged[key] for key in found}
