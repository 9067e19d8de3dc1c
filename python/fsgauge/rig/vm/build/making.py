"""`fsgauge rig build`: the guest and its kernels, each made once for each content."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.build.archive import Archive, Package, require_programs, unpack
from fsgauge.rig.vm.build.closure import Closure, squashed
from fsgauge.rig.vm.build.kernel import make_kernel, version_of
from fsgauge.rig.vm.cache import Guest, Kernel
from fsgauge.rig.vm.recipe import GUEST, Recipe, recipe
from fsgauge.storage.base import free_bytes
from fsgauge.units import format_size

_ROOT_FOLDERS = ("dev", "proc", "sys", "run", "tmp", "etc", "root", "mnt", "lab", "var/lib")
_LINKS = {"var/run": "/run", "var/lock": "/run/lock"}
_OWN = "usr/lib/fsgauge"
_IN_FIRST_STAGE = "init"
_FIRST_USER, _NO_GROUP = 100, 65534
_SOURCES_OF_NAMES = ("passwd", "group", "hosts", "services", "protocols", "rpc", "netgroup")


def complete(root: Path, wanted: Recipe) -> None:
    for name in (*_ROOT_FOLDERS, _OWN):
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


_NEEDED_BYTES = 1500 << 20
Say = Callable[[str], None]


def build(say: Say, kernel: str | None = None) -> tuple[Guest, Kernel]:
    """The guest and a kernel as the archive has them now; what is there already is not made again.
    Raises RigError for what is missing or cannot be reached."""
    require_here()
    require_programs()
    _require_room(cache.cache_folder())
    with _read_archive(say) as (archive, scratch):
        guest = _guest(archive, recipe(), scratch, say)
        return guest, _kernel(archive, recipe(), guest, kernel, scratch, say)


@contextmanager
def _read_archive(say: Say) -> Iterator[tuple[Archive, Path]]:
    place = cache.cache_folder()
    with (
        cache.only_builder(say),
        tempfile.TemporaryDirectory(prefix="new-apt-", dir=place) as scratch,
    ):
        say("reading the archive's lists of packages")
        archive = Archive(Path(scratch) / "apt")
        archive.update()
        yield archive, Path(scratch)


def require_here() -> None:
    """InputError on a machine of another kind than guests are."""
    if platform.machine() != "x86_64":
        raise InputError(
            f"the virtual rig runs on x86-64 so far, and this is {platform.machine()}",
            next="--rig host, or --rig fleet with hosts that are",
        )


def _require_room(folder: Path) -> None:
    free = free_bytes(folder)
    if free < _NEEDED_BYTES:
        raise RigError(
            f"{folder} has {format_size(free)} free, and a build takes up to"
            f" {format_size(_NEEDED_BYTES)}",
            cause="packages are unpacked there; about a tenth of it stays",
            next=f"df -h {quoted(folder)};"
            f" or {cache.CACHE_VARIABLE}=/a/larger/folder {cache.BUILD}",
        )


def _guest(archive: Archive, wanted: Recipe, scratch: Path, say: Say) -> Guest:
    packages = archive.resolved(wanted.packages)
    packages += [archive.one(name) for name in wanted.alone]
    folder_name = f"guest-{_key(wanted.key, packages)}"
    found = next((each for each in cache.guests() if each.folder.name == folder_name), None)
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
    with cache.being_made(folder_name, facts) as folder:
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
    return next(each for each in cache.guests() if each.folder.name == folder_name)


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


_NAME = re.compile(r"linux-image-(?P<version>\d+\.\d+\.\d\S*?)-(?P<flavour>[a-z]\S*)")


def kernels_between(say: Say, good: str, bad: str) -> list[str]:
    """Packages of one flavour from `good` to `bad`, both included. Raises InputError for a package
    that is neither offered nor built, for two flavours, and where `good` is not the older one;
    RigError where the archive cannot be reached."""
    require_here()
    require_programs()
    with _read_archive(say) as (archive, _):
        offered = archive.kernels()
    return chosen_between([*offered, *_built()], good, bad)


def require_built(say: Say, package: str) -> None:
    """Build a kernel that is not there yet; RigError where that fails."""
    if package not in _built():
        build(say, package)


def _built() -> list[str]:
    key = recipe().key
    return [each.facts.package for each in cache.kernels() if each.facts.recipe == key]


def chosen_between(known: list[str], good: str, bad: str) -> list[str]:
    flavours = {_flavour(each) for each in (good, bad)}
    alike = sorted({each for each in known if {_flavour(each)} == flavours}, key=_version)
    for each in (good, bad):
        if each not in alike:
            raise InputError(
                f"the kernel {each} is neither offered by the archive nor built",
                details=(f"known: {', '.join(alike[-12:])}",) if alike else (),
                cause="" if len(flavours) == 1 else "the two kernels are of different flavours",
                next="apt-cache search linux-image; fsgauge rig list",
            )
    first, last = alike.index(good), alike.index(bad)
    if first >= last:
        raise InputError(
            f"{good} is not older than {bad}", next="--good OLDER --bad NEWER, by version"
        )
    return alike[first : last + 1]


def _flavour(package: str) -> str:
    found = _NAME.fullmatch(package)
    return found["flavour"] if found else ""


def _version(package: str) -> list[int]:
    found = _NAME.fullmatch(package)
    return cache.numbers_in(found["version"]) if found else []
