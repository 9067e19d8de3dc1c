"""`fsgauge demo`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from fsgauge.cli.asked_study import AskedStudy
from fsgauge.cli.choices import progress_choices, results_option
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.progress.terminal import say
from fsgauge.units import exact_size


@click.command("demo")
@click.option("--seed", type=int, help="Repeat a demo's random order.")
@results_option
@progress_choices
def command(seed: int | None, results: Path, style: str | None) -> int:
    """Compare the file systems of this machine in about three minutes.

    As root: raw, ext4, xfs and btrfs on a scratch file in /var/tmp, or in memory where a try of
    some seconds finds that quieter. As an ordinary user: what a commit costs on the mounted disks
    and in memory (/dev/shm).
    """
    from fsgauge.cli.execution import execute
    from fsgauge.rig.registry import DEFAULT, rig_named

    demo = _for_root()
    demo = replace(_on_the_quieter(demo) if demo is not None else _for_user(), seed=seed)
    rig = rig_named(DEFAULT, say)
    return execute(demo.on(None), rig=rig, results=results, destroy=None, style=style).code


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


MEMORY = "/dev/shm"  # noqa: S108 - tried under a made name
_TRIED_PAIRS = 3
QUIETER = 0.5
"""Memory is taken where its noise is below this share of the disk's, which is asked for."""


def _on_the_quieter(demo: AskedStudy) -> AskedStudy:
    """The demo on memory where equal runs differ far less there than on the disk, which is said."""
    from fsgauge.study.model import LoopStorage
    from fsgauge.study.parse import load_study

    storage = load_study(demo.study, [], [], None, None).storage
    assert isinstance(storage, LoopStorage)  # noqa: S101 - the shipped study says so
    disk = _noise_percent(Path(storage.directory), direct=True)
    memory = _noise_percent(Path(MEMORY), direct=False) if _has_memory(storage.size) else None
    if disk is None or memory is None:
        return demo
    tried = f"equal runs differ by {disk:.1f} % on {storage.directory} and {memory:.1f} % in memory"
    if memory >= QUIETER * disk:
        say(f"tried disk and memory: {tried}, so the demo runs on the disk")
        return demo
    say(
        f"tried disk and memory: {tried}, so the demo runs in memory; the same on the disk:"
        " fsgauge run demo"
    )
    return replace(demo, storage=f"ram:{exact_size(storage.size)}")


def _has_memory(size_bytes: int) -> bool:
    """Whether three times as much is available: it is taken as files are written."""
    from fsgauge.machine.facts.limits import available_memory_bytes

    return (available_memory_bytes() or 0) >= 3 * size_bytes


def _noise_percent(directory: Path, *, direct: bool) -> float | None:
    """How far equal runs differ there, tried for some five seconds; None where it is not known."""
    from fsgauge.engine.client import Engine
    from fsgauge.machine.facts.noise import measured_noise

    try:
        tried = measured_noise(Engine().run, directory, direct=direct, pairs=_TRIED_PAIRS)
    except (FsgaugeError, OSError):
        return None
    return tried.next_percent


def _for_user() -> AskedStudy:
    """Commits on mounted disks and in memory; without memory, rates of the disks."""
    from fsgauge.machine.folder.places import writable_places
    from fsgauge.study.model import PathStorage
    from fsgauge.study.parse import load_study

    storage = load_study("demo-user", [], [], None, None).storage
    assert isinstance(storage, PathStorage)  # noqa: S101 - the shipped study says so
    places = writable_places(storage.path, storage.size)
    if places.on_disk and places.in_memory:
        disks = ", ".join(places.on_disk)
        say(
            f"what a commit (a write with fdatasync) costs on {disks}, against memory,"
            f" {places.in_memory}"
        )
        return _compared("demo-memory", *places.on_disk, places.in_memory)
    if len(places.on_disk) > 1:
        return _compared("demo-user", *places.on_disk)
    raise InputError(
        "there are no two file systems here that this user can write to",
        details=(f"looked at: {storage.path}, this folder, the home folder, /tmp and /dev/shm",),
        cause="they are on one file system, full, or another user's",
        next="sudo fsgauge demo; or fsgauge run overhead --system /a/folder --system /another",
    )


def _compared(study: str, *folders: str) -> AskedStudy:
    """Folders, compared with the first of them, which is the storage too."""
    first = folders[0]
    return AskedStudy(study, systems=folders, storage=f"path:{first}", baseline=first)
