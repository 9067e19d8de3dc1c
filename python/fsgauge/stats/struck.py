"""Runs that were struck on purpose: what each did before, meanwhile and after. No comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.record.strikes import Struck, strike_words
from fsgauge.stats.evidence import finding
from fsgauge.stats.result_model import StruckRun
from fsgauge.stats.results import Finding
from fsgauge.units import format_duration, format_rate, grouped


def struck_of(runs: Sequence[RunRecord]) -> list[StruckRun]:
    return [_line(run, struck) for run in runs for struck in run.struck]


def struck_findings(lines: Sequence[StruckRun]) -> list[Finding]:
    """One for each that was planned: what was done, and what became of every system."""
    by_fault = grouped(((line.fault, line.cell_name), line) for line in lines)
    return [
        finding(
            "fault.struck",
            "note",
            f"A fault on purpose in {cell} ({fault}): "
            + "; ".join(f"{line.system} {outcome_of(line)}" for line in found)
            + ".",
            "Nothing is compared with these runs: they stand in turns of their own.",
            [f"block {line.block + 1}, {line.system}" for line in found],
        )
        for (fault, cell), found in by_fault.items()
    ]


def outcome_of(line: StruckRun) -> str:
    """As in: went from 500 IOPS to 48 IOPS, was back at nine tenths of that after 1.2 s."""
    rates = ""
    if line.before is not None and line.during is not None:
        rates = f"went from {format_rate(line.before)} to {format_rate(line.during)}"
    return ", ".join(filter(None, [rates, *what_else(line)])) or "went on"


def what_else(line: StruckRun) -> list[str]:
    if line.hindered:
        return [f"was not struck as planned ({line.hindered})"]
    if line.began_ns is None:
        return ["had ended before the fault began"]
    words = [f"its run ended with: {line.run_fault}"] if line.run_fault else []
    if _stayed(line):
        words.append("was not slower while the fault lasted")
    elif line.recovered_ns is not None:
        after = f"{format_duration(line.recovered_ns)} after" if line.recovered_ns else "as soon as"
        words.append(f"was back at nine tenths of its rate {after} the fault had ended")
    if line.back_ns is not None and line.ended_ns is not None:
        back = format_duration(line.back_ns - line.ended_ns)
        words.append(f"the node was up again {back} after its power was on")
    return [*words, *line.words]


def _stayed(line: StruckRun) -> bool:
    if line.before is None or line.during is None:
        return False
    return line.during >= _NINE_TENTHS * line.before


def _line(run: RunRecord, struck: Struck) -> StruckRun:
    before = during = after = None
    recovered = None
    if run.result is not None and struck.began_ns is not None and struck.ended_ns is not None:
        before, during, after, recovered = _rates(run, struck.began_ns, struck.ended_ns)
    return StruckRun(
        block=run.block,
        system=run.system,
        cell=run.cell.id,
        cell_name=run.cell.name,
        fault=strike_words(struck.strike),
        began_ns=struck.began_ns,
        ended_ns=struck.ended_ns,
        back_ns=struck.back_ns,
        before=before,
        during=during,
        after=after,
        recovered_ns=recovered,
        run_fault=run.fault.what if run.fault is not None else "",
        words=struck.words,
        hindered=struck.fault,
    )


_NINE_TENTHS = 0.9

_Rates = tuple[float | None, float | None, float | None, int | None]


def _rates(run: RunRecord, began_ns: int, ended_ns: int) -> _Rates:
    """Operations per second before, during and after, warm-up aside; and how long after the end
    the rate was back at nine tenths of what it had been."""
    intervals = Intervals.of(run.result.intervals if run.result is not None else [])
    starts, spans = intervals.column("start_ns"), intervals.column("elapsed_ns")
    done, ends = intervals.done, starts + spans
    warm_up_ns = run.result.warm_up_ns if run.result is not None else 0

    def rate(chosen: np.ndarray) -> float | None:
        seconds = float(spans[chosen].sum()) / 1e9
        return float(done[chosen].sum()) / seconds if seconds > 0 else None

    before = rate((starts >= warm_up_ns) & (ends <= began_ns))
    after = starts >= ended_ns
    recovered = None
    if before is not None:
        good = after & (done * 1e9 >= _NINE_TENTHS * before * np.maximum(spans, 1))
        if good.any():
            recovered = int(starts[good][0]) - ended_ns
    return before, rate((starts >= began_ns) & (ends <= ended_ns)), rate(after), recovered
