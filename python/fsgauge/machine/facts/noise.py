"""How noisy this machine is: one small load, run again and again, unchanged; and what was last
measured of its storage, for `fsgauge plan`.

`fsgauge doctor` and every run leave their noise in one small file of this user's, by the storage
that they measured. Nothing else reads it: a lost or damaged file only means that a plan supposes.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep

from fsgauge.engine import wire
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.machine.folder.open_folder import open_place
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.ledger.ledger_folder import state_folder
from fsgauge.plain_files import read_json, write_whole
from fsgauge.plain_files.bounds import NOISE

RunJob = Callable[[wire.Job, Callable[[wire.Event], None] | None], wire.Result]
APART_S = 4
"""What is called apart stands so many seconds apart, or more."""
_FILE_BYTES = 32 << 20
_PAIRS = 6
_BETWEEN_PAIRS_S = 2.0
_RUN_NS = 300_000_000
_WARM_UP_NS = 100_000_000
_BLOCK_BYTES = 4096


@dataclass(frozen=True)
class HostNoise:
    """How far two equal runs differ, percent of their ratio, as one deviation.

    `next_percent` is of one run and the next, which is how partners stand where systems are
    measured side by side. `apart_percent` is of runs four to ten seconds apart: where systems are
    measured one by one, partners stand a turn apart, and on a shared disk differ by this or more.
    """

    next_percent: float
    apart_percent: float


def measured_noise(run: RunJob, directory: Path, *, direct: bool, pairs: int = _PAIRS) -> HostNoise:
    """Pairs of runs of 0.3 s, a pair every two seconds: about eleven seconds for six. They read 4
    KiB blocks at random from a file in a scratch folder. A run of several slices differs less than
    these. RigError where a run had no read answered."""
    with (
        opened_ledger() as ledger,
        open_place(directory.absolute()) as place,
        ledger.scratch(place, "noise") as folder,
    ):
        target = wire.FileTarget(path=str(folder.path / "file"), size_bytes=_FILE_BYTES)
        layout = wire.LayoutJob(target=target, direct=direct, seed=1, held=[folder.held])
        run(layout, None)
        found, began = [], monotonic()
        for pair in range(pairs):
            sleep(max(0.0, began + pair * _BETWEEN_PAIRS_S - monotonic()))
            jobs = [_reading(layout, seed) for seed in (2 * pair, 2 * pair + 1)]
            found.append([_rate(run, job) for job in jobs])
    if not all(rate for pair in found for rate in pair):
        raise RigError(
            "no read was answered in a run of 0.3 s",
            cause="the disk below is very busy, or hangs",
            next="run fsgauge doctor again when the disk is quieter",
        )
    return noise_of([[math.log(rate) for rate in pair] for pair in found])


def noise_of(logs: Sequence[Sequence[float]]) -> HostNoise:
    """The noise of pairs of logs of rates, a pair every two seconds."""
    far = math.ceil(APART_S / _BETWEEN_PAIRS_S)
    apart = [
        later - earlier
        for number, pair in enumerate(logs)
        for other in logs[number + far :]
        for earlier in pair
        for later in other
    ]
    return HostNoise(_percent([second - first for first, second in logs]), _percent(apart))


def _percent(differences: Sequence[float]) -> float:
    return 100 * math.sqrt(statistics.fmean(each**2 for each in differences))


def _reading(layout: wire.LayoutJob, seed: int) -> wire.LoadJob:
    return wire.LoadJob(
        target=layout.target,
        held=layout.held,
        interface="psync",
        direct=layout.direct,
        access=wire.RandomAccess(),
        read_percent=100,
        block_sizes=[wire.BlockSize(size_bytes=_BLOCK_BYTES)],
        queue_depth=1,
        jobs=1,
        warm_up_ns=_WARM_UP_NS,
        duration_ns=_RUN_NS,
        seed=seed,
    )


def _rate(run: RunJob, job: wire.LoadJob) -> float:
    result = run(job, None)
    assert isinstance(result, wire.LoadResult) and result.read  # noqa: S101 - a load job that reads
    return result.read.operations / result.elapsed_ns


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
