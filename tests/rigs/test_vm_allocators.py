"""The models of allocators against older kernels than runs here, in the rig's guest.

What is compared is the engine's own test of the kernel that runs (kernel_tests of
crates/fsgauge-alloc): it is built here and run in a machine, as root, on loop devices.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.rig.vm import cache, rig
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.build.archive import Archive
from fsgauge.rig.vm.recipe import recipe
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import SystemRig
from tests.needs import need
from tests.patience import patience
from tests.rigs.virtual import WHOLE, fsgauge, machines

pytestmark = [
    pytest.mark.long,
    pytest.mark.usefixtures("guest"),
]
AT_FULL_SIZE = pytest.mark.skipif(not WHOLE, reason="many minutes: make test-rig")
REPOSITORY = Path(__file__).parents[2]
PROOFS = REPOSITORY / "crates" / "fsgauge-alloc" / "proofs.tsv"
HISTORIES = "ext4::kernel_tests::"
PIECE_BYTES = 60_000
"""A script is one argument of bash, which takes 128 KiB at most; its base64 is a third longer."""
LIVED_SECONDS = 2000.0
"""Emulated on a busy machine, four histories took four minutes."""
MEMORY_BYTES = 4 << 30
"""Room for what a history writes, in the page cache of its file system and of the file below. Where
memory is short, the kernel writes back before it is asked to: 1 GiB parted churn on Linux 6.1 after
46,000 operations."""
QUIET_WRITE_BACK = (
    "for each in dirty_expire_centisecs=360000 dirty_writeback_centisecs=0"
    " dirty_ratio=80 dirty_background_ratio=70;"
    ' do echo "${each#*=}" > "/proc/sys/vm/${each%=*}"; done'
)
"""An emulated history takes minutes, and data is written back when it is synced, not by its age."""


@pytest.fixture(scope="module")
def program() -> bytes:
    """The engine's tests of its allocators."""
    command = ["cargo", "test", "--package", "fsgauge-alloc", "--lib", "--release", "--no-run"]
    command.append("--message-format=json")
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=patience(1500), check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    (executable,) = filter(None, found)
    return Path(executable).read_bytes()


@pytest.fixture(scope="module", params=["6.1", "6.12"] if WHOLE else ["6.1"])
def linux(request: pytest.FixtureRequest) -> Iterator[str]:
    """A release; its newest kernel is built while the tests of it run.

    Not into the cache of this user: the newest kernel there is what all studies run on.
    """
    release: str = request.param
    if built(release):
        yield release
        return
    with pytest.MonkeyPatch.context() as changed, tempfile.TemporaryDirectory() as place:
        changed.setenv(cache.CACHE_VARIABLE, place)
        archive = Archive(Path(place) / "apt")
        archive.update()
        usual = re.compile(rf"linux-image-{re.escape(release)}\.[0-9.]+(\+deb[0-9]+|-[0-9]+)-amd64")
        offered = [each for each in archive.kernels() if usual.fullmatch(each)]
        if not offered:
            need(f"a kernel {release}, which the archive of Debian 12 offers")
        newest = max(
            offered, key=lambda each: [int(number) for number in re.findall("[0-9]+", each)]
        )
        done = fsgauge("rig", "build", "--kernel", newest)
        assert done.returncode == 0, done.stderr
        yield release


def built(release: str) -> list[str]:
    """Packages of its kernels, the newest first."""
    found = [each.facts for each in cache.kernels() if each.facts.recipe == recipe().key]
    chosen = [each for each in found if each.version.startswith(f"{release}.")]
    return [each.package for each in chosen]


@pytest.fixture
def stood(tmp_path: Path, linux: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOverNodes]:
    """A machine with that kernel and an empty disk, mounted, whose folder is empty in the end."""
    monkeypatch.setattr(rig, "MEMORY_BYTES", MEMORY_BYTES)
    overrides = [f"storage.directory={tmp_path}"]
    given = load_study("overhead", overrides, ["ext4"], "loop:8GiB", 1, baseline="ext4")
    (system,) = given.systems
    chosen = SystemRig(kernel=built(linux)[0])
    study = given.model_copy(update={"systems": [system.model_copy(update={"rig": chosen})]})
    with rig.VmRig().started(study) as session, session.standing(study.systems[0]) as stood:
        yield stood
    assert machines(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(4500)
def test_space_without_data_lies_as_in_the_model(
    stood: SystemOverNodes, program: bytes, linux: str
) -> None:
    """It was compared by hand alone, in two histories of the four: nothing told when it no longer
    agreed."""
    checkpoints = lived(stood, program, linux, "fast", 4)
    agreed = f"{checkpoints} of {checkpoints} checkpoints of four histories"
    assert proof(linux, "fallocate").startswith(f"agrees with Linux {linux} in {agreed}:")


@AT_FULL_SIZE
@pytest.mark.timeout(4500)
def test_data_that_waited_in_memory_lies_as_in_the_model(
    stood: SystemOverNodes, program: bytes, linux: str
) -> None:
    """Churn was said to part on Linux 6.1: the machine was short of memory. The program itself
    holds the layouts of 39,174 files within the limits as well."""
    stood.run(0, QUIET_WRITE_BACK)
    checkpoints = lived(stood, program, linux, "write", 2)
    agreed = f"{checkpoints} of {checkpoints} checkpoints of two histories"
    assert proof(linux, "write").startswith(f"agrees with Linux {linux} in {agreed} and ")


@AT_FULL_SIZE
@pytest.mark.timeout(4500)
def test_a_device_is_filled_from_memory_as_in_the_model(
    stood: SystemOverNodes, program: bytes, linux: str
) -> None:
    """Where space is short, the kernel writes back before it is asked to."""
    stood.run(0, QUIET_WRITE_BACK)
    checkpoints = lived(stood, program, linux, "full", 1)
    agreed = f"{checkpoints} of {checkpoints} of small files on a device 96 % full"
    assert agreed in proof(linux, "write")


@AT_FULL_SIZE
@pytest.mark.timeout(4500)
def test_without_the_kernels_race_a_device_95_percent_full_lies_as_in_the_model(
    stood: SystemOverNodes, program: bytes, linux: str
) -> None:
    """Where the next test finds that the two part, this one tells the race from the model."""
    stood.run(0, QUIET_WRITE_BACK)
    lived(stood, program, linux, "joined", 1)


@pytest.mark.timeout(4500)
def test_layouts_are_close_on_a_device_95_percent_full(
    stood: SystemOverNodes, program: bytes, linux: str
) -> None:
    """Where some files get hundreds of pieces, a race in the kernel may part the two: lengths of
    extents, free runs and files in several pieces are held within limits by the program itself."""
    stood.run(0, QUIET_WRITE_BACK)
    said = run(stood, program, linux, "raced")
    assert re.search(r" \.\.\. [0-9]+ checkpoints equal, then ", said), said


def lived(stood: SystemOverNodes, program: bytes, linux: str, mode: str, histories: int) -> int:
    """All checkpoints of a mode's histories, which the kernel and the model lived alike."""
    said = run(stood, program, linux, mode)
    told = rf"^test {HISTORIES}{mode}::\w+ \.\.\. ([0-9]+) checkpoints;"
    equal = re.findall(told, said, re.M)
    assert len(equal) == histories, said
    return sum(map(int, equal))


def run(stood: SystemOverNodes, program: bytes, linux: str, mode: str) -> str:
    """What the tests of a mode print; all of them pass."""
    hand_over(program, stood)
    assert stood.run(0, "uname -r").startswith(f"{linux}.")
    chosen = f"{HISTORIES}{mode}::"
    words = f"{chosen} --include-ignored --test-threads=1 --nocapture"
    told = f"FSGAUGE_TEST_ROOT=1 ./program {words} 2>&1"
    ended = f'modprobe loop; cd "$FOLDER"; {told} || echo "ended with $?"'
    said = stood.run(0, ended, LIVED_SECONDS)
    assert "ended with" not in said and "skipped" not in said, said
    assert re.search(r"^test result: ok\. [0-9]+ passed; 0 failed; 0 ignored;", said, re.M), said
    print(said)
    return said


def proof(linux: str, mode: str) -> str:
    """What pages say of the model."""
    lines = PROOFS.read_text(encoding="utf-8").splitlines()
    before = f"ext4-{linux} {mode}\t"
    (found,) = [line.removeprefix(before) for line in lines if line.startswith(before)]
    return found


def hand_over(program: bytes, stood: SystemOverNodes) -> None:
    """As `program` in the machine's folder."""
    packed = gzip.compress(program)
    for at in range(0, len(packed), PIECE_BYTES):
        piece = base64.b64encode(packed[at : at + PIECE_BYTES]).decode()
        stood.run(0, f'echo {piece} | base64 -d >> "$FOLDER/packed"')
    stood.run(0, 'gzip -d -c "$FOLDER/packed" > "$FOLDER/program"; chmod +x "$FOLDER/program"')
