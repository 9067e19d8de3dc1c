"""Lines of the engine's output."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.age import AgeProgress
from fsgauge.wire.base import Wire
from fsgauge.wire.engine import Engine, Note
from fsgauge.wire.load_result import Interval, SelfMeasure
from fsgauge.wire.result import Result
from fsgauge.wire.scan import ScanProgress


class StartedEvent(Wire):
    event: Literal["started"]
    engine: Engine
    unix_ns: int


class NoteEvent(Note):
    event: Literal["note"]


class SelfMeasureEvent(SelfMeasure):
    event: Literal["self_measure"]


class ClientsInEvent(Wire):
    event: Literal["clients_in"]
    connect_ns: int


class ClientsThroughEvent(Wire):
    event: Literal["clients_through"]


class IntervalEvent(Interval):
    event: Literal["interval"]


class ScanProgressEvent(ScanProgress):
    event: Literal["scan_progress"]


class AgeProgressEvent(AgeProgress):
    event: Literal["age_progress"]


class FinishedEvent(Wire):
    event: Literal["finished"]
    result: Result


class EngineFault(Wire):
    what: str
    cause: str
    next: str
    errno: int | None = None
    code: str


class FailedEvent(Wire):
    event: Literal["failed"]
    error: EngineFault


Event = Annotated[
    StartedEvent
    | NoteEvent
    | SelfMeasureEvent
    | ClientsInEvent
    | ClientsThroughEvent
    | IntervalEvent
    | ScanProgressEvent
    | AgeProgressEvent
    | FinishedEvent
    | FailedEvent,
    Field(discriminator="event"),
]
