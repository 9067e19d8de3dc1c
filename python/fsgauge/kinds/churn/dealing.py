"""Ageing by several hosts: each has a tree of its own, and its share of the clients that write."""

from __future__ import annotations

from fsgauge.engine.wire import AgeJob, ClientsJob, WritePhase
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.workload.dealing import Dealt, Share, require_enough


def require_dealable(workload: ChurnWorkload, hosts: int) -> None:
    """InputError for fewer clients than hosts, where clients write."""
    if "write" in workload.tests:
        require_enough("clients", [workload.clients], hosts, "workload.clients")


def dealt(job: Dealt, share: Share) -> Dealt:
    """The host's tree, read by a reader of its own; and its clients, which fill what the tree left.

    A tree fills a share of what each host may use, and so do the new files of each host together:
    every client of a host that has fewer of them writes no more than one of a host with the most.
    """
    if share.hosts == 1:
        return job
    if isinstance(job, AgeJob):
        return job.model_copy(update={"seed": share.seed(job.seed)})
    if not isinstance(job, ClientsJob) or not isinstance(job.phase, WritePhase):
        return job
    clients = share.of(job.clients)
    each = job.files.files_per_client * job.clients // share.most(job.clients)
    files = job.files.model_copy(update={"clients": clients, "files_per_client": each})
    update = {"clients": clients, "files": files, "seed": share.seed(job.seed)}
    return job.model_copy(update=update)
