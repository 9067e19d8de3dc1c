"""Options that several commands share: consent, rig and hosts, results, output."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

import click

from fsgauge.errors import InputError
from fsgauge.programs.streams import discard

F = TypeVar("F", bound=Callable[..., Any])


def decorated(function: Callable[..., object], options: Sequence[Callable[..., Any]]) -> object:
    for option in reversed(options):
        function = option(function)
    return function


def say_note(note: str) -> None:
    """What a word of another tool was taken for."""
    sys.stderr.write(f"note: {note}\n")


def read_size(option: str, text: str) -> int:
    """Bytes of an option's value; a note says what "8G" was taken for. Raises UnitError."""
    from fsgauge.units import binary_size, parse_size

    meant = binary_size(text)
    if meant is not None:
        say_note(f'{option} {text} is read as "{meant}", in powers of 1024 as in fio and dd')
    return parse_size(meant or text)


def engine_path(place: Path, instead: str) -> str:
    """An absolute path, which a saved record can name elsewhere; InputError where it is no UTF-8,
    which the engine is told, and the next command is `instead`."""
    path = str(place.absolute())
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path!a} is not valid UTF-8, which the engine requires", next=instead
        ) from error
    return path


def consent_choices(function: F) -> F:
    """What may be destroyed, as `consent`; InputError for unknown data of no device."""

    @wraps(function)
    def with_consent(
        *, destroy: tuple[str, ...], discard_unknown_data: bool, **others: object
    ) -> object:
        from fsgauge.machine.device.consent import Consent

        for each in destroy:
            if each.startswith("-"):
                raise InputError(
                    f"--destroy takes the name of a device, and {each} is an option",
                    next="--destroy NAME with the serial, WWN or UUID of a device; without a device"
                    " nothing is destroyed, and --destroy is left out",
                )
        if not destroy and discard_unknown_data:
            raise InputError(
                "--discard-unknown-data needs --destroy: no device is named",
                next="--destroy NAME --discard-unknown-data",
            )
        consent = Consent(destroy, discard_unknown_data) if destroy else None
        return function(consent=consent, **others)

    return cast("F", decorated(with_consent, _CONSENT_OPTIONS))


_CONSENT_OPTIONS = [
    click.option(
        "--destroy",
        metavar="NAME",
        multiple=True,
        help="Serial, WWN or UUID of the device whose contents may be destroyed;"
        " needed for each command, once for each device.",
    ),
    click.option(
        "--discard-unknown-data",
        is_flag=True,
        help="With --destroy: also destroy data without a signature, and whatever is on a"
        " device too large to be read whole.",
    ),
]

rig_option = click.option(
    "--rig",
    metavar="RIG",
    help="Where the study is measured. host: this machine. fleet: many hosts at once. vm: virtual"
    " machines, no root. simulator: a model, no disk. Default: vm for a study that has nodes"
    " ([rig]), else host.",
)

_NEEDED_AGAIN = ("destroy", "hosts", "despite")
_FLAGS_NEEDED_AGAIN = ("discard-unknown-data",)


def needed_again(words: Sequence[str]) -> list[str]:
    """Of the words of a command, the options without which its study cannot be resumed."""
    found: list[str] = []
    for at, word in enumerate(words):
        name, is_whole, _ = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            continue
        if name in _FLAGS_NEEDED_AGAIN or (name in _NEEDED_AGAIN and is_whole):
            found.append(word)
        elif name in _NEEDED_AGAIN:
            found += words[at : at + 2]
    return found


_hosts_option = click.option(
    "--hosts",
    metavar="HOSTS",
    help="With --rig fleet: a TOML file that lists the hosts; or a,b,u@c:2222, reached by ssh;"
    " slurm:N, so many nodes of a job, which is submitted unless this is one; kubernetes:FILE,"
    " pods as a TOML file describes them; tls://HOST:PORT, the workers of a dask cluster that"
    " runs already. same:HOSTS refuses hosts that differ in their kernel or processors.",
)


def fleet_choices(function: F) -> F:
    @wraps(function)
    def with_hosts(*, hosts: str | None, **given: Any) -> object:  # noqa: ANN401 - by name
        from fsgauge.rig.rig import hosts_named

        return function(hosts=hosts_named(hosts), **given)

    return cast("F", _hosts_option(with_hosts))


FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
"""Paths that need not be there."""


def file_option(name: str, metavar: str, text: str) -> Callable[[F], F]:
    return click.option(name, type=FILE, metavar=metavar, help=text)


def folder_option(name: str, text: str) -> Callable[[F], F]:
    return click.option(name, type=FOLDER, help=text)


def json_option(text: str = "The same as JSON.") -> Callable[[F], F]:
    return click.option("--json", "as_json", is_flag=True, help=text)


results_option = click.option(
    "--results",
    type=FOLDER,
    default=Path("results"),
    show_default=True,
    help="Where the results folder is created.",
)

shared_systems_option = click.option(
    "--system", "names", multiple=True, metavar="NAME", help="nfs3, gfs2, ...; repeat for several."
)
built_kernel_option = click.option(
    "--kernel", metavar="PACKAGE", help="A kernel that `fsgauge rig build` has built."
)


def page_folder_option(command: str) -> Callable[[F], F]:
    """--output of a command whose page has a folder of its own; see page_folder."""
    text = f"The folder of the page. Default: {command}-TIME, below --results."
    return folder_option("--output", text)


def page_folder(command: str, output: Path | None, results: Path) -> Path:
    return output or results / time.strftime(f"{command}-%Y-%m-%d-%H%M%S")


def progress_choices(function: F) -> F:
    """--json, --quiet; by default a live view on a terminal and plain lines elsewhere."""
    quiet = "Print the last two lines only."
    function = click.option("--quiet", "style", flag_value="quiet", help=quiet)(function)
    json = "Events as lines of JSON."
    return click.option("--json", "style", flag_value="json", help=json)(function)


CHANGED = "changed-records"
"""What --despite takes of every command that reads a results folder."""
_OF_CHANGED = f"{CHANGED}: records that were changed after they were written, which are listed."


def despite_choice(facts: str = "") -> Callable[[F], F]:
    """--despite, as `accept_changed`, and as `despite` the facts that may differ: `facts` says what
    is done then, for the help. InputError for a fact where there is "" for them."""

    def of_command(function: F) -> F:
        @wraps(function)
        def with_despite(*, despite: tuple[str, ...], **given: object) -> object:
            differing = tuple(each for each in despite if each != CHANGED)
            if facts:
                given["despite"] = differing
            elif differing:
                raise InputError(
                    f"--despite {shlex.quote(differing[0])} has no meaning here",
                    cause="one folder differs from no other",
                    next=f"--despite {CHANGED}, or leave it out",
                )
            return function(accept_changed=CHANGED in despite, **given)

        told = f"{facts} Or {_OF_CHANGED}" if facts else _OF_CHANGED
        option = click.option("--despite", multiple=True, metavar="FACT", help=told)
        return cast("F", option(with_despite))

    return of_command


def tell(lines: Iterable[str]) -> None:
    """Print lines; what comes after a closed pipe is discarded, and changes no exit code."""
    try:
        for line in lines:
            click.echo(line)
    except BrokenPipeError:
        say_no_more()


def say_no_more(*streams: TextIO) -> None:
    """Discard further output of streams, by default of both; also what Python flushes at exit."""
    for stream in streams or (sys.stdout, sys.stderr):
        discard(stream.fileno())
