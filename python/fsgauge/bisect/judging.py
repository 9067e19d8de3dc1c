"""Which kernel is next, and whether one is beyond the limits, from the study in which it was
measured with the good one.

An interval decides as on the study's page, where it is corrected for all comparisons: a kernel
is bad where a whole interval is beyond a limit, good where all of them are within theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from fsgauge.plain_files.kept import Kept
from fsgauge.stats.folders.condition import Condition
from fsgauge.stats.folders.folder import Key
from fsgauge.stats.folders.limits import Idle, Ratios, is_met, selected
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.wording import listed

Outcome = Literal["good", "bad", "undecided"]


class LimitVerdict(Kept):
    """One limit in one cell: the ratio of the kernel to the good one, with its interval."""

    condition: str
    cell: str
    ratio: float | None
    low: float | None
    high: float | None
    blocks: int
    outcome: Outcome


def judged(conditions: Sequence[Condition], results: Results, system: str) -> list[LimitVerdict]:
    """Every limit in every cell that it selects; InputError where it selects none."""
    lines = {(each.cell, each.system, each.metric): each for each in results.comparisons}
    idle = {(each.cell, each.system, each.metric) for each in results.nothing}
    ratios = Ratios(
        cells=results.cells,
        systems=[system],
        metrics=[metric.name for metric in results.metrics],
        baseline=results.baseline,
        decides="to baseline",
    )
    return [
        _judged(condition, key, lines.get(key), results)
        for condition in conditions
        for key in selected(condition, ratios, lambda key: key in lines or key in idle)
    ]


def _judged(
    condition: Condition, key: Key, line: Comparison | None, results: Results
) -> LimitVerdict:
    """The verdict on one limit in one cell; `line` is None where the system did nothing."""
    return LimitVerdict(
        condition=condition.text,
        cell=results.cell(key[0]).name,
        ratio=line and line.ratio,
        low=line and line.low,
        high=line and line.high,
        blocks=line.n if line else 0,
        outcome=_outcome(condition, line, results) if line else _of_idle(condition, key, results),
    )


def outcome_of(limits: Sequence[LimitVerdict]) -> Outcome:
    outcomes = {each.outcome for each in limits}
    if "bad" in outcomes:
        return "bad"
    return "good" if outcomes == {"good"} else "undecided"


def _of_idle(condition: Condition, key: Key, results: Results) -> Outcome:
    """The verdict on a kernel with which the system did nothing: the worst value there is."""
    ratio = Idle("", 0.0).ratio(key[2])
    is_beyond = results.sureness.valid and is_met(condition, ratio, ratio)
    return "bad" if is_beyond else "undecided"


def _outcome(condition: Condition, found: Comparison, results: Results) -> Outcome:
    enough = found.n >= BLOCKS_FOR_A_VERDICT and results.sureness.valid
    if found.low is None or found.high is None or not enough or is_too_wide(found.low, found.high):
        return "undecided"
    is_beyond = is_met(condition, found.low, found.high)
    return "undecided" if is_beyond is None else "bad" if is_beyond else "good"


def bounds(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> tuple[int, int]:
    """Places of the last kernel that is known to be good, and of the first that is bad: the first
    one is good by the user's word, the last one bad by the first trial."""
    good = max((at for at, each in enumerate(kernels) if tried.get(each) == "good"), default=0)
    bad = (at for at, each in enumerate(kernels) if at > good and tried.get(each) == "bad")
    return good, min(bad, default=len(kernels) - 1)


def next_kernel(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> str | None:
    """The last one first, then the middle of what is not known; None where nothing is left."""
    last = kernels[-1]
    if tried.get(last) != "bad":
        return None if last in tried else last
    good, bad = bounds(kernels, tried)
    open_ = [each for each in kernels[good + 1 : bad] if each not in tried]
    return open_[len(open_) // 2] if open_ else None


def is_found(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> bool:
    """Whether a good kernel and a bad one follow one another."""
    good, bad = bounds(kernels, tried)
    return tried.get(kernels[-1]) == "bad" and bad - good == 1


def answer(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> str:
    last = kernels[-1]
    if tried.get(last) == "good":
        return f"{last} is within every limit, so there is nothing to look for."
    if tried.get(last) != "bad":
        return f"It cannot be decided whether {last} is beyond a limit."
    good, bad = bounds(kernels, tried)
    unknown = kernels[good + 1 : bad]
    if not unknown:
        return f"{kernels[bad]} is the first kernel beyond a limit; {kernels[good]} is not."
    skipped = [each for each in unknown if tried.get(each) == "undecided"]
    if len(skipped) < len(unknown):
        left = len(unknown) - len(skipped)
        return f"The loss came between {kernels[good]} and {kernels[bad]}; {left} are not tried."
    return (
        f"The loss came after {kernels[good]}, and with {kernels[bad]} at the latest;"
        f" {listed(skipped)} could not be decided."
    )
