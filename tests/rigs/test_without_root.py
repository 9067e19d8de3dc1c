"""An ordinary user compares folders; a container without /sys still gets its record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from tests.patience import patience

NOBODY = 65534
USER_PROGRAM = """
import ctypes
import os
import sys
from pathlib import Path
from fsgauge.engine.client import Engine
from fsgauge.machine.ledger import ledger_folder
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study

place, ledgers, binary, user = sys.argv[1:]
os.setgroups([])
os.setresgid(int(user), int(user), int(user))
os.setresuid(int(user), int(user), int(user))
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc/self is the user's again
ledger_folder.ledger_folder = lambda: Path(ledgers)
study = Study.model_validate({
    "format": 1, "name": "s", "question": "Why?",
    "storage": {"kind": "path", "path": place, "size": 16 << 20},
    "system": [{"name": "here", "kind": "mounted"}],
    "workload": {"kind": "overhead", "files": 2, "direct": False}, "plan": {"seed": 1},
})
rig = HostRig(Engine(Path(binary)))
rig.check(study, None)
with rig.systems(study) as systems:
    with systems.prepare(study, study.systems[0]) as prepared:
        print(*systems.settle(prepared))
        print(prepared.layout.files, systems.working_set.file_size_bytes)
    print(systems.machine(study).kernel)
"""
CONTAINER_PROGRAM = """
from fsgauge.machine.facts.environment import capture_machine
from fsgauge.machine.device.device_chain import chain_of_path
from fsgauge.record.machine import StorageFacts
chain = chain_of_path("/")
facts = StorageFacts(kind="path", sentence="s", size_bytes=1, device_chain=chain, cautions=[])
print(capture_machine(["mkfs.ext4"], facts).model_dump_json())
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="test-fsgauge-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.root
@pytest.mark.usefixtures("dropped_caches")  # as far as an ordinary user can
def test_an_ordinary_user_with_a_folder(open_folder: Path, engine: Engine) -> None:
    """Started as root, as the interpreter may lie in root's home, to become somebody else."""
    for name in ("place", "ledgers"):
        (open_folder / name).mkdir(mode=0o700)
        os.chown(open_folder / name, NOBODY, NOBODY)
    binary = open_folder / "engine"
    binary.write_bytes(engine.binary.read_bytes())
    binary.chmod(0o755)
    places = [str(open_folder / name) for name in ("place", "ledgers", "engine")]
    done = subprocess.run(
        [sys.executable, "-c", USER_PROGRAM, *places, str(NOBODY)],
        capture_output=True,
        text=True,
        timeout=patience(120),
    )
    assert done.returncode == 0, done.stderr
    settled, layout, kernel = done.stdout.splitlines()
    assert "asked to forget the files' pages" in settled and "not root" in settled
    assert layout == f"2 {(16 << 20) * 90 // 100 // 2 // 4096 * 4096}"
    assert kernel.startswith("Linux")
    assert list((open_folder / "place").iterdir()) == []


@pytest.mark.root
def test_a_container_without_sys() -> None:
    # In a chroot "/" is no mount point: `unshare --propagation private` would fail there.
    command = ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c"]
    script = 'mount --make-rprivate / 2>/dev/null; umount -l /sys && exec "$@"'
    done = subprocess.run(
        [*command, script, "sh", sys.executable, "-c", CONTAINER_PROGRAM],
        capture_output=True,
        text=True,
        timeout=patience(60),
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["governor"] is None and record["missing"]["governor"]
    assert record["clock_source"] is None
    assert record["storage"]["device_chain"][0]["kind"] == "file_system"
