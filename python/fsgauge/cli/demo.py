"""`fsgauge demo`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from fsgauge.cli.choices import chosen_study, progress_choices, results_option


@click.command("demo")
@click.option("--seed", type=int, help="Repeat a demo's random order.")
@results_option
@progress_choices
def command(seed: int | None, results: Path, style: str | None) -> int:
    """Compare the file systems of this machine in about three minutes.

    As root: raw, ext4, xfs and btrfs on a scratch file in /var/tmp. As an ordinary user: mounted
    file systems with a writable folder, in scratch folders.
    """
    from fsgauge.cli.execution import execute
    from fsgauge.rig.registry import DEFAULT

    study, systems = _for_root() or _for_user()
    chosen = chosen_study(study, (), systems, None, seed)
    return execute(chosen, rig=DEFAULT, results=results, destroy=None, style=style)


def _for_root() -> tuple[str, tuple[str, ...]] | None:
    """The study and the systems that can be made here; None where none can be."""
    from fsgauge.rig.host.device.loop_devices import loops_available
    from fsgauge.study.parse import load_study
    from fsgauge.system import FileSystem, find_kind
    from fsgauge.system.support import support_of

    why = "making and mounting file systems requires root" if os.geteuid() else loops_available()
    if why is not None:
        _say(f"{why}: comparing mounted file systems instead")
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
            _say(f"{system.name} is left out: {why}")
    if len(usable) == len(study.systems):
        return "demo", ()
    return "demo", tuple(
        f"{system.name}={system.kind}:mount={system.mount}" if system.mount else system.name
        for system in usable
    )


def _for_user() -> tuple[str, tuple[str, ...]]:
    """The study of mounted file systems, and those beside the scratch folder's own."""
    from fsgauge.rig.host.folder.places import other_writable_places
    from fsgauge.study.model import PathStorage
    from fsgauge.study.parse import load_study

    storage = load_study("demo-user", [], [], None, None).storage
    assert isinstance(storage, PathStorage)  # noqa: S101 - the shipped study says so
    places = other_writable_places(storage.path, storage.size)
    systems = ["scratch folder=mounted", *places]
    return "demo-user", tuple(systems) if places else ()


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
