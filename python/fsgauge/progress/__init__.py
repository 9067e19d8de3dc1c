"""What a user sees while a study runs: a live view on a terminal, else a line per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # commands that only say something import this folder too
    from fsgauge.engine.wire import Event
    from fsgauge.record.records import Cell, EnvironmentRecord, Plan, RunRecord, Turn
    from fsgauge.study.model import Study


class Progress:
    """Called by `run/` at each step, in order; all methods return at once. This one is quiet."""

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        """The plan is made and the storage is attached."""

    def raced(self, plan: Plan, words: str) -> None:
        """A block of a race begins: what is left of the plan, and how it stands."""

    def turn_started(self, turn: Turn) -> None:
        """A system is being made and filled."""

    def step_started(self, turn: Turn, what: str) -> None:
        """Something is done to the system before a cell."""

    def run_started(self, turn: Turn, cell: Cell) -> None:
        """A cell starts on the system."""

    def event(self, event: Event) -> None:
        """An event of the engine."""

    def run_ended(self, record: RunRecord) -> None:
        """A cell is measured and stored."""

    def ended(self) -> None:
        """The study ended; restore the terminal."""
