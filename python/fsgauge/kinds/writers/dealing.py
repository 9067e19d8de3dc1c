"""Writers dealt out to hosts: each has its share of them, and a file for each."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.wire import BlockTarget, FilesTarget, LoadJob, ShareFilesTarget
from fsgauge.workload.dealing import Dealt, Share, require_enough


def require_dealable(workload: WritersWorkload, hosts: int) -> None:
    """InputError for writers of one file, which are on one host, and for too few writers."""
    if hosts == 1:
        return
    if workload.ranges != ["own files"]:
        raise InputError(
            f"writers of one file cannot be dealt out to {hosts} hosts yet: each host has"
            " files of its own",
            next="--set 'workload.ranges=[\"own files\"]'",
        )
    if workload.readers or workload.log_writers:
        raise InputError(
            "readers and log writers cannot be dealt out to hosts yet",
            next="--set workload.readers=0 --set workload.log_writers=0",
        )
    require_enough("writers", workload.writers, hosts, "workload.writers")


def dealt(job: Dealt, share: Share) -> Dealt:
    """The host's part of a job."""
    if share.hosts == 1:
        return job
    update: dict[str, object] = {"seed": share.seed(job.seed)}
    target = getattr(job, "target", None)
    if isinstance(job, LoadJob):
        update["jobs"] = share.of(job.jobs)
    if isinstance(target, FilesTarget | ShareFilesTarget):
        update["target"] = target.model_copy(update={"count": share.of(target.count)})
    elif isinstance(job, LoadJob) and isinstance(target, BlockTarget):
        size_bytes = target.size_bytes // job.jobs * share.of(job.jobs)
        update["target"] = target.model_copy(update={"size_bytes": size_bytes})
    return job.model_copy(update=update)
