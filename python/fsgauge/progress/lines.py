"""Progress without a terminal: plain lines, lines of JSON, or nothing."""

from __future__ import annotations

import json
from typing import TextIO

from fsgauge.progress.audience import Audience
from fsgauge.progress.opening import opening
from fsgauge.progress.tally import Tally, operations_per_second, outcome
from fsgauge.record import Cell, EnvironmentRecord, Plan, RunRecord, Turn, turn_title
from fsgauge.study.model import Study
from fsgauge.wire import Event


class Quiet:
    """Says nothing; the last two lines come from the command itself."""

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        """Nothing."""

    def turn_started(self, turn: Turn) -> None:
        """Nothing."""

    def step_started(self, turn: Turn, what: str) -> None:
        """Nothing."""

    def run_started(self, turn: Turn, cell: Cell) -> None:
        """Nothing."""

    def event(self, event: Event) -> None:
        """Nothing."""

    def run_ended(self, record: RunRecord) -> None:
        """Nothing."""

    def ended(self) -> None:
        """Nothing."""


class Lines(Quiet):
    """One line a run, for pipes and CI logs."""

    def __init__(self, stream: TextIO) -> None:
        self.audience = Audience(stream)
        self.tally: Tally | None = None

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        """The question, the storage, the plan."""
        self.tally = Tally(plan)
        self._say(*opening(study, plan, environment))

    def run_ended(self, record: RunRecord) -> None:
        """The run's rate, its ratio so far and the time left."""
        assert self.tally is not None  # noqa: S101 - the study has started
        self.tally.runs.append(record)
        parts = [
            f"block {record.block + 1}",
            turn_title(record.system, again=record.again, over_path=record.over_path),
            record.cell.name,
            outcome(record),
            self.tally.so_far(record),
            self.tally.left(),
        ]
        self._say("  ".join(part for part in parts if part))

    def _say(self, *lines: str) -> None:
        self.audience.say("".join(f"{line}\n" for line in lines))


class JsonLines(Quiet):
    """One JSON object a run on standard output: raw numbers, units in the keys."""

    def __init__(self, stream: TextIO) -> None:
        self.audience = Audience(stream)

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        """The plan in numbers."""
        self._say(
            event="study_started",
            question=study.question,
            storage=environment.storage.sentence,
            runs=sum(len(turn.cells) for turn in plan.turns),
            expected_seconds=plan.expected_seconds,
            expected_written_bytes=plan.expected_written_bytes,
            seed=plan.seed,
        )

    def run_ended(self, record: RunRecord) -> None:
        """The run's rate or fault."""
        self._say(
            event="run_ended",
            block=record.block,
            system=record.system,
            again=record.again,
            over_path=record.over_path,
            cell=record.cell.id,
            operations_per_second=operations_per_second(record),
            fault=record.fault.what if record.fault else None,
        )

    def _say(self, **facts: object) -> None:
        self.audience.say(json.dumps(facts) + "\n")
