"""What systems, storage and workload must agree on where files are reached through a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fsgauge.study.access import WHERE_KEYS, AccessKeys, merged
from fsgauge.study.base import conflict
from fsgauge.study.server_options import check_protection, unknown_option, wrong_value
from fsgauge.study.storage import Storage
from fsgauge.study.system import System
from fsgauge.study.workload import Workload

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Reached:
    """One system with how it is reached, and where that is written."""

    index: int
    system: System
    access: AccessKeys

    def place(self, key: str) -> Place:
        """Where the study says a key of the access that counts for this system."""
        own = self.system.access
        if own is not None and key in own.own:
            return ("system", self.index, "access", key)
        return ("access", key)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the study's server and share do not count for it."""
        own = self.system.access
        return self.system.kind == "raw" or (own is not None and own.says_where)

    @property
    def where(self) -> Place:
        """Where the server or the share is named, or would be."""
        return self.place("share" if self.access.share is not None else "server")


def reached(study: AccessKeys, systems: Sequence[System]) -> list[Reached]:
    return [
        Reached(index, system, merged(study, system.access, is_bare=system.kind == "raw"))
        for index, system in enumerate(systems)
    ]


def check_places(storage: Storage, systems: Sequence[Reached]) -> None:
    """A share needs storage of kind share and an address; a server needs storage of ours. Refuses
    an access that contradicts itself, too."""
    for each in systems:
        _check_itself(each)
        if storage.kind == "share":
            _check_share(each)
        else:
            _check_local(each)


def _check_local(each: Reached) -> None:
    kind_of_storage: Place = ("storage", "kind")
    if each.system.kind == "share":
        raise conflict(
            f'"{each.system.name}" is a share, but the storage is local',
            [("system", each.index), kind_of_storage],
            next='[storage] kind = "share"',
        )
    if each.access.share is not None:
        raise conflict(
            "storage and systems would be ignored: access.share is the share of a running server",
            [kind_of_storage, each.where],
            next=f"--set access.share={each.access.share} replaces both",
        )
    if each.access.server != "none" and each.system.kind == "raw":
        raise conflict(
            f'a server shares files, but "{each.system.name}" is a bare device',
            [("system", each.index, "name"), each.where],
        )


def _check_share(each: Reached) -> None:
    kind_of_storage: Place = ("storage", "kind")
    if each.system.kind != "share":
        raise conflict(
            f'"{each.system.name}" needs local storage, but the storage is a share',
            [("system", each.index), kind_of_storage],
        )
    if each.access.server != "none":
        raise conflict(
            "a private server needs local storage, but the storage is a share",
            [each.where, kind_of_storage],
        )
    if each.access.share is None:
        raise conflict(
            f'the address of the share "{each.system.name}" is missing',
            [("system", each.index)],
            next="--set access.share=smb://user@host/share",
        )


def check_access(systems: Sequence[Reached], workload: Workload) -> None:
    for each in systems:
        _check_kind(each, workload)
        _check_options(each)
    workload.check_access([each.access for each in systems])


def _check_itself(each: Reached) -> None:
    access = each.access
    if access.share is not None and access.server != "none":
        raise conflict(
            "share names a running server, and server would start another",
            [each.place("server"), each.place("share")],
            next="leave one of them out",
        )
    if access.protocol == "smb" and access.smb_encryption and access.smb_dialect.startswith("2"):
        raise conflict(
            f"SMB {access.smb_dialect} has no encryption",
            [each.place("smb_encryption"), each.place("smb_dialect")],
            next='smb_dialect = "3.0.2", or without encryption',
        )


def _check_kind(each: Reached, workload: Workload) -> None:
    over, kind = workload.works_over, ("workload", "kind")
    if each.access.share is not None and over != "any server":
        raise conflict(
            f"a study of kind {workload.kind} works on this machine's storage, not on shares",
            [each.where, kind],
            next="fsgauge run connections works over SMB and NFS",
        )
    if each.access.server != "none" and over == "paths":
        raise conflict(
            f"a study of kind {workload.kind} works on paths, not through a server:"
            f" {workload.why_on_paths}",
            [each.where, kind],
            next="without --serve; fsgauge run connections works through servers",
        )


def _check_options(each: Reached) -> None:
    """Options of a server need one that is started, and have to be among those it has."""
    server = each.access.server
    for name, value in each.system.server.items():
        place = ("system", each.index, "server", name)
        if server == "none":
            raise conflict(
                "server would be ignored: nothing is served",
                [place, each.where],
                next="--serve samba",
            )
        hint = unknown_option(server, name)
        if hint is not None:
            raise conflict(
                f'a study may not set the option "{name}" of {server}', [place], hint=hint
            )
        wrong = wrong_value(server, name, value)
        if wrong is not None:
            raise conflict(
                f'a study may not set "{name}" to "{value}"',
                [place],
                hint=wrong,
                next="fsgauge explain system.server",
            )
    if server == "samba":
        check_protection(each.index, each.system.server, each.access, each.place)


def unused_of_study(systems: Sequence[Reached], workload: Workload) -> dict[str, str]:
    reasons = [
        _ignored(each, workload)
        | {
            key: "every system sets it itself"
            for key in type(each.access).model_fields
            if each.place(key) != ("access", key) or (key in WHERE_KEYS and each.is_elsewhere)
        }
        for each in systems
    ]
    each_and_why = zip(systems, reasons, strict=True)
    served = (why for each, why in each_and_why if each.access.protocol != "path")
    said = next(served, reasons[0])  # a bare device beside them is not what was meant
    return {key: why for key, why in said.items() if all(key in each for each in reasons)}


def unused_of_systems(
    systems: Sequence[Reached], workload: Workload
) -> Iterator[tuple[Reached, str, str]]:
    """Keys that systems say themselves and that have no effect, and why."""
    for each in systems:
        own = each.system.access.own if each.system.access is not None else {}
        for key, why in _ignored(each, workload).items():
            if key in own:
                yield each, key, why


def _ignored(each: Reached, workload: Workload) -> dict[str, str]:
    found = {key: why for key, why, _ in each.access.unused()}
    if not workload.is_told_beside_path:
        found["beside_path"] = f"kind {workload.kind} does not report a server's share"
    return found


def refuse_unused(study: AccessKeys, systems: Sequence[Reached], workload: Workload) -> None:
    """Refuse the first key of access, and of the workload as it is reached, without an effect."""
    for each, key, why in unused_of_systems(systems, workload):
        raise conflict(f"{key} would be ignored: {why}", [each.place(key), each.where])
    for key, why in unused_of_study(systems, workload).items():
        if key in study.model_fields_set:
            raise conflict(f"{key} would be ignored: {why}", [("access", key), systems[0].where])
    reasons = workload.unused_over([each.access for each in systems])
    for key, why in reasons.items():
        if key in workload.model_fields_set:
            raise conflict(f"{key} would be ignored: {why}", [("workload", key), systems[0].where])
