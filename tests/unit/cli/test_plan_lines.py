"""Six lines, and the command with what plan alone has left out."""

from __future__ import annotations

import re

import pytest

from fsgauge.cli.plan_lines import (
    brief_lines,
    method_lines,
    refused_lines,
    run_command,
    span_words,
    time_and_bytes,
)
from fsgauge.cli.sweeping import sweep_words
from fsgauge.errors import InputError
from fsgauge.plan.preview import PlanDescription, describe
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study


def described(
    noise_percent: float | None = None, *systems: str, name: str = "overhead"
) -> PlanDescription:
    study = load_study(name, systems=list(systems), seed=1)
    size_bytes = study.storage.model_dump()["size"]
    plan = make_plan(study, size_bytes=size_bytes)
    return describe(plan, study, noise_percent, size_bytes=size_bytes)


def names(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines]


SIX = ["asks", "compares", "takes", "destroys", "detects", "next"]


def test_six_lines_say_what_on_what_how_long_how_much_and_what_would_show() -> None:
    lines = brief_lines(described(2.0), ", as measured", ["fsgauge", "run", "overhead"])
    assert names(lines) == SIX
    assert "raw (baseline), ext4, xfs, btrfs; storage: a scratch file of 2 GiB" in lines[1]
    assert "100 runs in 5 blocks; writes about " in lines[2]
    assert lines[3].startswith("destroys  nothing: ")
    assert "(noise: 2 %, as measured)" in lines[4]
    assert lines[5].startswith("next      fsgauge run overhead      more: --verbose")


def test_of_a_program_that_does_not_say_what_it_writes_nothing_is_estimated() -> None:
    """It was "writes about 0 B"."""
    found = described(2.0, name="command-git-clone")
    assert "runs in 5 blocks; writes what the program writes" in "\n".join(
        brief_lines(found, "", None)
    )
    assert time_and_bytes(found)[1] == "written   what the program writes"
    assert "writes about " in "\n".join(brief_lines(described(2.0, name="command"), "", None))


def test_of_programs_it_says_what_is_started() -> None:
    found = described(2.0, name="command-git-clone")
    asks, *rest = brief_lines(found, "", None)
    assert asks.endswith(" (starts: git clone -q --no-local tree copy; 2 more lines: --verbose)")
    assert names([asks, *rest]) == SIX
    whole = "\n".join(method_lines(found))
    assert all(f"starts    {each}" in whole for each in found.starts) and len(found.starts) == 3


def test_what_is_refused_of_several_systems_alike_is_one_reason() -> None:
    """Each of twelve combinations had its own six lines."""
    found = [
        InputError(
            f'mkfs.xfs refused the options of the system "{name}": {options}',
            details=(f"mkfs.xfs {options} /dev/loop{loop}", "log too large"),
            cause="too old",
            next=f"man mkfs.xfs, or --without {name}",
        )
        for name, options, loop in (("a", "-l size=9g", 0), ("b", "-K -l size=9g", 7))
    ]
    found.append(InputError("no root"))
    assert refused_lines(found, ["a", "b", "c"]) == [
        "fsgauge run would refuse this study, for 2 reasons:",
        'refused   mkfs.xfs refused the options of the system "a": -l size=9g',
        "          mkfs.xfs -l size=9g /dev/loop0",
        "          log too large",
        "          also of b",
        "          cause: too old",
        "          next: man mkfs.xfs, or --without a --without b",
        "refused   no root",
        "",
    ]
    assert refused_lines([], ["a"]) == []


def test_what_is_refused_has_no_command() -> None:
    last = brief_lines(described(2.0), "", None)[-1]
    assert last.startswith("next      more: --verbose")


def test_noise_that_is_not_known_is_supposed_and_said() -> None:
    (line,) = (each for each in brief_lines(described(), "", None) if each.startswith("detects"))
    assert " if equal runs differ by 5 %; fsgauge doctor measures it" in line


def test_noise_that_hides_everything_is_said_with_the_blocks_that_it_takes() -> None:
    (line,) = (
        each for each in brief_lines(described(130.0), "", None) if each.startswith("detects")
    )
    assert "nothing below a tenfold change (noise: 130 %)" in line
    assert "; 5 % needs " in line and "\n" not in line


def test_what_weakens_durability_is_among_the_few_lines() -> None:
    """It was a line for each, which read "durable  X gives up durability"."""
    found = described(2.0, "ext4:mount=nobarrier")
    lines = brief_lines(found, "", None)
    assert names(lines) == SIX
    assert "raw (baseline), ext4 (nobarrier) † († less safe: --verbose); storage" in lines[1]
    assert " note" in lines[-1]
    (line,) = (each for each in method_lines(found) if each.startswith("less safe "))
    assert line.startswith("less safe ext4 (nobarrier): without flushes, a power failure may")


def test_many_systems_are_counted() -> None:
    """All of them were named, on a line that no screen holds."""
    many = [f"number {each} of many=ext4" for each in range(40)]
    line = brief_lines(described(2.0, *many), "", None)[1]
    assert "raw (baseline), number 0 of many, number 1 of many, " in line
    assert " and 37 more; storage: " in line and len(line) < 160


def test_storage_of_many_clauses_is_shortened() -> None:
    long = "disks of 1 GiB of 2 virtual machines, of which node1 serves; ext3: one; nfs: two" * 2
    found = described(2.0).model_copy(update={"storage": long})
    assert brief_lines(found, "", None)[1].endswith(
        "; storage: disks of 1 GiB of 2 virtual machines, ..."
    )


@pytest.mark.parametrize("name", ["capacity", "two-nodes", "choose", "years", "postgresql"])
def test_there_are_six_lines_whatever_is_asked(name: str) -> None:
    found = described(2.0)
    more = {
        "capacity": {"curve": "a curve"},
        "two-nodes": {"faults": ["node1 crashes", "node2 crashes"]},
        "choose": {"race": "160 runs expected, 400 at worst: up to 16 blocks"},
        "years": {"simulated": True},
        "postgresql": {"less_safe": ["a: a crash", "b: a crash"], "weak": ["ext4"]},
    }
    points = sweep_words(load_study(name)) if name == "years" else ""
    lines = brief_lines(found.model_copy(update=more[name]), "", None, points=points)
    assert names(lines) == SIX and not any("\n" in line for line in lines)
    if name == "years":
        of_points = r", \d+ points \(0 to 5 years.*\) of \d+ lives; writes nothing; "
        assert re.search(of_points, lines[2]), lines[2]
    if name == "choose":
        assert ", 160 runs expected, 400 at worst; writes " in lines[2]


@pytest.mark.parametrize(
    ("longest", "words"),
    [(109.0, "about 100 s"), (119.0, "about 100 s (100 s to 119 s)")],
)
def test_a_time_has_a_range_only_where_it_has_one(longest: float, words: str) -> None:
    """ "4.13 min (4.11 min to 4.38 min)" is one time."""
    ends = {"expected_seconds": 100.0, "shortest_seconds": 100.0, "longest_seconds": longest}
    assert span_words(described().model_copy(update=ends)) == words


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (["overhead"], ["overhead"]),
        (["overhead", "--noise", "3 %", "--set", "a=b"], ["overhead", "--set", "a=b"]),
        (["--noise=3 %", "overhead", "--json"], ["overhead"]),
        (["overhead", "--pilot", "DIR", "--order", "--verbose", "--seed", "1"], None),
    ],
)
def test_the_command_is_what_was_typed_without_what_plan_alone_has(
    typed: list[str], left: list[str] | None
) -> None:
    wanted = ["overhead", "--seed", "1"] if left is None else left
    assert run_command(typed) == ["fsgauge", "run", *wanted]
