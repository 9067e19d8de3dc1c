"""Scratch files and loop devices: gone after a bench, and swept up after one that was killed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from side_by_side import Failed, Skipped

SPARSE_BYTES = 4 << 30
FILLED_BYTES = 512 << 20
# Nearly all of the file system of 4 GiB.
EVERYWHERE_BYTES = 3600 << 20
# Memory that no cache drop takes away.
MEMORY = Path("/dev/shm/fsgauge-bench")
ZRAM = Path("/sys/class/zram-control")
ZRAM_BYTES = 1 << 30
CHUNK_BYTES = 1 << 20
BLOCK_BYTES = 4096


class Scratch:
    """A directory of its own under target/."""

    SMALL_FILES = 100_000
    FREE_PIECES = 40_000
    SPLIT_FILES = 1_000
    SPLIT_EXTENTS = 1_000
    FILES = SMALL_FILES + SPLIT_FILES
    EXTENTS = SMALL_FILES + SPLIT_FILES * SPLIT_EXTENTS

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __enter__(self) -> Self:
        self._turn = the_only_bench()
        self.sweep()
        self.directory.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.sweep()
        os.close(self._turn)

    def sweep(self) -> None:
        """Unmount and detach every loop device on our files, then remove the files."""
        places = [
            self.directory / name
            for name in ("tmpfs-for-clients", "ext4-for-clients", "ext4-to-age")
        ]
        for place in [MEMORY / "mounted", *MEMORY.glob("pieces-*"), *places]:
            if os.path.ismount(place):
                subprocess.run(["umount", str(place)], check=False)
        if os.path.ismount(zram := self.directory / "ext4-on-zram"):
            number = os.minor(zram.stat().st_dev)
            subprocess.run(["umount", str(zram)], check=False)
            with suppress(OSError):  # still in use
                (ZRAM / "hot_remove").write_text(str(number))
        if os.geteuid() == 0 and shutil.which("losetup"):
            listing = subprocess.run(
                ["losetup", "--list", "--json"], capture_output=True, text=True, check=False
            ).stdout
            for loop in json.loads(listing or '{"loopdevices": []}')["loopdevices"]:
                if Path(loop["back-file"]).is_relative_to(MEMORY):
                    subprocess.run(["losetup", "--detach", loop["name"]], check=False)
        shutil.rmtree(MEMORY, ignore_errors=True)
        shutil.rmtree(self.directory, ignore_errors=True)

    def sparse_file(self) -> Path:
        """Give a file of 4 GiB without a single block: reads cost the kernel's path and no disk."""
        path = self.directory / "sparse"
        with path.open("wb") as file:
            file.truncate(SPARSE_BYTES)
        return path

    def filled_file(self) -> Path:
        """Give a file of random bytes that is on disk."""
        return fill(self.directory / "filled")

    def file_in_memory(self) -> Path:
        """Give a file of random bytes in memory."""
        if not MEMORY.parent.is_dir():
            raise Skipped(f"{MEMORY.parent} is missing: mount -t tmpfs tmpfs {MEMORY.parent}")
        MEMORY.mkdir(exist_ok=True)
        return fill(MEMORY / "filled")

    def folder_in_memory(self) -> Path:
        """Give a folder in memory for servers and what they serve, which needs other users."""
        if os.geteuid() != 0:
            raise Skipped("a server of its own users needs root: sudo make bench ONLY=smb-10")
        if not MEMORY.parent.is_dir():
            raise Skipped(f"{MEMORY.parent} is missing: mount -t tmpfs tmpfs {MEMORY.parent}")
        folder = MEMORY / "shares"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def loop_device(self) -> str:
        """Give a loop device on a file in memory: no disk is read."""
        if os.geteuid() != 0:
            raise Skipped(
                "a loop device needs root: sudo python3 bench/run.py --only loop-depth-32"
            )
        if shutil.which("losetup") is None:
            raise Skipped("losetup is missing: apt-get install mount")
        return attach(self.file_in_memory())

    def files_to_scan(self) -> tuple[Path, str]:
        """Give the folder and device of an ext4 with many small files and some in many pieces."""
        if os.geteuid() != 0:
            raise Skipped(
                "mounting needs root: sudo python3 bench/run.py --only scan-one-processor"
            )
        directory = MEMORY / "mounted"
        if not os.path.ismount(directory):
            mount_ext4(directory, "to-scan.img", size_bytes=16 << 30, inodes=200_000)
            self._fill_to_scan(directory)
            run(["sync", "--file-system", str(directory)])
        found = run(["findmnt", "--noheadings", "--output", "SOURCE", str(directory)])
        return directory, found.strip()

    def pieces_to_scan(self, mkfs: str, package: str) -> tuple[Path, str]:
        """Give the folder and device of a file system whose free space is in many pieces."""
        if os.geteuid() != 0 or shutil.which(mkfs) is None:
            raise Skipped(f"mounting needs root, and {mkfs} ({package})")
        directory = MEMORY / f"pieces-{mkfs}"
        if not os.path.ismount(directory):
            image = MEMORY / f"pieces-{mkfs}.img"
            directory.mkdir(parents=True)
            image.touch()
            os.truncate(image, 1 << 30)
            run([mkfs, "-q", str(image)])
            run(["mount", "-o", "loop", str(image), str(directory)])
            (directory / "empty").mkdir()
            for number in range(self.FREE_PIECES):
                with (directory / str(number)).open("wb") as file:
                    os.posix_fallocate(file.fileno(), 0, 2 * BLOCK_BYTES)
            run(["sync", "--file-system", str(directory)])
            for number in range(0, self.FREE_PIECES, 2):
                (directory / str(number)).unlink()
            run(["sync", "--file-system", str(directory)])
        found = run(["findmnt", "--noheadings", "--output", "SOURCE", str(directory)])
        return directory, found.strip()

    def tmpfs_for_clients(self) -> Path:
        """Give an empty folder in memory; not below /dev, where elbencho does not go.

        Nobody else can write to it, as to the scratch folder of a study: in one that all can write
        to, as a tmpfs is by default, the engine looks every name up with two calls more.
        """
        if os.geteuid() != 0:
            raise Skipped("mounting needs root: sudo python3 bench/run.py --only clients-tmpfs-fio")
        mounted = self.directory / "tmpfs-for-clients"
        if not os.path.ismount(mounted):
            mounted.mkdir(exist_ok=True)
            run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(mounted)])
        return mounted

    def ext4_for_clients(self) -> Path:
        """Give an empty folder on an ext4, on a loop device in memory."""
        if os.geteuid() != 0:
            raise Skipped("mounting needs root: sudo python3 bench/run.py --only clients-ext4-fio")
        mounted = self.directory / "ext4-for-clients"
        if not os.path.ismount(mounted):
            mount_ext4(mounted, "for-clients.img", size_bytes=4 << 30, inodes=100_000)
            # Else who writes a block first is timed while it gets its page of memory.
            fill(mounted / "everywhere", size_bytes=EVERYWHERE_BYTES).unlink()
        directory = mounted / "for-clients"
        directory.mkdir(exist_ok=True)
        return directory

    def ext4_on_zram(self) -> Path:
        """Give an empty folder on an ext4, on a device that takes a block within the call.

        A loop device has a worker, and on which processor that runs decides a rate of small writes.
        """
        if os.geteuid() != 0:
            raise Skipped("mounting needs root: sudo python3 bench/run.py --only commits-ext4")
        if not ZRAM.exists():
            raise Skipped("this kernel has no zram: modprobe zram")
        mounted = self.directory / "ext4-on-zram"
        if not os.path.ismount(mounted):
            mounted.mkdir(exist_ok=True)
            number = (ZRAM / "hot_add").read_text().strip()
            try:
                Path(f"/sys/block/zram{number}/disksize").write_text(str(ZRAM_BYTES))
                make_ext4(f"/dev/zram{number}", mounted, inodes=10_000)
            except BaseException:
                (ZRAM / "hot_remove").write_text(number)
                raise
        directory = mounted / "commits"
        directory.mkdir(exist_ok=True)
        return directory

    def _fill_to_scan(self, directory: Path) -> None:
        """Small files of one extent each; large ones in pairs that grow in turn, block by block."""
        for number in range(self.SMALL_FILES):
            folder = directory / "small" / str(number % 10) / str(number % 1000)
            if number < 1000:
                folder.mkdir(parents=True)
            with (folder / str(number)).open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, BLOCK_BYTES)
        (directory / "split").mkdir()
        for number in range(0, self.SPLIT_FILES, 2):
            pair = [directory / "split" / str(number + side) for side in (0, 1)]
            with pair[0].open("wb") as one, pair[1].open("wb") as other:
                for extent in range(self.SPLIT_EXTENTS):
                    os.posix_fallocate(one.fileno(), extent * BLOCK_BYTES, BLOCK_BYTES)
                    os.posix_fallocate(other.fileno(), extent * BLOCK_BYTES, BLOCK_BYTES)


def the_only_bench() -> int:
    """Give a lock, held until it is closed: two benches measure, and sweep up, one another."""
    lock = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Failed(
            "error: another bench is running here\ncause: two at once measure one another\n"
            "next: run it again when the other one is done"
        ) from None
    return lock


def mount_ext4(directory: Path, name: str, *, size_bytes: int, inodes: int) -> None:
    """Make an ext4 on a loop device in memory, with all of its structures written."""
    MEMORY.mkdir(exist_ok=True)
    directory.mkdir(exist_ok=True)
    image = MEMORY / name
    with image.open("wb") as file:
        file.truncate(size_bytes)
    make_ext4(attach(image), directory, inodes=inodes)


def make_ext4(device: str, directory: Path, *, inodes: int) -> None:
    """Make an ext4 on a device and mount it; nothing of it is left to be written later."""
    written = "lazy_itable_init=0,lazy_journal_init=0"
    run(["mkfs.ext4", "-q", "-N", str(inodes), "-E", written, device])
    run(["mount", device, str(directory)])


def attach(path: Path) -> str:
    """Give a loop device on a file."""
    made = subprocess.run(
        ["losetup", "--find", "--show", str(path)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        raise Skipped(f"no loop device: {made.stderr.strip()}")
    return made.stdout.strip()


def run(command: list[str]) -> str:
    """Run a command that sets a bench up; what fails skips the bench."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def fill(path: Path, size_bytes: int = FILLED_BYTES) -> Path:
    """Make a file of random bytes unless it is there."""
    if not path.exists():
        with path.open("wb") as file:
            for _ in range(size_bytes // CHUNK_BYTES):
                file.write(os.urandom(CHUNK_BYTES))
            os.fsync(file.fileno())
    return path
