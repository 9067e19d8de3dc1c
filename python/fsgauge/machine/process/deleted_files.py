"""Files that were deleted and are still open or mapped, found by what processes hold (proc(5)). In
the lab, not in the engine: it takes CAP_SYS_PTRACE, which what parses images must not have."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fsgauge.engine.wire import DeletedFile, DeletedFiles
from fsgauge.machine.facts.mounts import mount_of
from fsgauge.plain_files.opening import closing

_MARK = " (deleted)"
_MOST_LOOKED_AT = 1 << 20
_LISTED = 3


def deleted_files(folder: Path) -> DeletedFiles | None:
    """Those on the file system of a folder, of processes that this user may look into; None where
    the folder cannot be looked at."""
    try:
        device = folder.stat().st_dev
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    with closing(opened):
        mount = mount_of(opened)
    found: dict[tuple[int, int], DeletedFile] = {}
    all_processes, left = True, _MOST_LOOKED_AT
    for process in filter(str.isdigit, (each.name for each in Path("/proc").iterdir())):
        try:
            held = [f"fd/{each.name}" for each in Path(f"/proc/{process}/fd").iterdir()]
            held += _mapped(process)
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            all_processes = False
            continue
        for link in held:
            left -= 1
            if left > 0 and (each := _deleted(process, link, device, mount)) is not None:
                found.setdefault(*each)
    largest = sorted(found.values(), key=lambda file: -file.size_bytes)
    return DeletedFiles(
        files=len(largest),
        size_bytes=sum(file.size_bytes for file in largest),
        all_processes=all_processes and left > 0,
        largest=largest[:_LISTED],
    )


def _mapped(process: str) -> list[str]:
    """Deleted files that are mapped, as after a close: links that root may follow."""
    lines = Path(f"/proc/{process}/maps").read_bytes().splitlines()
    ranges = [line.split(b" ", 1)[0] for line in lines if line.endswith(_MARK.encode())]
    # The links have no zeros ahead.
    ends = [[f"{int(end, 16):x}" for end in each.split(b"-")] for each in ranges]
    return [f"map_files/{begin}-{end}" for begin, end in ends]


def _deleted(
    process: str, name: str, device: int, mount: str
) -> tuple[tuple[int, int], DeletedFile] | None:
    link = Path(f"/proc/{process}/{name}")
    try:
        path = str(link.readlink())
        if not path.endswith(_MARK):
            return None
        status = link.stat()
        is_here = status.st_dev == device or (
            link.parent.name == "fd" and mount_of(int(link.name), process) == mount
        )
        if status.st_nlink or not stat.S_ISREG(status.st_mode) or not is_here:
            return None
        comm = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    file = DeletedFile(
        path=path.removesuffix(_MARK).encode("utf-8", "replace").decode(),
        size_bytes=512 * status.st_blocks,
        process=comm,
        process_id=int(process),
    )
    return (status.st_dev, status.st_ino), file
