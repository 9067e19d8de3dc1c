"""`fsgauge age`."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fsgauge.cli.choices import engine_path, file_option, folder_option, json_option, read_size
from fsgauge.errors import InputError
from fsgauge.exit_codes import ExitCode, ends

if TYPE_CHECKING:
    from fsgauge.age import Aged
    from fsgauge.age.wearing import Order
    from fsgauge.engine.wire import AgeEnd, AgeMode
    from fsgauge.study.model import System

_PROFILES = ["intermingled", "churn", "connections", "git-like", "database"]
_SIZE = "4GiB"
_SYSTEM = "ext4"
_STORAGE_AGE = 5.0
_OF_IMAGES = ("system", "mkfs", "mount", "fidelity")
_OF_COPIES = ("copy_of", "as_json")


@dataclass(frozen=True)
class _Chosen:
    target: Path
    profile: str | None
    size: str | None
    system: str | None
    mkfs: str
    mount: str
    mode: AgeMode | None
    seed: int
    fill: str | None
    settings: tuple[str, ...]
    storage_age: float | None
    operations: int | None
    sync_every: str | None
    time_limit: str
    fidelity: bool
    records: Path | None
    page: Path | None
    copy_of: Path | None
    as_json: bool


@click.command("age")
@ends("age")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("profile", type=click.Choice(_PROFILES), required=False, metavar="PROFILE")
@click.option(
    "--size", help=f"Size of the image; for a folder, the space that may be used.  [image: {_SIZE}]"
)
@click.option("--system", help=f"File system of the image.  [default: {_SYSTEM}]")
@click.option("--mkfs", default="", metavar="OPTIONS", help='Options as for mkfs: "-m 0".')
@click.option(
    "--mount", default="", metavar="OPTIONS", help='Options as for mount -o: "nodelalloc".'
)
@click.option(
    "--mode",
    type=click.Choice(["fast", "write", "direct"]),
    help="fast: allocate space, write no data; write: through the page cache; direct: O_DIRECT."
    "  [default: fast; database on a copy-on-write file system: write]",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--fill",
    help="Share of the space to fill.  [default: 80%; database on a copy-on-write file system:"
    " 40%, since overwrites need space]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a parameter of the profile: --set chunk=8MiB. May be repeated.",
)
@click.option(
    "--storage-age",
    type=click.FloatRange(1, 1e6),
    metavar="X",
    help="Stop when X times the live bytes are written.  [default: 5; intermingled: at its end]",
)
@click.option(
    "--operations", type=click.IntRange(1, 2**63 - 1), metavar="N", help="Stop after N operations."
)
@click.option(
    "--sync-every",
    metavar="SIZE",
    help="Sync after this many bytes; 0B: never.  [default: 256MiB; fast: never]",
)
@click.option("--time-limit", default="1h", show_default=True, help="Stop after this time.")
@click.option(
    "--fidelity",
    is_flag=True,
    help="Measure how far the mode's layout is from that of written files.",
)
@folder_option(
    "--records",
    "Folder for TARGET.age.json and both scans.  [default: the image's; for a folder: .]",
)
@file_option("--page", "FILE.html", "Write a page with maps of the device before and after.")
@file_option(
    "--copy-of", "IMAGE", "Copy an aged image to TARGET; refused if the image has changed since."
)
@json_option("Print the content of TARGET.age.json.")
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> int:
    """Age a file system in minutes: TARGET is a new image or an existing empty folder.

    PROFILE is the workload that ages it: intermingled, churn, connections, git-like or database. An
    image is made, mounted, aged, unmounted and kept; in a folder the files are kept. Both are
    scanned before and after. Ctrl-C stops the ageing and keeps the result.
    """
    chosen = _Chosen(**ctx.params)
    if chosen.copy_of is not None:
        _refuse_ignored(ctx, "a copy takes no other option", but=_OF_COPIES)
        return _copy(chosen.copy_of, chosen)
    return _say(_aged(ctx, chosen), chosen)


def _refuse_ignored(
    ctx: click.Context, why: str, *, but: tuple[str, ...] = (), only: tuple[str, ...] | None = None
) -> None:
    """InputError for an option that was given and would do nothing."""
    for option in ctx.command.params:
        name = option.name or ""
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        counts = isinstance(option, click.Option) and name not in but
        if given and counts and (only is None or name in only):
            flag = option.opts[0]
            raise InputError(f"{flag} would be ignored: {why}", next=f"leave {flag} out")


def _copy(image: Path, chosen: _Chosen) -> int:
    from fsgauge.age.image import copy_image
    from fsgauge.age.target import is_folder
    from fsgauge.machine.ledger.ledger import opened_ledger
    from fsgauge.programs.interruption import interruptible

    target = chosen.target
    if chosen.profile is not None or is_folder(target):
        raise InputError(
            "a copy is a new file and has the profile of its original",
            next=f"fsgauge age NEW.img --copy-of {shlex.quote(str(image))}",
        )
    with interruptible(), opened_ledger() as ledger:
        how, kept = copy_image(image, target, ledger)
    if chosen.as_json:
        facts = {"image": str(image), "copy": str(target), "how": how}
        click.echo(json.dumps({**facts, "checksum": kept.checksum.model_dump()}))
    else:
        click.echo(f"{target}  a {how} of {image}; its checksum matches the record")
    return ExitCode.ANSWERED


def _aged(ctx: click.Context, chosen: _Chosen) -> Aged:
    from fsgauge.age import age_folder, age_image
    from fsgauge.age.profile import file_system_of
    from fsgauge.age.target import is_folder
    from fsgauge.engine.client import Engine
    from fsgauge.machine.ledger.ledger import opened_ledger
    from fsgauge.progress.scan_and_age import stages
    from fsgauge.report.scan import require_ours
    from fsgauge.system import find_kind

    if chosen.profile is None:
        raise InputError(
            "no profile is given",
            details=tuple(_PROFILES),
            next=f"fsgauge age {shlex.quote(str(chosen.target))} churn",
        )
    target = Path(engine_path(chosen.target, "another name"))
    folder = is_folder(target)
    if folder:
        _refuse_ignored(ctx, "a folder is aged as mounted", only=_OF_IMAGES)
    system = find_kind(chosen.system or _SYSTEM).name
    order = _order(chosen.profile, chosen, file_system_of(target) if folder else system)
    if order.mode == "write":
        why = "mode write is the reference itself"
        _refuse_ignored(ctx, why, only=("fidelity",))
    size_bytes = read_size("--size", chosen.size) if chosen.size else None
    records = chosen.records or (Path.cwd() if folder else target.parent)
    if chosen.page is not None:
        require_ours(chosen.page)
    engine = Engine()
    with stages() as progress:
        if folder:
            return age_folder(engine, target, records, size_bytes, order, progress)
        with opened_ledger() as ledger:
            return age_image(
                engine,
                ledger,
                target,
                records,
                _system(system, chosen),
                size_bytes or read_size("--size", _SIZE),
                order,
                progress,
                fidelity=chosen.fidelity,
            )


def _system(name: str, chosen: _Chosen) -> System:
    from pydantic import ValidationError

    from fsgauge.study.model import System

    try:
        return System(name=name, kind=name, mkfs=chosen.mkfs, mount=chosen.mount)
    except ValidationError as error:
        first = error.errors()[0]
        option = f"--{first['loc'][0]}" if first["loc"] else "--system"
        raise InputError(f"{option}: {first['msg']}", next="fsgauge age --help") from error


def _order(profile: str, chosen: _Chosen, file_system: str) -> Order:
    from fsgauge.age.profile import mode_and_fill, profile_of
    from fsgauge.age.wearing import Order
    from fsgauge.units import parse_duration_ns, parse_percent

    asked_percent = None if chosen.fill is None else parse_percent(chosen.fill)
    if asked_percent is not None and not 0 < asked_percent <= 100:
        raise InputError("--fill is a share above 0 % and at most 100 %", next="--fill 80%")
    time_limit_ns = parse_duration_ns(chosen.time_limit)
    if not 0 < time_limit_ns <= 30 * 24 * 3600 * 10**9:
        raise InputError("--time-limit is above 0 s and at most 720 h", next="--time-limit 1h")
    drawn_by = profile_of(profile, chosen.settings)
    end = _end(profile, chosen.storage_age, chosen.operations)
    mode, fill_percent = mode_and_fill(drawn_by, file_system, chosen.mode, asked_percent, end)
    return Order(
        profile=drawn_by,
        mode=mode,
        fill_percent=fill_percent,
        end=end,
        time_limit_ns=time_limit_ns,
        seed=chosen.seed,
        sync_every_bytes=read_size("--sync-every", chosen.sync_every)
        if chosen.sync_every is not None
        else None,
    )


def _end(profile: str, storage_age: float | None, operations: int | None) -> AgeEnd:
    from fsgauge.engine.wire import CompleteEnd, OperationsEnd, StorageAgeEnd

    if storage_age is not None and operations is not None:
        raise InputError(
            "--storage-age and --operations both say when to stop", next="leave one out"
        )
    if operations is not None:
        return OperationsEnd(operations=operations)
    if storage_age is None and profile == "intermingled":
        return CompleteEnd()
    return StorageAgeEnd(storage_age=storage_age or _STORAGE_AGE)


def _say(aged: Aged, chosen: _Chosen) -> int:
    from fsgauge.age.words import findings, lines_of
    from fsgauge.report.scan import scan_page, write_scan_page

    files, page = aged.files, chosen.page
    if chosen.as_json:
        click.echo(json.dumps(aged.document))
    else:
        for line in lines_of(aged.made, aged.worn, aged.fidelity):
            click.echo(line)
        click.echo(f"kept         {files.age}; scans: {files.before.name}, {files.after.name}")
    if page is not None:
        named = filter(None, (aged.made.target.name, aged.made.system))
        title = ", ".join(named)
        write_scan_page(page, scan_page(aged.worn.after, aged.worn.before, title))
        click.echo(f"picture      {page}", err=chosen.as_json)
    if aged.interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.FINDING if findings(aged.worn.result) else ExitCode.ANSWERED
