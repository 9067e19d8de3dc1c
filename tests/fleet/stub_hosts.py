"""Hosts without an engine, many of them in one process: dask workers that tell planned records.

Connections, certificates, plugin and protocol are the real ones; what measures is not there.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fsgauge.engine.wire import CommonStart, ExchangeClockJob, ExchangeClockResult
from fsgauge.errors import InputError, Interrupted
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.clock import Exchanged
from fsgauge.rig.fleet.gated_engine import AGAIN, THROUGH, Gate
from fsgauge.rig.fleet.host_answers import HeldRig
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Started
from fsgauge.rig.fleet.messages import Fault, HappeningMessage, Label, State
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.nodes import FleetWorker
from fsgauge.rig.happenings import RunStarted, TurnStarted
from fsgauge.rig.session import Description
from fsgauge.workload.dealing import Share
from tests.synthetic import SyntheticStudy

STUDY: list[SyntheticStudy] = []
"""What every host tells; set by a test."""
FAULTS: dict[int, list[str]] = {}
"""By the number of a host, what goes wrong in its next blocks: "fails", "hangs" or "refuses"."""
PREPARING: dict[int, int] = {}
"""By the number of a host, how often it hangs while it is prepared."""
LATE: dict[int, int] = {}
"""By the number of a host, how many starts it misses."""
HUNG_SECONDS = 4.0


class StubRig(HeldRig):
    """Tells the planned records, each run once its start has come."""

    def __init__(self, _: object, share: Share, *__: object, remounts: bool) -> None:
        self._number = share.number
        self._faults = FAULTS.get(share.number, [])
        self._hangs = PREPARING.get(share.number, 0) > 0
        PREPARING[share.number] = PREPARING.get(share.number, 0) - 1
        self._changed = threading.Condition()
        self._gate = Gate(self._changed)
        self._phase = "opening"
        self._serial = 0
        self._told = []
        self._said = []
        self._fault = None
        self.described = None

    def begin(self) -> None:
        self._describe_planned()

    def describe(self) -> None:
        self._describe_planned()

    def _describe_planned(self) -> None:
        study = STUDY[0]
        self.described = Description(
            size_bytes=1 << 30,
            engine=study.runs[0].parts[0].slices[0].result.engine,
            machines=study.before.machines,
        )
        self._become("idle")

    def state(self, known: int, seconds: float) -> State:
        if self._hangs:
            time.sleep(HUNG_SECONDS)
        return super().state(known, seconds)

    def block(self, plan: Plan, block: int) -> None:
        self._gate.reopen()
        self._become("working")
        fault = self._faults.pop(0) if self._faults else ""
        self._hangs = fault == "hangs"
        if fault == "fails":
            self._become("idle", Fault(kind="RigError", what="the engine ended without a result"))
            return
        if fault == "refuses":
            self._become("idle", Fault.of(InputError("4097 writers: 4096 is the limit")))
            return
        threading.Thread(target=self._tell_block, args=(plan, block), daemon=True).start()

    def _tell_block(self, plan: Plan, block: int) -> None:
        try:
            self._tell_turns(plan, block)
        except Interrupted as error:
            self._become("idle", Fault.of(error))
        else:
            self._become("idle")

    def _tell_turns(self, plan: Plan, block: int) -> None:
        study = STUDY[0]
        for turn in (each for each in plan.turns if each.block == block):
            made = next(e for e in study.turns if (e.block, e.turn) == (block, turn.turn))
            self._add(HappeningMessage.of(TurnStarted(turn)), HappeningMessage.of(made))
            for run in study.runs:
                if (run.block, run.turn) != (block, turn.turn):
                    continue
                passed = AGAIN
                while passed == AGAIN:
                    self._add(HappeningMessage.of(RunStarted(turn, run.cell)))
                    label = Label(block=block, turn=turn.turn, cell=run.cell.id)
                    start_at_ns = self._gate.wait(label)
                    time.sleep(max(0.0, (start_at_ns - time.monotonic_ns()) / 1e9))
                    passed = self._gate.meet(label.met(THROUGH, 0.0), self._missed())
                self._add(HappeningMessage.of(_with_start(run, start_at_ns)))

    def _missed(self) -> str:
        left = LATE.get(self._number, 0)
        LATE[self._number] = left - 1
        return "the start was missed" if left > 0 else ""

    def _add(self, *told: HappeningMessage | None) -> None:
        with self._changed:
            self._told += [each for each in told if each is not None]
            self._serial += 1
            self._changed.notify_all()

    def abort(self, because: str) -> None:
        self._gate.end(because)

    def close(self, because: str = "", seconds: float = 0.0) -> bool:
        self.abort(because)
        return True


def _with_start(run: object, start_at_ns: int) -> object:
    now = time.monotonic_ns()
    common = CommonStart(
        start_at_ns=start_at_ns,
        armed_at_ns=start_at_ns,
        started_at_ns=now,
        last_started_at_ns=now,
        ended_at_ns=now + 1000,
        real_time=False,
        spun=False,
        suspended_ns=0,
    )
    (part,) = run.parts
    (only,) = part.slices
    result = only.result.model_copy(update={"common_start": common})
    part = part.model_copy(update={"slices": [only.model_copy(update={"result": result})]})
    return run.model_copy(update={"parts": [part]})


def one_clock(_: object, job: str) -> str:
    """All hosts are this process, so their clocks are one."""
    asked = ExchangeClockJob.model_validate_json(job)
    study = STUDY[0]
    reading = {
        "at_ns": time.monotonic_ns(),
        "offset_ns": 0,
        "bound_ns": 10,
        "round_trip_ns": 20,
        "median_round_trip_ns": 20,
        "suspended_ns": 0,
        "peer_suspended_ns": 0,
    }
    result = ExchangeClockResult(
        format=1,
        kind="exchange_clock",
        engine=study.runs[0].parts[0].slices[0].result.engine,
        reading=reading,
        requests=1,
        answers=1,
        ignored=0,
        drift_ppm=None,
        moments=[{"own_ns": own, "peer_ns": own, "bound_ns": 10} for own in asked.moments_ns],
    )
    return Exchanged(result=result).model_dump_json()


@dataclass
class StubHost:
    """One worker of the launcher's loop."""

    launcher: StubLauncher
    worker: FleetWorker

    def why_ended(self) -> str | None:
        return None

    def end(self, seconds: float = 20.0) -> bool:
        closing = self.worker.close(executor_wait=False)
        asyncio.run_coroutine_threadsafe(closing, self.launcher.loop).result(seconds)
        return True


@dataclass
class StubLauncher:
    """Starts workers in a loop of this process."""

    folder: Path
    is_one_machine: bool = True
    wave: int = 100
    register_seconds: float = 60.0
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    started: dict[str, StubHost] = field(default_factory=dict)

    def __post_init__(self) -> None:
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        made = self._made(list(bootstraps.values()))
        workers = asyncio.run_coroutine_threadsafe(made, self.loop).result(self.register_seconds)
        names = [host.name for host in bootstraps]
        found = {name: StubHost(self, each) for name, each in zip(names, workers, strict=True)}
        self.started |= found
        return dict(found)

    async def _made(self, bootstraps: list[Bootstrap]) -> list[FleetWorker]:
        workers = [FleetWorker.of(each, str(self.folder)) for each in bootstraps]
        await asyncio.gather(*workers)
        return workers

    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        return f"ssh {host.name}"
