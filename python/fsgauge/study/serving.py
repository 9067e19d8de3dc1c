"""What systems, storage and workload must agree on where files are reached through a server."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.study.address import parse_address
from fsgauge.study.conflict import conflict
from fsgauge.study.server_options import unknown_option, wrong_value
from fsgauge.study.smb_protection import check_protection
from fsgauge.study.storage import Storage
from fsgauge.study.system import System
from fsgauge.study.workload import Workload


def check_shares(storage: Storage, systems: Sequence[System], workload: Workload) -> None:
    """Shares need storage of kind share, clients, and an address each."""
    access = workload.network
    target = access.target if access is not None else None
    shares = [index for index, system in enumerate(systems) if system.kind == "share"]
    if storage.kind != "share":
        if shares:
            raise conflict(
                f'"{systems[shares[0]].name}" is a share, and the storage is local',
                [("system", shares[0]), ("storage", "kind")],
                next='[storage] kind = "share"',
            )
        if target is not None:
            raise conflict(
                "storage and systems would be ignored: target is a running server's share",
                [("storage", "kind"), ("workload", "target")],
                next=f"--set workload.target={target} puts a share in their place",
            )
        return
    if access is None:
        raise conflict(
            f"a study of kind {workload.kind} works on this machine's storage, not on shares",
            [("storage", "kind"), ("workload", "kind")],
            next="fsgauge run connections works over SMB and NFS",
        )
    if access.serve != "none":
        raise conflict(
            "serve starts a server over storage of this machine, and the storage is a share",
            [("workload", "serve"), ("storage", "kind")],
        )
    protocols = set()
    for index, system in enumerate(systems):
        if system.kind != "share":
            raise conflict(
                f'"{system.name}" needs storage of this machine, and the storage is a share',
                [("system", index), ("storage", "kind")],
            )
        address = system.target or target
        if address is None:
            raise conflict(
                f'the address of the share "{system.name}" is missing',
                [("system", index)],
                next="--set workload.target=smb://user@host/share",
            )
        protocols.add(parse_address(address).protocol)
    if target is not None and parse_address(target).protocol not in protocols:
        raise conflict(
            "target would be ignored: every system has its own",
            [("workload", "target")],
        )


def check_serving(systems: Sequence[System], workload: Workload) -> None:
    """Options of a server need one that is started, and have to be among those it has."""
    access = workload.network
    serve = access.serve if access is not None else "none"
    raw = [index for index, system in enumerate(systems) if system.kind == "raw"]
    if serve != "none" and raw:
        raise conflict(
            f'a server shares files, and "{systems[raw[0]].name}" is a bare device',
            [("system", raw[0], "name"), ("workload", "serve")],
        )
    for index, system in enumerate(systems):
        for name, value in system.server.items():
            place = ("system", index, "server", name)
            if serve == "none":
                raise conflict(
                    "server would be ignored: nothing is served",
                    [place, ("workload", "serve")],
                    next="--serve samba",
                )
            hint = unknown_option(serve, name)
            if hint is not None:
                raise conflict(
                    f'"{name}" is no option of {serve} that a study may set',
                    [place],
                    hint=hint,
                )
            wrong = wrong_value(serve, name, value)
            if wrong is not None:
                raise conflict(
                    f'"{value}" is no value of "{name}" that a study may set',
                    [place],
                    hint=wrong,
                    next="fsgauge explain system.server",
                )
        if serve == "samba" and access is not None:
            check_protection(index, system.server, access)
