"""What a study says about its storage: [storage]."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from fsgauge.quantities import LARGEST
from fsgauge.study import device_numbers
from fsgauge.study.base import OneLine, StudyModel, conflict, is_written
from fsgauge.units import SIZE, BytesPerSecond, DurationNs, RateOperationsPerSecond, SizeBytes

SMALLEST_STORAGE_BYTES = 16 << 20
LARGEST_SIMULATED_BYTES = 4 << 50
"""Of all devices together; an exbibyte would take much memory for its groups alone."""


def absolute(path: str) -> str:
    """Refuse a path that depends on where fsgauge is started."""
    if not PurePosixPath(path).is_absolute():
        raise PydanticCustomError("relative", "the path must begin with /")
    return path


AbsolutePath = Annotated[OneLine, AfterValidator(absolute)]
STORAGE_SIZE = replace(SIZE, usual=("GiB",), example="8 GiB")
"""A bare 10 was never meant as the bytes or KiB that no storage can be made of."""
StorageSize = Annotated[int, STORAGE_SIZE, Field(ge=SMALLEST_STORAGE_BYTES, le=LARGEST)]


LARGEST_PRECONDITIONED_IMAGE_BYTES = 1 << 30
"""Of a scratch file or memory: they are preconditioned to try a study out, not to measure."""


Precondition = Annotated[
    Literal["none", "snia"],
    Field(
        description="Before a flash device is measured: none, or as the SNIA Solid State Storage "
        "Performance Test Specification does it. snia: the device is discarded, then twice its "
        "capacity is written sequentially in blocks of 128 KiB, then each cell's own load runs in "
        "rounds as long as a run until five are steady, at most 25. Takes hours, and a part of the "
        "device's endurance: fsgauge plan prints both. File systems are then made without discard."
    ),
]


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
    iops: RateOperationsPerSecond | None = Field(
        None,
        description="On the virtual rig, the most operations per second of each disk. Default:"
        ' "500 IOPS", a tenth of what an emulated processor can do.',
        exclude_if=lambda value: value is None,
    )
    bandwidth: BytesPerSecond | None = Field(
        None,
        description='On the virtual rig, the transfer rate of each disk. Default: "64 MiB/s".',
        exclude_if=lambda value: value is None,
    )
    latency: Annotated[DurationNs, Field(ge=8_000_000, le=10_000_000_000)] | None = Field(
        None,
        description="On the virtual rig, how long each request to a disk takes at least. The"
        " guest's kernel delays them in ticks of 4 ms, which is why less than 8 ms cannot be kept."
        " Default: none.",
        exclude_if=lambda value: value is None,
    )
    precondition: Precondition = "none"

    @model_validator(mode="after")
    def _small_if_preconditioned(self) -> Self:
        _require_small(self.precondition, self.size, "a scratch file")
        return self


class RamStorage(StudyModel):
    """A file in memory (tmpfs) behind a loop device: no disk, what the software alone costs."""

    kind: Literal["ram"] = Field("ram", description="Memory behind a loop device.")
    size: StorageSize = Field(1 << 30, description="Size; this much memory is used.")
    precondition: Precondition = "none"

    @model_validator(mode="after")
    def _small_if_preconditioned(self) -> Self:
        _require_small(self.precondition, self.size, "memory")
        return self


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
    more_devices: list[OneLine] = Field(
        [],
        description="Further devices or partitions, as large as the first: one for each other "
        "system of a block, and one for the baseline's second turn. All systems are then made at "
        "once and measured side by side, and change devices from block to block.",
        max_length=50,
    )
    precondition: Precondition = "none"

    @property
    def devices(self) -> list[str]:
        return [self.device, *self.more_devices]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for index, name in enumerate(self.more_devices):
            if name in self.devices[: index + 1]:
                raise conflict(f"{name} is named twice", [("more_devices", index)])
        return self


class _NotPreconditioned(StudyModel):
    """Storage below a file system that stays: what would be purged belongs to others as well."""

    @model_validator(mode="before")
    @classmethod
    def _is_refused(cls, data: object) -> object:
        if isinstance(data, dict) and "precondition" in data:
            raise conflict(
                "a folder or share cannot be preconditioned: purging and writing its device would"
                " destroy the file system that it is on",
                ["precondition"],
                next="--storage with a whole device",
            )
        return data


class PathStorage(_NotPreconditioned):
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


class ShareStorage(_NotPreconditioned):
    """Shares of servers that run already, each named by a system's target."""

    kind: Literal["share"] = Field(
        "share", description="Shares of running servers; each system or [access] names one."
    )
    size: StorageSize = Field(
        1 << 30, description="Space of a share that the study may use; `fill` is a share of it."
    )


class SimulatedStorage(_NotPreconditioned):
    """A device in a model, which the simulator alone has: any size, no disk."""

    kind: Literal["simulated"] = Field(
        "simulated", description="A device in a model; for --rig simulator."
    )
    size: Annotated[StorageSize, Field(le=LARGEST_SIMULATED_BYTES)] = Field(
        1 << 40,
        description="Size of the device, or of all `devices` together, up to 4 PiB. It takes no"
        " room on this machine. No device is larger than the disks of its model.",
    )
    devices: Annotated[int, Field(ge=1, le=1024)] = Field(
        1,
        description="Equal devices, each with a file system of its own, over which files are"
        " striped, as Lustre stripes them over targets. As many work at a time as requests are in"
        " flight, and a run ends when the slowest is done.",
    )
    stripe_size: Annotated[SizeBytes, Field(ge=4096, le=1 << 40, multiple_of=4096)] | None = Field(
        None,
        description="What of a file one device has before the next one's turn. Default: 1 MiB.",
    )
    model: Literal["disks-8+2-2012", "disk-2012", "ssd-sata"] = Field(
        "disks-8+2-2012",
        description="The model that times are reckoned with: disks-8+2-2012 (a target of ten disks"
        " with parity), disk-2012 (one disk), ssd-sata (a range of times; `times` takes one end)."
        " docs/guides/simulator.md lists them.",
    )
    times: Literal["shortest", "longest"] | None = Field(
        None,
        description="Of a model with a range of times, the end that the study is simulated with."
        " Neither end is what a device does: simulate both, and compare the two.",
    )
    parameters: dict[OneLine, Annotated[float, Field(ge=0, le=1e18)]] = Field(
        {},
        description="Other values of the model's parameters, raw numbers in the units that"
        " fsgauge explain MODEL lists: { window = 16, outer_rate = 200000000 }.",
        max_length=50,
    )

    @field_validator("parameters", mode="before")
    @classmethod
    def _are_numbers(cls, given: object, info: ValidationInfo) -> object:
        """Parameters are plain numbers: text such as "200 MB/s" is refused."""
        model = info.data.get("model")
        if isinstance(given, dict) and model is not None:
            for name, value in given.items():
                if isinstance(value, str):
                    raise device_numbers.number_in_text(model, str(name), value)
        return given

    @model_validator(mode="after")
    def _has_devices_to_stripe_over(self) -> SimulatedStorage:
        if self.stripe_size is not None and self.devices == 1:
            raise conflict(
                "stripe_size would be ignored: there is one device",
                ["stripe_size", "devices"],
                next="devices = 4",
            )
        return self

    @model_validator(mode="after")
    def _has_room_on_each_device(self) -> SimulatedStorage:
        device_numbers.check_room(
            self.size, self.devices, self.stripe_size, least_bytes=SMALLEST_STORAGE_BYTES
        )
        return self

    @model_validator(mode="after")
    def _is_a_device_of_its_model(self, info: ValidationInfo) -> SimulatedStorage:
        if is_written(info):
            device_numbers.check_numbers(self.model, self.parameters)
            device_numbers.check_capacity(self.model, self.parameters, self.size, self.devices)
            device_numbers.check_times(self.model, self.times)
        return self


def _require_small(precondition: str, size_bytes: int, what: str) -> None:
    if precondition != "none" and size_bytes > LARGEST_PRECONDITIONED_IMAGE_BYTES:
        raise conflict(
            f"precondition is for a flash device; {what} has none of its own to bring into a state",
            ["precondition"],
            hint="only up to 1 GiB, to try a study out",
            next="--storage with a whole device, or --set storage.size=1GiB",
        )


Storage = Annotated[
    LoopStorage | RamStorage | DeviceStorage | PathStorage | ShareStorage | SimulatedStorage,
    Field(discriminator="kind"),
]


def has_place_for_each(storage: Storage) -> bool:
    return isinstance(storage, DeviceStorage) and bool(storage.more_devices)


def first_device(storage: Storage) -> Storage:
    if isinstance(storage, DeviceStorage):
        return storage.model_copy(update={"more_devices": []})
    return storage


def without_limits(storage: Storage) -> Storage:
    """The storage as fast as it is: a virtual disk's limits are kept on the virtual rig alone."""
    if isinstance(storage, LoopStorage):
        return storage.model_copy(update=dict.fromkeys(("iops", "bandwidth", "latency")))
    return storage


def is_preconditioned(storage: Storage) -> bool:
    own = LoopStorage | RamStorage | DeviceStorage
    return isinstance(storage, own) and storage.precondition != "none"
