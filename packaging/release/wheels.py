"""The wheels that a .deb brings: named with their hashes in wheels.lock, fetched by pip, unpacked.

A Debian release has Python packages older than what the lab needs, so the .deb has its own, for
the Python of each release (PYTHONS). One lock serves them all: the versions are the same, only the
files differ.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from release.architecture import ARCHITECTURES, Architecture

PYTHONS = {"3.11": "Debian 12", "3.13": "Debian 13"}
LOCK = Path(__file__).parent / "wheels.lock"
_GLIBC_MINOR_OF_DEBIAN_12 = 36
_HEAD = "# Made by scripts/lock-wheels from pyproject.toml.\n"


def download(python: str, architecture: Architecture, into: Path) -> list[Path]:
    """The locked wheels for a Python and a processor, sorted by name.

    pip checks each against the lock's hashes; what is there already is not fetched again, and what
    an earlier lock named is left out. Raises CalledProcessError where pip refuses or cannot fetch.
    """
    folder = into / f"python{python}-{architecture.debian}"
    folder.mkdir(parents=True, exist_ok=True)
    words = ["download", "--quiet", "--no-deps", "--require-hashes", "--dest", str(folder)]
    _pip([*words, *_target(python, architecture), "--requirement", str(LOCK)])
    locked = LOCK.read_text(encoding="utf-8")
    return sorted(path for path in folder.glob("*.whl") if _sha256(path) in locked)


def unpack(wheel: Path, site_packages: Path) -> None:
    """What a wheel has for site-packages; its scripts and data are left out.

    Raises FileExistsError where another wheel brought a file of that name.
    """
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            place = _place(entry.filename)
            if entry.is_dir() or place is None:
                continue
            path = site_packages / place
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(archive.read(entry))


def _place(name: str) -> str | None:
    """Where a file belongs below site-packages; None for what belongs elsewhere."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    kind, _, inside = rest.partition("/")
    return inside if kind in ("purelib", "platlib") else None


def lock(requirements: Iterable[str]) -> str:
    """The text of the lock: what pip chooses now, for every Python and processor.

    The first choice binds the others, so that each Debian computes with the same versions.
    """
    versions: dict[str, str] = {}
    hashes: dict[str, set[str]] = {}
    for python in PYTHONS:
        for architecture in ARCHITECTURES:
            bound = [f"{name}=={version}" for name, version in versions.items()]
            for name, version, sha256 in _chosen([*requirements, *bound], python, architecture):
                versions.setdefault(name, version)
                hashes.setdefault(name, set()).add(sha256)
    lines = [
        f"{name}=={versions[name]}"
        + "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(of))
        for name, of in sorted(hashes.items())
    ]
    return _HEAD + "\n".join(lines) + "\n"


def _chosen(
    requirements: list[str], python: str, architecture: Architecture
) -> Iterator[tuple[str, str, str]]:
    """Name, version and sha256 of each wheel that pip would install."""
    words = ["install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    nowhere = ["--target", "unused"]
    done = _pip([*words, *nowhere, *_target(python, architecture), *requirements])
    for each in json.loads(done)["install"]:
        metadata, archive = each["metadata"], each["download_info"]["archive_info"]
        yield metadata["name"].lower(), metadata["version"], archive["hashes"]["sha256"]


def _target(python: str, architecture: Architecture) -> list[str]:
    """pip's options for a Python and a glibc that are not those it runs on."""
    tags = [f"manylinux_2_{minor}" for minor in range(_GLIBC_MINOR_OF_DEBIAN_12, 4, -1)]
    tags += ["manylinux2014", "manylinux2010", "manylinux1"]
    platforms = [f"--platform={tag}_{architecture.wheel}" for tag in tags]
    return ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}", *platforms]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _pip(words: list[str]) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
