"""`fsgauge demo`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click

from fsgauge.cli.choices import chosen_study, progress_choices, results_option
from fsgauge.errors import InputError
from fsgauge.progress.terminal import say


@dataclass(frozen=True)
class Demo:
    """A shipped study and what is compared in it; folders are compared with that of the storage."""

    study: str
    systems: tuple[str, ...] = ()
    storage: str | None = None


@click.command("demo")
@click.option("--seed", type=int, help="Repeat a demo's random order.")
@results_option
@progress_choices
def command(seed: int | None, results: Path, style: str | None) -> int:
    """Compare the file systems of this machine in about three minutes.

    As root: raw, ext4, xfs and btrfs on a scratch file in /var/tmp. As an ordinary user: mounted
    file systems with a writable folder; where there is only one, durable writes to it with those
    to memory (/dev/shm).
    """
    from fsgauge.cli.execution import execute
    from fsgauge.rig.registry import DEFAULT

    demo = _for_root() or _for_user()
    baseline = demo.systems[0] if demo.storage else None
    chosen = chosen_study(
        demo.study, (), demo.systems, demo.storage, seed, serve=None, baseline=baseline
    )
    return execute(chosen, rig=DEFAULT, results=results, destroy=None, style=style)


def _for_root() -> Demo | None:
    """File systems that can be made here; None where none can be."""
    from fsgauge.machine.device.loop_devices import loops_available
    from fsgauge.study.parse import load_study
    from fsgauge.system import FileSystem, find_kind
    from fsgauge.system.support import support_of

    why = "making and mounting file systems requires root" if os.geteuid() else loops_available()
    if why is not None:
        say(f"{why}: comparing mounted ones instead")
        return None
    study = load_study("demo", [], [], None, None)
    usable = []
    for system in study.systems:
        kind = find_kind(system.kind)
        support = support_of(kind, load_module=True) if isinstance(kind, FileSystem) else None
        if support is None or support.usable:
            usable.append(system)
        else:
            why = support.install if support.driver else "this kernel has no driver for it"
            say(f"{system.name} is left out: {why}")
    if len(usable) == len(study.systems):
        return Demo("demo")
    return Demo(
        "demo",
        tuple(
            f"{system.name}={system.kind}:mount={system.mount}" if system.mount else system.name
            for system in usable
        ),
    )


def _for_user() -> Demo:
    """Mounted file systems on disks; where there is only one, it and memory."""
    from fsgauge.machine.folder.places import writable_places
    from fsgauge.study.model import PathStorage
    from fsgauge.study.parse import load_study

    storage = load_study("demo-user", [], [], None, None).storage
    assert isinstance(storage, PathStorage)  # noqa: S101 - the shipped study says so
    places = writable_places(storage.path, storage.size)
    if len(places.on_disk) > 1:
        return Demo("demo-user", tuple(places.on_disk), f"path:{places.on_disk[0]}")
    if places.on_disk and places.in_memory:
        disk = places.on_disk[0]
        say(
            f"this user can write to one of them only, that of {disk}: durable writes to it are"
            f" compared with those to memory, {places.in_memory}"
        )
        return Demo("demo-memory", (disk, places.in_memory), f"path:{disk}")
    raise InputError(
        "there are no two file systems here that this user can write to",
        details=(f"looked at: {storage.path}, this folder, the home folder, /tmp and /dev/shm",),
        next="sudo fsgauge demo; or fsgauge run overhead --system /a/folder --system /another",
    )
