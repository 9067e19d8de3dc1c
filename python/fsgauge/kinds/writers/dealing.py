"""Writers dealt out to hosts: on one file that all hosts share, or with files of their own."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.study.access import AccessKeys
from fsgauge.units import exact_size, format_size
from fsgauge.workload.dealing import Dealt, Share, own_prefix, require_enough, require_hosts_there


def files_of_all(workload: WritersWorkload) -> int:
    """The one file, unless each writer always has its own."""
    return int(any(ranges != "own files" for ranges in workload.ranges))


def is_on_one_file(job: wire.LoadJob | wire.ClientsJob) -> bool:
    return isinstance(job, wire.LoadJob) and not isinstance(job.ranges, wire.OwnFilesRanges)


def require_dealable(workload: WritersWorkload, hosts: int) -> None:
    """InputError for what cannot be verified over several hosts, and for too few writers or
    hosts."""
    if hosts == 1 and not workload.hosts:
        return
    if hosts > 1 and "shared" in workload.ranges and workload.verify:
        raise InputError(
            "writers that overwrite one another cannot be verified over several hosts",
            cause="a host knows what its own writers wrote last, and not what those of other hosts"
            " did",
            next="--set workload.verify=false, or parts of the file that do not overlap:"
            " --set 'workload.ranges=[\"segmented\"]'",
        )
    require_hosts_there(workload.hosts, hosts)
    if not workload.hosts:
        require_enough("writer", workload.writers, hosts, "workload.writers")


def dealt(workload: WritersWorkload, job: Dealt, share: Share) -> Dealt:
    """The host's part of a job; all of its writers where the study varies the number of hosts."""
    if not isinstance(job, wire.LoadJob) or share.hosts == 1:
        return job
    if files_of_all(workload) and share.number and isinstance(job.ranges, wire.OwnFilesRanges):
        job = job.model_copy(update={"target": _under_own_names(job.target)})
    if workload.hosts and share.cell is not None:
        return job.model_copy(update=_whole(job, share))
    update: dict[str, object] = {
        "seed": share.seed(job.seed),
        "jobs": share.of(job.jobs),
        "companions": _companions(job.companions, share),
    }
    if isinstance(job.ranges, wire.OwnFilesRanges):
        update["target"] = _own_files(job, share)
    elif isinstance(job.target, wire.BlockTarget):
        size_bytes = job.target.size_bytes // job.jobs * share.of(job.jobs)
        update["target"] = job.target.model_copy(update={"size_bytes": size_bytes})
    elif not isinstance(job.ranges, wire.SharedRanges):
        update["jobs_of_all"] = wire.JobsOfAll(first=share.first(job.jobs), of=job.jobs)
    return job.model_copy(update=update)


def _whole(job: wire.LoadJob, share: Share) -> dict[str, object]:
    """All writers, whose parts of one file are numbered through over the hosts."""
    update: dict[str, object] = {"seed": share.seed(job.seed)}
    is_dealt = not isinstance(job.ranges, wire.OwnFilesRanges | wire.SharedRanges)
    if is_dealt and not isinstance(job.target, wire.BlockTarget):
        first, all_jobs = share.number * job.jobs, share.hosts * job.jobs
        update["jobs_of_all"] = wire.JobsOfAll(first=first, of=all_jobs)
    return update


def _under_own_names(target: wire.Target) -> wire.Target:
    """The same files where the first of them is a link to that of the first host."""
    if isinstance(target, wire.FilesTarget):
        return target.model_copy(update={"prefix": own_prefix(target.prefix)})
    return target


def _own_files(job: wire.LoadJob, share: Share) -> object:
    if isinstance(job.target, wire.FilesTarget | wire.ShareFilesTarget):
        return job.target.model_copy(update={"count": share.of(job.target.count)})
    return job.target


def _companions(companions: list[wire.Companion], share: Share) -> list[wire.Companion]:
    """The host's share of readers and of log writers; none of a role where it has none."""
    mine = [each.model_copy(update={"count": share.of(each.count)}) for each in companions]
    return [each for each in mine if each.count]


def fewest_places(ranges: str, units: int, blocks_a_unit: int, writers: int) -> int:
    """Blocks of the writer that has the fewest; `units` are dealt, each of some blocks."""
    dealt = units if ranges in ("shared", "own files") else units // writers
    return dealt * blocks_a_unit


def too_many(
    ranges: str,
    writers: int,
    fitting: list[int],
    needed: int,
    file_bytes: int,
    unit_bytes: int,
    cause: str,
) -> InputError:
    """The refusal; `fitting` are the numbers of writers that would have places."""
    places = file_bytes // unit_bytes
    each = "one each" if needed == 1 else f"{needed} blocks each, to be verified"
    counts = ", ".join(str(count) for count in fitting)
    return InputError(
        f"the file is too small for {writers} writers with {ranges} ranges",
        details=(
            f"{format_size(file_bytes)} hold {places} units of {exact_size(unit_bytes)},"
            f" and the writers need {each}",
        ),
        cause=cause,
        next=f"--set 'workload.writers=[{counts}]', or larger storage"
        if fitting
        else "larger storage, or a larger workload.fill",
    )


def sync_of(workload: WritersWorkload, access: str, *, is_served: bool) -> wire.Sync:
    """What makes writes durable. Through a server a direct write is answered when it is stable, as
    O_DIRECT of an NFS client promises; a server's memory would answer otherwise."""
    match workload.sync:
        case "dsync":
            return wire.DsyncSync()
        case "fsync":
            return wire.FsyncSync(every=workload.sync_every)
        case "fdatasync":
            return wire.FdatasyncSync(every=workload.sync_every)
        case _:
            return wire.DsyncSync() if is_served and access == "direct" else wire.NoSync()


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
