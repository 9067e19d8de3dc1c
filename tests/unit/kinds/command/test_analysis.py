"""What runs of a program give: shares of waiting, findings, and the sentence about them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsgauge.kinds.command.analysis.findings import of_runs
from fsgauge.kinds.command.analysis.model import Command, OwnNumberResult, Waits
from fsgauge.kinds.command.analysis.sentences import answer, rounded
from fsgauge.kinds.command.factors import CommandFactors
from fsgauge.record.command import CommandRun, Found
from fsgauge.record.records import RunRecord
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Comparison, JudgedRatio

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
    study = SimpleNamespace(study={"workload": {"prepare": prepare}})
    evidence = cast(Evidence, SimpleNamespace(runs=runs, study=study))
    return [each.code for each in of_runs(evidence)]


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


def question(*times: Waits, primary: str = "time", ratio: str = "better") -> Question:
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
        cell="run", system="xfs", metric="complete", n=5, barely=False, **judged
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
        ),
    )


def test_the_answer_has_times_then_numbers_then_waits() -> None:
    said = answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.11)))
    assert said == (
        "git clone takes 41 s on ext4 and 39 s on xfs (0.95 times, 0.93 to 0.98). Its tps: 1,230 on"
        " ext4 and 0.5 on xfs (0.95 times, 0.93 to 0.98). It waits for storage 12 % of its time;"
        " the rest it computes or waits for something else."
    )


def test_a_number_that_is_primary_comes_before_the_time() -> None:
    said = answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.11), primary="tps"))
    assert said is not None and said.startswith("tps of git clone: 1,230 on ext4 and ")
    assert 0 < said.index("It takes 41 s") < said.index("It waits for storage 12 %")


def test_shares_that_differ_are_each_told_and_unknown_ones_said() -> None:
    said = str(answer(question(waits("ext4", 41, 0.12), waits("xfs", 39, 0.6))))
    assert "12 % of its time on ext4, 60 % on xfs" in said
    said = str(answer(question(waits("ext4", 0.01, None), waits("xfs", 0.01, None))))
    assert said.endswith("It is too short to see what share of its time it waits for storage.")
    said = str(answer(question(waits("ext4", 1, 0.0), waits("xfs", 1, 0.0), ratio="undecided")))
    assert "less than 1 % of its time" in said
    assert "(0.95 times, 0.93 to 0.98, undecided)" in said


def test_digits() -> None:
    assert [rounded(each) for each in (1234567, 123.4, 0.00123)] == ["1,230,000", "123", "0.00123"]
