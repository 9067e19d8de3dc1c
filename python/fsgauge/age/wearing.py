"""Scan, age, scan: the same for an image and for a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsgauge.age.target import require_still
from fsgauge.engine.client import Engine, OnEvent, Start
from fsgauge.engine.wire import AgeEnd, AgeJob, AgeMode, AgeProfile, AgeResult, ScanJob, ScanResult
from fsgauge.errors import Interrupted
from fsgauge.programs.interruption import Ending

_MAP_ORDER = 8
_WORST_FILES = 10


@dataclass(frozen=True)
class Order:
    """What is replayed, and how.

    `space_bytes` None is all that the file system has available, `sync_every_bytes` None the
    engine's default for the mode.
    """

    profile: AgeProfile
    mode: AgeMode
    fill_percent: float
    end: AgeEnd
    time_limit_ns: int
    seed: int
    space_bytes: int | None = None
    sync_every_bytes: int | None = None


@dataclass(frozen=True)
class Told:
    """Who is notified, and whether the user asked to stop."""

    stage: Callable[[str], None]
    event: OnEvent
    stopping: Callable[[], None]
    ending: Ending


@dataclass(frozen=True)
class Worn:
    """A file system before, what was done to it, and after."""

    before: ScanResult
    result: AgeResult
    after: ScanResult


def wear(engine: Engine, directory: str, order: Order, told: Told) -> Worn:
    """Age `directory`; raises Interrupted while there is nothing to keep.

    Ctrl-C stops the ageing, not the scan that follows it.
    """
    told.stage("scanning before")
    before = _scan(engine, directory, told)
    if told.ending.asked:
        raise Interrupted("stopped before ageing began", cause="nothing is kept")
    require_still(directory, order.space_bytes, order.fill_percent)
    told.stage("ageing")
    result = engine.age(_job(directory, order), told.event, _stoppable(told))
    told.stage("scanning after")
    return Worn(before, result, _scan(engine, directory, told))


def _scan(engine: Engine, directory: str, told: Told) -> ScanResult:
    job = ScanJob(path=directory, top=_WORST_FILES, map_order=_MAP_ORDER)
    return engine.scan(job, told.event, None if told.ending.asked else _stoppable(told))


def _stoppable(told: Told) -> Start:
    """The next Ctrl-C stops the job that begins now; its result so far is kept."""

    def start(stop: Callable[[], None]) -> None:
        def tell() -> None:
            told.stopping()
            stop()

        told.ending.on_stop(tell)

    return start


def _job(directory: str, order: Order) -> AgeJob:
    return AgeJob(
        directory=directory,
        profile=order.profile,
        mode=order.mode,
        space_bytes=order.space_bytes,
        fill_percent=order.fill_percent,
        end=order.end,
        time_limit_ns=order.time_limit_ns,
        sync_every_bytes=order.sync_every_bytes,
        seed=order.seed,
    )
