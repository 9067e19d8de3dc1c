"""What runs of a program give: shares of waiting, findings, and the sentence about them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsgauge.kinds.command.analysis import ANALYSIS
from fsgauge.kinds.command.analysis.numbers import (
    Command,
    OwnNumberResult,
    Waits,
    share_of_looks,
)
from fsgauge.kinds.command.factors import CommandFactors
from fsgauge.record.command import CommandRun, Found
from fsgauge.record.records import RunRecord
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Comparison, Finding, JudgedRatio

CELL = CommandFactors(program="git clone").cell("run", "git clone")


def run(system: str, block: int = 0, **did: Any) -> RunRecord:
    usual: dict[str, Any] = {
        "exit_code": 0,
        "looks": 10,
        "waiting": 1,
        "peak_memory_bytes": 1,
        "values": {},
        "unread": {},
        "left": [],
        "output": [],
        "errors": [],
        "found": Found(files=10, size_bytes=1000),
    }
    command = CommandRun.model_validate({**usual, **did})
    parts: list[Any] = [SimpleNamespace()]
    place = SimpleNamespace(
        system=system, block=block, again=False, cell=CELL, command=command, parts=parts
    )
    return cast(RunRecord, place)


def codes(runs: list[RunRecord], prepare: list[str]) -> list[str]:
    return [each.code for each in found(runs, prepare)]


def found(runs: list[RunRecord], prepare: list[str], own: Command | None = None) -> list[Finding]:
    study = SimpleNamespace(study={"workload": {"prepare": prepare}})
    return list(ANALYSIS.findings(cast(Evidence, SimpleNamespace(runs=runs, study=study, own=own))))


@pytest.mark.parametrize(("noise", "level"), [(0.02, "note"), (0.3, "warning")])
def test_the_noise_of_a_number_of_its_own_is_told(noise: float, level: str) -> None:
    """The noise floor of pgbench -T was that of five seconds: none."""
    own = Command(primary="tps", noise=noise, waits=[], numbers=[])
    (each,) = found([run("ext4")], [], own)
    assert (each.code, each.level) == ("command.own_noise", level)
    assert f"{100 * math.expm1(noise):.2g} % apart" in each.sentence
    assert level == "warning" or each.advice == "Judge differences by this one."
    assert found([run("ext4")], [], own.model_copy(update={"noise": None})) == []


def test_runs_without_fault_have_no_finding() -> None:
    assert codes([run("ext4"), run("xfs")], ["true"]) == []


def test_what_is_left_and_what_is_not_read() -> None:
    assert codes([run("ext4", left=["sleep"])], []) == ["command.left"]
    assert codes([run("ext4", unread={"tps": "nothing"})], []) == ["command.unread"]


@pytest.mark.parametrize(
    ("files", "size_bytes", "differs"),
    [(10, 1000, False), (10, 1009, False), (11, 1000, True), (10, 1100, True)],
)
def test_steps_that_made_something_else(files: int, size_bytes: int, differs: bool) -> None:
    made = [run("ext4"), run("xfs", found=Found(files=files, size_bytes=size_bytes))]
    assert codes(made, ["make"]) == (["command.prepared_otherwise"] if differs else [])
    assert codes(made, []) == [], "without steps nothing was made"
    of_blocks = [made[0], run("xfs", block=1, found=Found(files=99, size_bytes=9))]
    assert codes(of_blocks, ["make"]) == [], "blocks are not compared with one another"


def waits(system: str, seconds: float, waiting: float | None) -> Waits:
    return Waits(
        cell="run",
        system=system,
        time=Estimate(value=seconds * 1e9, low=None, high=None, n=5),
        waiting=waiting,
        looks=100,
        processor=0.5,
        peak_memory_bytes=1,
    )


def question(*times: Waits, primary: str = "time", ratio: str = "better", n: int = 5) -> Question:
    judged: dict[str, Any] = {
        "ratio": 0.95,
        "low": 0.93,
        "high": 0.98,
        "p_adjusted": 0.01,
        "verdict": ratio,
    }
    tps: dict[str, Any] = {"name": "tps", "unit": "", "better": "higher", "cell": "run"}
    numbers = [
        OwnNumberResult(
            **tps, system="ext4", value=Estimate(value=1234.6, low=1, high=2, n=5), ratio=None
        ),
        OwnNumberResult(
            **tps,
            system="xfs",
            value=Estimate(value=0.5, low=1, high=2, n=5),
            ratio=JudgedRatio.model_validate({**judged, "n": 5}),
        ),
    ]
    compared = Comparison.model_construct(
        cell="run", system="xfs", metric="complete", detectable_percent=40, n=n, **judged
    )
    own = Command(primary=primary, waits=list(times), numbers=numbers)
    return cast(
        Question,
        SimpleNamespace(
            own=own,
            primary=[CELL],
            cells=[CELL],
            baseline="ext4",
            others=["xfs"],
            comparisons=[compared],
            metrics={"run": "complete"},
            commits={},
            paces={},
            baseline_is_raw=False,
            measurements=[
                SimpleNamespace(cell="run", metric="complete", system=e.system, value=e.time.value)
                for e in times
            ],
        ),
    )


def test_the_answer_has_waits_then_times_then_numbers() -> None:
    said = ANALYSIS.answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.11)))
    assert said == (
        "git clone waits for storage 12 % of its time and takes 41 s on ext4, 39 s on xfs"
        " (0.95 times, 0.93 to 0.98). Its tps:"
        " 1,230 on ext4 and 0.5 on xfs (0.95 times, 0.93 to 0.98)."
    )


def test_a_number_that_is_primary_is_answered_without_the_time() -> None:
    """pgbench -T was said to take as long as it was told to, with a ratio."""
    said = ANALYSIS.answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.11), primary="tps"))
    assert said is not None
    assert said.startswith("git clone waits for storage 12 % of its time. Its tps: ")


def test_a_number_that_is_asked_for_and_was_never_read_is_said() -> None:
    """Its times stood in its place, and nothing said why."""
    said = ANALYSIS.answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.11), primary="p99"))
    assert said is not None
    assert "Its p99 could not be read in any run. Its tps: " in said


def test_shares_that_differ_are_each_told_and_unknown_ones_said() -> None:
    said = str(ANALYSIS.answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.6))))
    assert "waits for storage 12 % of its time on ext4 and takes 41 s on ext4" in said
    assert "On xfs it waits 60 % of its time." in said
    said = str(ANALYSIS.answer(question(waits("ext4", 0.01, None), waits("xfs", 39, 0.6))))
    assert "git clone is too short on ext4 to see what share" in said
    assert "On xfs it waits 60 % of its time." in said
    said = str(ANALYSIS.answer(question(waits("ext4", 0.01, None), waits("xfs", 0.01, None))))
    assert said.startswith("git clone takes 10 ms on ext4")
    assert "git clone is too short to see what share of its time it waits for storage." in said
    said = str(
        ANALYSIS.answer(question(waits("ext4", 1, 0.0), waits("xfs", 1, 0.0), ratio="undecided"))
    )
    assert "less than 1 % of its time" in said


@pytest.mark.parametrize(
    ("looks", "waiting", "share"),
    [(10, 5, None), (24, 0, None), (24, 6, 0.25), (299, 2, None), (300, 0, 0.0), (500, 2, 0.004)],
)
def test_few_looks_that_find_no_wait_tell_no_share(
    looks: int, waiting: int, share: float | None
) -> None:
    """ "Less than 1 % of its time" was said of a program that was looked at 24 times."""
    assert share_of_looks(waiting, looks) == share


def test_what_is_undecided_has_the_smallest_effect_that_would_have_shown() -> None:
    said = str(
        ANALYSIS.answer(question(waits("ext4", 1, 0.0), waits("xfs", 1, 0.0), ratio="too noisy"))
    )
    assert "Too noisy to tell xfs from ext4: only a difference of 40 % or more" in said
    assert said.count("(0.95 times, 0.93 to 0.98, too noisy)") == 1, "its own number alone"


def test_two_blocks_decide_nothing_and_have_times() -> None:
    said = str(ANALYSIS.answer(question(waits("ext4", 1, 0.0), waits("xfs", 2, 0.0), n=2)))
    assert "and takes 1 s on ext4 and 2 s on xfs. Undecided: 2 complete blocks" in said
