"""Options that are proposed: all of them are known here, and weak ones stand alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fsgauge.choosing.options import (
    KINDS,
    LOADS,
    MOST_PROPOSED,
    Option,
    every_option,
    load_of,
    proposed,
)
from fsgauge.choosing.race_study import load_text
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.varying import combinations, system_at
from fsgauge.system import find_kind
from fsgauge.system.kind import FileSystem
from fsgauge.system.options import check_options


@pytest.mark.parametrize("option", every_option(), ids=lambda each: f"{each.kinds[0]} {each.words}")
def test_each_is_an_option_that_its_kinds_have(option: Option) -> None:
    assert option.why
    assert option.source
    assert set(option.loads) <= set(LOADS)
    for name in option.kinds:
        kind = find_kind(name)
        assert isinstance(kind, FileSystem)
        for value in option.values:
            made = system_at({"name": name}, {option.key: value})
            check_options(kind, str(made.get("mkfs", "")), str(made.get("mount", "")), name)


@pytest.mark.parametrize("option", every_option(), ids=lambda each: f"{each.kinds[0]} {each.words}")
def test_only_what_weakens_durability_has_one_value(option: Option) -> None:
    for kind in option.kinds:
        assert bool(option.weakens(kind)) == (len(option.values) == 1)


@pytest.mark.parametrize("load", LOADS)
def test_there_is_a_race_for_each_load_of_no_more_systems_than_were_simulated(load: str) -> None:
    found = proposed(KINDS, [load], safe=False)  # type: ignore[list-item]
    assert all(len(each.crossed) >= 1 for each in found)
    total = sum(combinations(t.get("vary", {})) for each in found for t in each.tables)  # type: ignore[arg-type]
    assert 6 <= total <= MOST_PROPOSED


def test_weak_options_are_raced_alone_and_left_out_when_it_is_to_be_safe() -> None:
    (found,) = proposed(["ext4"], ["commits"], safe=False)
    assert [each.words for each in found.weak] == ["nobarrier", "data=writeback"]
    assert [table["name"] for table in found.tables] == [
        "ext4",
        "ext4 (nobarrier)",
        "ext4 (data=writeback)",
    ]
    assert not any(each.weakens("ext4") for each in found.crossed)
    (safe,) = proposed(["ext4"], ["commits"], safe=True)
    assert safe.weak == ()
    assert math.prod(len(each.values) for each in safe.crossed) <= MOST_PROPOSED


def test_what_matters_for_more_of_a_load_comes_first() -> None:
    (found,) = proposed(["ext4"], ["random", "reads"], safe=True)
    names = [each.key for each in found.crossed]
    assert {"mount.dioread_lock", "tunables.queue/read_ahead_kb"} < set(names)
    scheduler = next(each for each in found.crossed if each.key == "tunables.queue/scheduler")
    assert scheduler.values[0] == "default", "the baseline is a kind with its defaults"
    (first, *_) = proposed(["ext4"], ["commits", "files"], safe=True)[0].crossed
    assert first.key == "mkfs.-J.size"


@pytest.mark.parametrize(
    ("study", "begins"),
    [
        ("command-pgbench", ["noatime", "-O fast_commit", "data=journal", "-I 128"]),
        ("mix-mail", ["J.size=256", "noatime", "-O fast_commit", "data=journal"]),
        *((each, ["noatime", "-I 128", "J.size=256"]) for each in ("mix-web", "metadata-hard")),
        ("years", ["noatime", "-I 128", "J.size=256"]),
    ],
)
def test_settings_of_the_whole_kernel_do_not_come_before_what_the_load_is_known_for(
    study: str, begins: list[str]
) -> None:
    """A program got the scheduler, lazytime and J.size; a web server dirty_background_bytes."""
    systems = ["ext4"] if study == "years" else None
    (found,) = proposed(["ext4"], load_of(load_study(study, [], systems)), safe=False)
    assert [each.words for each in found.crossed][: len(begins)] == begins


def test_what_a_crash_may_lose_stands_in_the_line() -> None:
    said = [each.why for each in every_option() if each.key == "mount.lazytime"]
    assert said and all("a crash may lose them" in each for each in said)


@pytest.mark.parametrize(
    ("study", "loads"),
    [
        ("postgresql", {"commits"}),
        ("overhead", {"random", "overwrites", "reads"}),
        ("capacity", {"random", "reads"}),
        ("mix-mail", {"commits", "files", "reads"}),
        ("mix-oltp", {"commits", "overwrites", "random", "reads"}),
        ("connections", {"files", "reads"}),
        ("mix-video", {"reads", "streams"}),
        ("command-pgbench", set(LOADS)),
    ],
)
def test_it_is_read_off_the_keys(study: str, loads: set[str]) -> None:
    assert load_of(load_study(study)) == loads


@pytest.mark.parametrize(
    ("job", "loads"),
    [
        ("rw=randread\ndirect=1\niodepth=8\nioengine=libaio", {"random", "reads"}),
        ("rw=randrw\ndirect=1", {"random", "overwrites", "reads"}),
        ("rw=write\nfdatasync=1", {"commits", "streams"}),
    ],
)
def test_a_job_that_makes_no_files_while_it_is_measured(
    job: str, loads: set[str], tmp_path: Path
) -> None:
    """Reads at random in a large file were called files and streams, and got their options."""
    file = tmp_path / "db.fio"
    file.write_text(f"[db]\nbs=4k\nsize=64m\nruntime=2\ntime_based\n{job}\n")
    name, text = load_text(str(file))
    assert load_of(parse_study(text, name, name)) == loads
