"""The box "How sure": what the answer rests on, a line each. `good` is False where the reader has
to look closer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fsgauge.engine.wire import IntegrityResult
from fsgauge.record.records import RunRecord
from fsgauge.report import words
from fsgauge.report.kind_page import Assurance
from fsgauge.report.load_curve import page_of
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.evidence import count
from fsgauge.stats.lost_data import KINDS, blocks_of
from fsgauge.stats.noise import hides
from fsgauge.stats.results import Results

FEW_BLOCKS = 6
_LEAST_SHARE_PERCENT = 0.05


def sureness_lines(results: Results, runs: Sequence[RunRecord] = ()) -> list[Assurance]:
    """The lines, in the order in which a reader should doubt; `runs` for what was read back."""
    return [
        *_integrity(results, runs),
        _blocks(results),
        _noise(results),
        _steady(results),
        *_engine(results),
        *_under_load(results),
        _failures(results),
        _tests(results),
        _findings(results),
    ]


_IN_SHORT = ("Blocks", "Noise floor")
_NO_CHECKS = ("Comparisons", "Under load", "Findings")


def in_short(lines: Sequence[Assurance]) -> list[Assurance]:
    """Three lines: the blocks, the noise, and what else a reader should doubt."""
    others = [line for line in lines if line.name not in _IN_SHORT]
    doubts = [f"{line.name.lower()}: {line.text}" for line in others if not line.good]
    checks = [line.name.lower() for line in others if line.name not in _NO_CHECKS]
    passed = f"all passed ({', '.join(checks)})"
    found = Assurance("Checks", "; ".join(doubts) if doubts else passed, not doubts, "")
    return [*(line for line in lines if line.name in _IN_SHORT), found]


class NextStep(NamedTuple):
    """What to do, and the command that does it, or ""."""

    text: str
    command: str


def next_step(results: Results, lines: Sequence[Assurance], repeat: str) -> NextStep:
    """What to do about the gravest finding; else about a check that did not pass; where all did,
    how to see whether it stays so."""
    for level in ("invalid", "warning"):
        for each in results.findings:
            if each.level == level and each.advice:
                return NextStep(f"{each.sentence} {each.advice}", "")
    doubts = [each for each in lines if not each.good and each.page]
    if doubts:
        return NextStep(
            f"{doubts[0].name}: {doubts[0].text}. What that means:",
            f"fsgauge explain {doubts[0].page}",
        )
    return NextStep("Nothing has to be done. To see whether another day says the same:", repeat)


def _integrity(results: Results, runs: Sequence[RunRecord]) -> list[Assurance]:
    lines = integrity_lines(results.systems, runs)
    own = page_of(results).integrity(results)
    if own is not None:
        return [own]
    bad = [line.system for line in lines if not line.good]
    if bad:
        return [Assurance("Integrity", f"wrong blocks on {', '.join(bad)}", False, "integrity")]
    if not lines:
        return []
    return [Assurance("Integrity", "every block read back is right", True, "integrity")]


def _blocks(results: Results) -> Assurance:
    sure = results.sureness
    text = f"{sure.blocks_complete}"
    if sure.lacking:
        return Assurance("Blocks", sure.blocks_words, False, "blocks")
    if sure.blocks_complete != sure.blocks_planned:
        text += f" of {sure.blocks_planned} planned"
    most = max((each.n for each in results.comparisons), default=0)
    if most > sure.blocks_complete:
        text += f" whole, up to {most} of a cell"
    few = sure.blocks_complete < FEW_BLOCKS
    return Assurance("Blocks", text + (", few" if few else ""), not few, "blocks")


def _noise(results: Results) -> Assurance:
    cell = results.primary_cells[0]
    floor = results.noise_of(results.primary_metrics[cell])
    if floor is None:
        text = f"unknown: {_why_no_floor(results, cell)}"
        return Assurance("Noise floor", text, False, "noise")
    text = words.noise(floor, results.baseline)
    if words.never_differs(floor):
        text = f"none: {results.baseline} equals itself in every block"
    if floor.state == "wide":
        text += f", too noisy {hides(results.comparisons, floor.metric)}"
    return Assurance("Noise floor", text, floor.state == "quiet", "noise")


def _why_no_floor(results: Results, cell: str) -> str:
    if any(each.code == "operations.few" for each in results.findings):
        return "too few operations in a run"
    idle = results.did_nothing(cell, results.baseline, results.primary_metrics[cell])
    if idle is not None:
        return f"{results.baseline} {idle.words}"
    curve = CurveResults.of(results)
    carried = curve.capacity(cell, results.baseline) if curve is not None else None
    if carried is not None and carried.number is None:
        return f"{results.baseline} has no rate at the limit"
    return "no block has the baseline twice"


def _steady(results: Results) -> Assurance:
    sure = results.sureness
    if sure.runs_judged_steady == 0 and sure.runs_by_passes:
        whose = page_of(results).workers
        return Assurance(
            "Steadiness", f"does not apply (a run is all of its {whose}' work)", True, "steady"
        )
    if sure.runs_judged_steady == 0:
        return Assurance("Steadiness", "cannot be judged: the runs are too short", False, "steady")
    unsteady = sure.runs_judged_steady - sure.runs_steady
    if unsteady == 0:
        return Assurance("Steadiness", f"all {count(sure.runs_steady, 'run')}", True, "steady")
    text = f"{unsteady} of {sure.runs_judged_steady} runs were not steady"
    return Assurance("Steadiness", text, False, "steady")


def _engine(results: Results) -> list[Assurance]:
    """A model has no load threads."""
    share = results.sureness.engine_share_percent
    if results.simulation is not None:
        return []
    if share is None:
        return [Assurance("Tool overhead", "unknown", False, "engine_share")]
    most = f"at most {words.percent(share)}" if share >= _LEAST_SHARE_PERCENT else "under 0.1 %"
    told = f"{most} of the load threads' time"
    return [Assurance("Tool overhead", told, share <= 20, "engine_share")]


def _under_load(results: Results) -> list[Assurance]:
    share = results.sureness.under_load_percent
    if share is None:
        return []
    return [Assurance("Under load", f"{share:.0f} % of the time", True, "under_load")]


def _failures(results: Results) -> Assurance:
    sure = results.sureness
    parts = []
    if sure.runs_failed:
        parts.append(f"{count(sure.runs_failed, 'run')} failed")
    missing = sure.runs_planned - sure.runs_complete - sure.runs_failed
    if missing > 0:
        parts.append(f"{missing} not made")
    if sure.io_errors:
        parts.append(f"{count(sure.io_errors, 'operation')} tried again")
    if sure.client_errors:
        parts.append(f"{count(sure.client_errors, 'operation')} of clients failed")
    if sure.ageing_errors:
        parts.append(f"{count(sure.ageing_errors, 'operation')} of ageing failed")
    return Assurance("Errors", ", ".join(parts) or "none", not parts, "errors")


def _tests(results: Results) -> Assurance:
    own = page_of(results).comparisons(results)
    if own is not None:
        return own
    cells = len(results.cells)
    others = len(results.systems) - 1
    if others == 0:
        return Assurance("Comparisons", "none: one system", True, "verdict")
    text = f"{cells * others:,} ({count(cells, 'cell')} x {count(others, 'system')})"
    compared = len({(each.cell, each.system) for each in results.comparisons})
    if not compared:
        return Assurance("Comparisons", "none: nothing could be compared", False, "verdict")
    if compared < cells * others:
        text = f"{compared:,} of {text}"
    return Assurance("Comparisons", text + ", corrected for", True, "verdict")


def _findings(results: Results) -> Assurance:
    grave = [finding for finding in results.findings if finding.level != "note"]
    notes = len(results.findings) - len(grave)
    parts = [count(len(grave), "warning")] if grave else []
    parts += [count(notes, "note")] if notes else []
    return Assurance("Findings", ", ".join(parts) or "none", not grave, "")


@dataclass(frozen=True)
class IntegrityLine:
    """What reading everything back found on one system."""

    system: str
    text: str
    good: bool


def integrity_lines(systems: Sequence[str], runs: Sequence[RunRecord]) -> list[IntegrityLine]:
    """What reading back found: one line when all is right, else a line a system."""
    checked = {
        system: [
            run.result.integrity
            for run in runs
            if run.system == system and run.result is not None and run.result.integrity is not None
        ]
        for system in systems
    }
    lines = [_integrity_line(system, found) for system, found in checked.items() if found]
    if lines and all(line.good for line in lines):
        return [_integrity_line("all", [each for found in checked.values() for each in found])]
    return lines


def _integrity_line(system: str, found: Sequence[IntegrityResult]) -> IntegrityLine:
    faults = {kind: sum(blocks_of(each, kind) for each in found) for kind in KINDS}
    wrong = ", ".join(f"{many:,} {name}" for name, many in faults.items() if many)
    blocks = sum(each.checked_blocks for each in found)
    runs = count(len(found), "run")
    text = f"{count(blocks, 'block')} read back after {runs}: "
    return IntegrityLine(
        system, text + (wrong or "all whole writes of the right writer"), not wrong
    )
