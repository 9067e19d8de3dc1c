"""The engine of a host in a fleet: its share of each run, begun together with all others; and the
gate at which the host's thread waits, prepared, until all hosts are."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from fsgauge.engine import wire
from fsgauge.engine.client import (
    Armed,
    Engine,
    EngineFaultError,
    OnEvent,
    Start,
    longest_seconds,
    mixed,
    results_of_mix,
)
from fsgauge.engine.wire import ClientsJob, FilesTarget, LayoutJob, LoadJob, LoadResult
from fsgauge.errors import Interrupted, RigError
from fsgauge.machine.folder.open_folder import BELOW
from fsgauge.plain_files.opening import closing
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, Turn
from fsgauge.rig.fleet.files_of_all import linked_parts, offered, patience_seconds, taken
from fsgauge.rig.fleet.messages import Label
from fsgauge.rig.happenings import RunBeginsAgain, RunStarted
from fsgauge.study.model import Study
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of
from fsgauge.workload.dealing import Share

LONGEST_WAIT_SECONDS = 1800.0
"""Others may lay out files for so long; then something is wrong with the coordinator."""


RESTING = "others measure"
"""The meeting of a host that takes no part in a run: it ends once the others are through."""
LONGEST_REST_SECONDS = 24 * 3600.0

THROUGH = "through"
"""The meeting of hosts that have ended a run; one offers why it missed the start, if it did."""
AGAIN = "again"
"""What such a host hears instead of nothing where one has: the run begins again for all."""


class Gate:
    """One thread waits at it; another one opens it, or ends the wait."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._opened: int | str | None = None
        self._because: str | None = None
        self.waiting: Label | None = None
        self.offer = ""

    def wait(self, label: Label) -> int:
        """When to begin, by this machine's monotonic clock. Raises Interrupted once it is ended."""
        return int(self._wait(label, ""))

    def meet(self, label: Label, offer: str = "") -> str:
        """Wait for all hosts; gives what the first of them offered. Raises Interrupted as well."""
        return str(self._wait(label, offer))

    def _wait(self, label: Label, offer: str) -> int | str:
        seconds = LONGEST_WAIT_SECONDS + label.patience_seconds
        with self._changed:
            self._opened, self.waiting, self.offer = None, label, offer
            self._changed.notify_all()
            try:
                ready = self._changed.wait_for(
                    lambda: self._opened is not None or self._because is not None, seconds
                )
            finally:
                self.waiting = None
            if self._because is not None:
                raise Interrupted(self._because)
            if not ready or self._opened is None:
                raise RigError(
                    f"{label}: no start came within {seconds:.0f} s",
                    cause="another host is still preparing, or the coordinator hangs",
                    next="uptime, on each host; fsgauge resume goes on with the study",
                )
            return self._opened

    def open(self, label: Label, opened: int | str) -> bool:
        """Let the run begin at that moment, or the meeting end with what the first host offered;
        False where it is not the one that waits."""
        with self._changed:
            if self.waiting != label:
                return False
            self._opened = opened
            self.waiting = None  # whoever looks before the thread has woken up is told so
            self._changed.notify_all()
            return True

    def end(self, because: str) -> None:
        with self._changed:
            self._because = because
            self._changed.notify_all()

    def reopen(self) -> None:
        with self._changed:
            self._because = None

    def require_not_ended(self) -> None:
        if self._because is not None:
            raise Interrupted(self._because)


SILENCE_NS = 10_000_000_000
"""An engine whose caller says nothing for so long ends its load and cleans up."""


RESTS = wire.EngineFault(
    what="this host takes no part in the run",
    cause="the cell has fewer hosts than the fleet",
    next="the study's own record has the hosts that measured it",
    errno=None,
    code="host.rests",
)
"""What stands in the record of a host that waited while others measured."""

_MISSED = "start.missed"
"""The engine was prepared too late, and nothing was loaded: the run has to begin again."""


Measured = LoadJob | ClientsJob | wire.MixJob


@dataclass(frozen=True)
class Expected:
    label: Label
    cell: Cell
    share: Share


class GatedEngine(Engine):
    """Deals jobs out, and has measured ones wait at the gate once the engine is prepared.

    `expect` says that the next load is a measured run; all others run as they come. Files that all
    hosts work on are laid out by the first one, and no host leaves them while another is at work.
    """

    def __init__(self, study: Study, share: Share, gate: Gate) -> None:
        super().__init__()
        self._method = method_of(study.workload)
        self._cells = cells_of(study.workload)
        self._share = share
        self._gate = gate
        self._turn: Turn | None = None
        self._next: tuple[Label, Cell] | None = None
        self._interrupt: Callable[[], None] | None = None

    def enter(self, turn: Turn) -> None:
        self._turn = turn

    def expect(self, started: RunStarted) -> None:
        turn = started.turn
        label = Label(block=turn.block, turn=turn.turn, cell=started.cell.id)
        self._next = label, started.cell

    def interrupt(self) -> None:
        """End the job that runs, if one does, with what it has."""
        if self._interrupt is not None:
            with suppress(OSError):
                self._interrupt()

    def age(
        self, job: wire.AgeJob, on_event: OnEvent | None = None, on_start: Start | None = None
    ) -> wire.AgeResult:
        """This host's ageing, begun when all hosts are ready for it."""
        if self._turn is not None and self._share.hosts > 1:
            self._meet("ageing")
        return super().age(self._method.dealt(job, self._share), on_event, on_start)

    def load(self, job: LoadJob | ClientsJob, on_event: OnEvent | None = None) -> LoadResult:
        """This host's share of a load; a measured one waits at the gate. Raises EngineFaultError
        (RESTS) where others measured it, once they are through, and RunBeginsAgain where one of
        them missed the start."""
        expected = self._expected()
        if expected is None:
            return super().load(self._dealt(job, self._share), on_event)
        result = self._from_gate(self._dealt(job, expected.share), expected, on_event)
        assert isinstance(result, LoadResult)  # noqa: S101 - that of a load
        return result

    def mix(
        self, loads: Sequence[LoadJob], on_event: OnEvent | None = None, *, lay_out: bool = False
    ) -> list[LoadResult]:
        expected = None if lay_out else self._expected()
        share = expected.share if expected else self._share
        own = [self._method.dealt(load, share) for load in loads]
        if expected is None:
            return super().mix(own, on_event, lay_out=lay_out)
        return results_of_mix(self._from_gate(mixed(own), expected, on_event))

    def _expected(self) -> Expected | None:
        """The measured run that a load is; None of one that is no run."""
        found, self._next = self._next, None
        if found is None:
            return None
        label, cell = found
        hosts = factors_of(cell).host_count or self._share.hosts
        if self._share.number >= hosts:
            _require_counts(self._gate.meet(label.met(RESTING, LONGEST_REST_SECONDS)), label)
            raise EngineFaultError(RESTS)
        return Expected(label, cell, replace(self._share, hosts=hosts, cell=cell))

    def _from_gate(
        self, job: Measured, expected: Expected, on_event: OnEvent | None
    ) -> wire.Result:
        update = {"start_on_order": True, "lease": wire.Lease(silence_limit_ns=SILENCE_NS)}
        job, label = job.model_copy(update=update), expected.label
        try:
            result = self.run(job, on_event, on_armed=lambda: self._gate.wait(label))
        except EngineFaultError as error:
            is_missed = error.fault.code == _MISSED
            if not is_missed or self._begins_again(expected.cell):
                self._leave(job, expected, error.what if is_missed else "")
            if is_missed:
                raise RigError(error.what, cause=error.cause, next=error.next) from error
            raise
        self._gate.require_not_ended()
        self._leave(job, expected)
        return result

    def prepared(self) -> None:
        if self._next is not None:
            self._gate.meet(self._next[0].met("prepared", LONGEST_REST_SECONDS))

    @contextmanager
    def together(self, longest_seconds: float, stop: Callable[[], None]) -> Iterator[None]:
        """This host's start of a program, at the moment that all hosts are given."""
        expected, self._next = self._next, None
        if expected is None:
            yield
            return
        label, _ = expected
        start_ns = self._gate.wait(label)
        time.sleep(max(0, start_ns - time.monotonic_ns()) / 1e9)
        self._interrupt = stop
        try:
            self._gate.require_not_ended()
            yield
        finally:
            self._interrupt = None
            self._gate.require_not_ended()
        _require_counts(self._gate.meet(label.met(THROUGH, longest_seconds)), label)

    def run(
        self,
        job: wire.Job,
        on_event: OnEvent | None = None,
        on_start: Start | None = None,
        on_armed: Armed | None = None,
    ) -> wire.Result:
        if isinstance(job, LayoutJob) and isinstance(job.target, FilesTarget) and self._shares:
            return self._laid_out(job, job.target, on_event)
        return self._run(job, on_event, on_start, on_armed)

    def _run(
        self,
        job: wire.Job,
        on_event: OnEvent | None = None,
        on_start: Start | None = None,
        on_armed: Armed | None = None,
    ) -> wire.Result:
        def begun(interrupt: Callable[[], None]) -> None:
            self._interrupt = interrupt
            if on_start is not None:
                on_start(interrupt)

        self._gate.require_not_ended()
        try:
            return super().run(job, on_event, begun, on_armed)
        finally:
            self._interrupt = None

    @property
    def _shares(self) -> bool:
        return self._share.hosts > 1 and self._method.files_of_all > 0 and self._turn is not None

    def _laid_out(
        self, job: LayoutJob, target: FilesTarget, on_event: OnEvent | None
    ) -> wire.LayoutResult:
        """The first host lays all files out; the others what is not of all hosts, and links."""
        files, patience = self._method.files_of_all, patience_seconds(target)
        own: wire.LayoutResult | None = None
        if self._share.number == 0 or target.count > files:
            result = self._run(job, on_event)
            assert isinstance(result, wire.LayoutResult)  # noqa: S101 - that of a layout
            own = result
        if self._share.number == 0 and own is not None:
            self._meet("files laid out", offered(target, own), patience)
            return own
        offer = self._meet("files laid out", "", patience)
        with closing(self._opened(target.directory)) as folder:
            layout = taken(offer, target, folder, files)
            every = self._share.hosts  # between how many hosts files may be divided
            numbers = {factors_of(cell).host_count or every for cell in self._cells}
            linked_parts(target, folder, files, self._share, numbers)
        return layout

    def _opened(self, directory: str) -> int:
        held = next((place for place in self.held if place.path == directory), None)
        return os.open(
            "." if held is not None else directory,
            BELOW,
            dir_fd=held.descriptor if held is not None else None,
        )

    def _begins_again(self, cell: Cell) -> bool:
        struck = self._turn is not None and self._turn.strikes
        return not struck and factors_of(cell).can_begin_again

    def _leave(self, job: Measured, expected: Expected, missed: str = "") -> None:
        """Wait until no host is at work any more, where one may have missed the start, or all are
        on the same files. `missed` says that this one has."""
        is_on_files_of_all = (
            self._shares
            and not isinstance(job, wire.MixJob)
            and self._method.is_on_files_of_all(job)
        )
        if self._begins_again(expected.cell) or is_on_files_of_all:
            through = expected.label.met(THROUGH, _load_seconds(job))
            _require_counts(self._gate.meet(through, missed), expected.label)

    def _meet(self, what: str, offer: str = "", patience: float = 0.0) -> str:
        assert self._turn is not None  # noqa: S101 - asked in a turn alone
        label = Label(block=self._turn.block, turn=self._turn.turn).met(what, patience)
        return self._gate.meet(label, offer)

    def _dealt(self, job: LoadJob | ClientsJob, share: Share) -> LoadJob | ClientsJob:
        if isinstance(job, LoadJob):  # Dealt is one type at a time, and mypy solves it for each
            return self._method.dealt(job, share)
        return self._method.dealt(job, share)


def _require_counts(passed: str, label: Label) -> None:
    if passed == AGAIN:
        raise RunBeginsAgain(f"{label} begins again on all hosts: one missed the start")


def _load_seconds(job: Measured) -> float:
    """How long others may be at work once a host has missed the start."""
    if isinstance(job, wire.MixJob):
        spans = ("start_after_ns", "warm_up_ns", "duration_ns")
        return float(max(sum(load.get(key, 0) for key in spans) for load in job.loads)) / 1e9
    return longest_seconds(job)
