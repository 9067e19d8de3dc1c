"""Who did nothing, or little: a system in some of its runs, a host or a worker beside the others.

The one home of what shares, medians and geometric means hide. Zero is the worst value, never a
missing one. A system is held against its own other runs of the same cell, so that what it always
does is its rate and no finding; a host against the other hosts of the run; workers, in
`idle_workers`, against all of the run. What did nothing needs no other run. A program has no
operations: it is held by its time.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fsgauge.engine.wire import LoadResult, elapsed_with_finish_ns, timed_operations
from fsgauge.plan.levels import ALPHA
from fsgauge.record.merging import merged
from fsgauge.record.parts import Part
from fsgauge.record.records import RunRecord
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.ratio import MEDIAN_OF_NORMAL, t_quantile
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete
from fsgauge.stats.wording import listed, percent
from fsgauge.units import count, figure, grouped

LITTLE = 0.5
"""Below this share of what others do, or the same system in other runs, it is told."""
VERY_LITTLE = 0.25
"""The same where too few runs did more to say how far those scatter."""
NEXT_TO_NOTHING = 0.005
"""Below this share the first sentence of an answer names who did it."""
OFTEN = 0.1
"""Hosts that took turns in a smaller share of the runs are not what an answer begins with."""
SLOW = 0.8
"""A host below this share of the others, with a system, in so many blocks, is slow."""
FEWEST_SLOW_BLOCKS = 3
SCATTERS = 4.0
"""So many standard deviations of the others a run has to be below all of them."""
FEWEST_TO_SCATTER = 3
_FEWER = "rates of these runs are those of fewer hosts"
_LAST = "a run of a program ends with its last host"
IDLE = ("idle.system", "idle.host", "idle.worker")
"""The codes of all findings of this file, and of `idle_workers`."""


def low_runs(rates: Sequence[float], rig: float = 0.0) -> dict[int, float]:
    """The places of runs that did nothing or little, each with its share of what the others did.
    `rig` is the deviation of a run's log rate that A/A shows. At most half of those that did
    anything are low: of two slow runs beside a fast one, the fast one is the odd one."""
    found = {place: 0.0 for place, rate in enumerate(rates) if rate <= 0}
    ordered = sorted((rate, place) for place, rate in enumerate(rates) if rate > 0)
    logs = [math.log(rate) for rate, _ in ordered]
    for at in range(len(logs) // 2, 0, -1):
        if _stand_apart(logs[:at], logs[at:], rig):
            usual = math.exp(statistics.median(logs[at:]))
            found |= {place: rate / usual for rate, place in ordered[:at]}
            break
    return found


def _stand_apart(low: Sequence[float], high: Sequence[float], rig: float) -> bool:
    """Whether the lower ones (logs, ascending) are no scatter of the upper ones."""
    share = math.exp(low[-1] - statistics.median(high))
    most, known = (LITTLE, high) if len(high) >= FEWEST_TO_SCATTER else (VERY_LITTLE, low)
    scatter = statistics.stdev(known) if len(known) >= FEWEST_TO_SCATTER else 0.0
    return share < most and high[0] - low[-1] >= SCATTERS * max(scatter, rig)


def idle_systems(evidence: Evidence) -> Iterator[Finding]:
    """Systems that did nothing or little in some of their runs. Where a host did, that is told."""
    of_hosts = {
        id(run) for low in low_hosts(evidence.runs).values() for run, share in low if share < LITTLE
    }
    measured: dict[str, dict[str, list[tuple[RunRecord, float]]]] = {}
    for run in evidence.runs:
        if id(run) in of_hosts or not is_complete(run):
            continue
        if run.result is not None and run.result.elapsed_ns:
            rate = _done(run, run.result) * 1e9 / elapsed_with_finish_ns(run.result)
            of_system = measured.setdefault(run.system, {})
            of_system.setdefault(run.cell.id, []).append((run, rate))
    floor = evidence.noise.get(evidence.primary_metric)
    is_noisy = floor is not None and floor.state == "wide"
    rigs = {cell.id: _rig(evidence, cell.id) for cell in evidence.study.plan.cells}
    for system in evidence.study.plan.systems:
        of_cells = measured.get(system, {})
        low = [
            (of_cell[place][0], share)
            for cell, of_cell in of_cells.items()
            for place, share in low_runs([rate for _, rate in of_cell], rigs[cell]).items()
        ]
        if low:
            named = {run.cell.id: run.cell.name for run, _ in low}
            of = sum(len(of_cells[cell]) for cell in named)
            one = next(iter(named.values())) if len(named) == 1 else count(len(named), "cell")
            where = f" of {one}" if len(named) < len(of_cells) else ""
            least = min(share for _, share in low)
            yield finding(
                "idle.system",
                "note" if is_noisy and least >= NEXT_TO_NOTHING else "warning",
                f"{_did(system, low, 'its other runs')} in {part_of(len(low), of, 'run')}{where}.",
                "Look at these runs first: did the system stall, or the storage below (dmesg |"
                " tail)? Where these are fewer than half of a cell's runs they count in full, so no"
                " mean over them is that of a working system.",
                [f"{name_of(run)}: {_amount(run, [share])}" for run, share in sorted_by_block(low)],
            )


def _done(run: RunRecord, result: LoadResult) -> int:
    """Operations; of a program one, itself, so that its rate is what its time says."""
    return timed_operations(result) if run.command is None else 1


def _rig(evidence: Evidence, cell: str) -> float:
    """What A/A shows of a run's log rate, by the median: one run that stalled is no noise. Of few
    blocks it is taken for more, as the band of noise is.
    """
    metric = "iops" if all(run.command is None for run in evidence.runs) else "complete"
    logs = [abs(log) for log in evidence.samples.twin_log_ratios(metric, cell).values()]
    if len(logs) < FEWEST_TO_SCATTER:
        return 0.0
    of_few = t_quantile(len(logs) - 1) / 1.96
    return of_few * statistics.median(logs) / (MEDIAN_OF_NORMAL * math.sqrt(2))


def sorted_by_block(low: Sequence[tuple[RunRecord, float]]) -> list[tuple[RunRecord, float]]:
    return sorted(low, key=lambda each: (each[0].block, each[0].turn, each[0].position))


def shares_in(run: RunRecord) -> dict[str, float]:
    """The rate of a job on each host, over that of the median of those others that kept up (half
    the fastest's rate or more), so that no host is held against itself or an idle one; {} of one
    host, and where none did anything. Of a host that did little in a slice, that of its worst one:
    who is idle by turns with another is idle in no sum.
    """
    if len(run.parts) < 2:
        return {}
    whole = _host_shares(run, run.parts)
    by_slice = [_host_shares(run, parts) for parts in by_slice_of(run)]
    return {
        name: least_of(share, [each.get(name) for each in by_slice])
        for name, share in whole.items()
    }


def by_slice_of(run: RunRecord) -> list[list[Part]]:
    """What all machines did at once, slice by slice; [] of a run in one go."""
    if not run.parts:
        return []
    number = len(run.parts[0].slices)
    if number < 2 or any(len(part.slices) != number for part in run.parts):
        return []
    return [
        [part.model_copy(update={"slices": [part.slices[at]]}) for part in run.parts]
        for at in range(number)
    ]


def least_of(whole: float, by_slice: Iterable[float | None]) -> float:
    """The least share of any slice where it is little, else that of the whole run."""
    least = min((share for share in by_slice if share is not None), default=whole)
    return min(least, whole) if least < LITTLE else whole


def _host_shares(run: RunRecord, parts: Sequence[Part]) -> dict[str, float]:
    rates = {}
    for part in parts:
        result = merged([part])
        if result is None:
            return {}
        own = _done(run, result) / max(len(result.jobs), 1)
        rates[part.machine] = own / result.elapsed_ns if result.elapsed_ns else 0.0
    enough = LITTLE * max(rates.values(), default=0.0)
    if len(rates) < 2 or enough <= 0:
        return {}
    return {name: rate / _usual(name, rates, enough) for name, rate in rates.items()}


def _usual(name: str, rates: Mapping[str, float], enough: float) -> float:
    others = [rate for other, rate in rates.items() if other != name and rate >= enough]
    return statistics.median(others) if others else rates[name]


def low_hosts(runs: Sequence[RunRecord]) -> dict[str, list[tuple[RunRecord, float]]]:
    """The runs in which a host did less than the others, with its share: little, in however few,
    or below `SLOW` where it is so with a system block after block.
    """
    shares = grouped((host, (run, share)) for run in runs for host, share in shares_in(run).items())
    found = {host: _low_of(of_host) for host, of_host in shares.items()}
    return {host: low for host, low in found.items() if low}


def _low_of(of_host: Sequence[tuple[RunRecord, float]]) -> list[tuple[RunRecord, float]]:
    blocks = grouped(((run.system, run.block), share) for run, share in of_host)
    slow = Counter(
        system for (system, _), found in blocks.items() if statistics.median(found) < SLOW
    )
    return [
        (run, share)
        for run, share in of_host
        if share < (SLOW if slow[run.system] >= FEWEST_SLOW_BLOCKS else LITTLE)
    ]


def idle_hosts(evidence: Evidence) -> Iterator[Finding]:
    """Hosts that did less than the others: one finding a host, first of all where it did little."""
    found = low_hosts(evidence.runs)
    if _take_turns(found):
        yield _by_turns(evidence, found)
        return
    of_runs = [(run, shares_in(run)) for run in evidence.runs]
    for host, low in found.items():
        own = [run for run, shares in of_runs if host in shares]
        with_it = list(dict.fromkeys(run.system for run, _ in low))
        others = {run.system for run in own} - set(with_it)
        only = f", with {listed(with_it)} only" if others else ""
        yield finding(
            "idle.host" if min(share for _, share in low) < LITTLE else "host.slow",
            "warning",
            f"{_did(host, low, _others(own))} in {part_of(len(low), len(own), 'run')}{only}.",
            "Look at its processor, memory, network and storage, and repeat, or leave it out:"
            f" {_FEWER if low[0][0].command is None else _LAST}."
            + (" With the other systems it keeps up." if others else ""),
            [f"{name_of(run)}: {_amount(run, [share])}" for run, share in low],
        )


def _others(runs: Sequence[RunRecord]) -> str:
    return "the other hosts" if any(len(run.parts) > 2 for run in runs) else "the other host"


def _take_turns(found: Mapping[str, Sequence[tuple[RunRecord, float]]]) -> bool:
    """Whether now one host is low, now another, none nearly idle, and none more often than chance
    has it: they share what is slow."""
    low = [(id(run), share) for of_host in found.values() for run, share in of_host]
    if len(found) < 2 or len({run for run, _ in low}) < len(low):
        return False
    most, all_ = max(map(len, found.values())), len(low)
    by_chance = len(found) * sum(
        math.comb(all_, times) * (len(found) - 1) ** (all_ - times)
        for times in range(most, all_ + 1)
    )
    return min(share for _, share in low) >= NEXT_TO_NOTHING and (
        by_chance / len(found) ** all_ > ALPHA
    )


def _by_turns(
    evidence: Evidence, found: Mapping[str, Sequence[tuple[RunRecord, float]]]
) -> Finding:
    low = [(run, host, share) for host, of_host in found.items() for run, share in of_host]
    own = [run for run in evidence.runs if shares_in(run)]
    both, of_runs = f"{listed(list(found))} by turns", [(run, share) for run, _, share in low]
    leads = min(share for _, share in of_runs) < LITTLE and len(low) >= OFTEN * len(own)
    return finding(
        "idle.host" if leads else "host.slow",
        "warning",
        f"{_did(both, of_runs, _others(own))} in {part_of(len(low), len(own), 'run')}: no"
        " host is always the slow one.",
        "Look at what they share, a network, a server or a machine below them, and measure longer"
        " or more blocks: a run this short may only show who was served first.",
        [
            f"{name_of(run)}: {host} {_verb(run)} {_amount(run, [share])}"
            for run, host, share in low
        ],
    )


def idle_words(findings: Sequence[Finding]) -> str:
    """Who did nothing or little, for the begin of the answer: the first, and how many more. Where
    equal systems scatter as much, a system that did less is no more than a note."""
    told = [
        each
        for each in findings
        if each.code in IDLE
        and each.level != "note"
        and (each.code != "idle.worker" or " nothing" in each.sentence)
    ]
    if not told:
        return ""
    more = f" Findings like this: {len(told)}." if len(told) > 1 else ""
    return told[0].sentence + more


def _did(name: str, low: Sequence[tuple[RunRecord, float]], others: str) -> str:
    """ "xfs did nothing"; "xfs did 1 to 20 % of what its other runs did"; of a program's time: "xfs
    took 5 to 100 times as long as its other runs"."""
    shares, (run, _) = [share for _, share in low], low[0]
    said = f"{name} {_verb(run)} {_amount(run, shares)}"
    if run.command is not None:
        return f"{said} as {others}"
    return f"{said} of what {others} did" if max(shares) > 0 else said


def _verb(run: RunRecord) -> str:
    return "did" if run.command is None else "took"


def _amount(run: RunRecord, shares: Sequence[float]) -> str:
    """Of the work of others; of a program, in times that it took: "5 to 100 times as long"."""
    if run.command is None:
        return amount(shares)
    ends = (float(f"{1 / share:.2g}") for share in (max(shares), min(shares)))
    times = dict.fromkeys(map(figure, ends))
    return f"{' to '.join(times)} times as long"


def amount(shares: Sequence[float]) -> str:
    """ "nothing", "next to nothing", "20 %", "0 to 20 %"."""
    if max(shares) < NEXT_TO_NOTHING:
        return "next to nothing" if max(shares) > 0 else "nothing"
    ends = dict.fromkeys((percent(min(shares)), percent(max(shares))))
    return " to ".join(ends).replace(" % to", " to")
