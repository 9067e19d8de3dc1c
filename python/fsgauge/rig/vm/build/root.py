"""The guest's root beside the packages' files: what their scripts would have made, and our own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from fsgauge.rig.vm.recipe import GUEST, Recipe

_FOLDERS = ("dev", "proc", "sys", "run", "tmp", "etc", "root", "mnt", "lab", "var/lib")
_LINKS = {"var/run": "/run", "var/lock": "/run/lock"}
_OWN = "usr/lib/fsgauge"
_IN_FIRST_STAGE = "init"
_FIRST_USER, _NO_GROUP = 100, 65534
_SOURCES_OF_NAMES = ("passwd", "group", "hosts", "services", "protocols", "rpc", "netgroup")


def complete(root: Path, wanted: Recipe) -> None:
    """Folders, accounts, our scripts, and busybox under the names that nothing else has."""
    for name in (*_FOLDERS, _OWN):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name, leads_to in _LINKS.items():
        (root / name).symlink_to(leads_to)
    for script in GUEST.iterdir():
        if script.name != _IN_FIRST_STAGE:
            shutil.copy(script, root / _OWN / script.name)
            (root / _OWN / script.name).chmod(0o755)
    _accounts(root / "etc", wanted.users)
    (root / "etc/fstab").touch()
    if not (root / "usr/bin/sh").exists():
        (root / "usr/bin/sh").symlink_to("bash")
    for name in wanted.busybox:
        if not any(os.path.lexists(root / "usr" / each / name) for each in ("bin", "sbin")):
            (root / "usr/bin" / name).symlink_to("busybox")


def _accounts(etc: Path, users: tuple[str, ...]) -> None:
    """root, nobody, and those of services; names are looked up in files alone."""
    lines = ["root:x:0:0:root:/root:/bin/bash"]
    named = [*enumerate(users, start=_FIRST_USER), (_NO_GROUP, "nobody")]
    lines += [f"{name}:x:{number}:{_NO_GROUP}:{name}:/:/bin/false" for number, name in named]
    (etc / "passwd").write_text("".join(f"{line}\n" for line in lines))
    (etc / "group").write_text(f"root:x:0:\ndisk:x:6:\nnogroup:x:{_NO_GROUP}:\n")
    names = "".join(f"{source}: files\n" for source in _SOURCES_OF_NAMES)
    (etc / "nsswitch.conf").write_text(names)
