"""The engine's client: one process a job, the job on its standard input, events from its output.

Takes a wire job, gives the wire result; every event is handed to `on_event` as it arrives. The
engine process never outlives the call: it is interrupted (SIGINT, then SIGTERM, then SIGKILL)
when the caller is, and dies with this process if that is killed.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from fsgauge.engine import wire
from fsgauge.engine.process import (
    ControlPipe,
    TimeLimit,
    end,
    hand_over,
    has_ended,
    interrupt,
    lines,
    silent_end,
)
from fsgauge.errors import InputError, RigError, escaped
from fsgauge.programs import engine_environment, find_engine, start

R = TypeVar("R", bound=wire.Wire)
OnEvent = Callable[[wire.Event], None]
Start = Callable[[Callable[[], None]], None]
"""Is handed, when the engine has begun, what asks it to end with what it has."""
Armed = Callable[[], int]
"""Called when a job that begins on an order is prepared; gives the moment at which it begins."""

_ASKED_SECONDS = 4.0
_LONGEST_WALK_SECONDS = 24 * 3600.0
_SLACK_SECONDS = 180.0
_LONGEST_WAIT_SECONDS = 3600.0
_LONGEST_SYNC_SECONDS = 1800.0
_WEAR_OUT_TIMES = 10
_SLOWEST_READING_BYTES_PER_SECOND = 5 << 20
_SLOWEST_DIRECTORY_SECONDS = 0.02
_LATER_KEYS = (
    *("list_whole", "held", "lease", "start_at_ns", "start_on_order", "jobs_of_all"),
    *("random_percent", "apart", "hashed", "files_per_job", "operations", "file_sizes"),
    *("files_in_turn", "write_block_sizes", "align_bytes", "continue_when_full"),
    *("steady_window_ns",),
    *("wear_out", "only_existing"),
    *("burst", "rest", "start_after_ns", "rate", "without_costs"),
)


class EngineFaultError(RigError):
    """The engine reported a fault; `fault` is what it said, for the run's record."""

    usual_next = "fsgauge doctor"

    def __init__(self, fault: wire.EngineFault) -> None:
        # A name in a sentence may have line ends, and no sentence has.
        super().__init__(escaped(fault.what), cause=escaped(fault.cause), next=escaped(fault.next))
        self.fault = fault


class Engine:
    """Runs jobs, one at a time, with the binary found at construction."""

    def __init__(self, binary: Path | None = None) -> None:
        self.binary = binary or find_engine()
        self._held: list[wire.Held] = []

    @property
    def held(self) -> tuple[wire.Held, ...]:
        """The places that its jobs reach by descriptors of this process and not by name, each once,
        by the newest descriptor."""
        return tuple({place.path: place for place in tuple(self._held)}.values())

    @contextmanager
    def holding(self, *places: wire.Held) -> Iterator[None]:
        """Within it, jobs reach these folders and devices by their open descriptors. The
        descriptors stay the caller's, who keeps them open. A place that is held already is found by
        the newer descriptor. Contexts may overlap, and end in any order."""
        self._held += places
        try:
            yield
        finally:
            for place in places:
                self._held.remove(place)

    def load(
        self, job: wire.LoadJob | wire.ClientsJob, on_event: OnEvent | None = None
    ) -> wire.LoadResult:
        """Run a load or clients job; raises EngineFaultError, Interrupted, RigError."""
        return _expect(wire.LoadResult, self.run(job, on_event))

    def prepared(self) -> None:
        """What comes before a program's start took each host of a fleet its own time: they wait
        here for one another. Alone it does nothing."""

    @contextmanager
    def together(self, longest_seconds: float, stop: Callable[[], None]) -> Iterator[None]:  # noqa: ARG002
        """Where another program is the load of a measured run: it is begun within, once all hosts
        of a fleet are ready for it, and they leave once all are through, `longest_seconds` later at
        most. `stop` ends the program. Alone it begins at once."""
        yield

    def mix(
        self,
        loads: Sequence[wire.LoadJob],
        on_event: OnEvent | None = None,
        *,
        lay_out: bool = False,
    ) -> list[wire.LoadResult]:
        """Run loads at once, or write their files alone; raises EngineFaultError, Interrupted,
        RigError."""
        return results_of_mix(self.run(mixed(loads, lay_out=lay_out), on_event))

    def layout(self, job: wire.LayoutJob, on_event: OnEvent | None = None) -> wire.LayoutResult:
        """Fill a target; raises EngineFaultError, Interrupted, RigError."""
        return _expect(wire.LayoutResult, self.run(job, on_event))

    def probe(self, job: wire.ProbeJob) -> wire.ProbeResult:
        """Ask what this machine offers; raises EngineFaultError, RigError."""
        return _expect(wire.ProbeResult, self.run(job))

    def scan(
        self, job: wire.ScanJob, on_event: OnEvent | None = None, on_start: Start | None = None
    ) -> wire.ScanResult:
        """Scan to the end, or until it is asked to end; raises EngineFaultError, RigError."""
        return _expect(wire.ScanResult, self.run(job, on_event, on_start))

    def age(
        self, job: wire.AgeJob, on_event: OnEvent | None = None, on_start: Start | None = None
    ) -> wire.AgeResult:
        """Age to the end, or until it is asked to end; raises EngineFaultError, RigError."""
        return _expect(wire.AgeResult, self.run(job, on_event, on_start))

    def simulate(
        self, job: wire.SimulateJob, on_event: OnEvent | None = None, on_start: Start | None = None
    ) -> wire.SimulateResult:
        """Live the life of a file system in a model, or a part of it until it is asked to end;
        raises InputError, RigError."""
        return _expect(wire.SimulateResult, self.run(job, on_event, on_start))

    def predict(self, job: wire.PredictJob) -> wire.PredictResult:
        """Say what a device of a model would take for files; raises InputError, RigError."""
        return _expect(wire.PredictResult, self.run(job))

    def serve_clock(
        self,
        job: wire.ServeClockJob,
        on_event: OnEvent | None = None,
        on_start: Start | None = None,
    ) -> wire.ServeClockResult:
        """Answer what the time is here until it is asked to end; raises EngineFaultError."""
        return _expect(wire.ServeClockResult, self.run(job, on_event, on_start))

    def exchange_clock(self, job: wire.ExchangeClockJob) -> wire.ExchangeClockResult:
        """Compare this machine's clock with another's; raises EngineFaultError, RigError."""
        return _expect(wire.ExchangeClockResult, self.run(job))

    def run(
        self,
        job: wire.Job,
        on_event: OnEvent | None = None,
        on_start: Start | None = None,
        on_armed: Armed | None = None,
    ) -> wire.Result:
        """Run any job to its end and give its result; one that begins on an order has `on_armed`. A
        job with a lease is held until its end."""
        held = self._held_for(job)
        job = job.model_copy(update={"held": held}) if held else job
        process = start(
            [str(self.binary)],
            passed=[place.descriptor for place in held],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            environment=engine_environment(),
        )
        try:
            limit = TimeLimit(_deadline_seconds(job))
            if on_start is not None:
                on_start(lambda: _ask_to_end(process, job, limit))
            return self._converse(process, job, limit, on_event, on_armed)
        finally:
            end(process)

    def _held_for(self, job: wire.Job) -> list[wire.Held]:
        """The places that a job is handed by descriptor; none for one that touches no files."""
        if isinstance(
            job, wire.SimulateJob | wire.PredictJob | wire.ServeClockJob | wire.ExchangeClockJob
        ):
            return []
        return [*self.held, *job.held]

    def _converse(
        self,
        process: subprocess.Popen[bytes],
        job: wire.Job,
        limit: TimeLimit,
        on_event: OnEvent | None,
        on_armed: Armed | None,
    ) -> wire.Result:
        assert process.stdin is not None  # noqa: S101 - PIPE above
        lease = None if isinstance(job, wire.ProbeJob) else job.lease
        hand_over(process.stdin, _written(job) + (b"\n" if lease is not None else b""), limit)
        if lease is None:
            process.stdin.close()
            return self._heard(process, limit, on_event, None)
        with ControlPipe(process.stdin, lease) as pipe:
            started = (lambda: pipe.start(on_armed())) if on_armed is not None else None
            return self._heard(process, limit, on_event, started)

    def _heard(
        self,
        process: subprocess.Popen[bytes],
        limit: TimeLimit,
        on_event: OnEvent | None,
        on_armed: Callable[[], None] | None,
    ) -> wire.Result:
        assert process.stdout is not None  # noqa: S101 - PIPE at start
        for line in lines(process.stdout, limit, lambda: has_ended(process)):
            event = _parse(line)
            if on_event is not None:
                on_event(event)
            if on_armed is not None and isinstance(event, wire.ArmedEvent):
                on_armed()
            if isinstance(event, wire.FinishedEvent):
                return event.result
            if isinstance(event, wire.FailedEvent):
                if event.error.code.startswith("job."):
                    fault = event.error
                    raise InputError(
                        escaped(fault.what), cause=escaped(fault.cause), next=escaped(fault.next)
                    )
                raise EngineFaultError(event.error)
        raise silent_end(process)


def mixed(loads: Sequence[wire.LoadJob], *, lay_out: bool = False) -> wire.MixJob:
    """The job of several loads that begin together; with `lay_out` it writes their files, and that
    is all."""
    own = {"kind", "held", "lease", "start_at_ns", "start_on_order"}
    each = [load.model_dump(mode="json", exclude=own) for load in loads]
    return wire.MixJob.model_validate_json(json.dumps({"loads": each, "lay_out": lay_out}))


def results_of_mix(result: wire.Result) -> list[wire.LoadResult]:
    """What each load measured, in their order."""
    found = _expect(wire.MixResult, result).results
    return [
        wire.LoadResult.model_validate_json(json.dumps({"kind": "load", **each})) for each in found
    ]


def _ask_to_end(process: subprocess.Popen[bytes], job: wire.Job, limit: TimeLimit) -> None:
    """End with what there is; what ageing wrote has to be made durable first."""
    interrupt(process)
    limit.shorten(_LONGEST_SYNC_SECONDS if isinstance(job, wire.AgeJob) else _ASKED_SECONDS)


def _deadline_seconds(job: wire.Job) -> float:
    """How long a job may take before it counts as hung."""
    if isinstance(job, wire.LoadJob):
        seconds = longest_seconds(job) + _reading_seconds(job)
        return seconds + _SLACK_SECONDS + _waiting_seconds(job)
    if isinstance(job, wire.ClientsJob):
        seconds = longest_seconds(job) + _before_clients_seconds(job)
        return seconds + _waiting_seconds(job)
    if isinstance(job, wire.ServeClockJob | wire.ExchangeClockJob):
        return job.time_limit_ns / 1e9 + _SLACK_SECONDS
    if isinstance(job, wire.AgeJob):
        return job.time_limit_ns / 1e9 + _LONGEST_SYNC_SECONDS
    return _SLACK_SECONDS if isinstance(job, wire.ProbeJob) else _LONGEST_WALK_SECONDS


def longest_seconds(job: wire.LoadJob | wire.ClientsJob) -> float:
    """How long a load may be at work; the engine gives those that wear out ten times as long."""
    before_ns, limit_ns = (
        (job.start_after_ns + job.warm_up_ns, job.duration_ns)
        if isinstance(job, wire.LoadJob)
        else (job.ramp_ns, job.time_limit_ns)
    )
    return (before_ns + limit_ns * (_WEAR_OUT_TIMES if job.wear_out else 1)) / 1e9


def _waiting_seconds(job: wire.LoadJob | wire.ClientsJob) -> float:
    """Time until others are prepared as well, where all begin together."""
    return _LONGEST_WAIT_SECONDS if job.start_on_order else 0.0


def _before_clients_seconds(job: wire.ClientsJob) -> float:
    """Time until all clients have their directories, at the slowest, and to end."""
    tree = job.files.tree
    directories = (
        tree.fan_out**tree.depth if isinstance(tree, wire.SharedTree) else job.files.clients
    )
    return _SLACK_SECONDS + 2 * directories * _SLOWEST_DIRECTORY_SECONDS


def _reading_seconds(job: wire.LoadJob) -> float:
    """Time to read everything back, at the slowest, where the load is verified."""
    target = job.target
    if isinstance(target, wire.FilesTarget | wire.ShareFilesTarget):
        size_bytes = target.count * target.file_size_bytes
    else:
        size_bytes = target.size_bytes
    return size_bytes / _SLOWEST_READING_BYTES_PER_SECOND if job.verify else 0.0


def _written(job: wire.Job) -> bytes:
    """Without later keys that ask for nothing: engines that lack them refuse them."""
    left_out = {key for key in _LATER_KEYS if not getattr(job, key, None)}
    return job.model_dump_json(exclude=left_out).encode()


@cache
def _events() -> TypeAdapter[wire.Event]:
    """Made when the first event is read: a command that runs no engine need not wait for it."""
    return TypeAdapter(wire.Event)


def _parse(line: bytes) -> wire.Event:
    try:
        return _events().validate_json(line)
    except ValidationError as error:
        raise RigError(
            "this version of fsgauge does not understand what the engine wrote",
            details=(line[:200].decode(errors="replace"), str(error).splitlines()[0]),
            cause="the engine and the Python package are of different versions",
            next="make setup",
        ) from error


def _expect(kind: type[R], result: wire.Result) -> R:
    if isinstance(result, kind):
        return result
    raise RigError(
        f"the engine answered a {kind.__name__} job with {type(result).__name__}",
        cause="the engine and the Python package are of different versions",
        next="make setup",
    )
