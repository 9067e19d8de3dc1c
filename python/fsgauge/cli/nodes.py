"""`fsgauge rig coherence` and `failure`: nodes that share files, what one sees of another's writes,
and what is lost and how long they wait when a machine fails meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli import choices
from fsgauge.errors import InputError
from fsgauge.exit_codes import ExitCode, ends
from fsgauge.failure.log import TITLES
from fsgauge.programs.interruption import interruptible
from fsgauge.progress.terminal import say

if TYPE_CHECKING:
    from fsgauge.coherence.log import Counted, Examined


_USUAL = ("nfs3", "nfs4", "nfs4-fscache", "smb", "gfs2", "ocfs2")
"""Without gluster, whose cases take minutes each where machines are emulated."""


@click.command("coherence")
@ends("rig coherence")
@click.argument("folders", nargs=-1, metavar="[[HOST:]FOLDER]...")
@choices.shared_systems_option
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
@choices.built_kernel_option
@choices.page_folder_option("coherence")
@choices.results_option
def coherence(
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
    """
    from fsgauge.coherence.log import Log
    from fsgauge.coherence.on_nodes import try_nodes
    from fsgauge.coherence.page import write_log
    from fsgauge.coherence.running import chosen_cases, try_folders
    from fsgauge.rig.vm.trials import chosen_sharing

    wanted, systems = chosen_cases(cases), chosen_sharing(names or _USUAL)
    if folders and (names or kernel):
        raise InputError(
            "folders are tested as they are mounted, and --system and --kernel are for virtual"
            " machines",
            next="leave one of the two out",
        )
    folder = choices.page_folder("coherence", output, results)
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
    failed = any([*(each.fault for each in log.systems), *(each.fault for each in log.counted)])
    return ExitCode.FINDING if failed else ExitCode.ANSWERED


def _lines(what: Examined | Counted) -> list[str]:
    from fsgauge.coherence.cases import CASES
    from fsgauge.coherence.log import Examined
    from fsgauge.coherence.page import entry

    if isinstance(what, Examined):
        return [f"{what.name}  {what.fault or what.words}"]
    found = entry(what, what.case)
    note = f" ({found.note})" if found.note else ""
    return [f"{what.system}  {CASES[what.case].title}: {found.words}{note}"]


_SERVED_AND_SHARED = ("nfs3", "nfs4", "gfs2", "ocfs2")


@click.command("failure")
@ends("rig failure")
@choices.shared_systems_option
@click.option(
    "--fault",
    "struck",
    multiple=True,
    type=click.Choice(list(TITLES)),
    help="What fails: the server's power, a node's power, or a node's link. Default: all three.",
)
@click.option(
    "--duration",
    "lasts",
    type=click.IntRange(1, 600),
    default=20,
    show_default=True,
    metavar="SECONDS",
    help="How long it is without power, or its link is cut.",
)
@click.option(
    "--keep-unflushed",
    is_flag=True,
    help="Disks keep what was not flushed, as those with a protected cache do.",
)
@click.option(
    "--repeat",
    "times",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="How often each failure is carried out, on new machines each time.",
)
@choices.built_kernel_option
@choices.page_folder_option("failure")
@choices.results_option
def failure(
    names: tuple[str, ...],
    struck: tuple[str, ...],
    lasts: int,
    keep_unflushed: bool,
    times: int,
    kernel: str | None,
    output: Path | None,
    results: Path,
) -> int:
    """Crash a node, a server or a link during writes, and check that synced data survived.

    In virtual machines. By default NFS 3 and 4 with a server, GFS2 and OCFS2 on a disk that the
    nodes share; also smb, nfs4-fscache and gluster. A server can fail of nfs3, nfs4, nfs4-fscache
    and smb, a node of all but gluster, a link of all.

    Says how long the others paused, which errors their programs saw, and how many records are gone
    that had been synced. Every wait is bounded: a system that hangs is a result.
    """
    from fsgauge.failure.carrying_out import carry_out, chosen_failures
    from fsgauge.failure.log import Log, rows_of, write_log
    from fsgauge.rig.vm.trials import chosen_sharing

    systems = chosen_sharing(names or _SERVED_AND_SHARED)
    failures = chosen_failures(systems, struck, are_named=bool(names), say=say)
    folder = choices.page_folder("failure", output, results)
    log = Log.begun(lasts_ns=lasts * 10**9, loses_unflushed=not keep_unflushed)
    with interruptible():
        for system, each in failures:
            for number in range(1, times + 1):
                say(f"{system.name}: {TITLES[each]}{f', {number} of {times}' if times > 1 else ''}")
                failed = carry_out(
                    system,
                    each,
                    lasts_ns=log.lasts_ns,
                    loses_unflushed=log.loses_unflushed,
                    kernel=kernel,
                    say=say,
                )
                failed = failed.model_copy(update={"number": number})
                log = log.model_copy(update={"failures": [*log.failures, failed]})
                write_log(log, folder)
                for row in rows_of(failed):
                    click.echo(
                        f"{row.system}  {row.struck}  {row.node}: pause {row.pause}; errors"
                        f" {row.errors}; synced and lost {row.lost}; back {row.back}"
                    )
    click.echo(f"page: {write_log(log, folder)}")
    if any(node.most_lost for each in log.failures for node in each.nodes):
        return ExitCode.FINDING
    undone = any(each.fault or not each.nodes for each in log.failures)
    return ExitCode.FAILED if undone else ExitCode.ANSWERED
