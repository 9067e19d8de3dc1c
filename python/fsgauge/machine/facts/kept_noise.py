"""How noisy storage of this machine was when it was last measured, for `fsgauge plan`.

`fsgauge doctor` and every run leave their noise in one small file of this user's, by the storage
that they measured. Nothing else reads it: a lost or damaged file only means that a plan supposes.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from fsgauge.errors import FsgaugeError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.machine.ledger.ledger_folder import state_folder
from fsgauge.plain_files import read_json, write_whole
from fsgauge.plain_files.bounds import NOISE

_FILE = "noise.json"
_MOST_KEPT = 100


@dataclass(frozen=True)
class KeptNoise:
    """How far two equal runs last differed on some storage, in percent, and who measured it.

    `study` is the run's, "" where `fsgauge doctor` measured; `source` is its results folder or the
    folder that was read. `apart_percent` is of runs that stand some seconds apart, where that was
    measured too: how partners stand where systems are measured one by one.
    """

    noise_percent: float
    study: str
    blocks: int
    source: str
    measured_unix_s: float
    apart_percent: float | None = None

    def of_design(self, side_by_side: bool) -> float:
        """What a plan of that design has to reckon with."""
        if side_by_side or self.apart_percent is None:
            return self.noise_percent
        return self.apart_percent


def kept_noise(place: str) -> list[KeptNoise]:
    """What was measured on a storage, in the order in which it was."""
    return [kept for where, kept in _read() if where == place]


def keep_noise(place: str, kept: KeptNoise) -> None:
    """Keep one for each storage and study; what cannot be written is lost."""
    others = [
        (where, other) for where, other in _read() if (where, other.study) != (place, kept.study)
    ]
    entries = [
        {"place": where, **asdict(each)} for where, each in [*others, (place, kept)][-_MOST_KEPT:]
    ]
    with suppress(FsgaugeError, OSError):
        write_whole(state_folder() / _FILE, json.dumps(entries, indent=1))


def file_system_at(directory: str | Path) -> str:
    """What tells the storage of one folder from another's: the mount that holds it."""
    mount = mount_holding(directory)
    where = f"{mount.source} {mount.mount_point}" if mount else os.path.realpath(directory)
    return f"files {where}"


def _read() -> list[tuple[str, KeptNoise]]:
    found: list[tuple[str, KeptNoise]] = []
    with suppress(FsgaugeError, OSError, ValueError, TypeError, KeyError, AttributeError):
        for entry in json.loads(read_json(state_folder() / _FILE, NOISE)):
            place = str(entry.pop("place"))
            kept = KeptNoise(**entry)
            if kept.noise_percent >= 0 and kept.measured_unix_s > 0:
                found.append((place, kept))
    return found
