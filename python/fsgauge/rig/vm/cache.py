"""Where guests are kept between runs: the user's cache folder, one folder for each content.

A guest is a root image, made of packages. Next to it are kernels, each with its modules, and the
lab: the Python, fsgauge and engine of this machine. What a run uses is held while it goes on, and
not removed meanwhile: a run that loses its machines starts others from the same images.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fsgauge.errors import RigError, quoted
from fsgauge.machine.ledger.ledger_folder import try_lock
from fsgauge.plain_files.opening import closing

CACHE_VARIABLE = "FSGAUGE_CACHE"
"""A folder for what can be made again, where it should not be the usual one."""
BUILD = "fsgauge rig build"
_FACTS = "facts.json"
_LOCK_SECONDS = 1800.0
F = TypeVar("F", bound=BaseModel)


class GuestFacts(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    recipe: str
    distribution: str
    packages: list[str]
    libraries: list[str]
    kinds: list[str]


class KernelFacts(BaseModel):
    """What a kernel was made of; `recipe` is that of its modules."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    package: str
    version: str
    recipe: str
    modules: list[str]


@dataclass(frozen=True)
class Guest:
    folder: Path
    facts: GuestFacts

    @property
    def root(self) -> Path:
        return self.folder / "root.squashfs"

    @property
    def tools(self) -> Path:
        return self.folder / "tools"


@dataclass(frozen=True)
class Kernel:
    folder: Path
    facts: KernelFacts

    @property
    def image(self) -> Path:
        """The kernel as an ELF file, which need not unpack itself."""
        return self.folder / "vmlinux"

    @property
    def initramfs(self) -> Path:
        return self.folder / "initramfs.gz"

    @property
    def modules(self) -> Path:
        return self.folder / "modules.squashfs"


def cache_folder() -> Path:
    named = os.environ.get(CACHE_VARIABLE, "")
    home = os.environ.get("XDG_CACHE_HOME", "")
    usual = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    folder = Path(named) if Path(named).is_absolute() else usual / "fsgauge"
    folder = folder / "rig"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RigError(
            f"the cache folder {folder} cannot be made: {error.strerror}",
            cause="the home folder is not there, read-only, or another user's",
            next=f"{CACHE_VARIABLE}=/a/folder/of/yours fsgauge ...",
        ) from error
    return folder


def guests() -> list[Guest]:
    return [Guest(*found) for found in _made("guest-", GuestFacts)]


def kernels() -> list[Kernel]:
    return [Kernel(*found) for found in _made("kernel-", KernelFacts)]


def guest_of(recipe_key: str) -> Guest:
    """The newest guest that was made by this recipe; RigError where there is none."""
    found = [each for each in guests() if each.facts.recipe == recipe_key]
    if found:
        return found[0]
    raise RigError(
        "the guest of the virtual rig is not built yet"
        if not guests()
        else "the guest of the virtual rig was built for another version of fsgauge",
        cause="it is built once, from packages of the distribution, in a few minutes",
        next=BUILD,
    )


def kernel_of(recipe_key: str, package: str | None = None) -> Kernel:
    """The kernel of a package, or that of the highest version; RigError where it is not built. Not
    the one that was built last: an old kernel is built to be compared with the usual one. Nor one
    for clouds or real time, which lacks file systems or is another kernel of the same version."""
    found = [each for each in kernels() if each.facts.recipe == recipe_key]
    if package is None and found:
        return max(found, key=lambda each: _rank(each.facts.version))
    named = [each for each in found if package in (each.facts.package, each.facts.version)]
    if named:
        return named[0]
    built = ", ".join(each.facts.package for each in found)
    raise RigError(
        f"the kernel {package} is not built" if package else "no kernel is built yet",
        details=(f"built: {built}",) if built else (),
        cause="the virtual rig takes what fsgauge rig build has made, once for each kernel",
        next=f"{BUILD} --kernel {package}" if package else BUILD,
    )


@contextmanager
def being_made(name: str, facts: dict[str, object]) -> Iterator[Path]:
    """A folder to fill; it gets its name once the context ends well, and is gone otherwise."""
    place = cache_folder()
    folder = place / f"new-{secrets.token_hex(6)}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
        (folder / _FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
        final = place / name
        if final.exists():
            shutil.rmtree(final)
        folder.rename(final)
        os.utime(final)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def only_builder(say: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """One build at a time; what a killed one left is removed. `say` is told of a wait."""
    with (cache_folder() / "lock").open("w") as lock:
        deadline, is_told = time.monotonic() + _LOCK_SECONDS, False
        while not try_lock(lock.fileno()):
            if time.monotonic() > deadline:
                raise RigError(
                    "another build of the guest does not end",
                    cause="it was stopped (Ctrl-Z), or waits for the network",
                    next=f"fuser -v {quoted(lock.name)}",
                )
            if not is_told:
                say(f"another build goes on; waiting for it (fuser -v {lock.name})")
                is_told = True
            time.sleep(0.2)
        for left in cache_folder().glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _rank(version: str) -> tuple[int, list[int]]:
    """6.1.0-56-amd64 is above any version of another flavour, such as 6.1.0-57-cloud-amd64."""
    flavour = [word for word in version.split("-")[1:] if not word[:1].isdigit()]
    return -len(flavour), numbers_in(version)


def numbers_in(version: str) -> list[int]:
    """For the order of versions: 6.1.0-47 is before 6.1.0-56 and 6.12.9."""
    return [int(number) for number in re.findall(r"\d+", version)]


def size_bytes(folder: Path) -> int:
    files = [folder] if folder.is_file() else [each for each in folder.rglob("*") if each.is_file()]
    return sum(each.stat().st_blocks * 512 for each in files)


def _made(prefix: str, kind: type[F]) -> Iterator[tuple[Path, F]]:
    found = [each for each in cache_folder().glob(f"{prefix}*") if each.is_dir()]
    for folder in sorted(found, key=lambda each: each.stat().st_mtime_ns, reverse=True):
        try:
            facts = kind.model_validate_json((folder / _FACTS).read_text(encoding="utf-8"))
        except (OSError, ValidationError):
            continue
        yield folder, facts


@contextmanager
def in_use(paths: Iterable[Path]) -> Iterator[None]:
    """Folders and images of the cache, held until the context ends; several runs may hold one."""
    with ExitStack() as stack:
        for path in paths:
            descriptor = stack.enter_context(closing(os.open(path, os.O_RDONLY | os.O_CLOEXEC)))
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield


def is_in_use(path: Path) -> bool:
    with closing(os.open(path, os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
        return not try_lock(descriptor)


def require_unused(paths: Iterable[Path]) -> None:
    """RigError for the first one that a run holds."""
    for path in paths:
        if is_in_use(path):
            raise RigError(
                f"{path.name} is in use by a run",
                cause="machines are started from it as long as that run goes on",
                next=f"fuser -v {quoted(path)}; remove it after that run",
            )
