"""The .deb: the wheel's engine and lab, and the lab's Python packages, as one environment.

/usr/lib/fsgauge is a virtual environment over the system's Python with a site-packages for each
Python in wheels.PYTHONS: an interpreter looks only in the one of its own version. The same package
therefore serves Debian 12 and 13, and needs nothing but apt.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from release import completions
from release.architecture import Architecture
from release.control import POSTINST, PRERM, control, copyright_of
from release.manual import manual
from release.wheels import unpack

HOME = "usr/lib/fsgauge"
_ZSTD_LEVEL = 9
"""dpkg of Debian 12 and later reads zstd; xz takes minutes where this takes seconds."""


def build(
    wheel: Path,
    architecture: Architecture,
    dependencies: Mapping[str, Sequence[Path]],
    *,
    epoch_seconds: int,
    sources: Path,
    work: Path,
    out: Path,
) -> Path:
    """Write fsgauge_VERSION_ARCHITECTURE.deb to `out`.

    `dependencies` are wheels by version of Python; `epoch_seconds` is the time of every file;
    `sources` has LICENSE, README.md and CHANGELOG.md; `work` is a folder that does not exist.
    """
    version = wheel.name.split("-")[1]
    _environment(wheel, dependencies, work)
    _share(epoch_seconds, sources, work)
    size_kib = _seal(work, epoch_seconds)
    files = {
        "control": control(version, architecture.debian, size_kib, tuple(dependencies)),
        "md5sums": _md5sums(work),
        "postinst": POSTINST,
        "prerm": PRERM,
    }
    for name, text in files.items():
        path = work / "DEBIAN" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if name in ("postinst", "prerm") else 0o644)
    (work / "DEBIAN").chmod(0o755)
    package = out / f"fsgauge_{version}_{architecture.debian}.deb"
    words = ["--root-owner-group", "-Zzstd", f"-z{_ZSTD_LEVEL}", "--threads-max=1"]
    subprocess.run(
        ["dpkg-deb", *words, "--build", str(work), str(package)],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch_seconds)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return package


def _environment(wheel: Path, dependencies: Mapping[str, Sequence[Path]], root: Path) -> None:
    """The virtual environment, the commands in it, and the command on the path."""
    home = root / HOME
    programs = home / "bin"
    programs.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".data/scripts/" in name:
                program = programs / Path(name).name
                program.write_bytes(archive.read(name))
                program.chmod(0o755)
    (programs / "python3").symlink_to("../../../bin/python3")
    (home / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    for python, wheels in dependencies.items():
        site_packages = home / f"lib/python{python}/site-packages"
        for each in [wheel, *wheels]:
            unpack(each, site_packages)
    first, *others = (home / f"lib/python{python}" for python in dependencies)
    for other in others:
        _link_what_is_equal(first, other)
    command = root / "usr/bin/fsgauge"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/fsgauge/bin/fsgauge")


def _link_what_is_equal(first: Path, other: Path) -> None:
    """One file where both have the same: most of what is there, as only compiled modules differ."""
    for path in other.rglob("*"):
        twin = first / path.relative_to(other)
        if path.is_file() and twin.is_file() and path.read_bytes() == twin.read_bytes():
            path.unlink()
            path.hardlink_to(twin)


def _share(epoch_seconds: int, sources: Path, root: Path) -> None:
    """Manual, completions and documents, in Debian's places."""
    completions.write(root / "usr", completions.IN_DEBIAN)
    texts = {
        "man/man1/fsgauge.1.gz": manual(epoch_seconds),
        "doc/fsgauge/changelog.gz": (sources / "CHANGELOG.md").read_text(encoding="utf-8"),
        "doc/fsgauge/README.md": (sources / "README.md").read_text(encoding="utf-8"),
        "doc/fsgauge/copyright": copyright_of((sources / "LICENSE").read_text(encoding="utf-8")),
    }
    for name, text in texts.items():
        path = root / "usr/share" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _seal(root: Path, epoch_seconds: int) -> int:
    """Give everything its mode and the time of the commit; KiB taken, linked files once."""
    root.chmod(0o755)
    blocks_kib: dict[int, int] = {}
    for path in sorted(root.rglob("*"), reverse=True):
        status = path.lstat()
        blocks_kib[status.st_ino] = 1 if path.is_symlink() else -(-status.st_size // 1024)
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent == root / HOME / "bin" else 0o644)
        os.utime(path, (epoch_seconds, epoch_seconds), follow_symlinks=False)
    return sum(blocks_kib.values())


def _md5sums(root: Path) -> str:
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return "".join(
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}"
        f"  {path.relative_to(root)}\n"
        for path in files
    )
