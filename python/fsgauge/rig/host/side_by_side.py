"""All turns of a block at once: each cell on every system, in slices taken in turns.

Noise grows with the time between two measurements, and a ratio's partners stand one slice apart
here. All systems are made and filled first; each then has its own image, device or folder.
`hindrance` says why that cannot be.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from fsgauge.engine.client import EngineFaultError
from fsgauge.engine.wire import ClientsJob, EngineFault, LoadJob, LoadResult, SelfMeasure
from fsgauge.machine.facts.limits import watch_throttling
from fsgauge.plan.estimate import turns_of_block
from fsgauge.plan.slices import SliceJobs, slice_jobs, slice_rounds
from fsgauge.plan.turns import load_for
from fsgauge.record.parts import DeviceRun, Part, Slice
from fsgauge.record.records import Cell, RunRecord, Turn
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.host.turn import turn_system
from fsgauge.rig.host.turn_steps import TurnSystem, Work
from fsgauge.rig.recording import run_record
from fsgauge.storage import loop
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, RamStorage, Study
from fsgauge.study.reached import is_served
from fsgauge.study.storage import is_preconditioned
from fsgauge.study.tunable_places import place_of
from fsgauge.study.workload import cells_of
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.slicing import Slicing

_NOT_SYNCED = "io.sync"


@dataclass
class SlicedRun:
    """A cell on one system of the block: a slice at a time, then recorded.

    A file system may put off what writes cost: a journal's commit, a tree's, data in the page
    cache. Nothing of it is left to a neighbour: after each slice that wrote, the system is synced.
    Where the method says so that time is the slice's own, and `fsgauge.record.merging` adds it.

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
        if not isinstance(job, LoadJob):
            return self.made.work.engine.load(job, self.made.work.tell)
        kind = job.target.kind
        job = job.model_copy(update={"measured_before": self.measured.get(kind)})
        result = self.made.work.engine.load(job, self.made.work.tell)
        self.measured[kind] = result.self_measure
        return result

    def warm_up(self) -> None:
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
        with work.systems.watch_device(work.study, self.made.prepared) as device:
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
    words = {"name", "fua_not_counted"}
    counted = {name: [getattr(each, name) for each in known] for name in DeviceRun.model_fields}
    sums = {
        name: None if None in each else sum(each)
        for name, each in counted.items()
        if name not in words
    }
    return known[0].model_copy(update=sums)


def hindrance(study: Study) -> str:
    """Why they cannot, in words that follow "one by one: "; empty if they can. Touches nothing."""
    return _of_the_study(study) or _of_the_systems(study) or _of_the_room(study)


def _of_the_study(study: Study) -> str:
    if isinstance(study.storage, DeviceStorage):
        if not study.storage.more_devices:
            return "one device holds one system at a time"
    elif not isinstance(study.storage, LoopStorage | RamStorage | PathStorage):
        return f"storage of kind {study.storage.kind} holds one system at a time"
    if is_preconditioned(study.storage):
        return "storage that is preconditioned holds one system at a time"
    if is_served(study):
        return "a server alongside others would share the machine with them while it is measured"
    if method_of(study.workload).programs:
        return "a program of the user's is measured alone"
    if method_of(study.workload).at_once:
        return "all cells of a system are measured at once, as one load"
    stages = method_of(study.workload).stages(cells_of(study.workload))
    if sum(map(len, stages)) > 1:
        return "cells of one system are compared with one another, each on a newly made system"
    return ""


def _of_the_systems(study: Study) -> str:
    for system in study.systems:
        for key in system.tunables:
            place = place_of(key)
            if place is not None and place.is_of_client:
                return f'"{system.name}" changes {key}, which others of the mount have as well'
            if place is not None and not place.device:
                return f'"{system.name}" changes {key}, a setting of the whole machine'
        if {"-U", "uuid"} & set(system.mkfs.replace("=", " ").replace(",", " ").split()):
            return f'"{system.name}" is given its UUID, and its twin would have the same'
    return ""


def _of_the_room(study: Study) -> str:
    """Room for all at once; a sparse image fills up as it is written."""
    storage, turns = study.storage, turns_of_block(study)
    if isinstance(storage, PathStorage):
        return _of_folders(study, storage)
    if isinstance(storage, DeviceStorage):
        named = len(storage.devices)
        needed = f"{turns} systems at once need {turns} devices, and {named} are named"
        return "" if named == turns else needed
    if not isinstance(storage, LoopStorage | RamStorage):
        return ""
    needed_bytes = turns * storage.size
    if isinstance(storage, RamStorage):
        fits, where = loop.memory_has_room(needed_bytes), "available of memory"
    else:
        fits = loop.has_room(Path(storage.directory), needed_bytes)
        where = f"free in {storage.directory}"
    needed = f"{turns} systems at once take {format_size(needed_bytes)}"
    return "" if fits else f"{needed}, more than is {where}"


def _of_folders(study: Study, storage: PathStorage) -> str:
    """A folder for each system, and two for the baseline, on the file systems that they are on."""
    places = [system.path or storage.path for system in study.systems]
    places.append(places[0])
    there = {place for place in places if os.path.isdir(place)}  # noqa: PTH112 - none if closed
    on = {place: Path(place).stat().st_dev for place in there}
    counts = Counter(on[place] for place in places if place in on)
    for place, device in on.items():
        size_bytes = counts[device] * storage.size
        if not loop.has_room(Path(place), size_bytes):
            takes = "takes" if counts[device] == 1 else "take"
            return (
                f"{_who(study, storage, device, on)} {takes} {format_size(size_bytes)} at once on"
                f" the file system of {place}, more than is free there"
            )
    return ""


def _who(study: Study, storage: PathStorage, device: int, on: Mapping[str, int]) -> str:
    """The systems on a file system, the baseline twice: "/mnt/a, /mnt/a again"."""
    baseline, *others = study.systems
    named = [baseline.name, f"{baseline.name} again", *(system.name for system in others)]
    paths = [system.path or storage.path for system in (baseline, baseline, *others)]
    return ", ".join(
        name for name, path in zip(named, paths, strict=True) if on.get(path) == device
    )


def measure_side_by_side(work: Work, turns: Sequence[Turn]) -> None:
    """Make every system of the block, then measure each cell on all of them back to back. All turns
    of a block have one order of cells; cells that build on one another keep it."""
    cells = {cell.id: cell for cell in work.plan.cells}
    beside = [work.systems.beside(work.study, place_number(work, turn)) for turn in turns]
    with ExitStack() as stack:
        block = [
            stack.enter_context(turn_system(replace(work, systems=own), turn))
            for own, turn in zip(beside, turns, strict=True)
        ]
        for position, cell_id in enumerate(turns[0].cells):
            _measure_cell(work, block, position, cells[cell_id])
        for made in block:
            made.scan_layout("after")


def place_number(work: Work, turn: Turn) -> int:
    """Which of the places for systems is this turn's. It moves on by one from block to block, so
    that over as many blocks as there are places each system has had each device once.
    """
    titles = sorted({each.title for each in work.plan.turns})
    return (titles.index(turn.title) + turn.block) % len(titles)


def _measure_cell(work: Work, block: Sequence[TurnSystem], position: int, cell: Cell) -> None:
    slicing = method_of(work.study.workload).slicing(cell)
    number = block[0].turn.block
    rounds = slice_rounds(work.plan, number, cell.id, len(block), slicing.count)
    measured: dict[str, SelfMeasure] = {}
    runs = [SlicedRun(made, position, cell, slicing, measured) for made in block]
    if slicing.is_whole:
        for at in rounds[0]:
            _begin(work, [runs[at]])
            runs[at].measure(0)
            _end(runs[at])
        return
    in_order = [runs[at] for at in rounds[0]]
    _begin(work, in_order)
    for run in in_order:
        run.warm_up()
    for slice_number, order in enumerate(rounds):
        for at in order:
            runs[at].measure(slice_number)
    for run in in_order:  # told after all slices: what is stored would disturb the next ones
        _end(run)


def _begin(work: Work, runs: Sequence[SlicedRun]) -> None:
    for run in runs:
        run.made.before(run.cell)
    settled = work.systems.settle(*(run.made.prepared for run in runs))
    for run, caches in zip(runs, settled, strict=True):
        run.caches = caches


def _end(run: SlicedRun) -> None:
    made, record = run.made, run.record()
    made.work.tell(record)
    if not record.most_gave_up and not made.turn.over_path:
        made.scan_cell(run.cell)
