"""The parts of an answer, whoever gives it: what several kinds of study say in the same way.

Takes comparisons and other ratios with intervals; gives words. A sentence has fewer than
`WORDS_LIMIT` words, names a few systems and says how many more there are, and gives each ratio its
interval: of one that is named for being the largest, the interval that holds for any of its family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from fsgauge.record.factors import factors_of
from fsgauge.record.machine import Simulation
from fsgauge.record.quantiles import QUANTILES, operations_needed
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.asked_number import own_numbers
from fsgauge.stats.evidence import Question
from fsgauge.stats.metrics import METRICS, latencies
from fsgauge.stats.results import Comparison
from fsgauge.stats.run_checks import rate_missed, rate_offered
from fsgauge.stats.samples import is_complete
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    factor_words,
    listed,
    range_words,
    ratio_range,
    share_words,
)
from fsgauge.units import plural

WORDS_LIMIT = 60
DECIDED = ("better", "worse")
T = TypeVar("T")


def shortest(candidates: Iterable[str]) -> str:
    """The first of these that is short enough, from the longest to the shortest; else the last."""
    said = ""
    for said in candidates:
        if len(said.split()) < WORDS_LIMIT:
            break
    return said


def ends(found: Sequence[T], by: Callable[[T], float], *, named: int = NAMED_SYSTEMS) -> list[T]:
    """All in their order; of more than `named` the one with the most, then that with the least."""
    if len(found) <= named:
        return list(found)
    ordered = sorted(found, key=by, reverse=True)
    return [ordered[0], ordered[-1]][:named]


def place_of(cell: Cell) -> str:
    """Where a cell is, in the words of its kind: "4 KiB and depth 32"."""
    return factors_of(cell).place


def comparisons_in(question: Question, cell: Cell) -> list[Comparison]:
    """One entry a system, in the study's order."""
    by_system = {
        entry.system: entry
        for entry in question.comparisons
        if entry.cell == cell.id and entry.metric == question.metrics[cell.id]
    }
    return [by_system[system] for system in question.others if system in by_system]


def edges_of(entry: Comparison, *, is_pick: bool) -> tuple[float, float]:
    """The interval that a sentence gives; of a pick, the one that holds for any of them."""
    is_pick = is_pick and entry.verdict in DECIDED and _holds_as_pick(entry)
    return entry.pick_edges if is_pick else entry.edges


def _holds_as_pick(entry: Comparison) -> bool:
    """Whether the interval that holds for any of its family, the largest too, excludes 1."""
    low, high = entry.pick_low, entry.pick_high
    return low is not None and high is not None and (low > 1 or high < 1)


def hidden_from(found: Iterable[Comparison]) -> dict[str, float]:
    """What would have shown on each system, in percent, in whichever of these cells it is most."""
    hidden: dict[str, float] = {}
    for entry in found:
        if entry.detectable_percent is not None:
            hidden[entry.system] = max(hidden.get(entry.system, 0.0), entry.detectable_percent)
    return hidden


def noise_alone(question: Question) -> str:
    """The answer of a study of one system: what it does, and how noisy the rig is."""
    floor = question.noise
    if floor is None and question.few_operations:
        return f"No answer. {question.few_operations} {question.next_step}"
    if floor is None and question.nothing:
        return "So the noise of the rig is not known."
    if floor is None:
        alone = f"{question.baseline} is the only system, and no turn of it was repeated"
        numbers = own_numbers(question)
        return f"{numbers} Nothing is compared: {alone}." if numbers else f"No answer: {alone}."
    number = "one block" if floor.n == 1 else f"{floor.n} blocks"
    spread, edges = f"range not known from {number}", None
    if floor.low is not None and floor.high is not None and floor.n >= BLOCKS_FOR_A_VERDICT:
        wide = is_too_wide(floor.low, floor.high)
        edges = None if wide else (floor.low, floor.high)
        spread = "range too wide" if wide else range_words(floor.low, floor.high, floor.ratio)
    return (
        f"{own_numbers(question)} There is only one system, {question.baseline}, so nothing is"
        f" compared. The second of two equal turns reaches {share_words(floor.ratio, edges)} of the"
        f" first's {METRICS[floor.metric].label} ({spread})."
    ).lstrip()


RATES = ("iops", "bandwidth", "complete", "per_client", "files")
"""Metrics that say how fast the same work was done."""


def decided_elsewhere(
    comparisons: Sequence[Comparison],
    metrics: Mapping[str, str],
    primary: Sequence[Cell],
    cells: Sequence[Cell],
    baseline: str,
) -> list[str]:
    """ "Decided all the same: the bandwidth of xfs at write 4 KiB is 1.70 times that of ext4 (1.40
    to 2.06, better)."; none where nothing is. `metrics` are those of the answer, by cell.
    """
    found = list(left_open(comparisons, metrics, [cell.id for cell in primary]))
    if not found:
        return []
    entry = max(found, key=lambda each: abs(math.log(each.ratio)))
    several = len(found) > 1
    edges = edges_of(entry, is_pick=several)
    name = next(cell.name for cell in cells if cell.id == entry.cell)
    rank = f", the largest of {len(found)}" if several else ""
    return [
        f"Decided all the same: the {METRICS[entry.metric].label} of {entry.system} at {name} is"
        f" {factor_words(entry.ratio, edges)} times that of {baseline} ({ratio_range(*edges)},"
        f" {entry.verdict})"
        f"{rank}."
    ]


def left_open(
    comparisons: Sequence[Comparison], metrics: Mapping[str, str], primary: Sequence[str]
) -> Iterator[Comparison]:
    """Decided comparisons of what the answer calls undecided, or equal."""
    asked = [each for each in comparisons if each.cell in primary and _is_asked(each, metrics)]
    open_places = {(each.cell, each.system) for each in asked if each.verdict not in DECIDED}
    told = {each.system for each in asked if each.verdict in DECIDED}
    for each in comparisons:
        if each.verdict not in DECIDED or not each.is_claimed:
            continue
        of_rates = {each.metric, metrics.get(each.cell)} <= set(RATES)
        other_rate = of_rates and not _is_asked(each, metrics)
        if (other_rate and (each.cell, each.system) in open_places) or (
            _is_asked(each, metrics) and each.cell not in primary and each.system not in told
        ):
            yield each


def _is_asked(entry: Comparison, metrics: Mapping[str, str]) -> bool:
    return metrics.get(entry.cell) == entry.metric


def measuring_longer(runs: Sequence[RunRecord]) -> str:
    """ "longer (--set workload.duration=...)"; where work ends a run, more of that work."""
    words = factors_of(runs[0].cell).longer_runs if runs else ""
    return words.replace("longer runs", "longer") or "longer"


def next_step(runs: Iterable[RunRecord]) -> str:
    """How a run gets more operations: a higher pace helps where the pace was kept and runs end by
    time, and only there."""
    runs = list(runs)
    longer = f"Measure {measuring_longer(runs)}"
    paced = [run for run in runs if rate_offered(run) is not None]
    kept = all(run.result is None or not rate_missed(run, run.result) for run in paced)
    by_time = all(factors_of(run.cell).operations_of_run is None for run in paced)
    if paced and kept and by_time:
        return f"{longer} or at a higher rate (--set workload.rate=...)."
    return f"{longer}."


def few_operations(metric: str, runs: Sequence[RunRecord], cells: Container[str]) -> str:
    """ "The read p99 latency needs 1,000 operations in a run, and 24 of 24 runs had fewer: 12 to
    30." Of the runs of `cells`, those that were measured to their end count; "" where all have so
    many, or the metric is no quantile.
    """
    operation, _, part = metric.rpartition(".")
    if part not in QUANTILES:
        return ""
    needed = operations_needed(part)
    own = [run for run in runs if run.cell.id in cells and is_complete(run)]
    results = [run.result for run in own if run.result is not None]
    found = [latencies(result).get(operation) for result in results]
    counts = [0 if histogram is None else histogram.operations for histogram in found]
    few = [count for count in counts if count < needed]
    if not few:
        return ""
    least, most = min(few), max(few)
    had = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"The {METRICS[metric].label} needs {needed:,} operations in a run, and {len(few)} of"
        f" {len(counts)} {plural(len(counts), 'run')} had fewer: {had}."
    )


SIMULATED = "Simulated, not measured"


def not_measured(answer: str, simulation: Simulation | None) -> str:
    """The answer, which says first that it was simulated, if it was, and with which times."""
    if simulation is None:
        return answer
    end = f", with the {simulation.times} times of {simulation.device}" if simulation.times else ""
    return f"{SIMULATED}{end}. {answer}"


def model_words(simulation: Simulation) -> str:
    """ "Simulated, not measured, by model 1 on disk-2012"."""
    end = f", with the {simulation.times} times of its range" if simulation.times else ""
    return f"{SIMULATED}, by model {simulation.model_version} on {simulation.device}{end}"


def proof_lines(simulation: Simulation, systems: Sequence[str]) -> list[str]:
    """How well each model is proven, models of one proof together, each once."""
    of_proof: dict[str, dict[str, list[str]]] = {}
    for system in systems:
        if system in simulation.policies:
            models = of_proof.setdefault(simulation.proofs[system], {})
            models.setdefault(simulation.policies[system], []).append(system)
    return [
        f"{listed([_model(name, of) for name, of in models.items()])}: {proof}"
        for proof, models in of_proof.items()
    ]


def _model(name: str, systems: Sequence[str]) -> str:
    """A model, and whom it stands for where they are called otherwise."""
    others = [system for system in systems if system != name]
    return f"{name} (for {listed(others)})" if others else name
