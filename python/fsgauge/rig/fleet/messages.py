"""What coordinator and hosts say to one another: JSON. What hosts send, control.py alone reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.errors import FsgaugeError, InputError, Interrupted, RefusedError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.record.machine import Machine
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


def _shortened(words: object) -> object:
    return words[:_LONGEST_WORDS] if isinstance(words, str) else words


Words = Annotated[str, BeforeValidator(_shortened)]
"""Words for people; a host may send longer ones, which are cut off."""


class Message(BaseModel):
    """Anything that is sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(Message):
    """An error of a host, in its words."""

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
        return cls(kind="RigError", what=f"fsgauge itself failed: {words[0][:300]}")

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


class Allowed(Message):
    """What may be destroyed on a host."""

    names: tuple[str, ...]
    unknown_data: bool


def allowed(consent: Consent | None) -> dict[str, Any] | None:
    return Allowed(**vars(consent)).model_dump(mode="json") if consent is not None else None


def consent_in(words: dict[str, Any] | None) -> Consent | None:
    return Consent(**vars(Allowed.model_validate(words))) if words is not None else None


class Sized(Message):
    """How large a host's storage will be, or why that is not known."""

    size_bytes: Annotated[int, Field(ge=0)] = 0
    fault: Fault | None = None


class HappeningMessage(Message):
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
            case TurnRecord():
                kind: Any = "turn"
            case StepRecord():
                kind = "step"
            case ScanRecord():
                kind = "scan"
            case RunRecord():
                kind = "run"
            case _:
                return None
        return cls(kind=kind, turn=happening.turn, record=happening.model_dump(mode="json"))


class LabelMessage(Message):
    """What waits at a host's gate."""

    block: int
    turn: int
    cell: Words
    meeting: Words = ""
    patience_seconds: Annotated[float, Field(ge=0, le=_LONGEST_PATIENCE_SECONDS)] = 0.0


Phase = Literal["opening", "idle", "working", "armed", "failed", "closed"]


class State(Message):
    """Where a host is. `serial` grows with each change; `told` came since it was last asked."""

    serial: int
    phase: Phase
    armed: LabelMessage | None = None
    offer: str = ""
    told: Annotated[list[HappeningMessage], Field(max_length=_MOST_AT_ONCE)] = []
    fault: Fault | None = None
    said: Annotated[list[Words], Field(max_length=_MOST_AT_ONCE)] = []


class Described(Message):
    """A host's description."""

    size_bytes: Annotated[int, Field(ge=0)]
    engine: EngineBuild
    machines: Annotated[list[Machine], Field(min_length=1)]

    @classmethod
    def of(cls, description: Description) -> Described:
        return cls(
            size_bytes=description.size_bytes,
            engine=description.engine,
            machines=description.machines,
        )
