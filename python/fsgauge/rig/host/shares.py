"""A share of a running server: asked before anything begins, used in a folder of ours, cleared."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.engine import wire
from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, RigError, quoted
from fsgauge.machine.facts.mounts import export_facts
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import ShareTrace
from fsgauge.programs import PASSWORD_VARIABLE
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.serving import require_answer
from fsgauge.rig.host.working_set import WorkingSet
from fsgauge.rig.recording import facts_as_found
from fsgauge.study.access import AccessKeys, Address, parse_address
from fsgauge.study.model import Study, System
from fsgauge.study.reached import access_of
from fsgauge.workload import method_of
from fsgauge.workload.folders import ClientFolders, FileSets


def check_shares(study: Study) -> None:
    """Raise InputError or RigError where a share's server or password is not there."""
    asked = set()
    for system in study.systems:
        access = access_of(study, system)
        address = _address(access)
        if address.protocol == "smb":
            password_source(access)
        if address not in asked:
            require_answer(address.host, address.port)
        asked.add(address)


def password_source(access: AccessKeys) -> wire.PasswordSource:
    """Where the engine finds the password; it is not read here."""
    if access.password_file is None:
        if not os.environ.get(PASSWORD_VARIABLE):
            raise RigError(
                f"the share's user needs a password, and {PASSWORD_VARIABLE} is not set",
                next=f"read -rs {PASSWORD_VARIABLE}; export {PASSWORD_VARIABLE}; or a file of mode"
                " 0600: --set access.password_file=/path",
            )
        return wire.EnvironmentPassword(name=PASSWORD_VARIABLE)
    path = Path(access.password_file)
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(
            f"the password file {path} cannot be read: {error.strerror}",
            cause="the name is mistyped, or it is another user's",
            next=f"ls -l {quoted(path)}",
        ) from None
    if not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077:
        raise InputError(
            f"users other than its owner can read the password file {path}",
            next=f"chmod 600 {quoted(path)}",
        )
    return wire.FilePassword(path=str(path))


@contextmanager
def prepared_share(
    study: Study, system: System, room: WorkingSet, ledger: Ledger, engine: Engine
) -> Iterator[PreparedSystem]:
    """Folders of our own on the share, cleared at the end however it comes."""
    access, sets = access_of(study, system), room.file_sets
    if not isinstance(sets, FileSets):
        raise RigError(
            "only clients work on shares",
            cause="the study's load makes files of its own kind, without names of clients",
            next="fsgauge plan connections --set access.share=smb://SERVER/SHARE",
        )
    address = _address(access)
    folders = ClientFolders(
        kind="share_folders",
        directory=str(address),
        files_per_client=sets.files_per_client,
        backup_files_per_client=sets.backup_files_per_client,
        share=_target(access, address, ledger.own_name("share")),
    )
    method = method_of(study.workload)
    clearing = method.clear_jobs(folders)
    for job in clearing[:1]:
        engine.run(job)  # logs in and finds nothing: what is refused is refused before anything
    jobs = [job.model_dump(mode="json") for job in clearing]
    trace = ShareTrace(place=str(address), jobs=jobs)
    with ledger.holding(trace):
        yield PreparedSystem(
            facts=facts_as_found(
                system.kind, str(address), room.size_bytes, details=_details(address)
            ),
            target=folders,
            layout=None,
            start_state=[f"{address} used as it is", "in folders that the run makes"],
            notes=[
                *method.notes(),
                f"{system.name}: extents are not counted, since a share does not show where files"
                " are placed",
            ],
        )


def _address(access: AccessKeys) -> Address:
    return parse_address(access.share or "")


def _target(
    access: AccessKeys, address: Address, directory: str
) -> wire.SmbTarget | wire.NfsTarget:
    if address.protocol == "nfs":
        return wire.NfsTarget(
            host=address.host,
            port=address.port,
            mount_port=access.nfs_mount_port,
            export=address.path,
            directory=directory,
            user_id=os.geteuid(),
            group_id=os.getegid(),
        )
    return wire.SmbTarget(
        host=address.host,
        port=address.port,
        share=address.path,
        directory=directory,
        user=address.user,
        password=password_source(access),
        dialect=access.smb_dialect,
        signing=access.smb_signing,
        encryption=access.smb_encryption,
        oplocks=access.smb_oplocks,
    )


def _details(address: Address) -> dict[str, str]:
    if address.protocol == "smb":
        return {"protocol": "SMB"}
    return {"protocol": "NFS version 3", **export_facts(address.host, address.path)}
