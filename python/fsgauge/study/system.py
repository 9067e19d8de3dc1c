"""What a study says about a system, one thing compared: [[system]]."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from fsgauge.study.access import SystemAccess, full_access
from fsgauge.study.base import Distinct, OneLine, Options, StudyModel, conflict, written
from fsgauge.study.policies import POLICIES, check_settings, described
from fsgauge.study.rig_keys import SystemRig
from fsgauge.study.server_options import OPTIONS
from fsgauge.study.storage import AbsolutePath
from fsgauge.study.tunable_places import (
    OF_A_DEVICE,
    OF_A_MOUNT,
    PROC_SYS,
    TunablePlace,
    nearest_places,
    place_of,
    possible_value,
)
from fsgauge.units import SizeBytes

KIND = re.compile(r"[a-z][a-z0-9_]{0,31}|" + "|".join(map(re.escape, POLICIES)))
UNFORMATTED = {
    "raw": "raw is the bare device: nothing is formatted or mounted",
    "mounted": "a mounted system is used as it is: nothing is formatted or mounted",
    "share": "a share belongs to a server: nothing is formatted or mounted here",
}


def keys_without_effect(kind: str) -> tuple[str, ...]:
    """Keys that say how a file system is made, where none is; a folder's client has tunables."""
    if kind in POLICIES:
        return ("mkfs", "mount", "tunables")
    if kind not in UNFORMATTED:
        return ()
    return ("mkfs", "mount") if kind == "mounted" else ("mkfs", "mount", "tunables")


LONGEST_NAME = 80
MOST_SYSTEMS = 200
COPY_ON_WRITE = {"btrfs", "f2fs", "nilfs2"}
"""Kinds in which an overwrite takes new space before the old is free."""


ALLOCATING = ("allocation_chunk", "extent_size_hint")
"""Keys that say how files are given space: where they have an effect, the kind says."""


class System(StudyModel):
    """One thing compared. `kind` names a file in fsgauge/system; without it, `name` does."""

    name: OneLine = Field(
        description="Its name in the report. The first system is the baseline.",
        max_length=LONGEST_NAME,
    )
    kind: str = Field(
        description="raw, mounted, share, a file system that `fsgauge doctor --systems` lists, or"
        f" the model of an allocation policy ({', '.join(POLICIES)}), which the simulator alone"
        " has. Default: the name."
    )
    mkfs: Options = Field(
        "", description="Options for mkfs, as on its command line. Default: the defaults of mkfs."
    )
    mount: Options = Field("", description='Mount options, as after -o: "noatime,nobarrier".')
    vary: dict[OneLine, Distinct[OneLine | bool | int]] = Field(
        {},
        description="Makes a system of every combination of these values: {"
        ' "mount.allocsize" = ["default", "1m", "64m"], "mkfs.-m.reflink" = [0, 1],'
        ' "tunables.queue/scheduler" = ["none", "mq-deadline"] }. "default" and false leave an'
        " option out, true gives it without a value. {allocsize} in the name is its value; what"
        " the name has no place for stands behind it, where it differs from the first combination.",
        max_length=20,
        exclude_if=lambda value: not value,
    )
    path: AbsolutePath | None = Field(
        None,
        description="For kind mounted: a folder on the file system to use. Default: the storage's"
        " own path.",
    )
    tunables: dict[OneLine, Options] = Field(
        {},
        description="Kernel settings, restored after each turn; {device} is the system's own"
        ' device: { "/sys/block/{device}/queue/scheduler" = "none" }. Accepted:'
        f" {', '.join(OF_A_DEVICE)}; for kind mounted, of its client on each host:"
        f" {', '.join(OF_A_MOUNT)}; for all, of the machine: {', '.join(PROC_SYS)}.",
        max_length=50,
    )
    settings: dict[OneLine, Options] = Field(
        {},
        description="Settings of a system that is the model of an allocation policy, which the"
        ' simulator alone has: { prealloc_table = "256 512" }, in blocks of 4 KiB; sizes have a'
        f" unit. {described()}.",
        max_length=50,
        exclude_if=lambda value: not value,
    )
    allocation_chunk: Annotated[SizeBytes, Field(le=1 << 40)] | None = Field(
        None,
        description="For kind aging: fallocate gives files their space in pieces of this size,"
        ' whatever the file system would choose: "8 MiB". Default: none, the file system decides.',
    )
    extent_size_hint: Annotated[SizeBytes, Field(le=1 << 30)] | None = Field(
        None,
        description="For kind aging, on XFS: the extent size hint of the folders, which their"
        " files inherit; set by FS_IOC_FSSETXATTR and read back."
        ' File sizes are multiples of it: "8 MiB". Default: none.',
    )
    server: dict[OneLine, Options] = Field(
        {},
        description="Options of the private server over this system (access):"
        ' { "aio read size" = "0" } of samba, { MaxRead = "65536" } of ganesha.'
        f" For samba: {', '.join(OPTIONS['samba'])}. For ganesha: {', '.join(OPTIONS['ganesha'])}.",
        max_length=50,
    )
    access: Annotated[SystemAccess | None, BeforeValidator(full_access)] = Field(
        None,
        description='How it is reached: "path", "samba" or "ganesha" (a private server over it),'
        ' "smb://user@host/share" or "nfs://host/export" (kind share), or a table such as'
        ' { server = "samba", smb_dialect = "2.1" }. Default: that of [access].',
    )

    rig: SystemRig | None = Field(
        None,
        description='What the virtual rig has for it alone: rig.kernel = "linux-image-...",'
        ' rig.reached_by = "nfs4". Default: nothing.',
        exclude_if=lambda value: value is None,
    )

    @property
    def kernel(self) -> str | None:
        return self.rig.kernel if self.rig is not None else None

    @model_validator(mode="before")
    @classmethod
    def _kind_is_name(cls, data: object) -> object:
        if isinstance(data, dict) and "kind" not in data and isinstance(data.get("name"), str):
            return {**data, "kind": data["name"]}
        return data

    @model_validator(mode="after")
    def _has_a_kind(self) -> System:
        if KIND.fullmatch(self.kind):
            return self
        if self.kind == self.name:
            raise conflict(
                f'the system "{self.name}" has no kind',
                ["name"],
                hint='add a line such as kind = "ext4"',
                next="fsgauge explain system.kind",
            )
        raise conflict(
            f'"{self.kind}" is not a kind of system', ["kind"], next="fsgauge doctor --systems"
        )

    @model_validator(mode="after")
    def _tunables_are_known(self, info: ValidationInfo) -> System:
        """Of a study that is written; a record may hold one that is refused today."""
        for key in self.tunables if written(self, info, ["tunables"]) else ():
            place = place_of(key)
            if place is None:
                raise conflict(
                    f'the tunable "{key}" is not known to be safe as root',
                    [("tunables", key)],
                    hint=nearest_places(key),
                    next="fsgauge explain system.tunables",
                )
            self._require_where_it_is(key, place)
            if not possible_value(self.tunables[key]):
                raise conflict(
                    f'"{self.tunables[key]}" is not a value for a tunable',
                    [("tunables", key)],
                    next="fsgauge explain system.tunables",
                )
        return self

    def _require_where_it_is(self, key: str, place: TunablePlace) -> None:
        """A folder has a client and no device of its own; what is made on a device, no client."""
        if not place.device and not place.is_lustre:
            return
        if self.kind == "mounted" and not place.is_of_client:
            raise conflict(
                f'the tunable "{key}" is of a device, and this system is a folder, used as it is',
                [("tunables", key), "kind"],
                hint="of the folder's own mount: /sys/class/bdi/{mount}/read_ahead_kb",
                next="fsgauge explain system.tunables",
            )
        if self.kind != "mounted" and place.is_of_client:
            raise conflict(
                f'the tunable "{key}" is of the client of a mounted file system, and this is'
                f" {self.kind}",
                [("tunables", key), "kind"],
                next='kind = "mounted" uses a file system where it is mounted',
            )

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> System:
        if self.extent_size_hint is not None and self.kind != "xfs":
            raise conflict(
                f"extent_size_hint would be ignored: only XFS has such hints, and this is "
                f"{self.kind}",
                ["extent_size_hint", "kind"],
                next="allocation_chunk works with any file system that has fallocate",
            )
        check_settings(self.kind, self.settings)
        reason = UNFORMATTED.get(self.kind, f"{self.kind} is a model: nothing is made or mounted")
        for key in keys_without_effect(self.kind):
            if getattr(self, key):
                raise conflict(f"{key} would be ignored: {reason}", [key, "kind"])
        if self.path is not None and self.kind != "mounted":
            raise conflict(
                f"path would be ignored: only a mounted system has one, and this is {self.kind}",
                ["path", "kind"],
                next='kind = "mounted" uses a file system where it is mounted',
            )
        if self.access is not None and self.access.share is not None and self.kind != "share":
            raise conflict(
                f"the address would be ignored: only a share has one, and this is {self.kind}",
                [("access", "share"), "kind"],
                next='kind = "share" uses a server that runs already',
            )
        return self
