"""What this machine and a guest say to one another: a line of JSON each, over virtio-serial."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept
from fsgauge.rig.fleet.messages import Fault, HappeningMessage

PORT = "fsgauge"
"""The port's name in the guest."""


SetUpDo = Literal["join", "run", "blank", "stand", "seen", "fall", "room", "machine"]
"""For one of several nodes: guest_set_up.py."""
LendDo = Literal[
    "lend", "settle", "load", "load_at_once", "program", "say", "words", "remove", "give_back"
]
"""For a system that is lent: lending.py."""
Do = (
    Literal["prepare", "describe", "block", "make", "abort", "go"]
    | Literal["serve_clock", "now", "ask", "count", "hold", "held", "remount", "agent"]
    | SetUpDo
    | LendDo
)


class Order(Kept):
    """Something for the guest to do, study and plan as JSON. It is answered once, by an answer or a
    fault.

    `abort` is not answered itself: it ends what goes on, whose fault then says so. Those from
    `join` on are for one of several nodes; `ask` is a `question` of fleet/control.py; `count` says
    what is counted beside the runs that follow, `hold` what makes the system what its name says,
    and `held` asks which of that is lost; `remount` how a system is mounted anew before each;
    `agent` is a step of agents/agent.py; those from `lend` to `give_back` are for a system that is
    lent (fsgauge.rig.session.LentSystem). `go` is not answered either: a run that has begun on
    this node alone goes on, or one that has ended is followed, now that the others are ready.
    """

    do: Do
    study: str = ""
    plan: str = ""
    block: int = 0
    system: str = ""
    question: str = ""
    words: dict[str, Any] = Field(default_factory=dict)


def order(do: Do, /, **words: object) -> Order:
    """An order that says all in its words."""
    return Order(do=do, words=words)


class Reply(Kept):
    """One of these: the guest is there (and how many seconds a fixed piece of work took), it still
    is, a sentence for people, a happening of the block, an event of the engine (as JSON), an
    order's answer (too) or its fault."""

    hello: str = ""
    work_seconds: float = 0.0
    alive: bool = False
    said: str = ""
    told: HappeningMessage | None = None
    event: str = ""
    answer: str | None = None
    fault: Fault | None = None
