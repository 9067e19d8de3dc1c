"""What a study says about its storage: [storage]."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from fsgauge.study.base import OneLine, StudyModel
from fsgauge.units import SizeBytes

SMALLEST_STORAGE_BYTES = 16 << 20


def absolute(path: str) -> str:
    """Refuse a path that depends on where fsgauge is started."""
    if not PurePosixPath(path).is_absolute():
        raise PydanticCustomError("relative", "the path must begin with /")
    return path


AbsolutePath = Annotated[OneLine, AfterValidator(absolute)]
StorageSize = Annotated[SizeBytes, Field(ge=SMALLEST_STORAGE_BYTES)]


class LoopStorage(StudyModel):
    """A file under `directory` behind a loop device with direct I/O."""

    kind: Literal["loop"] = Field("loop", description="A scratch file behind a loop device.")
    size: StorageSize = Field(
        8 << 30,
        description="Size of the scratch file. It is sparse, so it only takes up what is written.",
    )
    directory: AbsolutePath = Field(
        "/var/tmp",  # noqa: S108 - large, on disk, and meant for files that outlive a reboot
        description="Folder for the scratch file. Its file system and disk carry the load.",
    )
    preallocate: bool = Field(
        False,
        description="Allocate the scratch file's blocks first, so that the file system below does "
        "not allocate during a measurement.",
    )


class RamStorage(StudyModel):
    """A file in memory (tmpfs) behind a loop device: no disk, what the software alone costs."""

    kind: Literal["ram"] = Field("ram", description="Memory behind a loop device.")
    size: StorageSize = Field(1 << 30, description="Size; this much memory is used.")


class DeviceStorage(StudyModel):
    """A block device, whole; written only after consent by serial, WWN or UUID."""

    kind: Literal["device"] = Field(
        "device",
        description="A whole block device. It must be empty, and using it needs your consent.",
    )
    device: OneLine = Field(
        description="The device: a name in /dev/disk/by-id (which survives a reboot) or a path "
        "below /dev. A device that holds anything is refused."
    )


class PathStorage(StudyModel):
    """A folder on a mounted file system; nothing is formatted."""

    kind: Literal["path"] = Field(
        "path",
        description="A folder on a mounted file system; nothing is formatted, and root is "
        "not needed.",
    )
    path: AbsolutePath = Field(
        description="The folder. A scratch folder is made in it and removed after the study."
    )
    size: StorageSize = Field(
        1 << 30, description="Space that the study may use; `fill` is a share of it."
    )


class ShareStorage(StudyModel):
    """Shares of servers that run already, each named by a system's target."""

    kind: Literal["share"] = Field(
        "share", description="Shares of running servers; each system or [access] names one."
    )
    size: StorageSize = Field(
        1 << 30, description="Space of a share that the study may use; `fill` is a share of it."
    )


Storage = Annotated[
    LoopStorage | RamStorage | DeviceStorage | PathStorage | ShareStorage,
    Field(discriminator="kind"),
]
