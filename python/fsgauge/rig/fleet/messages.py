"""What coordinator and hosts say to one another: JSON. What hosts send, control.py alone reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter

from fsgauge.errors import FsgaugeError, InputError, Interrupted, RefusedError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.plain_files.kept import Kept
from fsgauge.record.records import RunRecord, ScanRecord, StepRecord, TurnRecord
from fsgauge.rig.happenings import Happening, RunStarted, StepStarted, TurnStarted
from fsgauge.rig.session import Description

_ERRORS: dict[str, type[FsgaugeError]] = {
    kind.__name__: kind for kind in (InputError, RefusedError, RigError, Interrupted)
}


_DESTROY = "--destroy"
"""Here it says whose device it is; a host knows only its own."""


_LONGEST_WORDS = 4000
_MOST_FAULTS = 100
_MOST_AT_ONCE = 10_000
_LONGEST_PATIENCE_SECONDS = 7 * 24 * 3600.0


Words = Annotated[
    str, BeforeValidator(lambda words: words[:_LONGEST_WORDS] if isinstance(words, str) else words)
]
"""Words for people; a host may send longer ones, which are cut off."""


class Fault(Kept):
    kind: str
    what: Words
    details: Annotated[tuple[Words, ...], Field(max_length=_MOST_FAULTS)] = ()
    cause: Words = ""
    next: Words = ""

    @classmethod
    def of(cls, error: BaseException) -> Fault:
        """An error as it is sent; one that no one foresaw says what it is."""
        if isinstance(error, FsgaugeError):
            known = next((kind for kind, each in _ERRORS.items() if type(error) is each), None)
            return cls(
                kind=known or "RigError",
                what=error.what,
                details=error.details[:_MOST_FAULTS],
                cause=error.cause,
                next=error.next,
            )
        words = f"{type(error).__name__}: {error}".splitlines() or ["unknown"]
        return cls(
            kind="RigError",
            what=f"fsgauge itself failed: {words[0][:300]}",
            cause="a fault in fsgauge, or a machine without memory or room left",
            next="fsgauge doctor",
        )

    @property
    def is_refusal(self) -> bool:
        """Whether the study is refused, so that another attempt would be as well."""
        return issubclass(_ERRORS.get(self.kind, RigError), InputError)

    def raised(self, host: str) -> FsgaugeError:
        """The same as an error that names the host. To interrupt a host interrupts nothing here."""
        kind = _ERRORS.get(self.kind, RigError)
        kind = RigError if kind is Interrupted else kind
        return kind(
            f"{host}: {self.what}",
            details=self.details,
            cause=self.cause,
            next=self.next.replace(f"{_DESTROY} ", f"{_DESTROY} {host}:"),
        )


Faults: TypeAdapter[list[Fault]] = TypeAdapter(
    Annotated[list[Fault], Field(max_length=_MOST_FAULTS)]
)
"""Several of them."""


Allowed: TypeAdapter[Consent | None] = TypeAdapter(Consent | None)
"""What may be destroyed on a host."""


class Sized(Kept):
    size_bytes: Annotated[int, Field(ge=0)] = 0
    fault: Fault | None = None


AnyRecord = TurnRecord | StepRecord | ScanRecord | RunRecord
RECORDS: dict[str, type[AnyRecord]] = {
    "turn": TurnRecord,
    "step": StepRecord,
    "scan": ScanRecord,
    "run": RunRecord,
}


class HappeningMessage(Kept):
    """One happening of a host's block. What begins has no record."""

    kind: Literal["turn started", "step started", "run started", "turn", "step", "scan", "run"]
    turn: int
    text: Words = ""
    record: dict[str, Any] | None = None

    @classmethod
    def of(cls, happening: Happening) -> HappeningMessage | None:
        """A happening as it is sent; None of the engine's events, which stay on the host."""
        match happening:
            case TurnStarted(turn):
                return cls(kind="turn started", turn=turn.turn)
            case StepStarted(turn, what):
                return cls(kind="step started", turn=turn.turn, text=what)
            case RunStarted(turn, cell):
                return cls(kind="run started", turn=turn.turn, text=cell.id)
            case TurnRecord() | StepRecord() | ScanRecord() | RunRecord():
                kind: Any = next(kind for kind, each in RECORDS.items() if type(happening) is each)
                return cls(kind=kind, turn=happening.turn, record=happening.model_dump(mode="json"))
        return None


class Label(Kept):
    """What waits at a host's gate: equal on all hosts, since all have one plan.

    Without `meeting` it is a run that begins for all at one moment. A meeting says what for hosts
    wait for one another, and begins nothing; `patience_seconds` is how long the first of them may
    take longer than the others.
    """

    block: int
    turn: int
    cell: Words = ""
    meeting: Words = ""
    patience_seconds: Annotated[float, Field(ge=0, le=_LONGEST_PATIENCE_SECONDS)] = 0.0

    def __str__(self) -> str:
        where = f"block {self.block + 1}, turn {self.turn + 1}"
        return ", ".join(filter(None, (where, self.cell, self.meeting)))

    def met(self, meeting: str, patience_seconds: float) -> Label:
        return self.model_copy(update={"meeting": meeting, "patience_seconds": patience_seconds})


Phase = Literal["opening", "idle", "working", "armed", "failed", "closed"]


class State(Kept):
    """Where a host is. `serial` grows with each change; `told` came since it was last asked."""

    serial: int
    phase: Phase
    armed: Label | None = None
    offer: str = ""
    told: Annotated[list[HappeningMessage], Field(max_length=_MOST_AT_ONCE)] = Field([])
    fault: Fault | None = None
    said: Annotated[list[Words], Field(max_length=_MOST_AT_ONCE)] = Field([])


Described: TypeAdapter[Description] = TypeAdapter(Description)
"""What a host is now."""
