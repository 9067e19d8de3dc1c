"""New runs against what a gate has learnt: one outcome a line.

Takes the lines of new runs; gives each judged line's ratios with intervals and an outcome:

    worse      one basis is worse after the correction for all tests of all lines, and the other
               one by its own 95 % interval
    disagrees  one basis is worse after the correction, the other one does not say so: the machine
               changed, or the baseline did
    too noisy  nothing is worse, but a loss of the size that matters would not have been seen
    better     as worse, the other way
    no loss    nothing is worse, and the loss that matters would have been seen

Correction: Benjamini and Hochberg at 5 %, two-sided, over both bases of all judged lines: equal
builds are called worse or disagree in at most 2.5 of 100 checks. A difference within the study's
margin of equivalence is none.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field

from fsgauge.plan.levels import ALPHA, LEVEL
from fsgauge.stats.folders.folder import BASES, Basis, Key, by_sitting
from fsgauge.stats.folders.limits import FolderRatio, Idle, Ratios
from fsgauge.stats.gate.learned import Addition, Learned, Mean
from fsgauge.stats.gate.noise import (
    LearnedNoise,
    Newcomers,
    Noises,
    Watched,
    noises_of,
    number_of_tests,
    watched_lines,
)
from fsgauge.stats.gate.visible import percent, visible
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import beyond, p_of
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.verdict import benjamini_hochberg, thresholds
from fsgauge.stats.welch import interval

ROUNDING = 1e-9
Outcome = Literal["worse", "disagrees", "too noisy", "better", "no loss", "missing"]


class Compared(ResultModel):
    """New over accepted by one basis. `low` and `high` are corrected for all tests; `own_low` and
    `own_high` are those of 95 %. `spread_percent` is how far a run of an equal build scatters.
    """

    ratio: float
    low: float
    high: float
    own_low: float
    own_high: float
    p_adjusted: float
    error: float
    freedom: float
    reach: float
    spread_percent: float


class GateVerdict(ResultModel):
    """One line. `accepted` and `new` are values in the metric's unit; `visible_percent` is the
    smallest loss that fails in 90 of 100 builds as noisy as these runs. In JSON, `to_baseline` is
    "relative". `idle`: there is no new value, as the system "did nothing in 6 of 6 runs".
    """

    model_config = ConfigDict(
        serialize_by_alias=True, validate_by_name=True, validate_by_alias=True
    )

    cell: str
    system: str
    metric: str
    outcome: Outcome
    accepted: float
    new: float | None
    direct: Compared | None
    to_baseline: Compared | None = Field(alias="relative")
    visible_percent: float | None
    idle: str = Field(default="", exclude_if=lambda value: not value)


@dataclass(frozen=True)
class New:
    """The new runs of one build, and how their sittings are to those of accepted ones."""

    runs: Sequence[Addition]
    sittings: list[list[int]]
    known_sitting: bool

    @classmethod
    def of(cls, runs: Sequence[Addition], learned: Learned) -> New:
        spans = [(each.run.started_unix_ns, each.run.ended_unix_ns) for each in runs]
        accepted = [(run.started_unix_ns, run.ended_unix_ns) for run in learned.runs]
        together = by_sitting([*spans, *accepted])
        alone = [sitting for sitting in together if max(sitting) < len(spans)]
        return cls(runs, by_sitting(spans), not alone)

    def means(self, key: Key, basis: Basis) -> list[Mean] | None:
        """The line in each run; None where one of them has it not."""
        found = []
        for each in self.runs:
            line = each.lines.get(key)
            mean = line.get(basis) if line else None
            if mean is None:
                return None
            found.append(mean)
        return found

    def idle(self, key: Key) -> str:
        """That the system did nothing in a run; empty where it did."""
        return next((each.nothing[key].words for each in self.runs if key in each.nothing), "")

    def log(self, means: Sequence[Mean], noise: LearnedNoise) -> float:
        """Their mean, over sittings where those are the samples."""
        if not noise.by_sitting:
            return statistics.fmean(mean.log for mean in means)
        return statistics.fmean(
            statistics.fmean(means[place].log for place in sitting) for sitting in self.sittings
        )

    def newcomers(self, means: Sequence[Mean]) -> Newcomers:
        """How many, where, and how noisy inside."""
        return Newcomers(
            sittings=tuple(map(len, self.sittings)),
            known_sitting=self.known_sitting,
            errors=tuple(mean.error for mean in means),
            freedom=sum(mean.blocks - 1 for mean in means),
        )


@dataclass(frozen=True)
class Difference:
    """New over accepted of one line by one basis, as a log."""

    log: float
    error: float
    noise: LearnedNoise
    new: Newcomers
    reach: float

    @property
    def p(self) -> float:
        return p_of(beyond(self.log, self.reach), self.error, self.noise.freedom)

    def at(self, level: float) -> tuple[float, float]:
        return interval(math.exp(self.log), self.error, self.noise.freedom, level, self.reach)


def judge_lines(new: New, learned: Learned, *, judged: bool = True) -> list[GateVerdict]:
    """Every line that decides, or of all others those that moved, each metric a family."""
    lines = watched_lines(learned, noises_of(learned), judged=judged)
    if judged:
        return _family(lines, new, learned)
    found = []
    for metric in dict.fromkeys(key[2] for key in lines):
        rest = {key: each for key, each in lines.items() if key[2] == metric}
        found += _family(rest, new, learned)
    return [line for line in found if line.outcome in ("worse", "better")]


def _family(lines: Mapping[Key, Watched], new: New, learned: Learned) -> list[GateVerdict]:
    tests = number_of_tests(lines.values())
    differences = {
        (key, basis): found
        for key, each in lines.items()
        for basis, noise in each.noises.items()
        if (found := difference(key, basis, noise, new)) is not None
    }
    tested = [(key, basis) for key, basis in differences if basis in lines[key].tested]
    p_values = [differences[each].p for each in tested]
    adjusted = dict(zip(tested, benjamini_hochberg(p_values), strict=True)) if tested else {}
    needed = dict(zip(tested, thresholds(p_values), strict=True)) if tested else {}
    compared: dict[tuple[Key, Basis], Compared] = {
        place: _compared(each, adjusted.get(place, 1.0), needed.get(place, ALPHA / max(1, tests)))
        for place, each in differences.items()
    }
    judged = []
    for key, each in lines.items():
        direct, to_baseline = (compared.get((key, basis)) for basis in BASES)
        seen = None
        one_basis = "to baseline" not in each.noises
        if direct is not None and (one_basis or to_baseline is not None):
            news = {basis: differences[key, basis].new for basis in each.noises}
            seen = visible(each, news, tests, learned.margin)
        accepted = math.exp(each.noises["direct"].mean)
        outcome = _outcome(key, direct, to_baseline, seen, learned, one_basis=one_basis)
        idle = new.idle(key)
        judged.append(
            GateVerdict(
                cell=key[0],
                system=key[1],
                metric=key[2],
                outcome="worse" if idle else outcome,
                accepted=accepted,
                new=direct and accepted * direct.ratio,
                direct=direct,
                to_baseline=to_baseline,
                visible_percent=None if seen is None else percent(seen),
                idle=idle,
            )
        )
    return judged


def difference(key: Key, basis: Basis, noise: LearnedNoise, new: New) -> Difference | None:
    """One line by one basis; None where a new run has it not."""
    means = new.means(key, basis)
    if means is None:
        return None
    newcomers = new.newcomers(means)
    return Difference(
        log=new.log(means, noise) - noise.mean,
        error=noise.error(newcomers),
        noise=noise,
        new=newcomers,
        reach=noise.reach + max(mean.reach for mean in means),
    )


def _compared(each: Difference, p_adjusted: float, threshold: float) -> Compared:
    low, high = each.at(1 - threshold)
    own_low, own_high = each.at(LEVEL)
    return Compared(
        ratio=math.exp(each.log),
        low=low,
        high=high,
        own_low=own_low,
        own_high=own_high,
        p_adjusted=p_adjusted,
        error=each.error,
        freedom=each.noise.freedom,
        reach=each.reach,
        spread_percent=100 * each.noise.deviation,
    )


def _outcome(
    key: Key,
    direct: Compared | None,
    to_baseline: Compared | None,
    seen: float | None,
    learned: Learned,
    *,
    one_basis: bool,
) -> Outcome:
    if direct is None or seen is None:
        return "missing"
    higher = METRICS[key[2]].higher_is_better
    found = [each for each in (direct, to_baseline) if each is not None]
    for outcome, upwards in (("worse", not higher), ("better", higher)):
        sure = [_is_sure(each, upwards, learned.margin) for each in found]
        own = [_is_own(each, upwards) for each in found]
        if any(sure) and (one_basis or all(own)):
            return "worse" if outcome == "worse" else "better"
        if outcome == "worse" and any(sure):
            return "disagrees"
    return "too noisy" if seen > learned.loss + ROUNDING else "no loss"


def _is_own(each: Compared, upwards: bool) -> bool:
    """Whether its own 95 % interval is above 1, or below."""
    return each.own_low > 1 if upwards else each.own_high < 1


def _is_sure(each: Compared, upwards: bool, margin: float) -> bool:
    """Whether it differs after the correction, and by more than what does not matter."""
    if each.p_adjusted > ALPHA or not _is_own(each, upwards):
        return False
    return math.log(each.own_low) < -margin or math.log(each.own_high) > margin


def ratios_of(new: New, learned: Learned, noises: Noises, invalid: str) -> Ratios:
    """New runs over accepted ones, of every line, for conditions and limits; without intervals of
    ratios where no noise is known yet.
    """
    lines: dict[Basis, dict[Key, FolderRatio]] = {basis: {} for basis in BASES}
    for line in learned.lines:
        for basis in BASES:
            numbers, means = line.of(basis), new.means(line.key, basis)
            if numbers is None or means is None:
                continue
            noise = noises.get(line.key, {}).get(basis)
            found = None if noise is None else difference(line.key, basis, noise, new)
            accepted = statistics.fmean(log for log in numbers.logs() if log is not None)
            log = found.log if found else statistics.fmean(mean.log for mean in means) - accepted
            lines[basis][line.key] = FolderRatio(
                ratio=math.exp(log),
                error=found.error if found else None,
                freedom=noise.freedom if noise else None,
                reach=found.reach if found else 2 * max(mean.reach for mean in means),
                blocks=min(sum(run.blocks for run in learned.runs), *(m.blocks for m in means)),
                value=math.exp(accepted + log),
                value_error=_value_error(means, noise),
            )
    return Ratios(
        cells=learned.cells,
        systems=learned.systems,
        metrics=list(dict.fromkeys(line.metric for line in learned.lines)),
        baseline=learned.baseline,
        decides="direct",
        lines=lines,
        invalid=invalid,
        idle={line.key: Idle(said, 0.0) for line in learned.lines if (said := new.idle(line.key))},
    )


def _value_error(means: Sequence[Mean], noise: LearnedNoise | None) -> tuple[float, float] | None:
    """Standard error and degrees of a new value's log: from accepted runs, else from its blocks."""
    inside = math.sqrt(math.fsum(mean.error**2 for mean in means)) / len(means)
    if noise is not None:
        return max(noise.deviation / math.sqrt(len(means)), inside), noise.freedom
    fewest = min(mean.blocks for mean in means)
    return (inside, float(fewest - 1)) if fewest > 1 else None
