"""A program behind --, and its options: the changes of a study that they stand for."""

from __future__ import annotations

import json
import shlex
import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge import kinds
from fsgauge.cli.choices import say_note
from fsgauge.errors import InputError
from fsgauge.kinds import DEFAULT
from fsgauge.study.shipped import find_study, shipped_names, study_meant

if TYPE_CHECKING:
    from fsgauge.study.workload_keys import WorkloadKeys

_OFTEN_BEHIND = ("--baseline", "--results", "--rig", "--set", "--storage", "--system")


def note_own_options(program: Sequence[str]) -> None:
    """A note for an option of ours among a program's words."""
    ours = [each for each in program if each.partition("=")[0] in _OFTEN_BEHIND]
    if ours:
        say_note(
            f"{ours[0].partition('=')[0]} stands behind --, so the program gets it;"
            " options of fsgauge stand before --"
        )


PROGRAM = "command"
"""The study that times any program."""


def whole_program(word: str, more: Sequence[str], load: WorkloadKeys | None) -> Sequence[str]:
    """The words of a program; `git clone URL` is one, although git leads to a study of it."""
    own = getattr(load, "program", [""])[0]
    is_its_name = more and word == own and not _is_study(word)
    return [word, *more] if is_its_name else more


def timed_instead(words: Sequence[str]) -> list[str]:
    """STUDY -- PROGRAM for a program that was typed in place of a study; [] for other words."""
    word = words[0]
    if _is_study(word) or shutil.which(word) is None:
        return []
    own = f"{PROGRAM}-{word}"
    return [own if own in shipped_names() else PROGRAM, "--", *words]


def require_no_program(words: Sequence[str], command: str = "run") -> None:
    """InputError with the command that times a program which was typed in place of a study. A word
    that leads to a study is one where it stands alone, or before a program that the study takes."""
    word, *more = words
    leads = study_meant(word) in shipped_names()
    is_study = leads and (not more or load_of_program(word, more) is not None)
    if not is_study and (timed := timed_instead(words)):
        raise InputError(
            f"{word} is a program, and a study times it",
            next=shlex.join(["fsgauge", command, *timed]),
        )


def _is_study(word: str) -> bool:
    return word in shipped_names() or Path(word).exists()


def load_of_program(word: str, more: Sequence[str]) -> WorkloadKeys | None:
    """The load of a study whose program is named by the words behind it, not validated; None where
    these are folders to compare, and of a study that starts none."""
    if all(Path(each).is_dir() for each in more):
        return None
    try:
        load = tomllib.loads(find_study(study_meant(word))[1]).get("workload")
    except (InputError, tomllib.TOMLDecodeError):  # said by whoever reads the study
        return None
    if not isinstance(load, dict) or (kind := load.get("kind", DEFAULT)) not in kinds.names():
        return None
    keys: type[WorkloadKeys] = kinds.part(kind, "keys").KEYS
    return keys.model_construct(**load) if keys.question_of_program else None


def program_overrides(
    word: str, program: Sequence[str], prepare: Sequence[str], parameters: Sequence[str]
) -> list[str]:
    """The changes that a program behind -- and its options stand for: what a shipped study says of
    its own is said of no other. InputError for a parameter that is given twice, or without values.
    """
    load = load_of_program(word, program)
    is_shipped = not Path(word).is_file()
    of_own = load.with_program(program) if load and is_shipped else {}
    found = [_change(type(load), key, value) for key, value in of_own.items() if load]
    lists = {"program": program if load else (), "prepare": prepare}
    found += [
        f"workload.{key}={json.dumps(list(texts), ensure_ascii=False)}"
        for key, texts in lists.items()
        if texts
    ]
    by_name: dict[str, list[str]] = {}
    for text in parameters:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(
                f"-P {text} has no values", next=f"-P {name or 'threads'}=1,4,16, for {{{name}}}"
            )
        listed = [value.strip() for value in values.split(",")]
        if not all(listed):
            whole = f"{name}={','.join(filter(None, listed))}"
            raise InputError(f"-P {text} has a blank value", next=f"-P {shlex.quote(whole)}")
        if name in by_name:
            both = f"{name}={','.join(dict.fromkeys([*by_name[name], *listed]))}"
            raise InputError(f"-P {name} is there twice", next=f"-P {shlex.quote(both)}")
        by_name[name] = listed
        found.append(f"workload.parameters.{name}={json.dumps(listed)}")
    return found


def question_of(word: str, load: WorkloadKeys | None, program: Sequence[str]) -> list[str]:
    """A question names its own program; one about a number stays where the number does."""
    if load is None or Path(word).is_file():
        return []
    is_kept = load.model_copy(update=load.with_program(program)).is_judged_by_own_number
    return [] if is_kept else [f"question={json.dumps(load.question_of_program)}"]


def _change(keys: type[WorkloadKeys], key: str, value: object) -> str:
    from fsgauge.study.value_type import value_type

    return f"workload.{key}={value_type(keys.model_fields[key]).item(value).as_string()}"
