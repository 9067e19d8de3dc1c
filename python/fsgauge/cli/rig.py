"""`fsgauge rig`: the guest of the virtual rig, built, tried, and looked at; and `fleet-host`,
which fsgauge starts on each host of a fleet."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsgauge.cli.bisect import command as bisect
from fsgauge.cli.choices import file_option, json_option
from fsgauge.cli.nodes import coherence, failure
from fsgauge.exit_codes import ExitCode, ends
from fsgauge.progress.terminal import say
from fsgauge.units import format_duration, format_size

if TYPE_CHECKING:
    from fsgauge.rig.vm.cache import Guest, Kernel

LEAVE = b"\x1d"
"""Ctrl-], which leaves the prompt and ends the machine."""
_OFF = b"\npoweroff -f\n"
_PIECE_BYTES = 1 << 14
_kernel_option = click.option(
    "--kernel", metavar="PACKAGE", help="A kernel of the archive: linux-image-6.1.0-47-amd64."
)


@click.group("rig")
def command() -> None:
    """Virtual machines: --rig vm measures a study in them, without root.

    Their guest is built once, from packages of the distribution: fsgauge rig build. bisect finds
    the kernel that brought a loss; coherence and failure try file systems that nodes share.
    """


for _each in (bisect, coherence, failure):
    command.add_command(_each)


@command.command("build")
@_kernel_option
def build(kernel: str | None) -> None:
    """Build the guest and its kernel; what is there already is kept.

    Takes a few minutes and about 200 MB, needs the archive of packages, and no root. --kernel
    builds another kernel next to the stock one.
    """
    from fsgauge.rig.vm.build.lab import lab_image
    from fsgauge.rig.vm.build.making import build as make
    from fsgauge.rig.vm.cache import cache_folder, size_bytes

    began = time.monotonic()
    guest, built = make(say, kernel)
    say("packing Python, fsgauge and the engine for the guest")
    lab_image(guest)
    took = format_duration(int((time.monotonic() - began) * 1e9))
    click.echo(f"kernel   {built.facts.package}, {guest.facts.distribution}")
    click.echo(f"systems  {', '.join(guest.facts.kinds)}")
    click.echo(f"built in {took}; {format_size(size_bytes(cache_folder()))} in {cache_folder()}")


@command.command("test")
@ends("rig test")
@click.argument("systems", nargs=-1, metavar="[SYSTEM]...")
@_kernel_option
def test(systems: tuple[str, ...], kernel: str | None) -> int:
    """Start machines, set up each system on them, and read on one what another one wrote.

    SYSTEM is a file system (gfs2), what it is made on (stripe8), how it is reached (nfs4), or a
    whole line of the output; without one, all are tried, which takes a quarter of an hour.
    """
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.vm.trials import chosen, outcomes

    wanted = chosen(systems)
    width = max(len(each.name) for each in wanted)
    failed = known = 0
    with interruptible():
        for each in outcomes(wanted, kernel, say):
            name = f"{each.trial.name:{width}}"
            if each.fault:
                click.echo(f"{name}  does not work: {each.fault}")
                if not each.trial.known:
                    failed += 1
                else:
                    known += 1
                    click.echo(f"{'':{width}}  known: {each.trial.known}")
            else:
                click.echo(f"{name}  {each.said}, in {each.seconds:.1f} s")
    works = len(wanted) - failed - known
    click.echo(f"{works} of {len(wanted)} work" + (f"; {known} known not to" if known else ""))
    return ExitCode.FINDING if failed else ExitCode.ANSWERED


@command.command("shell")
@_kernel_option
def shell(kernel: str | None) -> None:
    """Open a prompt in a machine of its own; Ctrl-] leaves it, and the machine ends.

    Lines on the standard input are typed there: echo uname -a | fsgauge rig shell.
    """

    from fsgauge.rig.vm.refusing import require_machines
    from fsgauge.rig.vm.rig import VmRig
    from fsgauge.study.model import LoopStorage

    require_machines()
    own, of_machine = socket.socketpair()
    place = Path(LoopStorage().directory)
    with VmRig(say, kernel).at_prompt(of_machine.fileno(), place):
        of_machine.close()
        if sys.stdin.isatty():
            say("Ctrl-] leaves")
        join(own)


@command.command("list")
@json_option()
def list_(as_json: bool) -> None:
    """List the guests and kernels that are built, the newest first."""
    from fsgauge.rig.vm.cache import guests, kernels, size_bytes
    from fsgauge.rig.vm.recipe import recipe

    current = recipe().key
    found: list[Guest | Kernel] = [*guests(), *kernels()]
    rows: list[dict[str, Any]] = [
        {
            "name": each.folder.name,
            "size_bytes": size_bytes(each.folder),
            "built_unix_s": int(each.folder.stat().st_mtime),
            "is_current": each.facts.recipe == current,
            "what": _what(each),
        }
        for each in found
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    if not rows:
        click.echo("nothing is built: fsgauge rig build")
    for row in rows:
        old = "" if row["is_current"] else ", of another version of fsgauge"
        click.echo(f"{row['name']}  {format_size(row['size_bytes'])}  {row['what']}{old}")


def _what(each: Guest | Kernel) -> str:
    from fsgauge.rig.vm.cache import Guest

    if isinstance(each, Guest):
        facts = each.facts
        return f"{facts.distribution}, {len(facts.packages)} packages: {', '.join(facts.kinds)}"
    return each.facts.package


@command.command("remove")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="All that was built.")
def remove(names: tuple[str, ...], everything: bool) -> None:
    """Remove guests and kernels by the names that `fsgauge rig list` shows."""
    from fsgauge.errors import InputError
    from fsgauge.rig.vm.cache import cache_folder, guests, kernels, only_builder, require_unused

    built: list[Guest | Kernel] = [*guests(), *kernels()]
    known = {each.folder.name: each.folder for each in built}
    if not names and not everything:
        raise InputError("nothing is named", next="fsgauge rig list; fsgauge rig remove --all")
    for name in names:
        if name not in known:
            raise InputError(f"{name} is not built", next="fsgauge rig list")
    wanted = list(known) if everything else list(dict.fromkeys(names))
    with only_builder():
        labs = list(cache_folder().glob("lab-*.squashfs")) if everything else []
        require_unused([*(known[name] for name in wanted), *labs])
        for name in wanted:
            shutil.rmtree(known[name])
            click.echo(f"removed {name}")
        for image in labs:
            image.unlink()


@click.command("fleet-host", hidden=True)
@file_option("--bootstrap", "FILE", "")
def fleet_host(bootstrap: Path | None) -> int:
    """Be a host of a fleet until the one who started it is gone."""
    from fsgauge.rig.fleet.choice import require_extra

    require_extra()
    from fsgauge.rig.fleet.host_process import serve_file, serve_standard_input

    return serve_standard_input() if bootstrap is None else serve_file(bootstrap)


def join(machine: socket.socket) -> None:
    """Until the machine ends or Ctrl-] is pressed; after the last line of no terminal it is off."""
    keys: int | None = sys.stdin.fileno()
    with _raw(sys.stdin.fileno()):
        while True:
            waited = [machine.fileno(), *([keys] if keys is not None else [])]
            ready, _, _ = select.select(waited, [], [])
            if machine.fileno() in ready and not _show(machine):
                return
            if keys is None or keys not in ready:
                continue
            typed = os.read(keys, _PIECE_BYTES)
            if LEAVE in typed and os.isatty(keys):
                return
            if not typed:
                keys, typed = None, _OFF
            machine.sendall(typed)


def _show(machine: socket.socket) -> bool:
    try:
        piece = machine.recv(_PIECE_BYTES)
    except OSError:
        return False
    if piece:
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    return bool(piece)


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Each key as it is pressed, without its echo here."""
    if not os.isatty(terminal):
        yield
        return
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
