"""Studies of mixes, of files and of programs that never ran, as shipped ones ask for them.

They are on queues whose rate is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.record.command import CommandJob
from fsgauge.study.parse import load_study
from fsgauge.workload.folders import ClientFolders
from tests.synthetic import SyntheticStudy
from tests.synthetic_commands import command_run
from tests.synthetic_curve import Queue, Serve, make_curve, reads_job, served
from tests.synthetic_paced import committed, done_by_clients

FOLDERS = ClientFolders(directory="/mnt/x", files_per_client=0, backup_files_per_client=0)
BLOCKS = 6
_OPERATIONS = {"write": "create", "delete": "unlink"}
"""What clients do in a phase, where it is not called like it."""
WAITING = 0.12
"""Of a program's time, what it waits for storage."""


def make_mix(queues: Mapping[str, Queue], *settings: str, **more: Any) -> SyntheticStudy:
    """The shipped mix, changed by `settings`: each group has the queue for itself."""
    return _made("mix", queues, _of_group, *settings, **more)


def make_metadata(queues: Mapping[str, Queue], *settings: str, **more: Any) -> SyntheticStudy:
    """The shipped study of files, made smaller by `settings`."""
    return _made("metadata", queues, _of_files, *settings, **more)


def make_program(queues: Mapping[str, Queue], **more: Any) -> SyntheticStudy:
    """git clone; a queue's `most` are runs of it a second."""
    made = _made("command-git-clone", queues, _ran, **more)
    done = command_run(1000, round(1000 * WAITING), 1 << 26)
    made.runs[:] = [run.model_copy(update={"command": done}) for run in made.runs]
    return made


def _made(
    study: str, queues: Mapping[str, Queue], serve: Serve, *settings: str, **more: Any
) -> SyntheticStudy:
    asked = load_study(study, list(settings))
    places: dict[str, Any] = {"blocks": BLOCKS, "place": FOLDERS, **more}
    plan: dict[str, Any] = {"mode": "all", "latency_limit": None, "primary": asked.plan.primary}
    return make_curve(queues, workload=asked.workload, serve=serve, **places, **plan)


def _of_group(job: LoadJob, queue: Queue, shift: float, factor: float) -> LoadResult:
    if job.sync.kind == "fdatasync":
        return committed(job, queue, shift, factor)
    whole = served(job, queue, shift, factor)
    return (
        whole if job.read_percent else whole.model_copy(update={"read": None, "write": whole.read})
    )


def _of_files(job: ClientsJob, queue: Queue, shift: float, factor: float) -> LoadResult:
    whole = done_by_clients(job, queue, shift, factor)
    assert whole.clients is not None
    operation = _OPERATIONS.get(job.phase.kind, job.phase.kind)
    (done,) = whole.clients.operations
    clients = whole.clients.model_copy(
        update={"operations": [done.model_copy(update={"operation": operation})]}
    )
    return whole.model_copy(update={"clients": clients})


def _ran(_: CommandJob, queue: Queue, shift: float, factor: float) -> LoadResult:
    whole = served(reads_job(1.0), Queue(1000.0), 1.0, factor)
    seconds = 1 / (queue.most * shift)
    changes = {"read": None, "jobs": [], "elapsed_ns": int(1e9 * seconds), "ended": "size_limit"}
    return whole.model_copy(update=changes)
