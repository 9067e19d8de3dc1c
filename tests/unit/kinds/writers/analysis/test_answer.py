"""The answer of a writers study: short, with its interval, and honest."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fsgauge.kinds.writers.analysis.answer import writers_answer
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats import read_study
from tests.long import long_but
from tests.synthetic import SyntheticStudy
from tests.synthetic.setting import with_result
from tests.synthetic_writers import LAWS, law, make_writers


def answer(**changes: Any) -> str:
    return make_writers(**changes).results().answer


def scaling(**changes: Any) -> str:
    """What is said of scaling alone, beside the rates that come first."""
    return said_of_scaling(make_writers(**changes))


def said_of_scaling(study: SyntheticStudy, runs: Sequence[RunRecord] | None = None) -> str:
    results = read_study(study.turns, runs or study.runs, study.study, study.before)
    found = Scaling.of(results)
    assert found is not None
    return writers_answer(found, [results.cell(cell) for cell in results.primary_cells], 3.0)


def rate(system: str, writers: int) -> float:
    return {"raw": 1.93, "xfs": 1.37, "ext4": 1.0}[system] ** (writers - 1) * 20_000


def test_the_published_question() -> None:
    said = answer(rate=rate, noise=0.0, block_noise=0.0)
    assert said == (
        "Two writers of 8 KiB to one file do 1.00 times the writes of one on ext4 (in every block)."
        " Also 1.37 times on xfs (in every block); the device alone 1.93 times."
        " ext4 keeps 52 % of raw's 8 KiB sequential writes by 2 writers (in every block),"
        " xfs 71 % (in every block). Of the file systems, xfs is fastest: 1.37 times ext4 (in every"
        " block). raw does 38.6 k IOPS in 8 KiB sequential writes by 2 writers."
    )


def test_an_interval_that_holds_one_and_more_than_the_margin_is_undecided() -> None:
    said = answer(rate=rate, noise=0.1)
    ext4 = said.split("on ext4")[1].split(")")[0]
    assert "undecided" in ext4
    assert "undecided" not in answer(rate=rate, noise=0.005)


def test_the_most_writers_are_compared_with_the_fewest() -> None:
    assert "16 writers of 8 KiB to one file do " in answer(writers=(1, 2, 16))
    assert "the writes of two on" in answer(writers=(2, 8))


def test_many_systems_are_shown_by_their_ends() -> None:
    systems = {name: name for name in ("raw", "a", "b", "c", "d", "e")}
    said = scaling(systems=systems, rate=lambda s, n: 1000 * n ** (ord(s[-1]) % 10 / 10))
    assert "the three others between" in said


def test_of_many_systems_an_undecided_one_is_not_named_as_the_end() -> None:
    """One whose gain is unknown was given as "8.56 times (0.73 to 100.96, undecided)"."""
    chance = random.Random(1)
    steady = {"a": 1.9, "b": 1.5, "c": 1.3}

    def rate(system: str, writers: int) -> float:
        if system == "d":
            return 1000 * math.exp(chance.gauss(1.0 if writers > 1 else 0.0, 1.5))
        return 1000 * (1 if writers == 1 else steady.get(system, 1.9))

    said = scaling(systems={name: name for name in ("raw", *steady, "d")}, rate=rate)
    assert "; too noisy to tell on d" in said and "undecided" not in said
    assert "on a (" in said and "on c (" in said


def test_few_blocks_decide_nothing() -> None:
    for blocks in (1, 2):
        assert answer(blocks=blocks).startswith("Undecided: ")


def test_one_number_of_writers_compares_systems() -> None:
    def rate(system: str, writers: int) -> float:
        return {"raw": 20_000.0, "ext4": 10_000.0, "xfs": 15_000.0}[system]

    said = answer(writers=(4,), rate=rate, noise=0.005)
    assert said.startswith("ext4 keeps 50.0 % of raw's 8 KiB sequential writes by 4 writers (")
    assert ", xfs 74.9 % (" in said
    own = answer(writers=(1,), rate=rate, ranges=("own_files",), direct=(False,))
    assert own.startswith("ext4 keeps 50 % of raw's 8 KiB sequential writes by 1 writer, own files")


def test_the_device_alone() -> None:
    said = answer(systems={"raw": "raw"}, noise=0.0)
    assert said.endswith("times the writes of one on the device alone (in every block).")


def test_other_ways_to_write_are_named() -> None:
    assert "to one file, buffered, do" in scaling(direct=(False,))
    assert "to files of their own do" in scaling(ranges=("own_files",))


def test_the_group_is_named_where_there_are_several() -> None:
    assert "Two writers of 8 KiB (buffered) do " in answer(direct=(False, True))
    said = answer(ranges=("own_files", "shared"), direct=(True, False))
    assert "Two writers of 8 KiB (own files, direct) do " in said


def between(factor: float, noise: float = 0.02) -> str:
    """Own files do `factor` times the writes of a shared one, on xfs alone."""
    study = make_writers(ranges=("shared", "own_files"), noise=noise)
    runs = []
    for run in study.runs:
        if (
            WritersFactors.of(run.cell).ranges == "own files"
            and run.system == "xfs"
            and run.result is not None
        ):
            faster = run.result.model_copy(
                update={"elapsed_ns": round(run.result.elapsed_ns / factor)}
            )
            run = with_result(run, faster)
        runs.append(run)
    return said_of_scaling(study, runs)


def test_the_largest_difference_between_groups_is_told_where_it_is_decided() -> None:
    said = between(2.0)
    assert "; two with own files do " in said and "times those with shared on xfs (1.9" in said
    assert len(said.split()) < 60
    assert "those with" not in between(1.0)
    assert "those with" not in between(1.3, noise=0.8)


def interrupted(blocks: int, left: int) -> str:
    """All blocks stop after `left` runs of their last turn."""
    study = make_writers(blocks=blocks)
    last = {block: max(t.turn for t in study.turns if t.block == block) for block in range(blocks)}
    runs = [run for run in study.runs if run.turn != last[run.block] or run.position < left]
    return read_study(study.turns, runs, study.study, study.before).answer


def test_without_a_whole_block_there_is_no_number() -> None:
    said = interrupted(blocks=1, left=1)
    assert said.startswith("No answer yet: no block is complete")
    assert not any(letter.isdigit() for letter in said)
    assert interrupted(blocks=1, left=2).startswith("Undecided: one complete block")


def test_a_rig_that_drifts_within_blocks_is_said_to() -> None:
    study = make_writers()
    late = {
        (turn.block, turn.turn)
        for turn in study.study.plan.turns
        if turn.system == "raw"
        and turn.turn
        == max(
            each.turn
            for each in study.study.plan.turns
            if (each.block, each.system) == (turn.block, "raw")
        )
    }
    runs = []
    for run in study.runs:
        if (run.block, run.turn) in late and run.result is not None:
            slower = run.result.model_copy(
                update={"elapsed_ns": round(1.2 * run.result.elapsed_ns)}
            )
            run = with_result(run, slower)
        runs.append(run)
    results = read_study(study.turns, runs, study.study, study.before)
    assert results.sureness.valid
    assert "noise.drift" in {each.code for each in results.findings}


@pytest.mark.parametrize("noise", long_but((0.0, 0.3), (0.0, 0.02, 0.3)))
@pytest.mark.parametrize("names", [("raw",), ("raw", "xfs"), ("ext4", "xfs"), tuple(LAWS)])
@pytest.mark.parametrize("writers", [(1, 2), (1, 2, 4, 8, 16, 256)])
def test_it_stays_short(noise: float, names: tuple[str, ...], writers: tuple[int, ...]) -> None:
    said = scaling(
        systems={name: name for name in names},
        noise=noise,
        writers=writers,
        direct=(False, True),
        rate=lambda system, n: law(*LAWS[system], n),
    )
    assert len(said.split()) < 60 and said.endswith(".")


LIMIT = "a disk's IOPS limit"


def measured(causes: Mapping[str, str], noise: float = 0.0) -> tuple[Scaling, list[Cell]]:
    """A study of two writers in which the rig set the ratios of some systems."""
    study = make_writers(rate=rate, noise=noise, block_noise=0.0)
    results = study.results()
    found = Scaling.of(results)
    assert found is not None
    lines = [
        line.model_copy(update={"limited_by": causes.get(line.system, "")}) for line in found.lines
    ]
    primary = [results.cell(cell) for cell in results.primary_cells]
    return found.model_copy(update={"lines": lines}), primary


def test_a_limit_of_the_rig_is_named_in_place_of_a_verdict() -> None:
    said = writers_answer(*measured({"ext4": LIMIT}), 3.0)
    assert "on ext4 (in every block, set by a disk's IOPS limit)" in said
    assert said.count("set by") == 1
