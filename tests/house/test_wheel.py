"""The built wheel has what it should, and works without the sources, in a path with a space."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


def build(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "maturin", "build", "--release", "--out", str(folder)],
        cwd=ROOT,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        check=True,
        capture_output=True,
        timeout=280,
    )
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_package_engine_launcher_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    ours = {
        str(path.relative_to(ROOT / "python"))
        for path in (ROOT / "python" / "fsgauge").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name != "README.md"
    }
    package = {name for name in names if name.startswith("fsgauge/")}
    scripts = {name.rsplit("/", 1)[1] for name in names if ".data/scripts/" in name}
    rest = {name for name in names if ".dist-info/" not in name and ".data/" not in name} - package
    assert package == ours
    assert scripts == {"fsgauge", "fsgauge-engine"}
    assert rest == set()


def test_two_builds_give_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    """The engine is compiled once here; tests/packages/installed.py compiles it in two places."""
    again = build(tmp_path)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_its_metadata_name_what_pip_needs_and_no_place_of_this_machine(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" in name]
        texts = {name.partition(".dist-info/")[2]: archive.read(name).decode() for name in names}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = re.findall(
        r"^Requires-Dist: ([\w-]+)(?!.*extra ==).*$", texts["METADATA"], re.MULTILINE
    )
    assert sorted(needed) == sorted(re.split("[<>=]", each)[0] for each in project["dependencies"])
    assert "Requires-Python: >=3.11" in texts["METADATA"]
    assert all(str(ROOT) not in text for text in texts.values())


def test_a_launcher_whose_modules_cannot_be_read_says_so(tmp_path: Path) -> None:
    """One installed below /root ended, for another user, in a traceback."""
    launcher = tmp_path / "fsgauge"
    launcher.write_bytes((ROOT / "packaging" / "wheel-data" / "scripts" / "fsgauge").read_bytes())
    launcher.chmod(0o755)
    venv.create(tmp_path / "venv", with_pip=False)
    launcher = launcher.rename(tmp_path / "venv" / "bin" / "fsgauge")
    done = subprocess.run([str(launcher)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "cause", "next"]


def test_an_installed_wheel_runs_alone(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "a place" / "venv"
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    installer = [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet"]
    subprocess.run(
        [*installer, "--no-deps", "--no-index", "--ignore-installed", str(wheel)],
        check=True,
        timeout=120,
    )
    environment = {key: value for key, value in os.environ.items() if key != "FSGAUGE_ENGINE"}
    environment["PYTHONSAFEPATH"] = "1"
    for words in (["study", "list"], ["plan", "overhead"], ["doctor", "--systems"], ["explain"]):
        done = subprocess.run(
            [str(home / "bin" / "fsgauge"), *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        refused = words[0] == "plan" and "\nrefused " in done.stdout  # no root, or no room
        assert done.returncode == 0 or refused, done.stderr
    where = subprocess.run(
        [
            str(home / "bin" / "python"),
            "-c",
            "import fsgauge.programs as e; print(e.find_engine())",
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).parent == home / "bin"
