"""The answer: one sentence with its interval, under 60 words, or an honest word why not.

Takes what statistics found; gives text. "At randread 4 KiB, depth 32, ext4 keeps 94 % of raw ..."
Where most is undecided, that comes first; an undecided ratio is never said to be one. What other
metrics and cells decide of a system that the sentence leaves open follows in one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.durability import with_caveats
from fsgauge.stats.evidence import Question
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import NOTHING_WEAK, Comparison
from fsgauge.stats.rig_limits import limited_sentence
from fsgauge.stats.sentence import (
    DECIDED,
    baseline_aside,
    bounds,
    comparisons_in,
    decided_elsewhere,
    edges_of,
    ends,
    hidden_from,
    largest,
    noise_alone,
    place_of,
    rank,
    share_named,
    shortest,
    told_apart,
)
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    extreme,
    least_shown,
    left_out,
    listed,
    named_systems,
    share_of,
    share_words,
    too_few,
)
from fsgauge.units import format_size


def not_vouched_for(reason: str) -> str:
    """The answer of a study that is not valid."""
    return f"Not valid: {reason} The numbers below are shown, not vouched for."


def answer(question: Question, analysis: Analysis) -> str:
    """The sentence that heads the report, after who did nothing or little; more where tables decide
    what it leaves open, where a system that it names gives up durability, and where a private
    server was in between or aborted.

    Nothing follows "not valid".
    """
    said = _answer(question, analysis)
    if question.invalid_reason:
        return said
    said = f"{question.idle} {said}".lstrip()
    said += _not_compared(question)
    if analysis.compares_systems:
        tables = decided_elsewhere(
            question.comparisons,
            question.metrics,
            question.primary,
            question.cells,
            question.baseline,
        )
        said = f"{said} {tables}".rstrip()
    limited = _limited(question)
    if limited not in said:
        said = f"{said} {limited}"
    if question.over_hosts not in said:
        said = f"{said} {question.over_hosts}"
    more = [each for each in (question.served, question.server_aborts) if each]
    return " ".join([with_caveats(said, question.durability), *(f"{each}." for each in more)])


def _answer(question: Question, analysis: Analysis) -> str:
    if question.invalid_reason:
        return not_vouched_for(question.invalid_reason)
    said = analysis.answer(question)
    if said is not None:
        return said
    if not question.others:
        return question.over_hosts or noise_alone(question)
    if question.limited and not _primary(question):
        return _limited(question)
    if not _primary(question):
        return _none_compared(question)
    lead = _lead_cell(question)
    found = comparisons_in(question, lead)
    if found[0].n < BLOCKS_FOR_A_VERDICT:
        return _too_few(question, lead, found)
    said = mostly_undecided(question)
    if said:
        return said
    if all(entry.verdict in OPEN for entry in found):
        decided = _decided(question)
        return _decided_only(question, decided) if decided else _none_decided(question, lead, found)
    head = _head(question, lead, found)
    return shortest([f"{head}{_tail(question, lead)}.", f"{head}."])


def _not_compared(question: Question) -> str:
    """Who has too few operations for the metric, where others have enough: it may be the worst."""
    compared = {entry.system for _, entry in _primary(question)}
    told = compared | {each.system for each in question.limited}
    absent = [system for system in question.others if system not in told]
    if question.nothing or not (compared and absent and question.few_operations):
        return ""
    verb = "is" if len(absent) == 1 else "are"
    return f" {named_systems(absent)} {verb} not compared: too few operations."


def _none_compared(question: Question) -> str:
    """Why no system is compared with the baseline in any primary cell."""
    if question.few_operations and not question.nothing:
        advice = "" if question.idle else f" {question.next_step}"
        return f"No answer. {question.few_operations}{advice}"
    if question.nothing:
        return f"So nothing can be compared with {question.baseline}."
    if question.blocks_complete == 0:
        return "No answer yet: no block is complete."
    return (
        f"No answer: at {place_of(question.primary[0])} no block has a run of {question.baseline}"
        " and of another system."
    )


def _limited(question: Question) -> str:
    """How many of the ratios that are asked for the rig sets."""
    asked = {cell.id for cell in question.primary}
    limited = [
        each
        for each in question.limited
        if each.cell in asked and each.metric == question.metrics[each.cell]
    ]
    return limited_sentence(limited, len(_primary(question)))


def _lead_cell(question: Question) -> Cell:
    """The cell that the sentence names: the first primary one that has data.

    It is the one named before anything was measured, not the one with the largest effect: the
    largest of many is too large on average.
    """
    with_data = (cell for cell in question.primary if comparisons_in(question, cell))
    return next(with_data, question.primary[0])


def _too_few(question: Question, lead: Cell, found: Sequence[Comparison]) -> str:
    *others, last = found[:NAMED_SYSTEMS]
    shown = [f"{entry.system} at {share_words(entry.ratio)}" for entry in others]
    shown.append(f"{last.system} at {share_of(last.ratio, question.baseline)}")
    named = f"{listed(shown)}{left_out(len(found))}"
    where = f"At {place_of(lead)}, in {_measured(question, lead)}"
    return f"{too_few(found[0].n)} {where} they show {named}."


def mostly_undecided(question: Question) -> str:
    """What to say first where more than half of the primary comparisons are undecided; else "".

    "Too noisy to tell ext4 and xfs from raw here; btrfs is slower: random writes at 4 KiB and depth
    32 reach 37 % of raw (30 to 46 %)."
    """
    everything = _primary(question)
    undecided = [entry for _, entry in everything if entry.verdict in OPEN]
    if 2 * len(undecided) <= len(everything):
        return ""
    decided = _decided(question)
    clear = {entry.system for _, entry in everything if entry.verdict not in OPEN}
    open_ = {entry.system for entry in undecided}
    unclear = [system for system in question.others if system in open_ - clear]
    subject = _subject(question)
    aside = "" if question.idle else baseline_aside(question.baseline, question.noise, undecided)
    cells = [cell for cell, entry in everything if entry.verdict in OPEN]
    labels = listed(list(dict.fromkeys(METRICS[question.metrics[c.id]].label for c in cells)))
    start = f"Too noisy to tell {named_systems(unclear)} from {subject} in {labels}{aside}"
    if not unclear:
        start = (
            f"Too noisy to tell most from {subject} in {labels}: {len(undecided)} of"
            f" {len(everything)} comparisons are undecided"
        )
    if not decided:
        equal = [system for system in question.others if system in clear]
        same = (
            f"; {named_systems(equal)} equals {subject} where it is known"
            if len(equal) == 1
            else ""
        )
        return f"{start}{_would_have_shown(undecided)}{same}."
    cell, entry = largest(decided)
    how = "slower" if entry.verdict == "worse" else "faster"
    return f"{start}; {entry.system} is {how}: {_at_cell(question, cell, entry, len(decided))}."


def _at_cell(question: Question, cell: Cell, entry: Comparison, decided: int) -> str:
    """ "random writes at 4 KiB and depth 32 reach 37 % of raw (30 to 46 %)"."""
    metric = METRICS[entry.metric]
    what = _measured(question, cell)
    verb = "reach" if metric.name == "iops" else "is"
    among = f", {rank(entry, decided)}" if decided > 1 else ""
    return (
        f"{what} at {place_of(cell)} {verb}"
        f" {share_of(entry.ratio, _subject(question), edges_of(entry, is_pick=True))}"
        f" ({bounds(entry, is_pick=True)}){among}"
    )


def _measured(question: Question, cell: Cell) -> str:
    """ "random reads"; "the read p99 latency"."""
    metric = METRICS[question.metrics[cell.id]]
    return factors_of(cell).work if metric.name == "iops" else f"the {metric.label}"


def _in(question: Question, cell: Cell) -> str:
    """ " in the read p99 latency"; "" of a rate, which the cell's name says."""
    is_rate = question.metrics[cell.id] == "iops"
    return "" if is_rate else f" in {_measured(question, cell)}"


def _subject(question: Question) -> str:
    return "raw" if question.baseline_is_raw else question.baseline


def _primary(question: Question) -> list[tuple[Cell, Comparison]]:
    return [(cell, each) for cell in question.primary for each in comparisons_in(question, cell)]


def _head(question: Question, lead: Cell, found: Sequence[Comparison]) -> str:
    metric = METRICS[question.metrics[lead.id]]
    where = f"At {place_of(lead)}, "
    what = _measured(question, lead)
    subject = _subject(question)
    if all(entry.verdict == "equivalent" for entry in found) and len(found) > 1:
        margin = max(entry.margin_percent for entry in found)
        names = named_systems([entry.system for entry in found])
        return f"{where}{names} equal {subject} in {what} within {margin:.0f} %"
    verb = "keeps" if question.baseline_is_raw and metric.higher_is_better else "has"
    object_ = f"{subject} {what}" if question.baseline_is_raw else f"{subject}'s {what}"
    if metric.name != "iops":
        object_ = f"{what} of {subject}"
    clear, unclear = told_apart(found)
    many = len(clear) > NAMED_SYSTEMS
    shown = ends(clear, lambda entry: entry.ratio, least_first=True)
    parts = [
        share_named(entry, verb, object_ if index == 0 else "", is_pick=many)
        for index, entry in enumerate(shown)
    ]
    more = f", {len(clear) - len(shown)} between" if many else ""
    untold = ""
    if unclear:
        names = named_systems([entry.system for entry in unclear])
        untold = f"; {names} cannot be told from {subject}"
        if len(unclear) == 1:
            untold += f" ({bounds(unclear[0])})"
    return where + listed(parts) + more + untold


def _would_have_shown(found: Sequence[Comparison]) -> str:
    hidden = hidden_from(found)
    return f": {least_shown(hidden, ' or more')}" if hidden else ""


def _verb(question: Question, entry: Comparison) -> str:
    loss = question.baseline_is_raw and METRICS[entry.metric].higher_is_better
    return "keeps" if loss and entry.ratio < 1 else "has"


def _tail(question: Question, lead: Cell) -> str:
    """What else matters most: a larger effect in another primary cell, or where there is none."""
    larger = _larger_effect(question, lead)
    return larger or _free_of_cost(question, lead)


def _larger_effect(question: Question, lead: Cell) -> str:
    """The largest decided effect of the primary cells, unless the lead has it already."""
    decided = _decided(question)
    if not decided:
        return ""
    cell, entry = largest(decided)
    if cell.id == lead.id:
        return ""
    named = share_named(entry, _verb(question, entry), question.baseline, is_pick=True)
    where = f"{_in(question, cell)} at {cell.name}"
    return f"; {extreme(entry.verdict)} of {len(question.primary)} cells: {named}{where}"


def _decided(question: Question) -> list[tuple[Cell, Comparison]]:
    """The primary comparisons that are better or worse."""
    return [
        (cell, entry)
        for cell, entry in _primary(question)
        if entry.verdict in DECIDED and not entry.in_memory
    ]


def _decided_only(question: Question, decided: Sequence[tuple[Cell, Comparison]]) -> str:
    """Nothing is known of the lead cell: say what is known, and of how much nothing is."""
    cell, entry = largest(decided)
    everything = [each for _, each in _primary(question)]
    undecided = sum(each.verdict in OPEN for each in everything)
    few = len(decided) == 1
    among = "the only difference seen" if few else rank(entry, len(decided))
    named = share_named(entry, _verb(question, entry), question.baseline, is_pick=not few)
    return (
        f"At {cell.name}, {named}{_in(question, cell)}, {among};"
        f" {undecided} of {len(everything)} comparisons are undecided."
    )


def _none_decided(question: Question, lead: Cell, found: Sequence[Comparison]) -> str:
    """Nothing is known of the lead cell, and elsewhere no difference is: say how much is equal."""
    what = _measured(question, lead)
    names = named_systems([entry.system for entry in found])
    everything = [each for _, each in _primary(question)]
    equal = [each for each in everything if each.verdict == "equivalent"]
    rest = f"none of {len(everything)} comparisons shows a difference"
    if equal:
        margin = max(each.margin_percent for each in equal)
        rest = (
            f"in {len(equal)} of {len(everything)} comparisons they differ by under {margin:.0f} %"
        )
    return (
        f"At {place_of(lead)}, it is too noisy to tell {names} from {_subject(question)} in {what}"
        f"{_would_have_shown(found)}; {rest}."
    )


def _free_of_cost(question: Question, lead: Cell) -> str:
    """From which block size on nothing is lost, where all else is as in the lead."""
    wanted = factors_of(lead).all_but_size
    column = sorted(
        (cell for cell in question.cells if factors_of(cell).all_but_size == wanted),
        key=lambda cell: factors_of(cell).operation_bytes,
    )
    free: list[tuple[Cell, list[Comparison]]] = []
    for cell in reversed(column):
        found = comparisons_in(question, cell)
        calm = all(entry.verdict in ("equivalent", *OPEN) for entry in found)
        if cell.id == lead.id or not found or not calm:
            break
        free.append((cell, found))
    return _free_from(question, free) if free else ""


def _free_from(question: Question, free: Sequence[tuple[Cell, list[Comparison]]]) -> str:
    entries = [entry for _, found in free for entry in found]
    size = format_size(factors_of(free[-1][0]).operation_bytes)
    open_ended = len(free) > 1
    where = f"; from {size} on" if open_ended else f"; at {size}"
    count = len(question.others)
    none = {1: "it does not differ", 2: "neither differs"}.get(count, "none differs")
    if all(entry.verdict == "equivalent" for entry in entries):
        return f"{where} {none} by more than {max(e.margin_percent for e in entries):.0f} %"
    hidden = hidden_from(entries)
    if not hidden:
        return ""
    return f"{where} no difference could be seen ({least_shown(hidden)})"


class _OfAll(Analysis):
    """What every study says, without what is added to the sentence of each."""

    compares_systems = False


def plain_answer(question: Question) -> str:
    """How the systems of a question compare, and nothing else."""
    return answer(
        replace(
            question,
            own=None,
            idle="",
            durability=NOTHING_WEAK,
            served="",
            server_aborts="",
            over_hosts="",
        ),
        _OfAll(),
    )
