"""The engine of a host in a fleet: its share of each run, begun together with all others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fsgauge.engine import Armed, Engine, OnEvent, Result, Start
from fsgauge.rig.fleet.gate import Gate, Label
from fsgauge.rig.rig import RunStarted
from fsgauge.study.model import Study
from fsgauge.wire import ClientsJob, Job, LayoutJob, LayoutResult, Lease, LoadJob, LoadResult
from fsgauge.workload import method_of
from fsgauge.workload.dealing import Share

SILENCE_NS = 10_000_000_000
"""An engine whose caller says nothing for so long ends its load and cleans up."""


class GatedEngine(Engine):
    """Deals jobs out, and has measured ones wait at the gate once the engine is prepared.

    `expect` says that the next load is a measured run; all others run as they come.
    """

    def __init__(self, study: Study, share: Share, gate: Gate, binary: Path | None = None) -> None:
        super().__init__(binary)
        self._method = method_of(study.workload)
        self._share = share
        self._gate = gate
        self._next: Label | None = None
        self._interrupt: Callable[[], None] | None = None

    def expect(self, started: RunStarted) -> None:
        """The next load is this run."""
        turn = started.turn
        self._next = Label(turn.block, turn.turn, started.cell.id)

    def interrupt(self) -> None:
        """End the job that runs, if one does, with what it has."""
        if self._interrupt is not None:
            with suppress(OSError):
                self._interrupt()

    def layout(self, job: LayoutJob, on_event: OnEvent | None = None) -> LayoutResult:
        """Lay out this host's files."""
        return super().layout(self._method.dealt(job, self._share), on_event)

    def load(self, job: LoadJob | ClientsJob, on_event: OnEvent | None = None) -> LoadResult:
        """This host's share of a load; a measured one waits at the gate."""
        label, self._next = self._next, None
        job = self._dealt(job)
        if label is None:
            return super().load(job, on_event)
        update = {"start_on_order": True, "lease": Lease(silence_limit_ns=SILENCE_NS)}
        job = job.model_copy(update=update)
        result = self.run(job, on_event, on_armed=lambda: self._gate.wait(label))
        self._gate.require_not_ended()
        assert isinstance(result, LoadResult)  # noqa: S101 - that of a load
        return result

    def run(
        self,
        job: Job,
        on_event: OnEvent | None = None,
        on_start: Start | None = None,
        on_armed: Armed | None = None,
    ) -> Result:
        """Any job; `interrupt` reaches it."""

        def begun(interrupt: Callable[[], None]) -> None:
            self._interrupt = interrupt
            if on_start is not None:
                on_start(interrupt)

        self._gate.require_not_ended()
        try:
            return super().run(job, on_event, begun, on_armed)
        finally:
            self._interrupt = None

    def _dealt(self, job: LoadJob | ClientsJob) -> LoadJob | ClientsJob:
        if isinstance(job, LoadJob):  # Dealt is one type at a time, and mypy solves it for each
            return self._method.dealt(job, self._share)
        return self._method.dealt(job, self._share)
