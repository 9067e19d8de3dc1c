"""One run measured in slices, between those of other systems; what it leaves is written back.

A file system may put off what writes cost: a journal's commit, a tree's, data in the page cache.
Nothing of it is left to a neighbour: after each slice that wrote, the system is synced. Where the
method says so that time is the slice's own, and `fsgauge.record.merging` adds it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fsgauge.engine.client import EngineFaultError
from fsgauge.engine.wire import ClientsJob, EngineFault, LoadJob, LoadResult, SelfMeasure
from fsgauge.machine.facts.limits import watch_throttling
from fsgauge.plan.slices import SliceJobs, slice_jobs
from fsgauge.plan.turns import load_for
from fsgauge.record.parts import DeviceRun, Part, Slice
from fsgauge.record.records import Cell, RunRecord
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.host.turn_steps import TurnSystem
from fsgauge.rig.recording import run_record
from fsgauge.workload.slicing import Slicing

_NOT_SYNCED = "io.sync"


@dataclass
class SlicedRun:
    """A cell on one system of the block: a slice at a time, then recorded.

    `caches` is what was done to them before.
    """

    made: TurnSystem
    position: int
    cell: Cell
    slicing: Slicing
    measured: dict[str, SelfMeasure] = field(default_factory=dict)
    """What the engine costs, by kind of target: measured once for all of a cell's slices."""
    caches: str = ""
    fault: EngineFault | None = None
    _slices: list[Slice] = field(default_factory=list)
    _devices: list[DeviceRun | None] = field(default_factory=list)
    _started_unix_ns: int = 0
    _clock: int = 0

    def __post_init__(self) -> None:
        work, turn = self.made.work, self.made.turn
        job = load_for(work.study, work.plan, turn, self.cell, self.made.prepared.target)
        self._jobs: SliceJobs = slice_jobs(job, self.slicing)

    def _load(self, job: LoadJob | ClientsJob) -> LoadResult:
        """Run a job, without measuring the engine where that was done a moment ago."""
        if not isinstance(job, LoadJob):
            return self.made.work.engine.load(job, self.made.work.tell)
        kind = job.target.kind
        job = job.model_copy(update={"measured_before": self.measured.get(kind)})
        result = self.made.work.engine.load(job, self.made.work.tell)
        self.measured[kind] = result.self_measure
        return result

    def warm_up(self) -> None:
        """The load for the warm-up's time, its result not kept, all that it wrote written back."""
        self._start_clock()
        if self._jobs.lead_in is None:
            return
        self._tell_started()
        try:
            self._load(self._jobs.lead_in)
        except EngineFaultError as error:
            self.fault = error.fault
        self._sync(self._jobs.lead_in)

    def measure(self, number: int) -> None:
        """One slice, and the sync after it; nothing once the run has failed."""
        if self.fault is not None:
            return
        self._start_clock()
        work, job = self.made.work, self._jobs.slices[number]
        self._tell_started()
        start_ns = time.monotonic_ns() - self._clock
        device = work.systems.watch_device(self.made.prepared)
        throttled = watch_throttling()
        try:
            result = self._load(job)
        except EngineFaultError as error:
            self.fault = error.fault
            self._sync(job)
            return
        sync_ns = self._sync(job)
        self._devices.append(device())
        charged = sync_ns if self.slicing.charges_sync else None
        self._slices.append(
            Slice(start_ns=start_ns, result=result, sync_ns=charged, throttled=throttled())
        )

    def record(self) -> RunRecord:
        """All of its slices as one run; a fault stands for all of them."""
        work, made = self.made.work, self.made
        parts = []
        if self.fault is None:
            parts = [Part(machine=work.systems.machine_name, slices=self._slices)]
        return run_record(
            *(work.study, work.plan, made.turn, self.position, made.prepared.target),
            parts=parts,
            fault=self.fault,
            caches=self.caches,
            started_unix_ns=self._started_unix_ns,
            device=_added(self._devices),
        )

    def _start_clock(self) -> None:
        if not self._started_unix_ns:
            self._started_unix_ns, self._clock = time.time_ns(), time.monotonic_ns()

    def _tell_started(self) -> None:
        self.made.work.tell(RunStarted(self.made.turn, self.cell))

    def _sync(self, job: LoadJob | ClientsJob) -> int | None:
        """Nanoseconds that writing back took; None after a job that only reads."""
        if isinstance(job, LoadJob) and job.read_percent == 100 and not job.companions:
            return None
        begin = time.monotonic_ns()
        try:
            self.made.work.systems.write_back(self.made.prepared)
        except OSError as error:
            self.fault = self.fault or EngineFault(
                what=f"what was written could not be synced: {error.strerror}",
                cause="the storage refused to write it back",
                next="dmesg | tail",
                errno=error.errno,
                code=_NOT_SYNCED,
            )
        return time.monotonic_ns() - begin


def _added(devices: list[DeviceRun | None]) -> DeviceRun | None:
    """What the device below was asked for in all slices; None where one of them does not know."""
    known = [each for each in devices if each is not None]
    if not known or len(known) < len(devices):
        return None
    names = [name for name in DeviceRun.model_fields if name != "name"]
    counted = {name: [getattr(each, name) for each in known] for name in names}
    sums = {name: None if None in each else sum(each) for name, each in counted.items()}
    return DeviceRun.model_validate({"name": known[0].name, **sums})
