"""Scans of real file systems equal what the standard tools count, alone and inside a study."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ScanJob
from fsgauge.progress import Progress
from fsgauge.record.records import ScanRecord
from fsgauge.rig.host.rig import HostRig
from fsgauge.run import run_study
from fsgauge.scan.mb_groups import text_of
from fsgauge.scan.numbers import numbers_of
from fsgauge.store import read_results
from tests.commands import interpreted
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene, run

pytestmark = pytest.mark.root
MKFS = {"ext4": ["-q"], "xfs": ["-q"], "btrfs": ["-q"]}


@pytest.fixture(params=MKFS)
def mounted(request: pytest.FixtureRequest, make_loop: MakeLoop, tmp_path: Path) -> Iterator[Path]:
    """A small file system of each kind with fragmented files, a hole, an empty and a tiny file."""
    kind = request.param
    need_mkfs(kind)
    folder = tmp_path / "mounted"
    folder.mkdir()
    device = make_loop(384 * MEBIBYTE)
    run(f"mkfs.{kind}", *MKFS[kind], device)
    run("mount", device, str(folder))
    try:
        fill(folder)
        run("sync", "--file-system", str(folder))
        yield folder
    finally:
        run("umount", str(folder))


def fill(folder: Path) -> None:
    """Files that grow in turns by synced pieces, so that their blocks alternate."""
    files = [(folder / f"grown-{number}").open("wb") for number in range(6)]
    for _ in range(24):
        for file in files:
            file.write(os.urandom(8192))
            file.flush()
            os.fsync(file.fileno())
    for file in files:
        file.close()
    with (folder / "sparse").open("wb") as file:
        file.write(b"a" * 65536)
        file.seek(4 * MEBIBYTE)
        file.write(b"b" * 65536)
    (folder / "empty").touch()
    (folder / "plain").write_bytes(os.urandom(3 * MEBIBYTE))


def by_filefrag(folder: Path) -> dict[str, int]:
    """Extents of every file by name: filefrag's lines, joined where they touch in both places.

    filefrag's own sum also joins pieces with a hole between them that touch on the device.
    """
    return {str(path): _by_filefrag(path) for path in sorted(folder.iterdir()) if path.is_file()}


def _by_filefrag(path: Path) -> int:
    done = subprocess.run(
        ["filefrag", "-v", str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    )
    pattern = r"^ *\d+: *(\d+)\.\. *(\d+): *(\d+)\.\. *(\d+):"
    rows = [[*map(int, row)] for row in re.findall(pattern, done.stdout, flags=re.MULTILINE)]
    pairs = list(pairwise(rows))
    touching = sum(a[1] + 1 == b[0] and a[3] + 1 == b[2] for a, b in pairs)
    summed = re.search(r": (\d+) extents? found$", done.stdout.strip())
    assert summed is not None
    if all(a[1] + 1 == b[0] for a, b in pairs):
        assert len(rows) - touching == int(summed[1]), "a file without holes"
    return len(rows) - touching


def test_extents_are_those_that_filefrag_lists(mounted: Path, engine: Engine) -> None:
    truth = by_filefrag(mounted)
    assert sum(truth.values()) > len(truth) + 20, "nothing is fragmented: this would show nothing"
    scan = engine.scan(ScanJob(path=str(mounted), top=20))
    numbers = numbers_of(scan)
    assert numbers["files"] == len(truth)
    assert numbers["extents"] == sum(truth.values())
    assert numbers["files_with_extents"] == sum(count > 0 for count in truth.values())
    assert numbers["fragmented_files"] == sum(count > 1 for count in truth.values())
    assert {file.name: file.extents for file in scan.top} == {
        name: count for name, count in truth.items() if count > 1
    }


def test_the_command_says_it_draws_it_and_writes_nothing_there(
    mounted: Path, engine: Engine, tmp_path: Path
) -> None:
    before = sorted(path.name for path in mounted.iterdir())
    environment = os.environ | {"FSGAUGE_ENGINE": str(engine.binary)}
    words = ["scan", str(mounted), "--json", "--page", "map.html"]
    done = interpreted(*words, seconds=patience(60), cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["extents"] == sum(by_filefrag(mounted).values())
    assert document["complete"] is True and document["free_bytes"] > 0
    room = os.statvfs(mounted)
    assert document["largest_free_bytes"] <= document["free_bytes"]
    assert document["free_bytes"] <= room.f_blocks * room.f_frsize + 64 * MEBIBYTE
    assert "data:image/png" in (tmp_path / "map.html").read_text()
    assert sorted(path.name for path in mounted.iterdir()) == before


def test_how_full_it_is_is_what_df_says(mounted: Path, engine: Engine) -> None:
    scan = engine.scan(ScanJob(path=str(mounted)))
    used_percent = numbers_of(scan)["used_percent"]
    assert used_percent is not None
    room = os.statvfs(mounted)
    by_df = (room.f_blocks - room.f_bfree) * room.f_frsize
    own = scan.source.size_bytes - room.f_blocks * room.f_frsize
    if scan.source.file_system == "btrfs":
        own = _of_metadata(mounted)
    # df leaves out tables (ext4, XFS), or what is still free in chunks for metadata (btrfs), whose
    # own reserve it counts as used.
    apart = used_percent / 100 * scan.source.size_bytes - by_df
    kept = scan.room.metadata_reserve_bytes or 0
    assert -MEBIBYTE - kept <= apart <= own + 8 * MEBIBYTE, (used_percent, by_df, own)


def _of_metadata(folder: Path) -> int:
    """Bytes of btrfs's chunks for metadata, with their copies."""
    done = subprocess.run(
        ["btrfs", "filesystem", "usage", "-b", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    )
    found = re.findall(r"^(?:Metadata|System),.*\n\s+/dev/\S+\s+(\d+)$", done.stdout, re.MULTILINE)
    assert len(found) == 2, done.stdout
    return sum(map(int, found))


def test_an_image_that_ends_early_is_not_called_full(
    mounted: Path, engine: Engine, tmp_path: Path
) -> None:
    device = subprocess.run(
        ["findmnt", "--noheadings", "--output", "SOURCE", str(mounted)],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    ).stdout.strip()
    run("mount", "-o", "remount,ro", str(mounted))
    image = tmp_path / "copy"
    run("cp", "--sparse=always", device, str(image))
    whole = numbers_of(engine.scan(ScanJob(path=str(image))))
    assert whole["used_percent"] is not None and whole["used_percent"] < 60
    os.truncate(image, 130 * MEBIBYTE)
    cut = engine.scan(ScanJob(path=str(image)))
    numbers = numbers_of(cut)
    assert {problem.code for problem in cut.problems} >= {"truncated"}
    assert cut.free is not None and cut.free.unread_bytes is not None
    free, room = numbers["free_bytes"], whole["free_bytes"]
    assert free is not None and room is not None and free <= room
    assert free + cut.free.unread_bytes + (cut.free.unallocated_bytes or 0) >= room
    if cut.free.unread_bytes:
        assert numbers["used_percent"] is None
    else:
        assert numbers["used_percent"] == whole["used_percent"]


def test_a_study_scans_both_sides_of_every_turn(
    scene: Scene, rig: HostRig, engine: Engine, tmp_path: Path
) -> None:
    short = {"duration": 10_000_000, "warm_up": 0, "patterns": ["randread"], "queue_depths": [1]}
    study = scene.study({"name": "raw"}, {"name": "ext4"}, {"name": "xfs"}, scan=True, **short)
    study = study.model_copy(update={"plan": study.plan.model_copy(update={"blocks": 2})})
    outcome = run_study(
        study,
        rig=rig,
        results=tmp_path / "results",
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    assert outcome.ended_by is None
    scans = read_results(outcome.directory).scans
    assert len(scans) == 2 * 2 * 2
    assert {(scan.system, scan.when) for scan in scans} == {
        (system, when) for system in ("ext4", "xfs") for when in ("before", "after")
    }
    assert all(holds_its_files(scan) for scan in scans)
    assert scene.left() == []


def holds_its_files(scan: ScanRecord) -> bool:
    """The workload's three files, at least, each with an extent."""
    return scan.result is not None and scan.result.counts.files == 3 and not scan.fault


def test_what_the_allocator_of_ext4_holds_for_open_files_is_free(
    engine: Engine, make_loop: MakeLoop, tmp_path: Path
) -> None:
    """GETFSMAP counts it as used: of an ext4 5 % full, 44 % were shown, without a word."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    device = make_loop(384 * MEBIBYTE)
    run("mkfs.ext4", "-q", "-b", "4096", device)
    run("mount", device, str(folder))
    files = [(folder / f"growing-{number}").open("wb", buffering=0) for number in range(100)]
    try:
        for turn in range(6):
            for file in files:
                file.write(bytes(32768))
                if turn % 2:
                    os.fsync(file.fileno())
        run("sync", "--file-system", str(folder))
        found = engine.scan(ScanJob(path=str(folder)))
        room = os.statvfs(folder)
    finally:
        for file in files:
            file.close()
        run("umount", str(folder))
    after = engine.scan(ScanJob(path=device))
    assert found.free is not None and after.free is not None
    assert found.free.size_bytes == after.free.size_bytes == room.f_bfree * room.f_frsize
    assert (found.free.extents, found.problems) == (after.free.extents, [])
    assert found.source.space_by == "bitmaps"
    assert "getfsmap counts" in (found.source.space_reason or "")
    assert found.counts.raw_extents == after.counts.raw_extents


def test_below_a_root_that_is_no_mount_point_statx_and_statfs_say_what_is_scanned(
    engine: Engine, tmp_path: Path
) -> None:
    """/proc/self/mountinfo lists no mount that a chroot is in, and the scan ended in an error."""
    listed = subprocess.run(
        ["ldd", str(engine.binary)],
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(60),
    )
    for file in [str(engine.binary), *re.findall(r"(/\S+)", listed.stdout.replace(":", " "))]:
        copy = tmp_path / file.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "file").write_bytes(bytes(100_000))
    outside = engine.scan(ScanJob(path=str(tmp_path / "data"), space=False))
    done = subprocess.run(
        ["chroot", str(tmp_path), str(engine.binary)],
        input='{"format": 1, "kind": "scan", "path": "/data", "space": false}',
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(60),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    assert result["counts"]["files"] == outside.counts.files == 1
    assert result["source"]["file_system"] == outside.source.file_system
    # Without /sys the size is that of statfs, which leaves the file system's tables out.
    assert 0 < result["source"]["size_bytes"] <= outside.source.size_bytes
    assert [note["code"] for note in result["notes"]].count("mount_not_listed") == 1


@pytest.mark.parametrize("block_bytes", [1024, 4096])
def test_mb_groups_of_an_image_are_those_of_the_kernel(
    block_bytes: int, make_loop: MakeLoop, tmp_path: Path
) -> None:
    """Of the image the same text is made as the kernel has once it is mounted.

    Another process has a copy of the mount for a moment, as those of other tests may: until that is
    gone the file system lives on in the kernel, which counts what it has preallocated as used.
    """
    need_mkfs("ext4")
    device, folder = make_loop(384 * MEBIBYTE), tmp_path / "mounted"
    kept = Path(f"/proc/fs/ext4/{Path(device).name}")
    folder.mkdir()
    run("mkfs.ext4", "-q", "-b", str(block_bytes), device)
    run("mount", device, str(folder))
    fill(folder)
    words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "echo copied; sleep 1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"copied\n"
        run("umount", str(folder))
        assert kept.exists()
        ends = time.monotonic() + patience(60)
        while kept.exists():
            assert time.monotonic() < ends, "another process keeps the file system"
            time.sleep(0.05)
        run("mount", device, str(folder))
    try:
        kernel = (kept / "mb_groups").read_text()
    finally:
        run("umount", str(folder))
    dump = subprocess.run(["dumpe2fs", device], capture_output=True, text=True, check=True)
    assert text_of(dump.stdout, block_bytes) == kernel
