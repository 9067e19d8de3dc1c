"""Who did nothing, or little, is named first: planted in every kind of study, and in none."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from fsgauge.engine.wire import JobShare
from fsgauge.record.parts import Part
from fsgauge.record.records import EnvironmentRecord, RunRecord
from fsgauge.report.tables import number_tables, rank_tables
from fsgauge.stats import Results, read_study
from fsgauge.stats.idle import idle_words, low_runs, shares_in
from fsgauge.stats.idle_workers import workers_of
from fsgauge.stats.metrics import own_rates
from fsgauge.stats.results import Finding
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic.idle import did, one_did, part_did
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_commands import make_commands, part_took, took
from tests.synthetic_commits import make_commits
from tests.synthetic_connections import OTHER, make_connections
from tests.synthetic_curve import Queue
from tests.synthetic_kinds import make_metadata
from tests.synthetic_sharing import make_sharing
from tests.synthetic_writers import make_writers

BLOCKS = 6
KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "overhead": (lambda: make_study(**ONE_CELL, blocks=BLOCKS, noise=0.01), "xfs"),
    "paced": (lambda: make_study(**ONE_CELL, blocks=BLOCKS, noise=0.01, rate=5000.0), "xfs"),
    "writers": (lambda: make_writers(blocks=BLOCKS, writers=(1, 4)), "xfs"),
    "connections": (lambda: make_connections(blocks=BLOCKS, clients=20), OTHER),
    "aging": (lambda: make_aging(levels=(5, 100), blocks=BLOCKS), "ext4 2 MiB"),
    "churn": (lambda: make_churn(blocks=BLOCKS, fills=(95,)), "btrfs"),
    "sharing": (lambda: make_sharing(blocks=BLOCKS), "nfs"),
    "commits": (lambda: make_commits({"ext4": 1000.0, "xfs": 1100.0}, blocks=BLOCKS), "xfs"),
}
SHARES = {0.0: "nothing", 0.01: "1", 0.2: "20"}


@cache
def made_of(kind: str) -> Any:
    return KINDS[kind][0]()


def read(made: Any, runs: list[RunRecord]) -> Results:
    scans, steps = getattr(made, "scans", ()), getattr(made, "steps", ())
    return read_study(
        made.turns, runs, made.study, made.before, made.after, scans=scans, steps=steps
    )


def of_hosts(run: RunRecord, parts: Sequence[Part]) -> RunRecord:
    return run.model_copy(update={"parts": [*parts]})


def with_results(run: RunRecord, *changes: dict[str, Any]) -> RunRecord:
    """The run in a slice for each of the changes to its result."""
    (part,) = run.parts
    (only,) = part.slices
    slices = [
        only.model_copy(update={"result": only.result.model_copy(update=each)}) for each in changes
    ]
    return of_hosts(run, [part.model_copy(update={"slices": slices})])


def jobs_that_did(*operations: int) -> list[JobShare]:
    return [JobShare(operations=each, size_bytes=0) for each in operations]


def idle(results: Results) -> list[Finding]:
    return [each for each in results.findings if each.code.startswith("idle.")]


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_named_where_all_did_their_work(kind: str) -> None:
    made = made_of(kind)
    assert idle(read(made, made.runs)) == []


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("blocks", [(2,), (1, 3, 5)], ids=["in one block", "in half"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_system_that_did_little_in_some_blocks_is_named_first(
    kind: str, blocks: tuple[int, ...], share: float
) -> None:
    made, system = made_of(kind), KINDS[kind][1]
    is_low = [run.system == system and run.block in blocks for run in made.runs]
    runs = [did(run, share) if low else run for run, low in zip(made.runs, is_low, strict=True)]
    results = read(made, runs)
    found = results.findings[0]
    of = sum(run.system == system and run.result is not None for run in runs)
    assert found.code == "idle.system" and found.count == sum(is_low)
    said = found.sentence.removeprefix(f"{system} did ").partition(" % of what its other runs did")
    ends = (
        [0.0] if said[0].startswith("nothing") else [float(each) for each in said[0].split(" to ")]
    )
    assert ends[-1] == pytest.approx(100 * share, rel=0.3), found.sentence
    assert found.sentence.endswith(f"in {sum(is_low)} of {of} runs."), found.sentence
    assert results.answer.startswith(found.sentence)
    assert [each.code for each in idle(results)] == ["idle.system"]


@pytest.mark.parametrize("blocks", [range(BLOCKS), (1, 3, 5)], ids=["in all", "in half"])
@pytest.mark.parametrize("kind", KINDS)
def test_of_a_system_that_mostly_did_nothing_no_number_is_given(
    kind: str, blocks: Sequence[int]
) -> None:
    """A bound of one operation stood below the finding as "0.000046 %" of the baseline."""
    made, system = made_of(kind), KINDS[kind][1]
    runs = [
        did(run, 0.0) if (run.system, run.block in blocks) == (system, True) else run
        for run in made.runs
    ]
    results = read(made, runs)
    low = sum(
        run.system == system and run.result is not None and run.block in blocks for run in runs
    )
    of = sum(run.system == system and run.result is not None for run in runs)
    assert results.findings[0].sentence == f"{system} did nothing in {low} of {of} runs."
    rates = ("iops", "bandwidth")
    for found in (results.comparisons, results.measurements):
        assert not [each for each in found if each.system == system and each.metric in rates]
    said = {each.words for each in results.nothing if each.metric == "iops"}
    assert said == {f"did nothing in {len(blocks)} of {BLOCKS} runs"}
    assert {each.system for each in results.nothing} == {system}
    rows = [line for table in number_tables(results) for line in table.lines]
    idle_rows = [line for line in rows if line.system == system and line.value == "nothing"]
    assert len(idle_rows) == len(results.nothing)
    assert {(row.interval, row.ratio, row.verdict) for row in idle_rows} == {
        (f"in {len(blocks)} of {BLOCKS} runs", "", "")
    }


@pytest.mark.parametrize(
    ("seconds", "blocks"), [(60, (1, 3, 5)), (600, (1,)), (1200, (1,)), (12_000, (1,))]
)
def test_a_program_that_took_far_longer_in_some_runs_is_named_first(
    seconds: int, blocks: tuple[int, ...]
) -> None:
    """9 s and 60 s by turns were "23.2 s", which none of its runs took, and no finding."""
    made = make_commands(blocks=BLOCKS)
    assert idle(read(made, made.runs)) == []
    runs = [
        took(run, seconds * 1e9) if run.system == "xfs" and run.block in blocks else run
        for run in made.runs
    ]
    results = read(made, runs)
    times = {60: "6.7", 600: "67", 1200: "130", 12_000: "1,300"}[seconds]
    said = f"xfs took {times} times as long as its other runs in {len(blocks)} of {BLOCKS} runs."
    assert results.findings[0].sentence == said
    assert results.answer.startswith(said)


@pytest.mark.parametrize(("slower", "code"), [(10.0, "idle.host"), (1.4, "host.slow")])
def test_a_host_on_which_a_program_takes_longer_is_named(slower: float, code: str) -> None:
    """The run ends with the last host: all systems were equal, at that host's pace."""
    made = make_commands(blocks=BLOCKS)
    runs = [
        of_hosts(r, [part_took(r, 1e10 * (slower if n == "d" else 1), n) for n in "abcd"])
        for r in made.runs
    ]
    (found,) = [e for e in read(made, runs).findings if e.code in ("idle.host", "host.slow")]
    said = f"d took {slower:g} times as long as the other hosts in 24 of 24 runs."
    assert (found.code, found.sentence) == (code, said)
    assert "ends with its last host" in found.advice and "rates" not in found.advice
    assert found.where[0].endswith(f": {slower:g} times as long")


def test_hosts_on_which_a_program_takes_longer_by_turns_are_told_by_their_time() -> None:
    """ "a and d by turns did 20 % of what the other host did" was said of 50 s and 10 s."""
    made = make_commands(blocks=2)
    slow = {0: "d", 1: "a", 2: "a", 5: "d"}
    runs = [
        of_hosts(run, [part_took(run, 5e10 if slow.get(at) == n else 1e10, n) for n in "ad"])
        for at, run in enumerate(made.runs)
    ]
    (found,) = [each for each in read(made, runs).findings if each.code == "idle.host"]
    assert found.sentence == (
        "a and d by turns took 5 times as long as the other host in 4 of 8 runs: no host is always"
        " the slow one."
    )
    assert found.where[0].endswith(" took 5 times as long")


def test_who_did_nothing_is_ranked_last() -> None:
    made = made_of("overhead")
    runs = [did(run, 0.0) if run.system == "ext4" else run for run in made.runs]
    (table,) = rank_tables(read(made, runs), 0.95)
    last = table.lines[-1]
    assert (last.rank, last.system, last.value) == ("3", "ext4", "nothing")
    assert (last.ratio, last.interval) == ("", "in 6 of 6 runs")


@pytest.mark.parametrize("kind", ["connections", "sharing", "overhead"])
def test_a_baseline_that_did_nothing_is_why_nothing_is_compared(kind: str) -> None:
    """The answer was that no block has a run of it."""
    made = made_of(kind)
    baseline = made.study.plan.baseline
    runs = [did(r, 0.0) if r.system == baseline and r.block % 2 else r for r in made.runs]
    results = read(made, runs)
    assert f"So nothing can be compared with {baseline}." in results.answer
    assert "noise.unknown" not in {each.code for each in results.findings}


def test_a_quantile_of_those_that_have_it_is_compared_beside_one_that_stalled() -> None:
    made = made_of("paced")
    runs = [did(r, 0.0) if (r.system, r.block) == ("xfs", 2) else r for r in made.runs]
    results = read(made, runs)
    asked = [each for each in results.comparisons if each.metric == "read.p99"]
    assert {each.system for each in asked} == {"ext4"}
    (withheld,) = [each for each in results.findings if each.code == "quantile.withheld"]
    assert withheld.sentence.endswith("in the only cell xfs is not compared by that.")


def test_no_rate_is_above_a_device_that_did_nothing() -> None:
    """ "xfs did 7265495 % more than the device alone"."""
    made = made_of("writers")
    for blocks in ((2,), (1, 3, 5), range(BLOCKS)):
        runs = [did(r, 0.0) if r.system == "raw" and r.block in blocks else r for r in made.runs]
        codes = {each.code for each in read(made, runs).findings}
        assert not codes & {"faster_than_device", "cache.answered"}


def test_the_baseline_is_named_too() -> None:
    made = made_of("overhead")
    runs = [did(run, 0.0) if run.system == "raw" and run.block < 2 else run for run in made.runs]
    results = read(made, runs)
    assert results.findings[0].sentence == "raw did nothing in 4 of 12 runs."


def test_several_that_did_little_are_counted_in_the_answer() -> None:
    made = made_of("overhead")
    runs = [did(run, 0.0) if run.block == 1 else run for run in made.runs]
    answer = read(made, runs).answer
    assert answer.startswith("raw did nothing in 2 of 12 runs. Findings like this: 3.")


def test_lost_data_is_said_before_and_gravity_after() -> None:
    made = make_study(**ONE_CELL, blocks=BLOCKS, noise=0.01, profile="debug")
    runs = [did(run, 0.0) if run.system == "xfs" else run for run in made.runs]
    codes = [each.code for each in read(made, runs).findings]
    assert codes.index("idle.system") < codes.index("run.debug_engine")


# What stands apart, and what is scatter.


@pytest.mark.parametrize(
    ("rates", "low"),
    [
        ([], {}),
        ([0.0], {0: 0.0}),
        ([0.0, 0.0], {0: 0.0, 1: 0.0}),
        ([100.0], {}),
        ([100.0, 30.0], {}),
        ([100.0, 20.0], {1: 0.2}),
        ([100.0, 100.0, 100.0, 45.0], {3: 0.45}),
        ([100.0, 100.0, 100.0, 55.0], {}),
        ([100.0, 101.0, 99.0, 0.0, 1.0, 20.0], {3: 0.0, 4: 0.01, 5: 0.2}),
        ([20.0, 20.0, 20.0, 20.0, 20.0, 100.0], {}),
        ([7.0, 6.4, 63.8], {}),
        ([0.0, 0.0, 63.8], {0: 0.0, 1: 0.0}),
        ([100.0, 300.0, 40.0, 160.0], {}),
    ],
)
def test_low_runs_stand_apart_from_the_others(rates: list[float], low: dict[int, float]) -> None:
    assert low_runs(rates) == pytest.approx(low)


@pytest.mark.parametrize("deviation", [0.1, 0.3])
def test_scatter_is_hardly_ever_taken_for_it(deviation: float) -> None:
    chance = random.Random(7)
    named = [
        bool(low_runs([math.exp(chance.gauss(0, deviation)) for _ in range(8)]))
        for _ in range(2000)
    ]
    assert sum(named) / len(named) < 0.01


# Hosts: the review's plant, a host at a share of the others in runs of four and of two.


def over_hosts(study: SyntheticStudy, share: float, others: str, blocks: set[int]) -> Results:
    (machine,) = study.before.machines
    machines = [
        machine.model_copy(update={"name": name, "role": "load" if at == 0 else f"load {at + 1}"})
        for at, name in enumerate([*others, "d"])
    ]
    before = EnvironmentRecord(machines=machines)
    runs = [dealt(run, others, share if run.block in blocks else 1.0) for run in study.runs]
    return read_study(study.turns, runs, study.study, before, before)


def dealt(run: RunRecord, others: str, share: float) -> RunRecord:
    (part,) = run.parts
    return of_hosts(run, [*(part_did(part, 1.0, n) for n in others), part_did(part, share, "d")])


@pytest.mark.parametrize("blocks", [{2}, {1, 3, 5}, set(range(BLOCKS))])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("others", ["abc", "a"])
def test_a_host_that_did_little_is_named_with_its_share_and_runs(
    others: str, share: float, blocks: set[int]
) -> None:
    made = made_of("overhead")
    results = over_hosts(made, share, others, blocks)
    (found,) = [each for each in results.findings if each.code == "idle.host"]
    of = "" if share == 0 else f" % of what the other host{'s' if len(others) > 1 else ''} did"
    runs = len(blocks) * 4
    assert found.sentence == f"d did {SHARES[share]}{of} in {runs} of {BLOCKS * 4} runs."
    assert found.count == runs and found is results.findings[0]
    assert results.answer.startswith(found.sentence)
    assert results.hosts is not None and results.hosts.hosts[-1].name == "d"
    assert not {"host.slow", "idle.worker"} & {each.code for each in results.findings}


def test_a_host_that_did_nothing_with_one_system_is_told_so() -> None:
    made = made_of("overhead")
    runs = [dealt(run, "abc", 0.0 if run.system == "xfs" else 1.0) for run in made.runs]
    (found,) = idle(read(made, runs))
    assert found.sentence == "d did nothing in 6 of 24 runs, with xfs only."
    assert "With the other systems it keeps up." in found.advice


@pytest.mark.parametrize(
    ("rates", "shares"),
    [
        ({"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 0.0}),
        ({"a": 1.0, "b": 0.2}, {"a": 1.0, "b": 0.2}),
        ({"a": 1.0, "b": 0.01, "c": 0.01, "d": 0.01}, {"a": 1.0, **dict.fromkeys("bcd", 0.01)}),
        ({"a": 1.0, "b": 1.0, "c": 0.7, "d": 1.0}, {"a": 1.0, "b": 1.0, "c": 0.7, "d": 1.0}),
        ({"a": 0.0, "b": 0.0}, {}),
        ({"a": 1.0}, {}),
    ],
)
def test_a_host_is_held_against_the_others_that_kept_up(
    rates: dict[str, float], shares: dict[str, float]
) -> None:
    run = make_study(**ONE_CELL, blocks=1).runs[0]
    parts = [part_did(run.parts[0], share, name) for name, share in rates.items()]
    assert shares_in(of_hosts(run, parts)) == pytest.approx(shares, abs=1e-3)


def test_a_slow_host_is_one_finding_of_one_form() -> None:
    """Two codes with two thresholds told one fact in two ways."""
    made = made_of("overhead")
    for share, code in ((0.7, "host.slow"), (0.4, "idle.host")):
        results = over_hosts(made, share, "a", set(range(BLOCKS)))
        (found,) = [e for e in results.findings if e.code in ("host.slow", "idle.host")]
        assert found.code == code
        said = f"d did {100 * share:.0f} % of what the other host did in 24 of 24 runs."
        assert found.sentence == said
        assert results.answer.startswith(said) == (code == "idle.host")
    assert "host.slow" not in {e.code for e in over_hosts(made, 0.7, "a", {0, 1}).findings}


def test_where_a_host_is_slow_an_idle_system_is_told_all_the_same() -> None:
    made = made_of("overhead")
    runs = [did(r, 0.0) if (r.system, r.block) == ("xfs", 2) else r for r in made.runs]
    results = over_hosts(replace(made, runs=runs), 0.7, "a", set(range(BLOCKS)))
    assert {"host.slow", "idle.system"} <= {each.code for each in results.findings}


def test_equal_hosts_that_are_low_by_turns_are_no_slow_host() -> None:
    """Two equal hosts: "h1 did 18 to 39 % of what the other hosts did in 2 of 8 runs", h2 in 3."""
    made = make_study(**ONE_CELL, blocks=2, noise=0.01)
    shares = {0: {"d": 0.18}, 1: {"a": 0.2}, 2: {"a": 0.48}, 5: {"d": 0.39}, 6: {"a": 0.26}}
    runs = [
        of_hosts(r, [part_did(r.parts[0], shares.get(at, {}).get(n, 1.0), n) for n in "ad"])
        for at, r in enumerate(made.runs)
    ]
    (found,) = idle(read(made, runs))
    assert found.code == "idle.host" and found.count == 5
    assert found.sentence == (
        "a and d by turns did 18 to 48 % of what the other host did in 5 of 8 runs: no host"
        " is always the slow one."
    )


def test_an_answer_does_not_begin_with_a_few_runs_of_hosts_by_turns() -> None:
    """Two nodes by turns did 37 % in 3 of 144 runs, and the answer began with that."""
    made = make_study(**ONE_CELL, blocks=12, noise=0.01)
    shares = {3: {"d": 0.37}, 20: {"a": 0.4}, 40: {"d": 0.45}}
    runs = [
        of_hosts(r, [part_did(r.parts[0], shares.get(at, {}).get(n, 1.0), n) for n in "ad"])
        for at, r in enumerate(made.runs)
    ]
    results = read(made, runs)
    (found,) = [each for each in results.findings if each.code.startswith(("idle", "host."))]
    assert found.code == "host.slow" and "by turns did 37 to 45 %" in found.sentence
    assert "by turns" not in results.answer


def test_two_hosts_that_did_nothing_by_turns_are_both_named() -> None:
    made = make_study(**ONE_CELL, blocks=2, noise=0.01)
    runs = [
        of_hosts(run, [part_did(run.parts[0], float(n == "ad"[at % 2]), n) for n in "ad"])
        for at, run in enumerate(made.runs)
    ]
    assert [each.sentence for each in idle(read(made, runs))] == [
        "a did nothing in 4 of 8 runs.",
        "d did nothing in 4 of 8 runs.",
    ]


def test_the_cell_is_named_and_only_its_runs_are_counted() -> None:
    made = make_study(**{**ONE_CELL, "queue_depths": (1, 32)}, blocks=BLOCKS, noise=0.01)
    runs = [
        did(run, 0.2)
        if run.system == "xfs" and run.block == 1 and "depth32" in run.cell.id
        else run
        for run in made.runs
    ]
    (found,) = idle(read(made, runs))
    assert found.sentence.endswith(" in 1 of 6 runs of randread 4 KiB, depth 32.")


def test_few_twins_hide_more_than_many() -> None:
    """1 of 3 runs at a fifth, beside a baseline that differs from itself nearly threefold."""
    made = make_study(**ONE_CELL, blocks=3, noise=0.01)
    noisy = [did(run, 0.4) if run.again else run for run in made.runs]
    runs = [did(run, 0.2) if run.system == "xfs" and run.block == 1 else run for run in noisy]
    assert not [each for each in idle(read(made, runs)) if "xfs" in each.sentence]
    runs = [did(run, 0.2) if run.system == "xfs" and run.block == 1 else run for run in made.runs]
    assert [each for each in idle(read(made, runs)) if "xfs" in each.sentence]


# Workers: a job, a writer, a client.


def in_slices(run: RunRecord, slices: list[list[int]]) -> RunRecord:
    """The run in so many slices, in each of which its jobs did so many operations."""
    assert run.result is not None and run.result.read is not None
    reads = [run.result.read.model_copy(update={"operations": sum(each)}) for each in slices]
    pairs = zip(slices, reads, strict=True)
    return with_results(run, *({"jobs": jobs_that_did(*each), "read": r} for each, r in pairs))


@pytest.mark.parametrize(
    ("slices", "least"),
    [
        ([[4, 2020], [3093, 4]], 8 / 3097),
        ([[1000, 1000], [200, 1800], [1000, 1000], [1000, 1000]], 0.2),
        ([[1000, 1000], [1000, 1000]], 1.0),
        ([[4, 16], [16, 4]], 1.0),
        ([[0, 20], [20, 0]], 0.0),
    ],
)
def test_a_job_that_is_idle_by_turns_with_another_is_found(
    slices: list[list[int]], least: float
) -> None:
    """In the sum of two slices each had done half."""
    run = in_slices(make_study(**ONE_CELL, blocks=1).runs[0], slices)
    assert min(each.share for each in workers_of(run)) == pytest.approx(least, rel=0.02)


def test_a_host_that_is_idle_by_turns_with_another_is_found() -> None:
    run = make_study(**ONE_CELL, blocks=1).runs[0]
    (one,) = in_slices(run, [[4], [3093]]).parts
    (other,) = in_slices(run, [[2020], [4]]).parts
    parts = [one.model_copy(update={"machine": "a"}), other.model_copy(update={"machine": "b"})]
    shares = shares_in(of_hosts(run, parts))
    assert max(shares.values()) < 0.005


def test_who_did_next_to_nothing_is_in_the_answer() -> None:
    made = made_of("overhead")
    runs = [
        in_slices(run, [[4, 2020], [3093, 4]]) if run.system == "xfs" else run for run in made.runs
    ]
    (found,) = [each for each in idle(read(made, runs)) if each.code == "idle.worker"]
    assert found.count == 6 and "at worst next to nothing" in found.sentence
    assert idle_words([found]) == found.sentence


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("kind", "noun"), [("writers", "writer"), ("connections", "client")])
def test_a_worker_that_did_little_is_named(kind: str, noun: str, share: float) -> None:
    made, system = made_of(kind), KINDS[kind][1]
    cell = next(run.cell.id for run in made.runs if run.result and len(run.result.jobs) > 1)
    runs = []
    for run in made.runs:
        if run.system == system and run.block == 2 and run.cell.id == cell:
            run = slowed(run, share) if kind == "connections" else one_did(run, 2, share)
        runs.append(run)
    results = read(made, runs)
    (found,) = idle(results)
    assert found.code == "idle.worker" and found.count == 1 and found is results.findings[0]
    assert f"{noun} 3 of {system}" in found.sentence
    assert ("nothing" in found.sentence) == (share == 0)
    assert results.answer.startswith(found.sentence.partition(":")[0]) == (share == 0)


def slowed(run: RunRecord, share: float) -> RunRecord:
    """The third client took as much longer for its files, or did none."""
    if share == 0:
        return one_did(run, 2, 0.0)
    assert run.result is not None
    jobs = list(run.result.jobs)
    took_ns = round((jobs[2].elapsed_ns or run.result.elapsed_ns) / share)
    jobs[2] = jobs[2].model_copy(update={"elapsed_ns": took_ns})
    return with_results(run, {"jobs": jobs})


def test_the_jobs_of_a_load_are_held_against_their_mean() -> None:
    run = make_study(**ONE_CELL, blocks=1).runs[0]
    four = with_results(run, {"jobs": jobs_that_did(100, 100, 100, 20)})
    shares = {"job 1": 1.25, "job 2": 1.25, "job 3": 1.25, "job 4": 0.25}
    assert {each.name: each.share for each in workers_of(four)} == shares
    assert workers_of(run) == []


def test_a_job_without_any_time_of_its_own_did_nothing() -> None:
    run = make_study(**ONE_CELL, blocks=1).runs[0]
    assert run.result is not None
    jobs = [
        JobShare(operations=0, size_bytes=0, elapsed_ns=0),
        JobShare(operations=50, size_bytes=0, elapsed_ns=10**9),
    ]
    assert own_rates(run.result.model_copy(update={"jobs": jobs})) == [0.0, 50.0]


def test_nothing_is_compared_with_a_baseline_that_never_did_anything() -> None:
    """ext4 had "2,035,308 times raw random reads": a ratio to one operation that there might be."""
    made = made_of("overhead")
    runs = [did(run, 0.0) if run.system == "raw" else run for run in made.runs]
    results = read(made, runs)
    assert results.answer == (
        "raw did nothing in 12 of 12 runs. So nothing can be compared with raw."
    )
    assert not [each for each in results.comparisons if each.metric == "iops"]


def test_where_equal_systems_scatter_as_much_nobody_is_said_to_have_done_little() -> None:
    """ "xfs did 37 to 50 % of what its other runs did" headed a study of two equal systems."""
    queues = {"ext4": Queue(5_000.0), "xfs": Queue(5_000.0)}
    results = make_metadata(queues, noise=0.4).results()
    (found,) = [each for each in results.findings if each.code == "idle.system"]
    assert found.level == "note"
    assert results.lines[0].startswith("Too noisy to tell xfs from ext4")
