"""A program behind -- and its options become keys of the study."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.asked_program import (
    load_of_program,
    program_overrides,
    require_no_program,
    whole_program,
)
from fsgauge.errors import InputError
from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.study.parse import load_study
from fsgauge.study.shipped import find_study


def workload(program: list[str], prepare: list[str], parameters: list[str]) -> CommandWorkload:
    found = load_study("command", program_overrides("command", program, prepare, parameters))
    assert isinstance(found.workload, CommandWorkload)
    return found.workload


def test_words_reach_the_program_as_they_were_typed() -> None:
    words = ["tool", "-n", "{threads}", "a b", 'say "x"', "back\\slash", "ü", "$HOME", "a=b", ""]
    found = workload(words, ['tar xf "/srv/a b.tar"'], ["threads=1,4"])
    assert found.program == words
    assert found.prepare == ['tar xf "/srv/a b.tar"']
    assert found.parameters == {"threads": ["1", "4"]}


def test_what_the_shipped_study_says_of_its_own_program_is_said_of_no_other() -> None:
    """The answer would call it SQLite, and the plan would say what SQLite writes."""
    own, other = workload([], [], []), workload(["git", "clone"], [], [])
    assert own.called == "SQLite"
    assert own.writes > 0
    assert other.called == "git clone"
    assert other.writes == 0
    unsaid = CommandWorkload(program=["git", "clone"])
    assert (other.takes, other.time_limit) == (unsaid.takes, unsaid.time_limit)
    words = program_overrides("command", ["git"], [], [])
    named = load_study("command", [*words, "workload.name=mine"]).workload
    assert isinstance(named, CommandWorkload) and named.called == "mine"


def test_without_a_program_the_study_has_its_own() -> None:
    assert program_overrides("command", [], [], []) == []
    assert program_overrides("overhead", ["/a", "/b"], [], []) == [], "those are folders"


@pytest.mark.parametrize("study", ["command-full", "command-git-clone", "hyperfine", "own.toml"])
def test_any_study_of_a_program_takes_one(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "echo is no folder here, next: fsgauge plan command-full --system echo"."""
    monkeypatch.chdir(tmp_path)
    Path("own.toml").write_text(find_study("command")[1])
    assert 'workload.program=["echo", "hi"]' in program_overrides(study, ["echo", "hi"], [], [])
    (tmp_path / "a").mkdir()
    assert program_overrides(study, [str(tmp_path / "a")], [], []) == [], "a folder to compare"


def test_values_have_no_blanks_around_them_and_stand_once() -> None:
    assert workload(["tool", "{n}"], [], ["n=1, 2"]).parameters == {"n": ["1", "2"]}
    with pytest.raises(InputError) as refused:
        program_overrides("command", ["tool", "{n}"], [], ["n=1,2", "n=2,3"])
    assert refused.value.next == "-P n=1,2,3"


@pytest.mark.parametrize("text", ["threads", "threads=", "=1"])
def test_a_parameter_without_a_name_or_values_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        workload(["tool", "{threads}"], [], [text])


def test_a_blank_value_is_called_that() -> None:
    with pytest.raises(InputError, match="blank value") as refused:
        program_overrides("command", ["tool", "{n}"], [], ["n=1,,2"])
    assert refused.value.next == "-P n=1,2"


def shipped(study: str, *program: str, parameters: tuple[str, ...] = ()) -> CommandWorkload:
    found = load_study(study, program_overrides(study, program, [], parameters)).workload
    assert isinstance(found, CommandWorkload)
    return found


@pytest.mark.parametrize("study", ["command-compile", "command-pgbench", "command-tar"])
def test_another_program_has_no_steps_of_the_shipped_one(study: str) -> None:
    """ "no word of program, prepare or finish has {jobs}"."""
    found = shipped(study, "echo", "hi")
    assert (found.program, found.prepare, found.finish) == (["echo", "hi"], [], [])
    assert (found.parameters, found.packages) == ({}, {})


def test_another_program_has_no_number_or_cache_of_the_shipped_one() -> None:
    """Its patterns were looked for in what echo printed: "transactions a second could not be read
    in 6 of 6 runs", and no answer."""
    found, unsaid = shipped("command-pgbench", "echo", "hi"), CommandWorkload(program=["echo"])
    assert (found.number, found.primary) == ([], "time")
    assert (found.caches, found.takes) == (unsaid.caches, unsaid.takes)
    kept = load_study(
        "command-pgbench",
        [*program_overrides("command-pgbench", ["echo"], [], []), "workload.caches=kept"],
    ).workload
    assert isinstance(kept, CommandWorkload) and kept.caches == "kept", "as typed"


def test_a_program_is_the_same_by_its_name_too() -> None:
    """What it is called: pgbench is started by a shell, which finds it."""
    own = shipped("command-pgbench")
    found = shipped("command-pgbench", "pgbench", "-S", "-h", "{folder}", "bench")
    assert (found.prepare, found.finish, found.number) == (own.prepare, own.finish, own.number)
    assert (found.primary, found.caches) == (own.primary, "kept")
    assert found.parameters == {"scale": ["2"]}, "that of a step; no word has the others"


def test_a_program_in_other_words_keeps_the_steps_that_it_needs() -> None:
    found = shipped("command-tar", "tar", "xf", "tree.tar")
    assert found.prepare and found.parameters == {"folders": ["40"]} and found.packages
    found = shipped("command-compile", "make", "-C", "source")
    assert found.prepare and found.parameters == {}
    found = shipped("command-compile", "make", "-j{n}", parameters=("n=1,4",))
    assert found.parameters == {"n": ["1", "4"]}


def test_what_a_study_of_ones_own_says_stays(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(find_study("command")[1].replace('"5 min"', '"2 h"'))
    overrides = program_overrides(str(own), ["echo"], [], [])
    assert overrides == ['workload.program=["echo"]']


def test_a_program_that_leads_to_a_study_is_a_word_of_its_own() -> None:
    """`run git clone x` said: clone is not installed."""
    for words, whole in (
        (["git", "clone", "x"], ["git", "clone", "x"]),
        (["command-git-clone", "echo", "x"], ["echo", "x"]),
        (["hyperfine", "echo", "x"], ["echo", "x"]),
        (["git"], []),
    ):
        word, *more = words
        assert list(whole_program(word, more, load_of_program(word, more))) == whole


@pytest.mark.parametrize(
    "words", [("commits", "x"), ("pgbench",), ("git", "clone", "x"), ("no-such-program", "x")]
)
def test_a_word_that_leads_to_a_study_is_no_program_in_its_place(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda word: None if word == "no-such-program" else word)
    require_no_program(words)


@pytest.mark.parametrize(
    ("words", "timed"),
    [
        (("sleep",), "command -- sleep"),
        (("sleep", "1"), "command -- sleep 1"),
        (("pgbench", "x"), "command-pgbench -- pgbench x"),
    ],
)
def test_a_program_in_place_of_a_study_is_led_to_the_one_that_times_it(
    words: tuple[str, ...], timed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda word: word)
    with pytest.raises(InputError) as refused:
        require_no_program(words, "choose")
    assert refused.value.next == f"fsgauge choose {timed}"
