"""Runs that are not there: they failed, were never made, or their machine was lost.

Takes evidence; gives findings, of a lost machine with the last lines of its console. A study that
stopped on the width of its intervals planned the blocks that it carried out.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from fsgauge.record.command import FOREIGN
from fsgauge.record.records import LostBlock, Plan, RunRecord
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of, turn_name
from fsgauge.stats.metrics import METRICS, latencies
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import Withheld, is_complete
from fsgauge.stats.sentence import measuring_longer
from fsgauge.stats.wording import blocks_words, listed
from fsgauge.units import count, grouped


def missing_runs(evidence: Evidence) -> Iterator[Finding]:
    """What is missing, always said: numbers rest on the blocks that remain."""
    yield from _failed(evidence)
    yield from _not_made(evidence)


def _failed(evidence: Evidence) -> Iterator[Finding]:
    failed = [run for run in evidence.runs if run.fault is not None]
    if failed:
        where = [f"{name_of(run)}: {run.fault.what}" for run in failed if run.fault is not None]
        first = next(run.fault for run in failed if run.fault is not None)
        of = listed(
            [f"{number} of {name}" for name, number in Counter(r.system for r in failed).items()]
        )
        yield finding(
            "runs.failed",
            "warning",
            f"{part_of(len(failed), len(evidence.runs), 'run')} failed ({of}); their blocks are"
            " left out of the cells concerned.",
            " ".join(part for part in (first.cause, first.next) if part),
            where,
        )


def failing(runs: Sequence[RunRecord]) -> list[str]:
    """The systems of which every run failed."""
    worked = {run.system for run in runs if run.fault is None}
    return list(dict.fromkeys(run.system for run in runs if run.system not in worked))


def all_failed(runs: Sequence[RunRecord]) -> str:
    """ "all 6 runs failed: false ended with exit code 1"; "" where one did not."""
    found = [run.fault.what for run in runs if run.fault is not None]
    if not found or len(found) < len(runs):
        return ""
    who = "the only run" if len(found) == 1 else f"all {count(len(found), 'run')}"
    alike = len({what.partition(": ")[0] for what in found}) == 1
    return f"{who} failed{'' if alike else ', the first'}: {found[0]}"


def _not_made(evidence: Evidence) -> Iterator[Finding]:
    planned = sum(len(turn.cells) for turn in evidence.study.plan.turns)
    cut, never = _cut_and_never_made(evidence)
    missing = len(cut) + len(never)
    if missing:
        by = f" ({evidence.ended_by})" if evidence.ended_by else ""
        early = "" if evidence.stopped else f"The study ended early{by}: "
        yield finding(
            "runs.interrupted",
            "warning",
            f"{early}{part_of(missing, planned, 'run')} were not made. Incomplete blocks are left"
            " out, cell by cell.",
            _RESUME,
            cut or never,
        )


_RESUME = "fsgauge resume DIR runs the rest."


def _cut_and_never_made(evidence: Evidence) -> tuple[list[str], list[str]]:
    plan = evidence.study.plan
    names = {cell.id: cell.name for cell in plan.cells}
    made = {(run.block, run.turn, run.cell.id) for run in evidence.runs}
    cut = [
        name_of(run)
        for run in evidence.runs
        if run.result is not None and run.result.ended == "interrupted"
    ]
    never = [
        f"{turn_name(turn)}, {names[cell]}"
        for turn in plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in made
    ]
    return cut, never


def advice_for_more(evidence: Evidence, otherwise: str) -> str:
    """What brings a study the runs that it lacks: those that were not made can be made, those that
    failed fail again until what made them fail is mended. `otherwise` is for one that lacks none.
    """
    if any(_cut_and_never_made(evidence)):
        return _RESUME
    if any(run.fault is not None for run in evidence.runs):
        return (
            "Every run was made, so there is nothing to resume: mend what made runs fail, and"
            " run the study again."
        )
    return otherwise


FAR_BELOW = 0.5
"""Of the baseline's operations in a run of the same cell."""
CODE = "machine.lost"
FEW_BLOCKS = 6


def lacking_blocks(plan: Plan, runs: Sequence[RunRecord]) -> dict[str, int]:
    """In how many planned blocks each system lacks a run, of those that do."""
    done = {(run.block, run.turn, run.cell.id) for run in runs if is_complete(run)}
    blocks = {
        (turn.system, turn.block)
        for turn in plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in done
    }
    found = Counter(system for system, _ in blocks)
    return {system: found[system] for system in plan.systems if system in found}


def compared_blocks(evidence: Evidence) -> dict[str, int]:
    """In how many blocks each system is compared, in the primary cell that has fewest."""
    found: dict[str, int] = {}
    for each in evidence.comparisons:
        if each.primary and each.metric == evidence.primary_metric:
            found[each.system] = min(each.n, found.get(each.system, each.n))
    return found


def lost_machines(evidence: Evidence) -> Iterator[Finding]:
    for lost in evidence.lost:
        yield finding(CODE, "warning", _sentence(lost), _advice(lost)).model_copy(
            update={"lines": lost.lines}
        )


def _sentence(lost: LostBlock) -> str:
    after = (
        "The block was measured again."
        if lost.again
        else "It was not measured again: the runs that it lacked have failed."
    )
    meanwhile = f", while {lost.during}" if lost.during else ""
    return f"In block {lost.block + 1}{meanwhile}: {lost.because}. {after}"


def _advice(lost: LostBlock) -> str:
    if not lost.lines:
        return "Look at the machine's own log before the numbers of this system are trusted."
    return (
        "The last lines of its console are below. If they show a panic or a hang, and it returns"
        " with the same system, it is a fault of that system on this kernel."
    )


def not_removed(evidence: Evidence) -> Iterator[Finding]:
    """Systems that could not be removed after they were measured: what was measured stands."""
    if evidence.not_removed:
        turns = part_of(len(evidence.not_removed), len(evidence.turns), "turn")
        yield finding(
            "system.not_removed",
            "warning",
            f"After {turns} the system could not be removed. What was measured counts; the next"
            " turn began on new machines.",
            "fsgauge rig test NAME sets a system up alone and removes it again.",
            [f"block {each.block + 1}, {each.because}" for each in evidence.not_removed],
        )


def not_read(evidence: Evidence) -> Iterator[Finding]:
    """What was read too late beside runs, which themselves stand."""
    late = [run for run in evidence.runs if run.not_read]
    if late:
        yield finding(
            "run.not_read",
            "note",
            f"Around {part_of(len(late), len(evidence.runs), 'run')} something could not be read in"
            " time; what the runs themselves measured counts.",
            "The machine was too busy to answer: measure when nothing else runs.",
            [f"{name_of(run)}: {'; '.join(run.not_read)}" for run in late],
        )


def withheld_quantiles(evidence: Evidence) -> Iterator[Finding]:
    """Tail latencies that the systems which stall have too few operations for."""
    names = {cell.id: cell.name for cell in evidence.samples.plan.cells}
    withheld = grouped((tuple(w.few), w) for w in evidence.samples.withheld if w.enough)
    for few, found in withheld.items():
        labels = list(dict.fromkeys(METRICS[each.metric].label for each in found))
        cells = list(dict.fromkeys(names[each.cell] for each in found))
        baseline = evidence.samples.plan.baseline
        # Where they do not fall short of the baseline, runs are too short, and that is no news.
        is_news = baseline not in few and all(
            _falls_short(evidence, system, baseline, each) for system in few for each in found
        )
        yield finding(
            "quantile.withheld",
            "warning",
            f"{listed(few)} completed too few operations for the {listed(labels)}"
            f"{f', far fewer than {baseline}' if is_news else ''}: in"
            f" {part_of(len(cells), len(names), 'cell')} {_not_compared(few, baseline)}.",
            "Runs that stall have the fewest operations: without them the slow system would look"
            f" fast. Compare rates and means, or measure {measuring_longer(evidence.runs)}.",
            cells,
        )
    mixed = [each for each in evidence.samples.withheld if not each.enough]
    if mixed:
        yield finding(
            "quantile.short",
            "note",
            "Tail latencies are not compared where some runs of each system had too few operations"
            " for them.",
            f"Measure {measuring_longer(evidence.runs)}.",
            [f"{METRICS[each.metric].label}, {names[each.cell]}" for each in mixed],
        )


def _falls_short(evidence: Evidence, system: str, baseline: str, of: Withheld) -> bool:
    """Whether it completed far less than the baseline does, in a third of its runs or more."""
    operation = of.metric.partition(".")[0]
    done: dict[str, list[int]] = {system: [], baseline: []}
    for run in evidence.runs:
        if run.result is not None and run.system in done and run.cell.id == of.cell:
            histogram = latencies(run.result).get(operation)
            done[run.system].append(0 if histogram is None else histogram.operations)
    usual = statistics.median(done[baseline] or [0])
    far = [count for count in done[system] if count < FAR_BELOW * usual]
    return 3 * len(far) >= len(done[system])


def _not_compared(few: Sequence[str], baseline: str) -> str:
    """Who has no ratio: the system itself, or all of them if it is the baseline."""
    if baseline in few:
        return "it is not compared"
    return f"{few[0]} is not compared by that" if len(few) == 1 else "they are not compared by that"


def stopped_early(evidence: Evidence) -> Iterator[Finding]:
    """That a study ended as its plan allowed, at the width of its intervals."""
    if evidence.stopped:
        limit = evidence.study.study["plan"]["stop_interval"]
        yield finding(
            "plan.stopped",
            "note",
            f"The study stopped after {len(evidence.samples.blocks())} blocks, as planned: no"
            f" interval of a primary ratio reaches further than {limit:g} % from it. Intervals are"
            " drawn wider, at 97 %, because a study stops sooner where its blocks happen to agree."
            " What no block has shown yet, such as a stall of one system in a few of its runs, no"
            " interval holds.",
            "A smaller plan.stop_interval, or none, runs more blocks.",
        )


def few_blocks(evidence: Evidence) -> Iterator[Finding]:
    compared = compared_blocks(evidence)
    complete, planned = evidence.blocks_complete, len(evidence.samples.blocks())
    lacking = lacking_blocks(evidence.study.plan, evidence.runs)
    blocks = min(compared.values(), default=complete) if lacking else complete
    if blocks < FEW_BLOCKS:
        yield finding(
            "blocks.few",
            "note" if blocks >= 3 else "warning",
            f"{blocks_words(complete, planned, lacking, compared)}:"
            + (
                " intervals are wide, and assume normally distributed block ratios."
                if blocks >= 3
                else " too few for a verdict of all systems."
            ),
            "Import 8 runs or more of each system."
            if evidence.study.rig == FOREIGN
            else advice_for_more(evidence, "Use 8 or more: --set plan.blocks=8."),
        )
