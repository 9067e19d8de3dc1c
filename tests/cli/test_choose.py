"""`fsgauge choose`: mistakes are said before anything is measured, and what is raced with why."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

STUDY = """\
format = 1
question = "Which?"

[storage]
kind = "loop"
size = "64 MiB"

[[system]]
name = "ext4"
vary = {{ "mkfs.-I" = [{sizes}], "mount.noatime" = [{noatime}] }}

[workload]
patterns = ["randwrite"]
block_sizes = ["4 KiB"]
queue_depths = [1]
duration = "100 ms"
"""


def study(folder: Path, sizes: str, noatime: str = "false") -> str:
    (folder / "mine.toml").write_text(STUDY.format(sizes=sizes, noatime=noatime))
    return "mine.toml"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "there is no study"),
        (("sleep", "1"), "next: fsgauge choose command -- sleep 1"),
        (("no.fio",), 'there is no file "no.fio"'),
        (("mix-mail", "--kinds", " ext4 , xsf"), 'did you mean "xfs"?'),
        (("mix-mail", "--kinds", "ext4,xsf"), 'did you mean "xfs"?'),
        (("mix-mail", "--kinds", "ext4,ext"), "--kinds | ext\n"),
        (("mix-mail", "--storage", "path:/tmp"), "needs a device of its own"),
        (("mix-mail", "a", "program"), 'unknown key "program"'),
        (("mix-mail", "--kinds", "ext4", "--budget", "2 s"), "is too short for 3 blocks"),
        (("mix-mail", "--kinds", "ext4", "--budget", "5 parsecs"), "--budget | 5 parsecs"),
        (("mix-mail", "--kinds", "zfs"), 'nothing is proposed for "zfs"'),
        (("mix-mail", "--kinds", ""), "a word of the command is empty"),
        (("mix-mail", "--set", "plan.mode=all"), "this plan is no race: its mode is all"),
    ],
)
def test_mistakes_are_refused_with_what_helps(
    fsgauge: Run, words: tuple[str, ...], said: str
) -> None:
    done = fsgauge("choose", *words, "--plan")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "next: " in done.stderr


def test_kinds_are_for_proposals_alone(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("choose", study(tmp_path, '"default", 128'), "--kinds", "xfs", "--plan")
    assert done.returncode == 2
    assert "--kinds would be ignored" in done.stderr


@pytest.mark.root
def test_what_mkfs_refuses_is_named_and_the_race_is_planned_without_it(
    fsgauge: Run, tmp_path: Path
) -> None:
    name = study(tmp_path, '"default", 128, 100', "false, true")
    done = fsgauge("choose", name, "--plan", "--output", "raced.toml")
    assert done.returncode == 0, done.stderr
    assert "failed    ext4 (-I 100) and ext4 (-I 100, noatime): " in done.stderr
    assert "race      4 systems, ext4 the baseline" in done.stdout
    assert "decides   " in done.stdout
    written = (tmp_path / "raced.toml").read_text()
    assert not [line for line in written.splitlines() if line.startswith("mkfs") and "100" in line]
    assert written.count("[[system]]") == 4
    assert 'mode = "race"' in written


@pytest.mark.root
def test_nothing_that_is_proposed_is_refused_where_it_is_raced(fsgauge: Run) -> None:
    """On the default file of 1 GiB the list began with a log of 256 MiB, which mkfs.xfs refused."""
    done = fsgauge("choose", "mix-mail", "--kinds", "xfs", "--plan")
    assert done.returncode == 0, done.stderr
    assert "failed " not in done.stderr
    tried = done.stdout.partition("in every combination:")[2].partition("decides ")[0]
    for line in done.stderr.splitlines():
        if line.startswith("left out  xfs ("):
            assert f" {line.partition('(')[2].partition(')')[0]}: " not in tried
    assert "race      " in done.stdout


@pytest.mark.root
def test_one_system_that_is_left_is_no_race(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("choose", study(tmp_path, '"default", 100'), "--plan")
    assert done.returncode == 2
    assert "ext4 is all that is left, and a race needs two systems" in done.stderr
    assert "left out: ext4 (-I 100)" in done.stderr


def test_a_program_behind_two_dashes_is_timed_by_the_study_that_is_for_it(fsgauge: Run) -> None:
    """With and without that study's name; its own options are not those of choose."""
    for words in (("--", "true", "--plan"), ("command", "--", "true", "--plan")):
        done = fsgauge("choose", "--kinds", "ext4,none", *words)
        assert done.returncode == 2, "it went on to the kinds, which are wrong"
        assert "did you mean" in done.stderr or 'nothing is proposed for "none"' in done.stderr


def test_a_word_that_leads_to_a_study_is_named(fsgauge: Run) -> None:
    done = fsgauge("choose", "pgbench", "--kinds", "ext4,none", "--plan")
    assert done.returncode == 2 and "note: pgbench: this is the study postgresql" in done.stderr
