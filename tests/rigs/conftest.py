"""Tests on real loop devices: what they need, and a scene of their own that must end empty."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ScanJob, ScanResult
from fsgauge.errors import RigError
from fsgauge.machine.device import loop_devices
from fsgauge.machine.facts.mounts import mounts
from fsgauge.machine.ledger import ledger_folder
from fsgauge.programs import find_engine
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from tests.patience import patience
from tests.rigs.virtual import SIZE, need_guest

MEBIBYTE = 1 << 20
_BUILT_HERE = Path(__file__).parents[2] / "target" / "release" / "fsgauge-engine"


@pytest.fixture(scope="session")
def engine() -> Engine:
    try:
        return Engine(find_engine())
    except RigError:
        return Engine(_BUILT_HERE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without KVM each machine is emulated: CI has time for one study over nodes."""
    why = pytest.mark.skip(reason="boots machines: make test-vm, or make test-rig")
    for item in items:
        name, here = item.path.name, item.path.parent == Path(__file__).parent
        if here and name.startswith("test_vm") and name != "test_vm_sharing.py" and not SIZE:
            item.add_marker(why)


@pytest.fixture(scope="session")
def guest() -> None:
    """A guest of the virtual rig, built once."""
    need_guest()


@dataclass(frozen=True)
class Scene:
    """A folder for loop files and one for ledgers and mount points; others' runs are elsewhere."""

    scratch: Path
    ledgers: Path

    def study(self, *systems: dict[str, Any], **changes: Any) -> Study:
        """A small study on a loop file in this scene."""
        storage = {"kind": "loop", "size": 320 * MEBIBYTE, "directory": str(self.scratch)}
        return Study.model_validate(
            {
                "format": 1,
                "name": "test",
                "question": "Does it work?",
                "storage": storage | changes.pop("storage", {}),
                "system": list(systems),
                "workload": {"kind": "overhead", "files": 3, "fill": 50} | changes,
                "plan": {"seed": 1},
            }
        )

    def left(self) -> list[str]:
        """Mounts, loop devices and files that are in this scene now."""
        roots = (str(self.scratch), str(self.ledgers))
        found = [f"mount {m.mount_point}" for m in mounts() if m.mount_point.startswith(roots)]
        for device in sorted(Path("/sys/block").glob("loop*")):
            file = loop_devices.backing_file(f"/dev/{device.name}")
            if file and file.startswith(roots):
                found.append(f"{device.name} of {file}")
        files = [*self.scratch.rglob("*"), *self.ledgers.rglob("*")]
        return found + [str(file) for file in files if file != self.ledgers / "lock"]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(tmp_path / "scratch", tmp_path / "ledgers")
    made.scratch.mkdir()
    made.ledgers.mkdir(mode=0o700)
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: made.ledgers)
    return made


@pytest.fixture
def rig(engine: Engine) -> HostRig:
    return HostRig(engine)


MakeLoop = Callable[..., str]
Scan = Callable[[Path | str], ScanResult]


@pytest.fixture
def make_loop(tmp_path: Path) -> Iterator[MakeLoop]:
    """Loop devices that stand in for disks; detached after the test, by their files."""
    files: list[Path] = []

    def make(size_bytes: int = 64 * MEBIBYTE, *options: str) -> str:
        file = tmp_path / f"disk-{len(files)}.img"
        with file.open("wb") as image:
            image.truncate(size_bytes)
        files.append(file)
        return attach(file, *options)

    yield make
    for file in files:
        for device in loop_devices.loops_of(file):
            subprocess.run(["losetup", "--detach", device], check=True, timeout=patience(60))


def attach(file: Path, *options: str) -> str:
    done = subprocess.run(
        ["losetup", "--find", "--show", *options, str(file)],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    )
    return done.stdout.strip()


def run(*command: str, **options: Any) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=patience(60), **options)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter: pytest's own are root's."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def scan(engine: Engine) -> Scan:
    """Scans a path with its three worst files."""

    def scanned(path: Path | str) -> ScanResult:
        return engine.scan(ScanJob(path=str(path), top=3))

    return scanned
