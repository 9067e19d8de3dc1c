"""What hosts cannot measure together, and what each is given: its folder or device, its consent.

All of it is refused before any host is started.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.errors import InputError, RefusedError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.fleet.model import Host
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, Storage, Study
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


def study_on(study: Study, host: Host) -> Study:
    """The study with the folder or the device that a host has for it.

    Raises InputError where the hosts file names what the study does not use.
    """
    storage: Storage = study.storage
    if host.path is not None:
        storage = _with_path(study, host, host.path)
    if host.device is not None:
        storage = _with_device(storage, host, host.device)
    if storage is study.storage:
        return study
    return study.model_copy(update={"storage": storage})


def _with_path(study: Study, host: Host, path: str) -> Storage:
    storage = study.storage
    if isinstance(storage, PathStorage):
        own = [system.name for system in study.systems if system.path is not None]
        if own:
            raise InputError(
                f'{host.name} has a path in the hosts file, and "{own[0]}" has one in the study',
                cause="they contradict each other",
                next="leave path out of the hosts file, or the system's own path",
            )
        return storage.model_copy(update={"path": path})
    if isinstance(storage, LoopStorage):
        return storage.model_copy(update={"directory": path})
    raise InputError(
        f"{host.name} has a path in the hosts file, and the study's storage is no folder",
        next="--storage FOLDER or --storage loop:8GiB, or a hosts file without path",
    )


def _with_device(storage: Storage, host: Host, device: str) -> Storage:
    if isinstance(storage, DeviceStorage):
        return storage.model_copy(update={"device": device})
    raise InputError(
        f"{host.name} has a device in the hosts file, and the study's storage is none",
        next=f"--storage {device}, or a hosts file without device",
    )


def consent_on(consent: Consent | None, host: str) -> Consent | None:
    """What of --destroy is said of one host; None where nothing is."""
    if consent is None:
        return None
    names = tuple(
        name.partition(":")[2] for name in consent.names if name.partition(":")[0] == host
    )
    return Consent(names=names, unknown_data=consent.unknown_data)


def require_hosts_named(study: Study, consent: Consent | None, hosts: Sequence[str]) -> None:
    """Raise RefusedError for a --destroy that does not say whose device, InputError for one that
    the study does not use."""
    if consent is None:
        return
    if not isinstance(study.storage, DeviceStorage):
        raise InputError("--destroy names a device, and this study uses none", next="leave it out")
    for name in consent.names:
        if name.partition(":")[0] not in hosts:
            raise RefusedError(
                f'"{name}" does not say whose device it is, so all devices are left alone',
                details=(f"hosts: {', '.join(hosts)}",),
                cause="each host has devices of its own",
                next=f"--destroy {hosts[0]}:{name}, once for each host",
            )
