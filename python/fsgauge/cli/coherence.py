"""`fsgauge coherence`: what one node wrote, and what the others then read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import (
    built_kernel_option,
    page_folder,
    page_folder_option,
    results_option,
    shared_systems_option,
)
from fsgauge.progress.terminal import say

if TYPE_CHECKING:
    from fsgauge.coherence.log import Counted, Examined, Log

USUAL = ("nfs3", "nfs4", "nfs4-fscache", "smb", "gfs2", "ocfs2")
"""Without gluster, whose cases take minutes each where machines are emulated."""


@click.command("coherence")
@click.argument("folders", nargs=-1, metavar="[[HOST:]FOLDER]...")
@shared_systems_option
@click.option(
    "--case", "cases", multiple=True, metavar="NAME", help="kept_open, ...; repeat for several."
)
@click.option(
    "--trials",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How often each case is tried.",
)
@built_kernel_option
@page_folder_option("coherence")
@results_option
def command(
    folders: tuple[str, ...],
    names: tuple[str, ...],
    cases: tuple[str, ...],
    trials: int,
    kernel: str | None,
    output: Path | None,
    results: Path,
) -> int:
    """Count what a node sees of what another one has written: same, old, torn or missing.

    Also records that two nodes append, files renamed while open, and locks across nodes. Without
    FOLDER, in virtual machines: NFS 3 and 4, NFS with FS-Cache, SMB, GFS2, OCFS2; with --system
    gluster also GlusterFS. With FOLDERs, where these are one file system mounted at several places:
    HOST:FOLDER is reached by ssh, and needs python3 there.

    Exit codes: 0 all was tested, whatever came of it; 1 a system failed; 2 wrong input, or folders
    that are not one file system; 3 a host or the rig failed; 130 interrupted.
    """
    from fsgauge.coherence.log import Log
    from fsgauge.coherence.on_nodes import try_nodes
    from fsgauge.coherence.page import write_log
    from fsgauge.coherence.running import chosen_cases, try_folders
    from fsgauge.errors import InputError
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.vm.sharing_nodes import chosen

    wanted, systems = chosen_cases(cases), chosen(names or USUAL)
    if folders and (names or kernel):
        raise InputError(
            "folders are tested as they are mounted, and --system and --kernel are for virtual"
            " machines",
            next="leave one of the two out",
        )
    folder = page_folder("coherence", output, results)
    log = Log.begun(
        place="" if folders else "The nodes are virtual machines on this one.",
        nodes=list(folders),
        trials=trials,
        cases=wanted,
    )

    def tell(what: Examined | Counted) -> None:
        nonlocal log
        log = log.with_one(what)
        write_log(log, folder)
        for line in _lines(what):
            click.echo(line)

    with interruptible():
        if folders:
            try_folders(folders, wanted, trials, tell)
        else:
            try_nodes(systems, wanted, trials, kernel, say, tell)
    click.echo(f"page: {write_log(log, folder)}")
    return 1 if _failed(log) else 0


def _lines(what: Examined | Counted) -> list[str]:
    from fsgauge.coherence.cases import CASES
    from fsgauge.coherence.log import Examined
    from fsgauge.coherence.page import entry

    if isinstance(what, Examined):
        return [f"{what.name}  {what.fault or what.words}"]
    found = entry(what, what.case)
    note = f" ({found.note})" if found.note else ""
    return [f"{what.system}  {CASES[what.case].title}: {found.words}{note}"]


def _failed(log: Log) -> bool:
    return any([*(each.fault for each in log.systems), *(each.fault for each in log.counted)])
