"""The built wheel has what it should, and works without the sources, in a path with a space."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "maturin", "build", "--release", "--out", str(folder)],
        cwd=ROOT,
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
        if path.is_file() and "__pycache__" not in path.parts
    }
    package = {name for name in names if name.startswith("fsgauge/")}
    scripts = {name.rsplit("/", 1)[1] for name in names if ".data/scripts/" in name}
    rest = {name for name in names if ".dist-info/" not in name and ".data/" not in name} - package
    assert package == ours
    assert scripts == {"fsgauge", "fsgauge-engine"}
    assert rest == set()


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
    for words in (["study", "list"], ["plan", "overhead"], ["systems"], ["explain"]):
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
