"""Writers dealt out to hosts: on one file that all hosts share, or with files of their own."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.wire import (
    BlockTarget,
    ClientsJob,
    Companion,
    FilesTarget,
    JobsOfAll,
    LoadJob,
    OwnFilesRanges,
    SharedRanges,
    ShareFilesTarget,
)
from fsgauge.workload.dealing import Dealt, Share, require_enough


def files_of_all(workload: WritersWorkload) -> int:
    """The one file, unless each writer always has its own."""
    return int(any(ranges != "own files" for ranges in workload.ranges))


def is_on_one_file(job: LoadJob | ClientsJob) -> bool:
    """Whether its writers have parts of one file, or all of it."""
    return isinstance(job, LoadJob) and not isinstance(job.ranges, OwnFilesRanges)


def require_dealable(workload: WritersWorkload, hosts: int) -> None:
    """InputError for what cannot be verified over several hosts, and for too few writers."""
    if hosts == 1:
        return
    if "shared" in workload.ranges and workload.verify:
        raise InputError(
            "writers that overwrite one another cannot be verified over several hosts",
            cause="a host knows what its own writers wrote last, and not what those of other hosts"
            " did",
            next="--set workload.verify=false, or parts of the file that do not overlap:"
            " --set 'workload.ranges=[\"segmented\"]'",
        )
    require_enough("writers", workload.writers, hosts, "workload.writers")


def dealt(job: Dealt, share: Share) -> Dealt:
    """The host's part of a job."""
    if share.hosts == 1 or not isinstance(job, LoadJob):
        return job
    update: dict[str, object] = {
        "seed": share.seed(job.seed),
        "jobs": share.of(job.jobs),
        "companions": _companions(job.companions, share),
    }
    if isinstance(job.ranges, OwnFilesRanges):
        update["target"] = _own_files(job, share)
    elif isinstance(job.target, BlockTarget):
        size_bytes = job.target.size_bytes // job.jobs * share.of(job.jobs)
        update["target"] = job.target.model_copy(update={"size_bytes": size_bytes})
    elif not isinstance(job.ranges, SharedRanges):
        update["jobs_of_all"] = JobsOfAll(first=share.first(job.jobs), of=job.jobs)
    return job.model_copy(update=update)


def _own_files(job: LoadJob, share: Share) -> object:
    """A file for each of the host's writers."""
    if isinstance(job.target, FilesTarget | ShareFilesTarget):
        return job.target.model_copy(update={"count": share.of(job.target.count)})
    return job.target


def _companions(companions: list[Companion], share: Share) -> list[Companion]:
    """The host's share of readers and of log writers; none of a role where it has none."""
    mine = [each.model_copy(update={"count": share.of(each.count)}) for each in companions]
    return [each for each in mine if each.count]
