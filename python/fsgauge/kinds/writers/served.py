"""What writers through a server do otherwise than on a path: what is durable, what is known."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine.wire import DsyncSync, FdatasyncSync, FsyncSync, NoSync, Sync
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.study.access import AccessKeys


def sync_of(workload: WritersWorkload, access: str, *, is_served: bool) -> Sync:
    """What makes writes durable. Through a server a direct write is answered when it is stable, as
    O_DIRECT of an NFS client promises; a server's memory would answer otherwise."""
    match workload.sync:
        case "dsync":
            return DsyncSync()
        case "fsync":
            return FsyncSync(every=workload.sync_every)
        case "fdatasync":
            return FdatasyncSync(every=workload.sync_every)
        case _:
            return DsyncSync() if is_served and access == "direct" else NoSync()


def direct_words(workload: WritersWorkload) -> str:
    """What direct and buffered are through a server; "" where a sync makes them the same."""
    if workload.sync != "none":
        return ""
    return (
        "a direct write is answered when it is stable (FILE_SYNC of NFS, write-through of SMB), and"
        " a buffered one may end in the server's memory"
    )


def cautions_of(workload: WritersWorkload, accesses: Sequence[AccessKeys]) -> list[str]:
    """That Samba's smbd does not always outlive several writers of one file."""
    is_shared = any(ranges != "own files" for ranges in workload.ranges)
    samba = any(access.server == "samba" for access in accesses)
    if not (samba and is_shared and max(workload.writers) > 1):
        return []
    return [
        "smbd 4.17.12 was seen to abort while several connections wrote one file; such runs fail,"
        ' and the report says so (--serve ganesha, or workload.ranges = ["own files"], avoids it)'
    ]
