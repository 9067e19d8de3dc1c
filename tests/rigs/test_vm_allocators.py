"""The models of allocators against the stock kernel of the rig's guest, another one than runs here.

What is compared is the engine's own test of the kernel that runs (kernel_tests::fast of
crates/fsgauge-alloc): it is built here and run in a machine, as root, on loop devices.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.rig.vm.arrangement.standing import Standing
from fsgauge.rig.vm.cache import kernel_of
from fsgauge.rig.vm.recipe import recipe
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.parse import load_study
from tests.needs import need
from tests.rigs.virtual import machines

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("FSGAUGE_TEST_RIG") != "1", reason="takes minutes: make test-rig"
    ),
    pytest.mark.usefixtures("guest"),
]
REPOSITORY = Path(__file__).parents[2]
PROOFS = REPOSITORY / "crates" / "fsgauge-alloc" / "proofs.tsv"
HISTORIES = "ext4::kernel_tests::fast::"
PIECE_BYTES = 60_000
"""A script is one argument of bash, which takes 128 KiB at most; its base64 is a third longer."""
LIVED_SECONDS = 2000.0
"""Emulated on a busy machine, all of the test took four minutes."""


@pytest.fixture(scope="module")
def program() -> bytes:
    """The engine's tests of its allocators."""
    command = ["cargo", "test", "--package", "fsgauge-alloc", "--lib", "--release", "--no-run"]
    command.append("--message-format=json")
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=1500, check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    (executable,) = filter(None, found)
    return Path(executable).read_bytes()


@pytest.fixture
def stood(tmp_path: Path) -> Iterator[Standing]:
    """A machine with Linux 6.1 and an empty disk, mounted, whose folder is empty in the end."""
    version = kernel_of(recipe().key).facts.version
    if not version.startswith("6.1."):
        need(f"a guest with Linux 6.1, which Debian 12 has; this one has {version}")
    overrides = [f"storage.directory={tmp_path}"]
    study = load_study("overhead", overrides, ["ext4"], "loop:8GiB", 1, baseline="ext4")
    with VmRig().started(study) as session, session.standing(study.systems[0]) as stood:
        yield stood
    assert machines(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(4500)
def test_linux_6_1_places_every_block_as_its_model_does(stood: Standing, program: bytes) -> None:
    """It was compared by hand alone, in two histories of the four: nothing told when it no longer
    agreed."""
    hand_over(program, stood)
    assert stood.run(0, "uname -r").startswith("6.1.")
    lived = f"FSGAUGE_TEST_ROOT=1 ./program {HISTORIES} --test-threads=1 --nocapture 2>&1"
    ended = f'modprobe loop; cd "$FOLDER"; {lived} || echo "ended with $?"'
    said = stood.run(0, ended, LIVED_SECONDS)
    assert "ended with" not in said and "skipped" not in said, said
    assert re.search(r"^test result: ok\. [0-9]+ passed; 0 failed; 0 ignored;", said, re.M), said
    equal = re.findall(rf"^test {HISTORIES}\w+ \.\.\. ([0-9]+) checkpoints;", said, re.M)
    assert len(equal) == 4, said
    checkpoints = sum(map(int, equal))
    (proof,) = [
        line.removeprefix("ext4-6.1 fallocate\t")
        for line in PROOFS.read_text(encoding="utf-8").splitlines()
        if line.startswith("ext4-6.1 fallocate\t")
    ]
    agreed = f"{checkpoints} of {checkpoints} checkpoints of four histories"
    assert proof.startswith(f"agrees with Linux 6.1 in {agreed}:"), said


def hand_over(program: bytes, stood: Standing) -> None:
    """As `program` in the machine's folder."""
    packed = gzip.compress(program)
    for at in range(0, len(packed), PIECE_BYTES):
        piece = base64.b64encode(packed[at : at + PIECE_BYTES]).decode()
        stood.run(0, f'echo {piece} | base64 -d >> "$FOLDER/packed"')
    stood.run(0, 'gzip -d -c "$FOLDER/packed" > "$FOLDER/program"; chmod +x "$FOLDER/program"')
