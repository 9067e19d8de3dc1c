"""Builds a wheel and a .deb for each processor from an export of one commit.

The same commit, rustc and Python packages give the same bytes, wherever it is built.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from release import completions, deb, verdicts
from release.architecture import ARCHITECTURES, Architecture, architecture
from release.elf import is_static, machine_of
from release.manual import manual
from release.wheels import PYTHONS, download

GLIBC = "manylinux_2_28"
"""What the lab's Python packages ask for; the engine itself asks for nothing."""


@dataclass(frozen=True)
class Release:
    """One commit: its exported sources, its short hash and its time."""

    source: Path
    commit: str
    epoch_seconds: int


def add_manual_and_completions(release: Release) -> None:
    """Put them where maturin takes the wheel's data from, in the export."""
    data = release.source / "packaging/wheel-data/data"
    page = data / "share/man/man1/fsgauge.1"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(manual(release.epoch_seconds), encoding="utf-8")
    completions.write(data, completions.IN_A_WHEEL)


def build_wheel(release: Release, target: Architecture, cache: Path, out: Path) -> Path:
    """Run maturin; the engine in the wheel is static and for the processor, or SystemExit."""
    folder = cache / f"wheel-{target.debian}"
    shutil.rmtree(folder, ignore_errors=True)
    words = ["build", "--release", "--locked", "--quiet", "--target", target.rust_target]
    words += ["--compatibility", GLIBC, "--out", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "maturin", *words],
        cwd=release.source,
        env=_environment(release, target, cache),
        check=True,
    )
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/fsgauge-engine")]
        engine = archive.read(name)
    if machine_of(engine) != target.elf_machine or not is_static(engine):
        sys.exit(f"error: the engine in {built.name} is not a static program for {target.debian}")
    return Path(shutil.copy2(built, out / built.name))


def _environment(release: Release, target: Architecture, cache: Path) -> dict[str, str]:
    """What makes the engine static, and its bytes independent of where and when it is built."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    places = {release.source: "/fsgauge", home: "/cargo"}
    flags = ["-Ctarget-feature=+crt-static"]
    flags += [f"--remap-path-prefix={path}={name}" for path, name in places.items()]
    linker = f"CARGO_TARGET_{target.rust_target.upper().replace('-', '_')}_LINKER"
    return {
        **{key: value for key, value in os.environ.items() if key != "RUSTFLAGS"},
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        "CARGO_TARGET_DIR": str(cache / "cargo"),
        "FSGAUGE_COMMIT": release.commit,
        "SOURCE_DATE_EPOCH": str(release.epoch_seconds),
        linker: target.linker,
    }


def build_deb(release: Release, target: Architecture, wheel: Path, cache: Path, out: Path) -> Path:
    """Fetch the lab's Python packages and put them with the wheel's contents into a .deb."""
    dependencies = {python: download(python, target, cache / "fetched") for python in PYTHONS}
    work = cache / f"deb-{target.debian}"
    shutil.rmtree(work, ignore_errors=True)
    return deb.build(
        wheel,
        target,
        dependencies,
        epoch_seconds=release.epoch_seconds,
        sources=release.source,
        work=work,
        out=out,
    )


def main() -> None:
    """Build what is asked for, and print name and SHA-256 of each package."""
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    names = [each.debian for each in ARCHITECTURES]
    parser.add_argument("--only", nargs="+", choices=names, required=True)
    chosen = parser.parse_args()
    os.umask(0o022)
    release = Release(chosen.source.resolve(), chosen.commit, chosen.epoch)
    cache, out = chosen.cache.resolve(), chosen.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    add_manual_and_completions(release)
    sums = []
    for target in map(architecture, chosen.only):
        sys.stderr.write(f"building the wheel for {target.debian}\n")
        wheel = build_wheel(release, target, cache, out)
        sys.stderr.write(f"building the .deb for {target.debian}\n")
        package = build_deb(release, target, wheel, cache, out)
        sums += [_sum_of(path) for path in (wheel, package)]
    version = wheel.name.split("-")[1]
    sums.append(_sum_of(verdicts.archive(release.source, version, release.epoch_seconds, out)))
    (out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    sys.stdout.write("".join(sums))


def _sum_of(path: Path) -> str:
    """A line as sha256sum prints it."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


if __name__ == "__main__":
    main()
