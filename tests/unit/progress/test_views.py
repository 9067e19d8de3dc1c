"""What a person reads while a study runs: whole words at every width, and the noise in time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest
from rich.console import Console

from fsgauge.engine.wire import IntervalCount, IntervalEvent
from fsgauge.kinds.commits.factors import CommitsFactors
from fsgauge.progress.lines import JsonLines, Lines, compared, opening
from fsgauge.progress.live import Live
from fsgauge.record.records import EnvironmentRecord, Turn
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.synthetic import make_study
from tests.synthetic.study import SyntheticStudy

WIDTHS = range(40, 201, 8)
HALF_A_SECOND = IntervalEvent(
    event="interval",
    start_ns=0,
    elapsed_ns=500_000_000,
    warm_up=False,
    read=IntervalCount(operations=0, size_bytes=0, latency_sum_ns=0),
    write=IntervalCount(operations=250, size_bytes=250 * 8192, latency_sum_ns=0),
)
SHAPE = {"queue_depths": (1, 32), "block_sizes": (4096,), "seed": 3}


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("overhead")


@pytest.fixture(scope="module")
def noisy() -> SyntheticStudy:
    return make_study(blocks=4, noise=0.4, **SHAPE)


def lines_of(made: SyntheticStudy, study: Study) -> list[str]:
    stream = io.StringIO()
    view = Lines(stream)
    view.study_started(study, made.study.plan, made.before)
    for run in made.runs:
        view.run_ended(run)
    return stream.getvalue().splitlines()


def test_too_noisy_is_said_after_the_second_block(study: Study, noisy: SyntheticStudy) -> None:
    lines = lines_of(noisy, study)
    told = [index for index, line in enumerate(lines) if line.startswith("noise so far: ")]
    assert len(told) == 3
    first = lines[told[0]]
    assert ", 2 blocks): too noisy to answer; " in first
    assert "blocks or a quieter machine would show a change of 10 %" in first
    before = [line for line in lines[: told[0]] if line.startswith("block ")]
    a_block = len(noisy.runs) // 4
    assert len(before) == 2 * a_block
    assert before[-1].startswith("block 2 ")


def test_a_quiet_study_is_told_its_noise(study: Study) -> None:
    lines = lines_of(make_study(blocks=3, noise=0.01, **SHAPE), study)
    assert any("3 blocks show changes of" in line for line in lines)
    assert not any("too noisy" in line for line in lines)


def test_a_program_gets_the_noise_in_numbers(study: Study, noisy: SyntheticStudy) -> None:
    stream = io.StringIO()
    view = JsonLines(stream)
    view.study_started(study, noisy.study.plan, noisy.before)
    for run in noisy.runs:
        view.run_ended(run)
    events = [json.loads(line) for line in stream.getvalue().splitlines()]
    noise = [event for event in events if event["event"] == "noise_so_far"]
    assert [event["blocks"] for event in noise] == [2, 3, 4]
    assert all(event["too_noisy"] and event["blocks_needed"] > 4 for event in noise)


def test_the_opening_says_what_is_compared_as_people_say_it(
    study: Study, noisy: SyntheticStudy
) -> None:
    plan = noisy.study.plan.model_copy(update={"systems": ["raw", "ext4", "xfs"]})
    assert compared(plan) == "raw, ext4 and xfs; raw runs twice in each block to measure the noise"
    many = plan.model_copy(update={"systems": ["raw", *(f"s{n}" for n in range(30))]})
    assert compared(many).startswith("raw, s0, s1, s2, s3, s4, s5, s6 and 23 more; raw runs twice")
    alone = plan.model_copy(update={"systems": ["raw"]})
    assert "nothing to compare it with" in compared(alone)
    lines = opening(study, plan, noisy.before)
    assert "cells in 4 blocks: " in lines[3] and " written; seed " in lines[3]
    assert not any(" x " in line for line in lines)


def test_the_opening_names_every_kernel_that_measures(study: Study, noisy: SyntheticStudy) -> None:
    (machine,) = noisy.before.machines
    kernels = ("Linux 6.1.0-47-amd64 #1 SMP", "Linux 6.1.0-56-amd64 #1 SMP")
    roles = [machine.role, "second", "third"]
    machines = [
        machine.model_copy(update={"name": role, "role": role, "kernel": kernel})
        for role, kernel in zip(roles, [*kernels, kernels[0]], strict=True)
    ]
    lines = opening(study, noisy.study.plan, EnvironmentRecord(machines=machines))
    assert ", Linux 6.1.0-47-amd64 and Linux 6.1.0-56-amd64, " in lines[1]


def drawn(made: SyntheticStudy, study: Study, width: int) -> Iterator[tuple[str, list[str]]]:
    """What was meant to be shown and the lines that were, at the end of each block."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True)
    view = Live(console)
    view.study_started(study, made.study.plan, made.before)
    turns = {(turn.block, turn.turn): turn for turn in made.study.plan.turns}
    for run in made.runs:
        turn: Turn = turns[run.block, run.turn]
        view.run_started(turn, run.cell)
        view.run_ended(run)
        shown = Console(file=io.StringIO(), width=width)
        shown.print(view.view())
        assert isinstance(shown.file, io.StringIO)
        yield f"{view.now} {view.last} {view.noise}", shown.file.getvalue().splitlines()
    view.ended()


@pytest.mark.parametrize("width", WIDTHS)
def test_no_word_of_the_live_view_is_broken(
    study: Study, noisy: SyntheticStudy, width: int
) -> None:
    for meant, lines in drawn(noisy, study, width):
        words = " ".join(lines).split()
        assert all(len(line.rstrip()) <= width for line in lines)
        for word in meant.split():
            assert word in words, (word, lines)


def test_the_rate_that_ticks_is_in_commits_where_operations_are(
    study: Study, noisy: SyntheticStudy
) -> None:
    view = Live(Console(file=io.StringIO(), width=200))
    view.study_started(study, noisy.study.plan, noisy.before)
    commits = CommitsFactors(
        sync="fdatasync", size_bytes=8192, committers=1, log="overwrite", together=1
    )
    (turn, *_), cell = noisy.study.plan.turns, noisy.runs[0].cell
    for measured, rate in ((commits.cell(cell.id, cell.name), "500 commits/s"), (cell, "500 IOPS")):
        view.run_started(turn, measured)
        view.event(HALF_A_SECOND)
        assert view.rate == rate
    view.ended()


def test_too_noisy_is_printed_for_good_once(study: Study, noisy: SyntheticStudy) -> None:
    console = Console(file=io.StringIO(), width=200)
    view = Live(console)
    view.study_started(study, noisy.study.plan, noisy.before)
    for run in noisy.runs:
        view.run_ended(run)
    view.ended()
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().count(", 2 blocks): too noisy to answer") >= 1
    assert view.told
