"""The numbers of the disk model, each with what it is and where its default is from.

The defaults are one target like those of the published rig (Sonexion 1600; what is printed is
S-06, S-08, S-13 and S-16 of the ledger, all else is assumed): ten 3 TB disks of 7200
turns a minute as of 2012, eight of them for data. Sources: Seagate, "Constellation ES.3 SAS
product manual" (100671510), 4.1; HGST, "Ultrastar 7K4000 SAS OEM specification", table 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

Number = TypeVar("Number", int, float)
_SEAGATE = "Constellation ES.3 manual (100671510), 4.1"
_HGST = "Ultrastar 7K4000 SAS specification, table 6"
_RIG = "published of the rig (S-13)"
_NOT_PRINTED = "assumed; not printed of the published rig"
_FITTED = "chosen"


def _known(default: Number, what: str, source: str) -> Number:
    known: Number = field(default=default, metadata={"what": what, "source": source})
    return known


@dataclass(frozen=True)
class Disk:
    """Bytes, bytes per second, nanoseconds and percent; defaults are those of a target like the
    published rig's, as far as that is printed."""

    revolutions_per_minute: int = _known(7200, "Rotational speed, in turns per minute.", _SEAGATE)
    outer_rate: float = _known(
        175e6, "Transfer rate of one disk at its outer edge, in bytes per second.", _SEAGATE
    )
    inner_rate: float = _known(83e6, "Transfer rate of one disk at its inner edge.", _SEAGATE)
    position: float = _known(
        35.0,
        "Position of the files, from the outer edge (0 %) to the inner edge (100 %) of the"
        " capacity.",
        "group 60,000 of a target of 20.8 TiB, as published (S-06, S-16)",
    )
    cylinders: int = _known(320_800, "Tracks on each surface.", _SEAGATE)
    cylinder_size: int = _known(
        13_344_768, "Bytes that pass under the head without a seek.", _SEAGATE
    )
    seek_single: int = _known(
        700_000,
        "Seek to the next track, with settling.",
        "0.23 to 0.6 ms without settling on disks of the kind",
    )
    seek_average: int = _known(
        8_500_000, "Seek over a third of all tracks.", f"{_HGST}: 8.2 ms, and settling"
    )
    seek_full: int = _known(16_000_000, "Seek over all tracks.", "assumed")
    rotational_wait: float = _known(
        50.0, "Wait for the platter after a seek, in percent of a turn.", "the mean of all places"
    )
    overhead: int = _known(0, "Time of each positioning in addition to seek and wait.", _FITTED)
    data_disks: int = _known(
        8, "Data disks that share each transfer in whole stripes, parity excluded.", _NOT_PRINTED
    )
    path_rate: float = _known(
        625e6, "Throughput limit of controller and network, in bytes per second.", _RIG
    )
    sharpness: float = _known(
        4.0, "How sharply the smaller of both rates limits; higher is sharper.", _FITTED
    )
    request_size: int = _known(
        1 << 20, "Largest request of a stream.", f"1 MiB RPC, {_NOT_PRINTED}"
    )
    window: int = _known(
        64,
        "Requests sorted by position at a time.",
        f"{_FITTED}: 16 to 64 agree with what was published of 1 and 8 MiB (S-23, S-27)",
    )


@dataclass(frozen=True)
class Parameter:
    """One number of a disk, for a table; `is_default` where it is the published rig's."""

    name: str
    value: float
    what: str
    source: str
    is_default: bool


PUBLISHED = Disk()
"""A disk like that of the published rig; each number names its source."""


def parameters_of(disk: Disk) -> list[Parameter]:
    """Every number of a disk, in their order."""
    return [
        Parameter(
            each.name,
            getattr(disk, each.name),
            each.metadata["what"],
            each.metadata["source"],
            getattr(disk, each.name) == each.default,
        )
        for each in fields(Disk)
    ]


def disk_of(values: Mapping[str, float]) -> Disk:
    """The disk of a study's record; what the record does not have is the published rig's."""
    known = {each.name for each in fields(Disk)}
    known_values: dict[str, Any] = {name: value for name, value in values.items() if name in known}
    return Disk(**known_values)
