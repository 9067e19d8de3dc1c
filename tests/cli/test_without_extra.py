"""Without the packages of an extra everything else works: wheel and .deb are installed without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import patience

PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("cryptography", "dask", "distributed"):
            raise ModuleNotFoundError(f"No module named {name!r}")

import importlib.util
spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name in ("cryptography", "distributed") else spec(name, package)
)
sys.meta_path.insert(0, Missing())
from fsgauge.__main__ import main
sys.exit(main())
"""
SHORT = (
    "--quiet",
    *("--set", "storage.size=16 MiB"),
    *("--set", "plan.blocks=2"),
    *("--set", "workload.duration=20 ms"),
    *("--set", "workload.warm_up=5 ms"),
    *("--set", "workload.direct=false"),
)


RIGS: dict[str, list[str]] = {"host": [], "fleet": ["--rig", "fleet", "--hosts", "a,b"]}


@pytest.mark.parametrize("rig", RIGS)
def test_a_run(rig: str, tmp_path: Path) -> None:
    """The first study of an installed fsgauge ended with "No module named 'cryptography'"."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    systems = [word for folder in folders for word in ("--system", str(folder))]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, "run", "demo-user", *systems, *SHORT, *RIGS[rig]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=patience(300),
    )
    if rig == "host":
        assert ended.returncode == 0, ended.stderr
        assert "answer: " in ended.stdout
    else:
        assert ended.returncode == 3, ended.stderr
        assert "pipx inject fsgauge cryptography distributed" in ended.stderr
