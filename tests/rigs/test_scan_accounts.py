"""What a scan says of space on real file systems that reports of users were about."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from fsgauge.cli.scan import _with_deleted
from fsgauge.engine.client import Engine
from fsgauge.scan.consequences import consequences
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scan, run
from tests.rigs.scanning import LIBC, as_user, mounted, said

pytestmark = pytest.mark.root


def test_an_overlay_that_is_full_differs_from_df_by_what_is_kept_below(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    with mounted(make_loop, tmp_path, 64, "mkfs.ext4", "-q", "-m", "10") as (point, _):
        for name in ("lower", "upper", "work", "merged"):
            (point / name).mkdir()
        options = f"lowerdir={point}/lower,upperdir={point}/upper,workdir={point}/work"
        run("mount", "-t", "overlay", "overlay", "-o", options, str(point / "merged"))
        try:
            room = os.statvfs(point / "merged")
            file = os.open(point / "merged" / "fill", os.O_CREAT | os.O_RDWR)
            os.posix_fallocate(file, 0, room.f_bavail * room.f_frsize)
            os.close(file)
            run("sync", "--file-system", str(point))
            found = scan(point / "merged")
        finally:
            run("umount", str(point / "merged"))
    rule, first = consequences(found)[0]
    assert (rule.name, first.level) == ("full", "stop")
    assert "that ordinary users cannot have as in use" in said(found)["df"].sentence
    assert any(f"what was written is in {point}/upper" in note.text for note in found.notes)


def test_a_deleted_file_that_is_mapped_alone_has_its_process(
    make_loop: MakeLoop, tmp_path: Path, scan: Scan
) -> None:
    LIBC.mmap.restype = ctypes.c_void_p
    with mounted(make_loop, tmp_path, 128, "mkfs.ext4", "-q") as (point, _):
        path, size = point / "database", 32 * MEBIBYTE
        with path.open("wb+") as file:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
            where = LIBC.mmap(None, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
        try:
            path.unlink()
            rule, first = consequences(_with_deleted(scan(point)))[0]
        finally:
            LIBC.munmap(ctypes.c_void_p(where), ctypes.c_size_t(size))
    assert rule.name == "deleted" and f"({os.getpid()})" in first.sentence, first


def test_a_deleted_image_behind_a_loop_device_is_told_to_an_ordinary_user_too(
    make_loop: MakeLoop, open_folder: Path, scan: Scan, engine: Engine
) -> None:
    """What lost+found has, which is root's, is not known to others: they were told nothing."""
    with mounted(make_loop, open_folder, 128, "mkfs.ext4", "-q") as (point, _):
        image = point / "rootfs.img"
        image.write_bytes(os.urandom(32 * MEBIBYTE))
        made = subprocess.run(
            ["losetup", "--find", "--show", str(image)],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience(60),
        ).stdout.strip()
        try:
            image.unlink()
            run("sync", "--file-system", str(point))
            by_root, by_user = scan(point), as_user(engine.binary, open_folder, point)
        finally:
            run("losetup", "--detach", made)
    for each in (by_root, by_user):
        rule, first = consequences(each)[0]
        assert rule.name == "unseen" and first.sentence.startswith(("31.9 MiB", "32 MiB")), first
        assert "losetup -a | grep deleted" in first.do
