"""The command line: one file for each command or family of commands, errors rendered here.

Standard output is data, standard error is talk. Exit codes are those of exit_codes.py.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from itertools import takewhile
from types import FrameType

import click
from click.shell_completion import CompletionItem

from fsgauge import __version__
from fsgauge.cli.choices import say_no_more
from fsgauge.cli.commands import COMMANDS, GROUPS, MOVED
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.exit_codes import ExitCode
from fsgauge.programs.streams import output_failure

_OF_HOSTS = {"fleet-host"}
"""Commands that fsgauge itself starts on the hosts of a fleet; no one else has a use for them."""
_FILES = {"resume": "run", "history": "compare", "fleet-host": "rig", "import": "import_"}
"""Where a command is whose file is not called like it: there it has its own name, or is the only
one."""


_ONLY_READS = {"report", "query", "compare", "gate", "history", "explain", "published", "study"}
"""What they are asked does not depend on what a killed run left; it stays for the others."""

_ASKS_FOR_HELP = "fsgauge asks for help"


class _Commands(click.Group):
    """Imports a command's file when it is called, so that --help is fast."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ASKS_FOR_HELP] = not {"-h", "--help"}.isdisjoint(args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; InputError for an empty word, for nothing behind --, and with the new name
        of a moved one."""
        if "" in takewhile(lambda word: word != "--", args):
            raise InputError(
                f"a word of the command is empty: {shlex.join(['fsgauge', *args])}",
                cause="a variable of the shell has no value",
                next="set -u, then the same command: the shell names the variable",
            )
        if "--" in args[-1:] and args.index("--") == len(args) - 1:
            raise InputError(
                f"nothing is behind --: {shlex.join(['fsgauge', *args])}",
                cause="the words of a program stand there, or a variable has no value",
                next="the same command without --, or with a program behind it",
            )
        if args and args[0] in MOVED:
            now = MOVED[args[0]]
            raise InputError(
                f"fsgauge {args[0]} is now fsgauge {' '.join(now)}",
                next=shlex.join(["fsgauge", *now, *args[1:]]),
            )
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in (*COMMANDS, *_OF_HOSTS):
            return None
        file = import_module(f"fsgauge.cli.{_FILES.get(cmd_name, cmd_name)}")
        own = cmd_name.replace("-", "_")
        is_beside = cmd_name in _FILES and hasattr(file, own)
        command = getattr(file, own if is_beside else "command")
        assert isinstance(command, click.Command)  # noqa: S101 - each file defines one
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a reader that left early is no error. (To click it is exit code 1.)"""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            if error is not output_failure():
                raise
            return 0

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands from the list above: a shell waits for this at each press of Tab."""
        matching = [
            CompletionItem(name, help=text)
            for name, text in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*matching, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="fsgauge %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """What does your file system really cost you?

    Measures file systems, mount options or kernels side by side on one disk: which is faster, by
    how much, and how sure that is.
    """
    from fsgauge.machine.ordinary_causes import require_memory

    require_memory()
    if context.invoked_subcommand not in _ONLY_READS and not context.meta[_ASKS_FOR_HELP]:
        _clean_up()


def _clean_up() -> None:
    """Undo what a killed run left; a failure is only a warning."""
    from fsgauge.machine.ledger.ledger_folder import ledgers

    try:
        if not ledgers():
            return
        from fsgauge.machine.ledger.ledger import clean_up_after_the_dead

        for sentence in clean_up_after_the_dead():
            sys.stderr.write(f"{sentence}\n")
    except FsgaugeError as error:
        sys.stderr.write(f"warning: {error.what}\n")
    except OSError as error:
        sys.stderr.write(f"warning: leftovers of earlier runs cannot be examined: {error}\n")


def main(words: list[str] | None = None) -> None:
    """Run a command; every failure ends with a message, the next command and an exit code."""
    from fsgauge.programs import clean_own_environment

    clean_own_environment()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGXCPU, _no_more_time)
    sys.unraisablehook = _unraised
    try:
        code = group.main(words, standalone_mode=False)
    except FsgaugeError as error:
        _end(error.render(), error.exit_code)
    except click.exceptions.Abort:
        _end("interrupted", ExitCode.INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        _end(error.format_message(), ExitCode.REFUSED)
    except click.ClickException as error:
        from fsgauge.cli.not_known import usage

        _end(usage(error), ExitCode.REFUSED)
    except KeyboardInterrupt:
        _end("interrupted", ExitCode.INTERRUPTED)
    except Exception as error:
        if isinstance(error, OSError) and _terminal_is_gone(error):
            say_no_more()
            sys.exit(ExitCode.INTERRUPTED)
        _end(*_in_words(error))
    _end("", code if isinstance(code, int) else ExitCode.ANSWERED)


_SAID = (ExitCode.ANSWERED, ExitCode.FINDING)
"""Of these the answer is on standard output, which was not to be written."""


def _end(words: str, code: int) -> None:
    with suppress(OSError):  # it is said below
        sys.stdout.flush()
    failure = output_failure()
    if failure is not None:
        say_no_more(sys.stdout)
    if failure is not None and not isinstance(failure, BrokenPipeError) and code in _SAID:
        words, code = _unwritten(failure).render(), RigError.exit_code
    if words:
        sys.stderr.write(_between_words(words) + "\n")
    try:
        sys.stderr.flush()
    except OSError:
        say_no_more()
    sys.exit(code)


def _in_words(error: Exception) -> tuple[str, int]:
    """What is said of an error that no command foresaw, and the exit code."""
    try:
        from fsgauge.machine.ordinary_causes import is_of_ctrl_c, ordinary_cause
    except (ImportError, MemoryError):
        return "error: not enough memory\nnext: free -h; ulimit -v unlimited", ExitCode.FAILED
    if is_of_ctrl_c(error):
        return "interrupted", ExitCode.INTERRUPTED
    found = _unwritten(error) if error is output_failure() else ordinary_cause(error)
    if found is None:
        return _defect(error), ExitCode.FAILED
    return found.render(), found.exit_code


def _unwritten(failure: Exception) -> FsgaugeError:
    reason = failure.strerror if isinstance(failure, OSError) else str(failure)
    is_closed = isinstance(failure, OSError) and failure.errno == errno.EBADF
    return RigError(
        f"the answer cannot be written to standard output: {reason}",
        cause="it is closed" if is_closed else "what it leads to is full, or has gone away",
        details=("what was measured is kept",),
        next="repeat it with > FILE" if is_closed else "df -h; then repeat it with > ANOTHER_FILE",
    )


def _no_more_time(_number: int, _frame: FrameType | None) -> None:
    """The soft limit on CPU time; until the hard one, what was begun is undone."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    raise RigError(
        "this process has used the CPU time that it may use",
        cause="a limit of this shell (ulimit -t); what was measured is kept",
        next="ulimit -t unlimited",
    )


def _unraised(what: sys.UnraisableHookArgs) -> None:
    """Ctrl-C while Python calls back, where an exception has nowhere to go: in its imports."""
    from fsgauge.programs.interruption import missed

    if issubclass(what.exc_type, KeyboardInterrupt):
        os.write(2, b"interrupted\n")
        os._exit(130)
    missed(what.exc_value)


def _between_words(words: str) -> str:
    """On a terminal, sentences are broken between words; places and commands stay as they are."""
    from fsgauge.progress.terminal import width_of, wrapped

    width = width_of(sys.stderr)
    found: list[str] = []
    for line in words.split("\n"):
        is_prose = line.startswith(("error: ", "cause: "))
        found += wrapped(line, width) if is_prose else [line]
    return "\n".join(found)


def _terminal_is_gone(error: OSError) -> bool:
    """Whether an error is of a terminal that is closed: neither output can be written any more."""
    if error.errno not in (errno.EIO, errno.ENXIO) or error.filename:
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            os.write(stream.fileno(), b"")
    except (OSError, ValueError):
        return True
    return False


def _defect(error: Exception) -> str:
    """The traceback goes to a file, whose name the user gets."""
    import tempfile

    details: tuple[str, ...] = ()
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="fsgauge-fault-", suffix=".txt", delete=False, errors="backslashreplace"
        ) as file:
            file.write(f"fsgauge {__version__}\n{sys.argv}\n\n")
            traceback.print_exception(error, file=file)
        report = f"report it with the file {file.name}"
    except OSError:  # no folder takes a file
        places = traceback.extract_tb(error.__traceback__)[-3:]
        details = tuple(f"{at.name}, line {at.lineno}" for at in places)
        report = "report it with these lines"
    return FsgaugeError(
        f"fsgauge itself failed: {type(error).__name__}: {error}",
        details=details,
        cause="a bug in fsgauge, not in your storage; records already written are kept",
        next=report,
    ).render()
