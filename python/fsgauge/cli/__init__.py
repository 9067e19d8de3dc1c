"""The command line: one file a command, errors rendered in one place.

Standard output is data, standard error is talk. Exit codes: 0 done, 1 a finding, 2 wrong input,
3 the rig or a tool failed, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from importlib import import_module

import click

from fsgauge import __version__
from fsgauge.errors import FsgaugeError

_COMMANDS = {
    "demo": "A real comparison in about three minutes on what this machine has.",
    "run": "Run a study and write its report.",
    "resume": "Go on with a study that was interrupted or killed.",
    "plan": "What a study would run, for how long, and what effect it could show.",
    "report": "Make the report of a results folder again.",
    "query": "Ask the records of a results folder with SQL.",
    "crosscheck": "The same load by the engine and by fio, in turns: do they agree?",
    "compare": "Two results folders of one study; a gate for builds.",
    "history": "Where many results folders of one study took a step.",
    "scan": "How fragmented files and free space are, as numbers and as a map.",
    "age": "Wear a file system in minutes: an image or an empty folder, scanned before and after.",
    "explain": "What a reported number, or a key of a study file, means.",
    "published": "What the published studies say, claim by claim, and what came of it here.",
    "systems": "The file systems that can be compared here.",
    "doctor": "What works here, what is missing and the command that adds it.",
    "study": "Start a study of your own.",
}


class _Commands(click.Group):
    """Imports a command's file only when it is called: --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"fsgauge.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - each file defines one
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="fsgauge %(version)s")
def group() -> None:
    """What does your file system really cost you?

    Compares file systems, mount options or kernels on your storage, with your load, and answers
    in a sentence with an error bar.
    """
    _clean_up()


def _clean_up() -> None:
    """Whatever the command is, first undo what a killed run left; that it cannot is no obstacle."""
    from fsgauge.rig.host.ledger.ledger import clean_up_after_the_dead

    try:
        for sentence in clean_up_after_the_dead():
            sys.stderr.write(f"{sentence}\n")
    except FsgaugeError as error:
        sys.stderr.write(f"warning: {error.what}\n")
    except OSError as error:
        sys.stderr.write(f"warning: what earlier runs left cannot be looked at: {error}\n")


def main() -> None:
    """Run a command; every failure ends in words, the next command and an exit code."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = group.main(standalone_mode=False)
    except FsgaugeError as error:
        _end(error.render(), error.exit_code)
    except click.exceptions.Abort:
        _end("interrupted", 130)
    except click.ClickException as error:
        _end(_usage(error), 2)
    except BrokenPipeError:
        _say_no_more()
        sys.exit(0)
    except KeyboardInterrupt:
        _end("interrupted", 130)
    except MemoryError:
        _end(_no_memory(), 3)
    except Exception as error:
        if isinstance(error, OSError) and _terminal_is_gone(error):
            _say_no_more()
            sys.exit(130)
        _end(_defect(error), 3)
    _end("", code if isinstance(code, int) else 0)


def _end(words: str, code: int) -> None:
    """Say the last words, where there is still somebody to hear them, and end."""
    try:
        if words:
            sys.stderr.write(words + "\n")
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        _say_no_more()
    sys.exit(code)


def _terminal_is_gone(error: OSError) -> bool:
    """Whether the terminal was closed while something was written to it."""
    return error.errno in (errno.EIO, errno.ENXIO) and not error.filename and not _is_heard()


def _is_heard() -> bool:
    """Whether both outputs still take something; a closed terminal takes nothing more."""
    try:
        for stream in (sys.stdout, sys.stderr):
            os.write(stream.fileno(), b"")
    except (OSError, ValueError):
        return False
    return True


def _say_no_more() -> None:
    """Nobody listens: what is still to be written goes nowhere, also at Python's own end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _no_memory() -> str:
    return FsgaugeError(
        "there is not enough memory for this",
        cause="the records or the answer are larger than what this machine has free",
        next="free -h; then repeat it on a machine with more memory",
    ).render()


def _usage(error: click.ClickException) -> str:
    """A wrong command or option, with the page that lists the right ones."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "fsgauge"
    return f"error: {error.format_message()}\nnext: {path} --help"


def _defect(error: Exception) -> str:
    """A fault of fsgauge itself: the traceback goes to a file, the user gets its name."""
    import tempfile

    with tempfile.NamedTemporaryFile(
        "w", prefix="fsgauge-fault-", suffix=".txt", delete=False
    ) as file:
        file.write(f"fsgauge {__version__}\n{sys.argv}\n\n")
        traceback.print_exception(error, file=file)
    return FsgaugeError(
        f"fsgauge itself failed: {type(error).__name__}: {error}",
        cause="a defect of fsgauge, not of your storage; records that were written stay",
        next=f"report it with the file {file.name}",
    ).render()
