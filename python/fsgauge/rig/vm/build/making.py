"""`fsgauge rig build`: the guest and its kernels, each made once for each content."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.build.archive import Archive, Package, require_programs, unpack
from fsgauge.rig.vm.build.closure import Closure
from fsgauge.rig.vm.build.kernel import make_kernel, version_of
from fsgauge.rig.vm.build.root import complete
from fsgauge.rig.vm.build.tools import squashed
from fsgauge.rig.vm.cache import Guest, Kernel
from fsgauge.rig.vm.recipe import Recipe, recipe
from fsgauge.units import format_size

_NEEDED_BYTES = 1500 << 20
Say = Callable[[str], None]


def build(say: Say, kernel: str | None = None) -> tuple[Guest, Kernel]:
    """The guest and a kernel as the archive has them now; what is there already is not made again.

    Raises RigError for what is missing or cannot be reached.
    """
    require_here()
    require_programs()
    _require_room(cache.cache_folder())
    with (
        cache.only_builder(say),
        tempfile.TemporaryDirectory(prefix="new-apt-", dir=cache.cache_folder()) as scratch,
    ):
        say("reading the archive's lists of packages")
        archive = Archive(Path(scratch) / "apt")
        archive.update()
        guest = _guest(archive, recipe(), Path(scratch), say)
        return guest, _kernel(archive, recipe(), guest, kernel, Path(scratch), say)


def require_here() -> None:
    """InputError on a machine of another kind than guests are."""
    if platform.machine() != "x86_64":
        raise InputError(
            f"the virtual rig runs on x86-64 so far, and this is {platform.machine()}",
            next="--rig host, or --rig fleet with hosts that are",
        )


def _require_room(folder: Path) -> None:
    room = os.statvfs(folder)
    free_bytes = room.f_bavail * room.f_frsize
    if free_bytes < _NEEDED_BYTES:
        raise RigError(
            f"{folder} has {format_size(free_bytes)} free, and a build takes up to"
            f" {format_size(_NEEDED_BYTES)}",
            cause="packages are unpacked there; about a tenth of it stays",
            next=f"df -h {folder}; or {cache.CACHE_VARIABLE}=/a/larger/folder {cache.BUILD}",
        )


def _guest(archive: Archive, wanted: Recipe, scratch: Path, say: Say) -> Guest:
    packages = archive.resolved(wanted.packages)
    packages += [archive.one(name) for name in wanted.alone]
    key = _key(wanted.key, packages)
    found = next((each for each in cache.guests() if each.folder.name == f"guest-{key}"), None)
    if found is not None:
        say(f"the guest is there already: {found.folder.name}")
        os.utime(found.folder)
        return found
    together = format_size(sum(each.size_bytes for each in packages))
    say(f"fetching {len(packages)} packages, {together}")
    files = archive.fetch(wanted.packages) + [archive.fetch_alone(name) for name in wanted.alone]
    say("unpacking them, and picking what the guest needs")
    tree = scratch / "tree"
    for file in files:
        unpack(file, tree)
        file.unlink()  # the tree takes more room than the files do
    facts: dict[str, object] = {
        "recipe": wanted.key,
        "distribution": _distribution(tree),
        "packages": [each.name for each in packages],
        "kinds": list(wanted.kinds),
    }
    with cache.being_made(f"guest-{key}", facts) as folder:
        tools = Closure(tree)
        tools.add(wanted.tools)
        tools.copy(folder / "tools")
        shutil.copy2(tree / "usr/bin/busybox", folder / "busybox")
        chosen = Closure(tree)
        chosen.add(wanted.files)
        chosen.copy(scratch / "root")
        facts["libraries"] = chosen.libraries()
        complete(scratch / "root", wanted)
        squashed(folder / "tools", scratch / "root", folder / "root.squashfs")
    for unpacked in (tree, scratch / "root"):
        shutil.rmtree(unpacked)  # the kernel's package needs the room
    return next(each for each in cache.guests() if each.folder.name == f"guest-{key}")


def _kernel(
    archive: Archive, wanted: Recipe, guest: Guest, name: str | None, scratch: Path, say: Say
) -> Kernel:
    package = archive.kernel(name or archive.newest_kernel())
    folder_name = f"kernel-{_key(wanted.key, [package])}"
    found = next((each for each in cache.kernels() if each.folder.name == folder_name), None)
    if found is not None:
        say(f"the kernel is there already: {found.facts.package}")
        os.utime(found.folder)
        return found
    package_name = package.file.partition("_")[0]
    say(f"fetching the kernel {package_name}, {format_size(package.size_bytes)}")
    tree = scratch / "kernel"
    unpack(archive.fetch_alone(package_name), tree)
    say("unpacking it with its modules")
    facts: dict[str, object] = {
        "package": package_name,
        "version": version_of(tree),
        "recipe": wanted.key,
    }
    with cache.being_made(folder_name, facts) as folder:
        busybox = guest.folder / "busybox"
        facts["modules"] = make_kernel(tree, busybox, guest.tools, wanted, folder)
    return next(each for each in cache.kernels() if each.folder.name == folder_name)


def _key(recipe_key: str, packages: list[Package]) -> str:
    lines = [recipe_key, *(f"{each.file} {each.size_bytes} {each.hash}" for each in packages)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _distribution(tree: Path) -> str:
    lines = (tree / "usr/lib/os-release").read_text().splitlines()
    pairs = dict(line.partition("=")[::2] for line in lines)
    return pairs.get("PRETTY_NAME", "unknown").strip('"')
