"""The lab as an image: this interpreter, its packages, fsgauge and the engine, for the guest.

The guest runs the very code that runs here, so both are always of one version. Only what the
guest's process imports is taken. It is made again when any of it has changed, in seconds, without a
network.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

import fsgauge
from fsgauge.errors import RigError
from fsgauge.machine.process.tool import run_tool
from fsgauge.programs import find_engine, interpreter, isolated
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.build.closure import Linked, linked, squashed
from fsgauge.rig.vm.cache import Guest, is_in_use

_LEFT_OUT = (
    *("test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3"),
    *("site-packages", "dist-packages", "pydoc_data", "__phello__"),
)
_OF_SCREENS = ("_tkinter", "readline", "_curses", "_dbm", "_gdbm", "_sqlite3", "_test", "_ctypes_t")
"""Extension modules that no part of a run uses, and whose libraries are large."""
_FOLDERS = (
    *("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64"),
    *("/lib", "/usr/lib", "/usr/local/lib"),
)
_MODULES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import fsgauge.rig.vm.guest_process, fsgauge.record.merging, fsgauge.record.series
from fsgauge import kinds
from fsgauge.rig.host.rig import HostRig
from fsgauge.system import system_kinds
system_kinds()
HostRig(say=print)
for name in kinds.names():
    kinds.part(name, "method")
    kinds.part(name, "factors")
tops = {name.partition(".")[0] for name in sys.modules}
files = {name: getattr(sys.modules.get(name), "__file__", None) for name in tops}
json.dump({name: file for name, file in files.items() if file}, sys.stdout)
"""
_SECONDS = 300.0


def lab_image(guest: Guest) -> Path:
    """The image that fits this fsgauge and that guest; made if it is not there."""
    place = cache.cache_folder() / f"lab-{_key(guest)}.squashfs"
    if not place.is_file():
        with cache.only_builder():
            if not place.is_file():  # another one may have made it while this one waited
                _make(place, guest)
    os.utime(place)
    return place


def _make(place: Path, guest: Guest) -> None:
    with tempfile.TemporaryDirectory(prefix="new-lab-", dir=cache.cache_folder()) as scratch:
        lab, image = Path(scratch) / "lab", Path(scratch) / "lab.squashfs"
        _fill(lab, set(guest.facts.libraries))
        squashed(guest.tools, lab, image)
        image.rename(place)
    images = cache.cache_folder().glob("lab-*.squashfs")
    for older in sorted(images, key=lambda each: each.stat().st_mtime_ns)[:-2]:
        if not is_in_use(older):
            older.unlink(missing_ok=True)


def _key(guest: Guest) -> str:
    """Of all that may be in it: our own files, the engine, and what is installed."""
    found = hashlib.sha256()
    own = Path(fsgauge.__file__).parent
    for path in sorted(own.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(own)}\0".encode())
            found.update(path.read_bytes())
    found.update(find_engine().read_bytes())
    installed = {f"{each.name} {each.version}" for each in distributions()}
    found.update("\n".join([sys.version, _interpreter(), *sorted(installed)]).encode())
    found.update(guest.folder.name.encode())
    return found.hexdigest()[:16]


def _interpreter() -> str:
    return os.path.realpath(sys.executable)


def _fill(lab: Path, given: set[str]) -> None:
    """Everything into `lab`; `given` are the libraries that the guest has."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = lab / "python"
    (python / "bin").mkdir(parents=True)
    shutil.copy2(_interpreter(), python / "bin" / "python3")
    shutil.copytree(
        sysconfig.get_path("stdlib"),
        python / "lib" / version,
        symlinks=False,
        ignore=_without,
        ignore_dangling_symlinks=True,
    )
    # An isolated interpreter, as that of a study's programs, reads no PYTHONPATH.
    for folder in ("site-packages", "dist-packages"):
        (python / "lib" / version / folder).mkdir()
        (python / "lib" / version / folder / "lab.pth").write_text("/lab/packages\n")
    (lab / "packages").mkdir()
    for name, file in _imported().items():
        _take(name, Path(file), lab / "packages")
    (lab / "bin").mkdir()
    shutil.copy2(find_engine(), lab / "bin" / "fsgauge-engine")
    (lab / "bin" / "fsgauge-engine").chmod(0o755)
    (lab / "lib").mkdir()
    _take_libraries(lab, given)
    for place in (lab, lab / "lib"):  # programs of the guest's root use what root alone can change
        place.chmod(0o755)
    # A file that cannot be compiled is not imported either: how it ends does not matter.
    run_tool(
        interpreter("compileall", "-q", "-s", str(lab), "-p", "/lab", str(lab)), seconds=_SECONDS
    )


def _without(folder: str, names: list[str]) -> set[str]:
    out = {name for name in names if name in _LEFT_OUT or name.startswith("config-")}
    if Path(folder).name == "lib-dynload":
        out |= {name for name in names if name.startswith(_OF_SCREENS)}
    return out


def _imported() -> dict[str, str]:
    own = str(Path(fsgauge.__file__).parents[1])
    said = run_tool([*isolated(), "-c", _MODULES, own], seconds=_SECONDS)
    if said.exit_code:
        raise RigError(
            "the lab cannot be loaded to be packed for the guest",
            details=tuple(said.words.splitlines()[-3:]),
            cause="a Python package of this installation is missing or damaged",
            next="fsgauge doctor",
        )
    found: dict[str, str] = json.loads(said.output)
    return {
        name: file
        for name, file in found.items()
        if name not in sys.stdlib_module_names and not name.startswith("__")
    }


def _take(name: str, file: Path, place: Path) -> None:
    """A package or module; libraries that a wheel brought along are in a folder NAME.libs."""
    if file.stem != "__init__":
        shutil.copy2(file, place / file.name)
        return
    shutil.copytree(file.parent, place / name, ignore=shutil.ignore_patterns("tests"))
    libraries = file.parents[1] / f"{name}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, place / libraries.name)


def _take_libraries(lab: Path, given: set[str]) -> None:
    there = given | {path.name for path in lab.rglob("*.so*")}
    todo = list(filter(None, map(linked, _programs(lab))))
    while todo:
        needs = todo.pop()
        for library in needs.libraries:
            source = None if library in there else _found(library, needs)
            if source is None:
                continue  # it is there, or an extension module wants it that is not imported
            there.add(library)
            shutil.copy2(source, lab / "lib" / library)
            if (further := linked(source)) is not None:
                todo.append(further)


def _programs(lab: Path) -> Iterable[Path]:
    yield from (lab / "python" / "bin").iterdir()
    yield from (lab / "bin").iterdir()
    yield from (path for path in lab.rglob("*.so*") if path.is_file())


def _found(library: str, needs: Linked) -> Path | None:
    base = Path(_interpreter()).parents[1] / "lib"
    places = [Path(each) for each in needs.folders if Path(each).is_absolute()]
    for folder in (*places, base, *map(Path, _FOLDERS)):
        if (folder / library).is_file():
            return folder / library
    return None
