"""The .deb is put together from wheels of a few bytes here; installed.py installs the real one."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from release import deb
from release.architecture import architecture
from release.control import control
from release.wheels import LOCK, PYTHONS, unpack
from tests.needs import need_tool
from tests.packages import ROOT

EPOCH_SECONDS = 1_700_000_000


def make_wheel(path: Path, files: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def build(folder: Path) -> Path:
    """A .deb whose lab has one package: the same for both Pythons but for its compiled module."""
    need_tool("dpkg-deb", "dpkg")
    scripts = "fsgauge-0.1.0.data/scripts"
    ours = {"fsgauge/__init__.py": "", f"{scripts}/fsgauge": "#!", f"{scripts}/fsgauge-engine": "E"}
    wheel = make_wheel(folder / "fsgauge-0.1.0-py3-none-any.whl", ours)
    dependencies = {}
    for python in PYTHONS:
        tag = f"cp{python.replace('.', '')}"
        files = {"numbers/__init__.py": "x = 1\n", f"numbers/of.{tag}.so": tag}
        dependencies[python] = [make_wheel(folder / tag / "numbers-1.whl", files)]
    return deb.build(
        wheel,
        architecture("arm64"),
        dependencies,
        epoch_seconds=EPOCH_SECONDS,
        sources=ROOT,
        work=folder / "work",
        out=folder,
    )


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("deb"))


def dpkg_deb(*words: str) -> str:
    done = subprocess.run(["dpkg-deb", *words], capture_output=True, text=True, check=True)
    return done.stdout


def contents(package: Path) -> dict[str, str]:
    """Mode and owner of each file, and where a link leads, by path."""
    found = {}
    for line in dpkg_deb("--contents", str(package)).splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        name, _, target = path.replace(" link to ", " -> ").partition(" -> ")
        found[name.removeprefix(".").removesuffix("/")] = f"{mode} {owner} {target}".strip()
    return found


def test_the_files_are_where_debian_has_them(package: Path) -> None:
    found = contents(package)
    files = {name for name, text in found.items() if not text.startswith("d")}
    home = "/usr/lib/fsgauge"
    lab = {
        f"{home}/lib/python{python}/site-packages/{name}"
        for python in PYTHONS
        for name in (
            "fsgauge/__init__.py",
            "numbers/__init__.py",
            f"numbers/of.cp{python.replace('.', '')}.so",
        )
    }
    programs = {f"{home}/bin/{name}" for name in ("fsgauge", "fsgauge-engine", "python3")}
    share = {
        "/usr/share/man/man1/fsgauge.1.gz",
        "/usr/share/bash-completion/completions/fsgauge",
        "/usr/share/zsh/vendor-completions/_fsgauge",
        "/usr/share/fish/vendor_completions.d/fsgauge.fish",
        "/usr/share/doc/fsgauge/README.md",
        "/usr/share/doc/fsgauge/changelog.gz",
        "/usr/share/doc/fsgauge/copyright",
    }
    assert files == lab | programs | share | {f"{home}/pyvenv.cfg", "/usr/bin/fsgauge"}


def test_modes_owners_and_links(package: Path) -> None:
    found = contents(package)
    home = "/usr/lib/fsgauge"
    assert found["/usr/bin/fsgauge"].endswith(" ../lib/fsgauge/bin/fsgauge")
    assert found[f"{home}/bin/python3"].endswith(" ../../../bin/python3")
    assert found[f"{home}/bin/fsgauge-engine"] == "-rwxr-xr-x root/root"
    assert all(text.split()[1] == "root/root" for text in found.values())
    (first, second) = (f"{home}/lib/python{each}/site-packages/numbers" for each in PYTHONS)
    assert found[f"{first}/__init__.py"] == "-rw-r--r-- root/root"
    assert found[f"{second}/__init__.py"].endswith(f".{first}/__init__.py")
    assert found[f"{second}/of.cp313.so"] == "-rw-r--r-- root/root"


def test_two_builds_give_the_same_bytes(package: Path, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        again = build(tmp_path / "elsewhere")
    finally:
        os.umask(before)
    assert again.read_bytes() == package.read_bytes()


def test_what_it_says_of_itself(package: Path) -> None:
    assert package.name == "fsgauge_0.1.0_arm64.deb"
    fields = dpkg_deb("--field", str(package))
    assert "\nArchitecture: arm64\n" in fields
    assert "e2fsprogs" in dpkg_deb("--field", str(package), "Recommends")


@pytest.mark.parametrize(
    ("python", "fits"),
    [("3.10.9", False), ("3.11.2-1", True), ("3.12.3", False), ("3.13.5-1", True), ("3.14", False)],
)
def test_it_is_for_the_pythons_whose_packages_it_has(python: str, fits: bool) -> None:
    text = control("1", "amd64", 1, tuple(PYTHONS))
    (line,) = [line for line in text.splitlines() if line.startswith("Depends: ")]
    every = [each for each in line.removeprefix("Depends: ").split(", ") if "python3" in each]
    assert len(every) == 3
    holds = all(any(is_met(choice, python) for choice in each.split(" | ")) for each in every)
    assert holds == fits


def is_met(relation: str, version: str) -> bool:
    need_tool("dpkg", "dpkg")
    operator, bound = relation.removeprefix("python3 (").removesuffix(")").split()
    done = subprocess.run(["dpkg", "--compare-versions", version, operator, bound], check=False)
    return done.returncode == 0


def test_a_file_that_two_wheels_bring_is_refused(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "one.whl", {"same.py": ""})
    unpack(wheel, tmp_path / "site")
    with pytest.raises(FileExistsError):
        unpack(wheel, tmp_path / "site")


def test_the_lock_has_every_dependency_for_every_python_and_processor() -> None:
    """A package of one file has one hash; a compiled one has one for each Python and processor."""
    text = LOCK.read_text(encoding="utf-8").replace(" \\\n", "")
    hashes = {
        line.split("==")[0]: line.count("--hash=") for line in text.splitlines() if "==" in line
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    assert wanted <= hashes.keys(), wanted - hashes.keys()
    assert hashes["numpy"] == hashes["scipy"] == hashes["duckdb"] == 4
    assert hashes["click"] == 1
