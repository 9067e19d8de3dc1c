"""`fsgauge explain`."""

from __future__ import annotations

import re
import sys
from contextlib import suppress

import click

from fsgauge import pages
from fsgauge.cli.commands import COMMANDS
from fsgauge.devices import device_names
from fsgauge.errors import InputError, did_you_mean, nearest, quoted
from fsgauge.progress.terminal import width_of, wrapped_lines
from fsgauge.study import other_tools
from fsgauge.study.shipped import shipped_names, shipped_studies


@click.command("explain", context_settings={"ignore_unknown_options": True})
@click.argument("name", nargs=-1)
def command(name: tuple[str, ...]) -> None:
    """Explain NAME, as it is written in a report, a plan or a study file.

    A number of the report (iops, create.mean), a word of it (undecided, too noisy), the code of a
    finding (run.not_steady), a key of a study file (plan.blocks), a value (4k, 30 s), a file system
    or an option of one (xfs, noatime), a device of the simulator (disk-2012), or a word of another
    tool (iodepth, fio). Without NAME, list them.
    """
    lines = _said(_DEPTH.sub("QD", " ".join(name))).split("\n") if name else _everything()
    click.echo("\n".join(wrapped_lines(lines, width_of(sys.stdout), "  ")))


_DEPTH = re.compile(r"QD *\d+", re.IGNORECASE)
"""QD32: the depth, with its number."""


def _said(name: str) -> str:
    """All that the name means, or each of its words; InputError with the nearest names."""
    try:
        return _said_whole(name)
    except InputError:
        words = name.split()
        if len(words) == 1:
            raise
        with suppress(InputError):
            return "\n\n".join(dict.fromkeys(map(_said_whole, words)))
        raise


def _said_whole(name: str) -> str:
    from fsgauge.devices.words import device_words, is_device, parameter_words
    from fsgauge.study.reference import (
        explain_key,
        explain_value,
        policy_words,
        setting_words,
        words_of_tool,
    )
    from fsgauge.study.tunable_places import tunable_words
    from fsgauge.system.options import kind_words, option_words

    if is_device(name):
        return device_words(name)
    if words := [each for each in (policy_words(name), parameter_words(name)) if each]:
        return "\n\n".join(words)
    entry, tool = pages.entry_of(name), other_tools.tool_called(name)
    parts = [entry.text] if entry is not None else [each for each in (kind_words(name),) if each]
    numbers = other_tools.numbers_called()
    if pages.is_metric(name):
        parts = [pages.explain_metric(name)]
    if not parts and (number := numbers.get(name.strip().lower())) is not None:
        parts = [f"{name}, as other tools print it: {number} comes nearest"]
        parts.append(pages.explain_metric(number))
    if studies := other_tools.studies_near().get(name.lower()):
        more = ", ".join(f"fsgauge plan {quoted(study)}" for study in studies)
        parts.append(f"{name}: the study {' or '.join(studies)}\n  more: {more}")
    if (question := shipped_studies().get(name.strip().lower())) is not None:
        study = name.strip().lower()
        parts.append(f"{study}, a study\n  {question}\n  more: fsgauge plan {quoted(study)}")
    if tool is not None:
        parts.append(words_of_tool(tool))
    parts += _of_other_tools(name) or (_as_a_value(name) if entry is None else [])
    parts += [each for each in (option_words(name), tunable_words(name), _command(name)) if each]
    try:
        if not pages.is_metric(name):
            parts.append(explain_key(name))
    except InputError as error:
        parts += filter(None, [(not parts and explain_value(name)) or setting_words(name)])
        if not parts:
            raise _unknown(name) from error
    return "\n\n".join(parts)


def _command(name: str) -> str:
    """A command of fsgauge, with its line of the help; "" for none of that name."""
    word = name.strip().lower()
    if word not in COMMANDS:
        return ""
    return f"fsgauge {word}\n  {COMMANDS[word]}\n  more: fsgauge {word} --help"


def _of_other_tools(name: str) -> list[str]:
    """A line for each tool, and for each key where kinds of study have their own."""
    found = other_tools.words_called(name) or other_tools.words_called(name.replace(" ", "_"))
    lines = []
    for word in found:
        kinds = other_tools.kinds_of(word)
        means = f"{word.said(name)}: {other_tools.meaning(word)}"
        lines.append(f"{means} ({kinds})" if kinds else means)
    keys = dict.fromkeys(word.key for word in found if word.key)
    if keys:
        lines.append(f"  more: {', '.join(f'fsgauge explain {key}' for key in keys)}")
    return ["\n".join(lines)] if lines else []


def _as_a_value(name: str) -> list[str]:
    """What a word is as a value of a key, or of an option of another tool: libaio, io_uring."""
    from fsgauge.study.keys import all_dotted, value_types

    lines = [
        f"{word.title}'s {word.word}={name}: {word.key} ({other_tools.differing(word)})"
        for tool in other_tools.tools().values()
        for word in tool.words
        if name in word.values and not name.isdecimal()
    ]
    keys = [
        key
        for key in all_dotted()
        for takes in value_types(tuple(key.split(".")))
        if name in (takes.entry or takes).choices
    ]
    if keys:
        lines.append(f"{name} is a value of {', '.join(dict.fromkeys(keys))}")
        lines.append(f"  more: fsgauge explain {keys[0]}")
    return ["\n".join(lines)] if lines else []


def _unknown(name: str) -> InputError:
    from fsgauge.study.keys import all_dotted
    from fsgauge.system.options import option_names

    last = {key.rpartition(".")[2] for key in all_dotted()}
    tools = other_tools.tools().values()
    spelled = {each for tool in tools for word in tool.words for each in word.spellings}
    known = dict.fromkeys(
        [
            *(*pages.metric_pages(), *pages.names(), *device_names(), *all_dotted()),
            *(*last, *spelled, *other_tools.numbers_called()),
            *(*sorted(shipped_names()), *option_names()),
        ]
    )
    wanted = name.lower()
    asked = [wanted, wanted.rpartition(".")[2]] if "." in wanted else [wanted]
    near = [match for each in asked for match in nearest(each, known, most=4, least=0.6)]
    near += [each for each in known if len(wanted) > 2 and wanted in each.lower()]
    meant = list(dict.fromkeys(near))[:5]
    return InputError(
        f'no word, number or key is called "{name}"',
        details=(did_you_mean(meant),) if meant else (),
        next=f"fsgauge explain {meant[0]}" if meant else "fsgauge explain",
    )


def _everything() -> list[str]:
    def first(text: str) -> str:
        return text.partition(". ")[0].rstrip(".") + "."

    lines = ["Numbers of a report:"]
    lines += [f"  {page:<24} {text}" for page, text in pages.metric_pages().items()]
    of_glossary = {
        "Words of a report, a plan and the progress": pages.words(),
        "Findings": pages.finding_codes(),
        "Problems of a scan": pages.scan_problems(),
    }
    for heading, entries in of_glossary.items():
        lines += ["", f"{heading}:"]
        lines += [f"  {entry.name:<24} {first(entry.says)}" for entry in entries]
    lines += [
        "",
        "Keys of a study file: fsgauge explain workload, system, storage, access, plan",
        f"Devices of the simulator: fsgauge explain {', '.join(device_names())}",
        f"Words of other tools: fsgauge explain {', '.join(other_tools.tools())}",
    ]
    return lines
