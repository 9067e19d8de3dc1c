"""A host's half of a study: its host rig, held open by one thread, block by block.

The thread runs the host rig's own code. Others ask where it is, open its gate or end it; whatever
ends it, the rig's contexts undo what they made.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from fsgauge.errors import FsgaugeError, Interrupted
from fsgauge.machine.device.consent import Consent
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.gate import Gate
from fsgauge.rig.fleet.gated_engine import GatedEngine
from fsgauge.rig.fleet.messages import Fault, HappeningMessage, Label, Phase, State
from fsgauge.rig.happenings import Happening, RunStarted, TurnStarted
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.session import Description, Session
from fsgauge.study.model import Study
from fsgauge.workload.dealing import Share

Order = Callable[[Session], None]

_SECONDS_TO_CLOSE = 120.0
"""Making clean may have to wait for a file system to write back what it holds."""


class HeldRig:
    """The host rig with its storage attached, from `prepare` to `close`."""

    def __init__(
        self,
        study: Study,
        share: Share,
        destroy: Consent | None = None,
        told: Callable[[Happening], Happening] = lambda happening: happening,
        *,
        remounts: bool = False,
    ) -> None:
        """`told` sees each happening before it is told, and may add to it; `remounts` as HostRig
        has it."""
        self._remounts = remounts
        self._study = study
        self._seen = told
        self._destroy = destroy
        self._changed = threading.Condition()
        self._gate = Gate(self._changed)
        self._engine = GatedEngine(study, share, self._gate)
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._phase: Phase = "opening"
        self._serial = 0
        self._told: list[HappeningMessage] = []
        self._said: list[str] = []
        self._fault: Fault | None = None
        self.described: Description | None = None
        """As the host was when that was asked last."""
        self._thread = threading.Thread(target=self._hold, name="rig", daemon=True)

    def begin(self) -> None:
        """Check and attach the storage; `state` says when that is done."""
        self._thread.start()

    def block(self, plan: Plan, block: int) -> None:
        self._gate.reopen()
        self._become("working")
        self._orders.put(lambda session: session.block(plan, block, self._tell))

    def describe(self) -> None:
        """Describe the rig as it is now; `described` has it once the host is idle again."""
        self._gate.reopen()
        self._become("working")
        self._orders.put(self._describe)

    def state(self, known: int, seconds: float) -> State:
        """Where the host is, as soon as that is another than the `known` one."""
        with self._changed:
            self._changed.wait_for(lambda: self._now() != known, seconds)
            waiting = self._gate.waiting
            found = State(
                serial=self._now(),
                phase="armed" if waiting is not None else self._phase,
                armed=waiting,
                offer=self._gate.offer if waiting is not None else "",
                told=self._told,
                fault=self._fault,
                said=self._said,
            )
            self._told, self._said = [], []
            return found

    def open(self, label: Label, opened: int | str) -> bool:
        return self._gate.open(label, opened)

    def abort(self, because: str) -> None:
        self._gate.end(because)
        self._engine.interrupt()

    def close(self, because: str = "the study is over", seconds: float = _SECONDS_TO_CLOSE) -> bool:
        """End everything and undo what was made; False where that is not done in time."""
        self._orders.put(None)
        ends = time.monotonic() + seconds
        while self._thread.is_alive() and time.monotonic() < ends:
            self.abort(because)
            self._thread.join(timeout=1.0)
        return not self._thread.is_alive()

    def _now(self) -> int:
        """Another number for each state that is worth telling."""
        return 2 * self._serial + (self._gate.waiting is not None)

    def _become(self, phase: Phase, fault: Fault | None = None) -> None:
        with self._changed:
            self._phase, self._fault = phase, fault
            self._serial += 1
            self._changed.notify_all()

    def _hold(self) -> None:
        try:
            rig = HostRig(self._engine, self._say, remounts=self._remounts)
            rig.check(self._study, self._destroy)
            with rig.opened(self._study) as session:
                self._describe(session)
                self._become("idle")
                while (order := self._orders.get()) is not None:
                    self._carry_out(order, session)
        except BaseException as error:
            self._become("failed", Fault.of(error))
            return
        self._become("closed")

    def _carry_out(self, order: Order, session: Session) -> None:
        try:
            order(session)
        except FsgaugeError as error:
            self._become("idle", Fault.of(error))
            return
        self._become("idle")

    def _describe(self, session: Session) -> None:
        self.described = session.describe()

    def _tell(self, happening: Happening) -> None:
        if isinstance(happening, TurnStarted):
            self._engine.enter(happening.turn)
        if isinstance(happening, RunStarted):
            self._engine.expect(happening)
        told = HappeningMessage.of(self._seen(happening))
        if told is None:
            return
        with self._changed:
            self._told.append(told)
            self._serial += 1
            self._changed.notify_all()
        self._gate.require_not_ended()

    def _say(self, sentence: str) -> None:
        with self._changed:
            self._said.append(sentence)


def abandon(held: HeldRig | None, because: str) -> bool:
    """Close what may not be open; whether nothing of it is left."""
    if held is None:
        return True
    with suppress(Interrupted):
        return held.close(because)
    return False
