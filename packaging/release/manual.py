"""The manual page fsgauge(1), made from the command line's own help.

roff needs three things kept: a backslash, a hyphen that is typed (`--set`), and a dot or a quote
at the start of a line, which would be a request.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import click

from fsgauge import __version__
from fsgauge.cli import group
from fsgauge.exit_codes import MEANINGS

ENVIRONMENT = {
    "FSGAUGE_ENGINE": "The engine's binary, if it is not the installed one.",
    "FSGAUGE_PATH": "Folders in which programs are looked up before all others.",
    "FSGAUGE_KEEP_CACHES": "1: the caches of the rest of the machine are not dropped.",
    "FSGAUGE_STATE": "The folder of what is remembered between commands, not the usual one.",
    "FSGAUGE_CACHE": "The folder of guests of the virtual rig, not the usual one.",
    "FSGAUGE_VM_ACCELERATOR": "kvm or tcg: how virtual machines run, whatever works.",
    "FSGAUGE_IOZONE": "The program IOzone that fsgauge crosscheck runs; no package has it.",
    "FSGAUGE_SMB_PASSWORD": "The password of an SMB share that is measured.",
}
FILES = {
    "results/": "Below the working folder: a folder for each run of a study.",
    "/var/lib/fsgauge": "Root's ledgers: what the next command undoes after a crash.",
    "~/.local/state/fsgauge": "The same of an ordinary user.",
    "~/.cache/fsgauge": "Guests and kernels of the virtual rig: fsgauge rig list.",
}


def manual(epoch_seconds: int) -> str:
    """The page in roff, dated by a time since 1970 (UTC), which is that of the commit."""
    context = click.Context(group, info_name="fsgauge")
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch_seconds))
    first, *rest = _paragraphs(group)
    lines = [
        f'.TH FSGAUGE 1 "{date}" "fsgauge {__version__}" "User Commands"',
        ".SH NAME",
        f"fsgauge \\- {_roff(first[0].lower() + first[1:].rstrip('?'))}",
        ".SH SYNOPSIS",
        ".B fsgauge",
        _roff("COMMAND [OPTIONS] [ARGUMENTS]"),
        ".SH DESCRIPTION",
        *_flowing(rest),
        ".PP",
        _roff("The engine, fsgauge-engine, does the I/O; it is started by fsgauge, not by hand."),
        ".SH COMMANDS",
        *_commands(group, context),
        ".SH EXIT STATUS",
        *_terms({f"{code:d}": words for code, words in MEANINGS.items()}),
        ".SH ENVIRONMENT",
        *_terms(ENVIRONMENT),
        ".SH FILES",
        *_terms(FILES),
    ]
    return "\n".join(lines) + "\n"


def _commands(family: click.Group, context: click.Context) -> Iterator[str]:
    """A section for each command; those of a family under its name."""
    for name in family.list_commands(context):
        command = family.get_command(context, name)
        assert command is not None  # noqa: S101 - it was listed
        of_command = click.Context(command, info_name=name, parent=context)
        usage = " ".join(command.collect_usage_pieces(of_command))
        yield f'.SS "{_roff(f"{of_command.command_path} {usage}").replace(chr(34), "")}"'
        yield from _flowing(_paragraphs(command))
        for option in command.get_params(of_command):
            record = option.get_help_record(of_command)
            if record is not None and "--help" not in option.opts:
                yield from _term(*record)
        if isinstance(command, click.Group):
            yield from _commands(command, of_command)


def _paragraphs(command: click.Command) -> list[str]:
    """The help's paragraphs, their lines joined as a terminal's width would join them."""
    text = (command.help or "").partition("\f")[0]
    return [" ".join(part.split()) for part in text.strip().split("\n\n") if part.strip()]


def _flowing(paragraphs: list[str]) -> Iterator[str]:
    for paragraph in paragraphs:
        yield ".PP"
        yield _roff(paragraph.replace("\b ", ""))


def _terms(meanings: dict[str, str]) -> Iterator[str]:
    for term, meaning in meanings.items():
        yield from _term(term, meaning)


def _term(term: str, meaning: str) -> Iterator[str]:
    yield ".TP"
    yield f"\\fB{_roff(term)}\\fR"
    yield _roff(meaning)


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped
