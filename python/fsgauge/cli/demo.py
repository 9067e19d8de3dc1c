"""`fsgauge demo`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from fsgauge.cli.asked_study import AskedStudy
from fsgauge.cli.choices import progress_choices, results_option
from fsgauge.errors import InputError
from fsgauge.progress.terminal import say


@click.command("demo")
@click.option("--seed", type=int, help="Repeat a demo's random order.")
@results_option
@progress_choices
def command(seed: int | None, results: Path, style: str | None) -> int:
    """Compare the file systems of this machine in about three minutes.

    As root: raw, ext4, xfs and btrfs on a scratch file in /var/tmp. As an ordinary user: mounted
    file systems with a writable folder. If there is only one, compares fdatasync writes on it with
    those to memory (/dev/shm).
    """
    from fsgauge.cli.execution import execute
    from fsgauge.rig.registry import DEFAULT, rig_named

    demo = replace(_for_root() or _for_user(), seed=seed)
    rig = rig_named(DEFAULT, say)
    return execute(demo.on(None), rig=rig, results=results, destroy=None, style=style)


def _for_root() -> AskedStudy | None:
    """File systems that can be made here; None where none can be."""
    from fsgauge.machine.device.loop_devices import loops_available
    from fsgauge.study.parse import load_study
    from fsgauge.system import FileSystem, find_kind, support_of

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
        return AskedStudy("demo")
    names = [
        f"{system.name}={system.kind}:mount={system.mount}" if system.mount else system.name
        for system in usable
    ]
    return AskedStudy("demo", systems=tuple(names))


def _for_user() -> AskedStudy:
    """Mounted file systems on disks; where there is only one, it and memory."""
    from fsgauge.machine.folder.places import writable_places
    from fsgauge.study.model import PathStorage
    from fsgauge.study.parse import load_study

    storage = load_study("demo-user", [], [], None, None).storage
    assert isinstance(storage, PathStorage)  # noqa: S101 - the shipped study says so
    places = writable_places(storage.path, storage.size)
    if len(places.on_disk) > 1:
        return _compared("demo-user", *places.on_disk)
    if places.on_disk and places.in_memory:
        disk = places.on_disk[0]
        say(
            f"this user can write to one of them only, that of {disk}: durable writes to it are"
            f" compared with those to memory, {places.in_memory}"
        )
        return _compared("demo-memory", disk, places.in_memory)
    raise InputError(
        "there are no two file systems here that this user can write to",
        details=(f"looked at: {storage.path}, this folder, the home folder, /tmp and /dev/shm",),
        next="sudo fsgauge demo; or fsgauge run overhead --system /a/folder --system /another",
    )


def _compared(study: str, *folders: str) -> AskedStudy:
    """Folders, compared with the first of them, which is the storage too."""
    first = folders[0]
    return AskedStudy(study, systems=folders, storage=f"path:{first}", baseline=first)
