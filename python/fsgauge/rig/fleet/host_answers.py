"""A host's half of a study: its rig, held open by one thread, block by block, and what it answers.

The thread runs the host rig's own code. Others ask where it is, open its gate or end it; whatever
ends it, the rig's contexts undo what they made. The questions are those of control.py, in a worker
of dask and in a guest. Words and answers are plain, and JSON where they hold a message.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.clock import exchanged
from fsgauge.rig.fleet.control import Question
from fsgauge.rig.fleet.gated_engine import Gate, GatedEngine
from fsgauge.rig.fleet.ground import Grounds, grounds_here
from fsgauge.rig.fleet.identity import own_identity
from fsgauge.rig.fleet.messages import (
    Allowed,
    Described,
    Fault,
    HappeningMessage,
    Label,
    Phase,
    Sized,
    State,
)
from fsgauge.rig.happenings import Happening, RunStarted, TurnStarted
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.session import Description, Session
from fsgauge.study.model import Study
from fsgauge.workload.dealing import Share

Order = Callable[[Session], None]

_SECONDS_TO_CLOSE = 120.0
"""Making clean may have to wait for a file system to write back what it holds."""


class HeldRig:
    def __init__(
        self,
        study: Study,
        share: Share,
        destroy: Consent | None = None,
        told: Callable[[Happening], Happening] = lambda happening: happening,
        *,
        remounts: bool = False,
    ) -> None:
        """`told` sees each happening first, and may add to it; `remounts` as HostRig has it."""
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


class HostAnswers:
    """Holds the rig of one study at most. Public methods but `answer` and `leave` are questions.

    `seen` and `remounts` are those of HeldRig; an engine that is sent to this host lies in
    `folder`, and is gone with it.
    """

    def __init__(
        self,
        folder: Path,
        seen: Callable[[Happening], Happening] = lambda happening: happening,
        *,
        remounts: bool = False,
    ) -> None:
        self.held: HeldRig | None = None
        self._folder, self._seen, self._remounts = folder, seen, remounts
        self._run: str | None = None
        self._alone = threading.Lock()
        self._has_left = False

    def answer(self, question: str, words: Mapping[str, Any]) -> object:
        """The answer to a question; ValueError for what is not asked."""
        if question not in get_args(Question):
            raise ValueError(f'"{question}" is not asked')
        return getattr(self, question)(**words)

    def identify(self) -> str:
        return own_identity().model_dump_json()

    def attend(self) -> str:
        """How soon the answer comes may be all that the coordinator wants."""
        return "ok"

    def take_engine(self, engine: bytes, sha256: str) -> str:
        """Use this engine in place of the host's own; why that cannot be, or ""."""
        return use_engine(engine, sha256, self._folder)

    def refusals(self, study: str, destroy: dict[str, Any] | None = None) -> str:
        rig = HostRig(say=lambda _: None)
        consent = Allowed.validate_python(destroy)
        found = rig.refusals(Study.model_validate_json(study), consent)
        return json.dumps([Fault.of(error).model_dump() for error in found])

    def size_bytes(self, study: str) -> str:
        asked = Study.model_validate_json(study)
        try:
            found = Sized(size_bytes=HostRig(say=lambda _: None).size_bytes(asked))
        except FsgaugeError as error:
            found = Sized(fault=Fault.of(error))
        return found.model_dump_json()

    def grounds(self, study: str) -> str:
        return Grounds.dump_json(grounds_here(Study.model_validate_json(study))).decode()

    def prepare(
        self, study: str, number: int, hosts: int, run: str, destroy: dict[str, Any] | None = None
    ) -> str:
        """Check and attach the storage of a study; "again" where this run has been prepared here,
        "busy" where an earlier study does not end."""
        asked, share = Study.model_validate_json(study), Share(number, hosts)
        consent = Allowed.validate_python(destroy)
        with self._alone:
            if self._run == run:
                return "again"
            if self._has_left or not abandon(self.held, "another study begins"):
                return "busy"
            self._run = run
            self.held = HeldRig(asked, share, consent, self._seen, remounts=self._remounts)
            self.held.begin()
        return "ok"

    def leave(self, held: HeldRig | None, because: str, *, for_good: bool) -> None:
        """End this study, if it is still the one that is held; `for_good`: none is begun again."""
        with self._alone:
            self._has_left = self._has_left or for_good
            if self.held is held or for_good:
                abandon(self.held, because)
                self.held = None

    def look(self, known: int, seconds: float) -> str:
        """Where the host is, as soon as that changes; at the latest after so many seconds."""
        return self._rig().state(known, seconds).model_dump_json()

    def describe(self) -> str:
        self._rig().describe()
        return "ok"

    def described(self) -> str:
        found = self._rig().described
        return Described.dump_json(found).decode() if found is not None else "null"

    def measure(self, plan: str, block: int) -> str:
        self._rig().block(Plan.model_validate_json(plan), block)
        return "ok"

    def arm(self, block: int, turn: int, cell: str, start_at_ns: int) -> bool:
        """Have the run that waits begin at a moment of this host's clock; False where another
        waits. The engine says so where the moment has passed."""
        return self._rig().open(Label(block=block, turn=turn, cell=cell), start_at_ns)

    def pass_meeting(self, label: dict[str, Any], offer: str) -> bool:
        return self._rig().open(Label(**label), offer)

    def compare_clock(self, job: str) -> str:
        return exchanged(job)

    def abort(self, because: str) -> str:
        """End the block; the rig stays open for the next one."""
        if self.held is not None:
            self.held.abort(because)
        return "ok"

    def close(self, because: str, seconds: float) -> bool:
        """End the study here; whether nothing of it is left."""
        held, self.held, self._run = self.held, None, None
        return held is None or held.close(because, seconds)

    def _rig(self) -> HeldRig:
        if self.held is None:
            raise RigError(
                "no study is prepared on this host",
                cause="it was started again, or another coordinator ended the study",
                next="fsgauge resume goes on with the study",
            )
        return self.held


def digest_of(binary: bytes) -> str:
    return hashlib.sha256(binary).hexdigest()


def use_engine(binary: bytes, sha256: str, folder: Path) -> str:
    """Have this process use that engine from now on; why it cannot, or "". What is installed here
    is not touched."""
    if digest_of(binary) != sha256:
        return "the engine arrived damaged: its digest is another one"
    try:
        path = Path(tempfile.mkdtemp(prefix="engine-", dir=folder)) / "fsgauge-engine"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
            file.write(binary)
    except OSError as error:
        return f"the engine cannot be stored in {folder}: {error.strerror}"
    if not os.access(path, os.X_OK):
        return f"no program can be run from {folder}: it is mounted noexec (TMPDIR names another)"
    os.environ["FSGAUGE_ENGINE"] = str(path)
    return ""
