"""What is said of a command or an option that there is not: words of programs, of other tools and
of study files lead to what works here."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from itertools import islice, takewhile

import click

from fsgauge.cli import commands
from fsgauge.errors import FsgaugeError, escaped, nearest

_NO_COMMAND = re.compile(r"No such command '(.*?)'\..*")
"""The sentence of click, with the word that was typed."""


def usage(error: click.ClickException) -> str:
    """The error as text: what click refused, and the command that works."""
    context: click.Context | None = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "fsgauge"
    unknown = _NO_COMMAND.fullmatch(error.format_message())
    if unknown is not None and context is not None:
        of = context.command
        known = of.list_commands(context) if isinstance(of, click.Group) else []
        names = path.split()[len(context.find_root().command_path.split()) :]
        return commands.no_such_command(" ".join(["fsgauge", *names]), known, unknown[1])
    if isinstance(error, click.NoSuchOption):
        takes = context.command.params if context is not None else []
        now = commands.MOVED_OPTIONS.get(error.option_name, "").partition(" ")[0]
        if now and any(now in each.opts for each in takes):
            return commands.moved_option(error.option_name)
        options = {word for each in takes for word in each.opts}
        command, is_of_studies = path.split()[-1], any(each.name == "overrides" for each in takes)
        said = _of_a_program(error, takes, command) if is_of_studies else ""
        said = said or commands.said_here(error.option_name, command, options)
        if said or (is_of_studies and (said := _of_another_tool(error.option_name))):
            return said
    return f"error: {escaped(error.format_message())}\nnext: {path} --help"


_MISTYPED = 0.8
"""Of options: "--verbos" is 0.94 of "--verbose", and git's "--depth" 0.62 of "--help"."""


def _of_a_program(error: click.NoSuchOption, takes: Sequence[click.Parameter], command: str) -> str:
    """The same command with the program behind --, as an error; "" if the words name no program,
    have a -- already, or hold an option of fsgauge that was mistyped."""
    from fsgauge.cli.asked_program import load_of_program, timed_instead

    words = sys.argv[1:]
    known = [name for each in takes for name in each.opts]
    if "--" in words or nearest(error.option_name, known, least=_MISTYPED):
        return ""
    at = words.index(command) + 1 if command in words else 0
    own, others = _parted(words[at:], takes)
    program = list(takewhile(lambda each: not each.startswith("-"), others[1:]))
    if program and load_of_program(others[0], program) is not None:
        study, others = others[0], others[1:]
    elif others and (timed := timed_instead(others)):
        study = timed[0]
    else:
        return ""
    return FsgaugeError(
        f"there is no option {error.option_name} here",
        cause="a program and its arguments stand behind --",
        next=shlex.join(["fsgauge", *words[:at], study, *own, "--", *others]),
    ).render()


def _parted(words: Sequence[str], takes: Sequence[click.Parameter]) -> tuple[list[str], list[str]]:
    """Options of the command with their values, and the other words."""
    options = {name: each for each in takes if isinstance(each, click.Option) for name in each.opts}
    own: list[str] = []
    others: list[str] = []
    left = iter(words)
    for word in left:
        name, equals, _ = word.partition("=")
        if name not in options:
            others.append(word)
            continue
        own.append(word)
        if not (options[name].is_flag or equals):
            own += islice(left, options[name].nargs)
    return own, others


def _of_another_tool(option: str) -> str:
    """What an option of fio or another tool, or a key of a study, is here; "" for neither."""
    from fsgauge.study.other_tools import kinds_of, meaning, tools, words_called

    name = option.lstrip("-")
    called = [*words_called(name), *words_called(option)]
    if len(name) == 1:  # a letter means something else in each tool
        times = tools()["hyperfine"].title if "--" in sys.argv else None
        called = [each for each in words_called(option) if each.title == times]
    kind = _kind_typed("workload")
    called.sort(key=lambda each: kind not in kinds_of(each).split(", "))
    word = next(iter(called), None)
    value = commands.typed_after(option)
    if word is None and (keys := _keys_called(key := name.replace("-", "_"))):
        full = [each for each in keys if each.count(".") == 1 and _every_study_has(each)]
        return FsgaugeError(
            f"{option} is no option, but a key of studies",
            next=f"--set {full[0]}={shlex.quote(value)}"
            if len(full) == 1
            else f"fsgauge explain {key}",
        ).render()
    if word is None:
        return ""
    whole = (each for each in word.spellings if len(name) == 1 and each.startswith("--"))
    name = next(whole, name).lstrip("-")
    alone = value == "..." and word.is_alone
    if word.is_always("1" if value == "..." else value):
        step = "the same command without it"
    elif word.is_read:
        step = f"--set {name}" + f"={shlex.quote(value)}" * (not alone)
    else:
        step = f"fsgauge explain {name}"
    return FsgaugeError(
        f"{option} is {word.title}'s {word.word}; here: {meaning(word)}"
        if not {name, option} & {*word.spellings}
        else f"{option} is an option of {word.title}; here: {meaning(word)}",
        next=step,
    ).render()


def _every_study_has(key: str) -> bool:
    """Whether no kind lacks a key, or that of the study that was typed has it."""
    from fsgauge.study.keys import valid_keys

    section, _, name = key.partition(".")
    return section == "plan" or name in valid_keys(section, _kind_typed(section))


def _kind_typed(section: str) -> str:
    """The kind of workload or storage of the shipped study that was typed; else the usual one."""
    import tomllib

    from fsgauge.kinds import DEFAULT
    from fsgauge.study.shipped import shipped_texts, study_meant

    texts = shipped_texts()
    typed = next((text for each in sys.argv if (text := texts.get(study_meant(each)))), "")
    usual = {"workload": DEFAULT, "storage": "loop"}.get(section, "")
    return str(tomllib.loads(typed).get(section, {}).get("kind", usual))


def _keys_called(word: str) -> list[str]:
    """The full names of keys of a study whose last word it is."""
    from fsgauge.study.keys import all_dotted

    of_study = (key for key in all_dotted() if not key.startswith(("system", "fault")))
    return [key for key in of_study if key.rpartition(".")[2] == word]
