"""Filling: the target's files, or the same bytes of the bare device, written once with data."""

from __future__ import annotations

import errno

from fsgauge.engine.wire import BlockTarget, EngineFault, FilesTarget, LayoutResult
from fsgauge.errors import InputError, RigError
from fsgauge.rig.host.prepared import RunsJobs
from fsgauge.study.model import PathStorage, Study
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.folders import AgedFolders, ClientFolders

_SEED_WITHOUT_ONE = 1


def fill(
    study: Study,
    target: FilesTarget | BlockTarget | ClientFolders | AgedFolders,
    engine: RunsJobs,
) -> LayoutResult | None:
    """Lay the target out through the engine; InputError when the files do not fit.

    None where the load makes its own files.
    """
    seed = _SEED_WITHOUT_ONE if study.plan.seed is None else study.plan.seed
    job = method_of(study.workload).layout_job(target, seed)
    if job is None or isinstance(target, ClientFolders | AgedFolders):
        return None
    try:
        result = engine.run(job)
    except RigError as error:
        fault = getattr(error, "fault", None)
        if isinstance(fault, EngineFault) and fault.errno == errno.ENOSPC:
            raise _does_not_fit(study, target) from error
        raise
    if not isinstance(result, LayoutResult):
        raise RigError("the engine did not answer a layout job with its result", next="make setup")
    return result


def target_bytes(target: FilesTarget | BlockTarget) -> int:
    """The working set."""
    if isinstance(target, BlockTarget):
        return target.size_bytes
    return target.count * target.file_size_bytes


def _does_not_fit(study: Study, target: FilesTarget | BlockTarget) -> InputError:
    if isinstance(study.storage, PathStorage):
        return InputError(
            f"the files, {format_size(target_bytes(target))}, do not fit into their folder",
            cause="its file system has filled up meanwhile, or this user's quota is used up",
            next="df -h, quota; a smaller --set storage.size or another folder",
        )
    less = max(method_of(study.workload).fill_percent - 10, 1)
    return InputError(
        f"the files, {format_size(target_bytes(target))}, do not fit",
        cause="the file system needs more space for itself than it reported when empty",
        next=f"--set 'workload.fill={less} %', or a larger storage",
    )
