"""The load on several hosts: each does a cell whole, on the files that the cell gives it."""

from __future__ import annotations

from fsgauge.engine.wire import FilesTarget, LoadJob
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.workload.dealing import Dealt, Share, require_enough, require_hosts_there


def require_dealable(workload: OverheadWorkload, hosts: int) -> None:
    """InputError for more hosts than there are, and where not every host has a file."""
    require_hosts_there(workload.hosts, hosts)
    if hosts > 1 and "separate" in workload.host_files:
        require_enough("files", [workload.files], hosts, "workload.files")


def dealt(job: Dealt, share: Share) -> Dealt:
    """A host's part of a job; of a layout all of it."""
    update: dict[str, object] = {"seed": share.seed(job.seed)}
    if isinstance(job, LoadJob) and job.rate is not None:
        each = job.rate.operations_per_second / share.hosts
        update["rate"] = job.rate.model_copy(update={"operations_per_second": each})
    if share.cell is not None and isinstance(job, LoadJob):
        divided = OverheadFactors.of(share.cell).host_files == "separate"
        update["target"] = _part(job.target, share) if divided else job.target
    return job.model_copy(update=update)


def _part(target: object, share: Share) -> object:
    """A host's part of the files that all hosts have."""
    if not isinstance(target, FilesTarget):
        return target
    prefix = share.prefix_of_part(target.prefix)
    return target.model_copy(update={"count": share.of(target.count), "prefix": prefix})
