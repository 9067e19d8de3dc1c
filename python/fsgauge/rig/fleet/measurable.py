"""What of a study several hosts cannot do together, refused before any of them is started."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.study.model import PathStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.study.tunable_places import place_of
from fsgauge.workload import method_of


def require_measurable(study: Study, hosts: int, *, one_machine: bool) -> None:
    """Raise InputError for what they cannot; with `one_machine` they are processes of this one."""
    _refuse_private_servers(study)
    _require_one_storage(study, hosts)
    if one_machine and hosts > 1:
        _require_own_kernels(study)


def _refuse_private_servers(study: Study) -> None:
    """Other hosts do not reach them."""
    servers = [access.server for access in accesses_of(study) if access.server != "none"]
    if servers:
        raise InputError(
            f"a private {servers[0]} server is for the clients of its own host alone",
            cause="it is in a network of its own, so that no one else reaches what it serves",
            next="a server that runs already: --set access.share=nfs://HOST/EXPORT, or smb://;"
            " or the study on one host, without --rig fleet",
        )


def _require_one_storage(study: Study, hosts: int) -> None:
    """A folder, where all hosts work on the same files."""
    method = method_of(study.workload)
    if hosts > 1 and method.files_of_all and not isinstance(study.storage, PathStorage):
        raise InputError(
            f"{hosts} hosts cannot work on the same files: each has storage of its own",
            cause=f"the storage is of kind {study.storage.kind}, and not a folder that all of them"
            " see",
            next="--storage FOLDER of a file system that all of them share, or"
            f" {method.without_files_of_all()}",
        )


def _require_own_kernels(study: Study) -> None:
    """Settings that two hosts of one machine would set for one another are refused."""
    for system in study.systems:
        for key in system.tunables:
            place = place_of(key)
            if place is not None and (place.is_of_client or not place.device):
                raise InputError(
                    f'"{system.name}" sets {key}, and all hosts are processes of one machine',
                    cause="they have one kernel, and one of them would set back what another set",
                    next="one host, or hosts that are machines",
                )
