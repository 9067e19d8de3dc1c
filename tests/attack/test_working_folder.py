"""Root stands in a folder of another user, with that user's variables: nothing of it is run.

Points of a sweep, local hosts of a fleet and nodes that are processes are started anew, and each of
them once looked for its modules in the folder where root stood. The launcher found its programs by
the caller's PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import interpreted
from tests.needs import need_tool
from tests.patience import patience

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="what root runs for another user")
ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "packaging" / "wheel-data" / "scripts" / "fsgauge"
MODULES = ("fcntl", "json", "signal", "distributed", "click", "numpy", "duckdb", "subprocess")
AT_START = ("sitecustomize", "usercustomize")
PROGRAMS = ("readlink", "dirname", "id", "python3", "env", "sh", "ssh", "mount", "fsgauge-engine")
SMALL = [
    *("--set", "storage.size=16MiB", "--set", "plan.blocks=2", "--seed", "7", "--quiet", "--yes"),
    *("--set", "workload.duration=100ms", "--set", "workload.warm_up=0s"),
]
POINTS = [
    *("--rig", "simulator", "--storage", "simulated:256MiB", "--set", "sweep.years=[0, 1]"),
    *("--set", 'sweep.profiles=["median_size=1 MiB"]', "--set", "plan.blocks=2"),
    *("--seed", "1", "--quiet", "--yes"),
]
Fsgauge = Callable[..., subprocess.CompletedProcess[str]]


class Trap:
    """A folder in which whatever is run says so."""

    def __init__(self, place: Path) -> None:
        self.folder, self.words = place / "theirs", place / "words"
        self.words.write_text("")
        self.words.chmod(0o666)
        code = f"open({str(self.words)!r}, 'a').write(__name__ + ' of ' + __file__ + chr(10))\n"
        home = self.folder / "home"
        site = home / f".local/lib/python3.{sys.version_info.minor}/site-packages"
        for folder in (self.folder / "fsgauge", site):
            folder.mkdir(parents=True)
        for name in ("__init__", "__main__", "errors"):
            (self.folder / "fsgauge" / f"{name}.py").write_text(code)
        for name in (*MODULES, *AT_START):
            (self.folder / f"{name}.py").write_text(code)
        for name in AT_START:
            (site / f"{name}.py").write_text(code)
        line = f"import sys; open({str(self.words)!r}, 'a').write('a .pth')\n"
        for folder in (self.folder, site):
            (folder / "planted.pth").write_text(line)
        (self.folder / "pyvenv.cfg").write_text(f"home = {self.folder}\n")
        (self.folder / "setup.cfg").write_text("[global]\n")
        (home / ".duckdbrc").write_text(".shell id\n")
        for name in PROGRAMS:
            program = self.folder / name
            program.write_text(f"#!/bin/sh\necho {name} >>{self.words}\n")
            program.chmod(0o755)
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, 65534, 65534)

    def fired(self) -> str:
        return self.words.read_text()

    @property
    def variables(self) -> dict[str, str]:
        """As `su` leaves them."""
        return {
            "PATH": f".:{self.folder}:{os.environ['PATH']}",
            "PYTHONPATH": f":{self.folder}",
            "PYTHONSTARTUP": str(self.folder / "json.py"),
            "PYTHONUSERBASE": str(self.folder / "home/.local"),
            "PYTHONBREAKPOINT": "json.x",
            "HOME": str(self.folder / "home"),
            "XDG_CONFIG_HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder),
        }


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The launcher of these sources in an environment of its own, in a path with a space."""
    home = tmp_path / "an environment"
    (home / "bin").mkdir(parents=True)
    shutil.copy(LAUNCHER, home / "bin" / "fsgauge")
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", home)
    (home / "bin" / "python3").symlink_to(sys.executable)
    (home / "lib").symlink_to(Path(sys.prefix) / "lib")
    return home / "bin" / "fsgauge"


@pytest.fixture
def fsgauge(trap: Trap, installed: Path, tmp_path: Path) -> Fsgauge:
    def run(*words: str, engine: bool = True) -> subprocess.CompletedProcess[str]:
        own = {"FSGAUGE_STATE": str(tmp_path / "state"), "FSGAUGE_KEEP_CACHES": "1"}
        if engine:
            own["FSGAUGE_ENGINE"] = str(Path(sys.executable).parent / "fsgauge-engine")
        return subprocess.run(
            [str(installed), *words],
            cwd=trap.folder,
            env=os.environ | trap.variables | own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patience(300),
            check=False,
        )

    return run


def test_the_trap_fires(trap: Trap) -> None:
    """Without isolation: else the tests below prove nothing."""
    variables = os.environ | trap.variables
    interpreted("--version", seconds=patience(60), cwd=trap.folder, env=variables)
    assert "sitecustomize" in trap.fired() and "fsgauge" in trap.fired()
    subprocess.run(["readlink"], env={"PATH": str(trap.folder)}, check=True, timeout=patience(60))
    assert "readlink" in trap.fired()


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["doctor", "--systems"],
        ["doctor"],
        ["study", "list"],
        ["explain", "iops"],
        ["published"],
        ["plan", "overhead"],
        ["rig", "failure", "--system", "none"],
        ["rig", "bisect", "none", "--good", "a", "--bad", "b", "--fail-if", "ratio(iops) < 1"],
        ["rig", "test"],
        ["scan", "/", "--limit", "1"],
        ["gate", "none"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command(words: list[str], trap: Trap, fsgauge: Fsgauge, tmp_path: Path) -> None:
    if words[0] == "rig":
        pytest.skip("tests/rigs/test_vm.py") if os.environ.get("FSGAUGE_TEST_RIG") != "1" else None
    done = fsgauge(*words)
    assert "Traceback" not in done.stderr and "ModuleNotFoundError" not in done.stderr
    assert trap.fired() == ""


def test_a_study_and_all_that_is_made_of_it(trap: Trap, fsgauge: Fsgauge, tmp_path: Path) -> None:
    place, results = tmp_path / "place", tmp_path / "results"
    place.mkdir()
    storage = ["demo-user", "--storage", f"path:{place}", *SMALL]
    assert fsgauge("run", *storage, "--results", str(results)).returncode == 0
    (folder,) = map(str, results.iterdir())
    for words in (
        ["report", folder, *(["--png"] if shutil.which("chromium") else [])],
        ["resume", folder],
        ["query", folder, "select count(*) from runs"],
        ["compare", folder, folder],
        ["history", folder],
    ):
        done = fsgauge(*words)
        assert done.returncode != 3, done.stderr
    assert trap.fired() == ""


def test_the_points_of_a_sweep(trap: Trap, fsgauge: Fsgauge) -> None:
    """They stand in `/`, and their results are where they were asked for from here."""
    ours = trap.folder.parent / "ours"
    ours.mkdir()
    done = fsgauge("run", "years", *POINTS, "--results", "../ours/results")
    assert trap.fired() == ""
    assert done.returncode == 0, done.stderr
    assert len(list(ours.glob("results/*/points/*/*/report.json"))) == 2


def test_the_nodes_of_coherence(trap: Trap, fsgauge: Fsgauge, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    words = ["--trials", "1", "--case", "kept_open", "--output", str(tmp_path / "output")]
    done = fsgauge("rig", "coherence", str(tmp_path / "a"), str(tmp_path / "b"), *words)
    assert "does not see the folder" in done.stderr + done.stdout, done.stderr
    assert trap.fired() == ""


def test_the_local_hosts_of_a_fleet(trap: Trap, fsgauge: Fsgauge, tmp_path: Path) -> None:
    hosts = ['launcher = "local"']
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        hosts.append(f'[[host]]\nname = "{name}"\npath = "{tmp_path / name}"')
    (tmp_path / "hosts.toml").write_text("\n".join(hosts) + "\n")
    storage = ["--storage", f"path:{tmp_path / 'a'}", "--system", "mounted", "--rig", "fleet"]
    done = fsgauge("plan", "overhead", *storage, "--hosts", str(tmp_path / "hosts.toml"))
    assert trap.fired() == ""
    assert "its process ended" not in done.stderr and "No module" not in done.stderr, done.stderr


def test_a_crosscheck(trap: Trap, fsgauge: Fsgauge, tmp_path: Path) -> None:
    need_tool("fio", "fio")
    (tmp_path / "place").mkdir()
    storage = ["--storage", f"path:{tmp_path / 'place'}", *SMALL]
    done = fsgauge("crosscheck", "demo-user", *storage, "--results", str(tmp_path / "results"))
    assert trap.fired() == ""
    assert done.returncode in (0, 2, 4), done.stderr


def test_python_m_looks_into_the_working_folder_for_its_package_alone(trap: Trap) -> None:
    """That Python finds `fsgauge` there first is beyond fsgauge; no other module is from there."""
    shutil.rmtree(trap.folder / "fsgauge")
    done = interpreted("explain", "iops", seconds=patience(60), cwd=trap.folder)
    assert done.returncode == 0, done.stderr
    assert trap.fired() == ""


class TestTheLauncher:
    def test_it_is_reached_through_links(self, installed: Path, tmp_path: Path) -> None:
        (tmp_path / "first").symlink_to(installed)
        (tmp_path / "second").symlink_to("first")
        for words in (["./second"], [str(tmp_path / "second")], ["sh", "second"]):
            done = subprocess.run(
                [*words, "--version"],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=patience(60),
            )
            assert done.stdout.startswith("fsgauge "), done.stderr

    def test_an_ordinary_user_keeps_the_packages_of_a_home_folder(self) -> None:
        """Where fsgauge may be installed; the working folder is not looked into."""
        with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="an environment ") as folder:
            Path(folder).chmod(0o755)
            launcher = shutil.copy(LAUNCHER, folder)
            python = Path(folder) / "python3"
            python.write_text('#!/bin/sh\necho "$1"\n')
            python.chmod(0o755)
            for user, option in ((65534, "-P\n"), (0, "-I\n")):
                done = subprocess.run(
                    [launcher],
                    user=user,
                    capture_output=True,
                    text=True,
                    check=True,
                    timeout=patience(60),
                )
                assert done.stdout == option, done.stderr
