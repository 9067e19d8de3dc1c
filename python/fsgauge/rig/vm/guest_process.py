"""The process in the guest: it holds the host rig, and does what this machine's fsgauge orders.

The rig's work is in the main thread, as it is when a person starts fsgauge there: an order to abort
is an interrupt (Ctrl-C), and whatever was made is undone the same way.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pydantic import BaseModel

from fsgauge import __version__
from fsgauge.agents.agent import Agent
from fsgauge.agents.agents import Lines
from fsgauge.engine.client import Engine
from fsgauge.errors import Interrupted, RigError
from fsgauge.machine.process.tool import stretch_limits, stretched
from fsgauge.plain_files import write_all
from fsgauge.programs.interruption import interruptible
from fsgauge.record.records import Plan, RunRecord
from fsgauge.rig.fleet.clock import served_clock
from fsgauge.rig.fleet.host_answers import HostAnswers
from fsgauge.rig.fleet.messages import Described, Fault, HappeningMessage
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.session import Session
from fsgauge.rig.vm import guest_set_up, lending
from fsgauge.rig.vm.disks import consent_to
from fsgauge.rig.vm.guest_set_up import Remounting
from fsgauge.rig.vm.in_force import Counting, Held, MadeHere
from fsgauge.rig.vm.messages import PORT, Order, Reply
from fsgauge.rig.vm.recipe import Counter, InForce
from fsgauge.rig.vm.slowness import slowness_of, worked_seconds
from fsgauge.study.model import Study

_PORTS = Path("/sys/class/virtio-ports")
_SENT = Path("/run")
_PIECE_BYTES = 1 << 16
_BEAT_SECONDS = 2.0
_GO_SECONDS = 300.0
_EVENT_SECONDS = 0.5
"""Between events of the engine that are passed on: they are for people who watch."""


class OrderPort:
    """The port: orders come in, replies go out, each a line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def say(self, reply: Reply) -> None:
        data = reply.model_dump_json(exclude_defaults=True).encode() + b"\n"
        with self._lock:
            write_all(self._descriptor, data)

    def hear(self, take: Callable[[Order], None]) -> None:
        lines = Lines()
        while piece := os.read(self._descriptor, _PIECE_BYTES):
            lines.add(piece)
            while (line := lines.take()) is not None:
                take(Order.model_validate_json(line))


class Guest:
    def __init__(self, line: OrderPort) -> None:
        self._line = line
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._works = False
        self._waiting = 0
        self._abort_next = False
        self._open = ExitStack()
        self._counting = Counting()
        self._held, self._made_here = Held(), MadeHere()
        self._remounting = Remounting()
        self._one_of_several = HostAnswers(_SENT, self._beside, remounts=True)
        self._clock = ExitStack()
        self._study: Study | None = None
        self._session: Session | None = None
        self._agents: dict[str, Agent] = {}
        self._lending = lending.Lending()
        self._last_event = 0.0
        self._go = threading.Event()

    def serve(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=self._hear, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        work_seconds = worked_seconds()
        stretch_limits(slowness_of(work_seconds))
        self._line.say(Reply(hello=__version__, work_seconds=work_seconds))
        while (order := self._orders.get()) is not None:
            self._carry_out(order)

    def _hear(self) -> None:
        try:
            self._line.hear(self._take)
        finally:
            self._orders.put(None)

    def _take(self, order: Order) -> None:
        with self._lock:
            if order.do == "go":
                self._go.set()
            elif order.do != "abort":
                self._waiting += 1
                self._orders.put(order)
            elif self._works:
                os.kill(os.getpid(), signal.SIGINT)
            else:
                self._abort_next = self._waiting > 0

    def _beat(self) -> None:
        while True:
            self._line.say(Reply(alive=True))
            time.sleep(_BEAT_SECONDS)

    def _carry_out(self, order: Order) -> None:
        try:
            with interruptible():
                try:
                    self._begin()
                    answer = self._done(order)
                finally:
                    with self._lock:
                        self._works, self._abort_next = False, False
        except BaseException as error:
            self._line.say(Reply(fault=Fault.of(error)))
            return
        self._line.say(Reply(answer=answer))

    def _begin(self) -> None:
        """Raises Interrupted where the order was aborted before it began."""
        with self._lock:
            self._waiting -= 1
            if self._abort_next:
                raise Interrupted("ended before it began")
            self._works = True

    def _done(self, order: Order) -> str:
        match order.do:
            case "prepare":
                self._prepare(Study.model_validate_json(order.study))
            case "describe":
                return self._described()
            case "block":
                self._prepared().block(
                    Plan.model_validate_json(order.plan), order.block, self._tell
                )
            case "make":
                return self._made(order.system)
            case "ask":
                return json.dumps(self._one_of_several.answer(order.question, order.words))
            case "serve_clock":
                return json.dumps(self._serve_clock(order.words["address"]))
            case "now":
                return json.dumps(time.monotonic_ns())
            case "count":
                counters = [Counter.model_validate(each) for each in order.words["counters"]]
                self._counting.count(counters, order.words["environment"])
            case "hold":
                held = [InForce.model_validate(each) for each in order.words["held"]]
                return json.dumps(self._held.begin(held, order.words["environment"]))
            case "held":
                return json.dumps(self._held.lost())
            case "remount":
                self._remounting.before_each_run(order.words["orders"], order.words["done"])
            case "agent":
                folder = order.words["folder"]
                if folder not in self._agents:
                    self._agents[folder] = Agent(folder)
                return json.dumps(self._agents[folder].done(order.words["step"]))
            case do if do in lending.ORDERS:
                return self._lending.done(do, order.words, self._study, self._session)
            case do if do in guest_set_up.ORDERS:
                return json.dumps(guest_set_up.done(do, order.words))
        return "null"

    def _serve_clock(self, address: str) -> dict[str, object]:
        self._clock.close()
        clock = self._clock.enter_context(served_clock(address, Engine()))
        return {"address": clock.address, "port": clock.port, "key": clock.key}

    def _prepare(self, study: Study) -> None:
        self._close()
        rig = HostRig(say=self._say, remounts=True)
        rig.check(study, consent_to(study))
        self._study, self._session = study, self._open.enter_context(rig.opened(study))
        self._made_here.begin(study.systems)

    def _close(self) -> None:
        self._lending.give_back()
        self._session = None
        self._open.close()

    def _prepared(self) -> Session:
        if self._session is None:
            raise lending.nothing_prepared()
        return self._session

    def _described(self) -> str:
        return Described.dump_json(self._prepared().describe()).decode()

    def _made(self, name: str) -> str:
        """Make one system and fill it; gives the seconds that it took. The study is prepared no
        longer then: its disks are free for what comes next."""
        session, study = self._prepared(), self._study
        if study is None:
            raise lending.nothing_prepared()
        began = time.monotonic()
        system = next(each for each in study.systems if each.name == name)
        with session.lent(system) as lent:
            lent.settle()
        seconds = time.monotonic() - began
        self._close()
        return json.dumps(seconds)

    def _beside(self, happening: Happening) -> Happening:
        """With what only a guest does and knows of a run: it counts once all else is done."""
        counted = self._counting.told(self._remounting.told(happening))
        return self._made_here.told(self._held.told(counted))

    def _tell(self, happening: Happening) -> None:
        happening = self._beside(happening)
        told = HappeningMessage.of(happening)
        if told is not None:
            self._go.clear()
            self._line.say(Reply(told=told))
            waits = isinstance(happening, RunStarted | RunRecord)
            seconds = stretched(_GO_SECONDS)
            if waits and not self._go.wait(seconds):
                raise RigError(
                    f"other nodes were not ready for a run within {seconds:.0f} s",
                    cause="one of them hangs, or this machine has too few processors for all",
                    next="uptime; fsgauge rig test",
                )
            return
        passed = time.monotonic() - self._last_event
        if isinstance(happening, BaseModel) and passed > _EVENT_SECONDS:
            self._last_event = time.monotonic()
            self._line.say(Reply(event=happening.model_dump_json()))

    def _say(self, sentence: str) -> None:
        self._line.say(Reply(said=sentence))


def _port() -> Path:
    for named in sorted(_PORTS.glob("*/name")):  # the prompt's port has none
        if named.read_text().strip() == PORT:
            return Path("/dev") / named.parent.name
    raise RigError(
        f"there is no port {PORT} in this machine",
        cause="it is not a guest of fsgauge",
        next="fsgauge rig test, on the machine around it",
    )


def main() -> None:
    descriptor = os.open(_port(), os.O_RDWR | os.O_CLOEXEC)
    Guest(OrderPort(descriptor)).serve()


if __name__ == "__main__":
    main()
