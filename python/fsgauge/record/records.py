"""What a study leaves behind, raw and never edited: one JSON file a run, one a turn, one a study.

    DIR/study.toml                       the effective study, every key
    DIR/study.json                       StudyRecord: plan, command line, versions
    DIR/environment-before.json, -after  EnvironmentRecord: each machine as it was
    DIR/records/BBB-TT-SYSTEM/turn.json              TurnRecord: how the system was made
    DIR/records/BBB-TT-SYSTEM/RR-CELL.json           RunRecord: one cell, measured: a part for
                                         each machine, in it a slice for each stretch of its time
    DIR/records/BBB-TT-SYSTEM/scan-before.json, -after
                                         ScanRecord: the layout before the first and after the
                                         last run, where the study asks for it
    DIR/records/BBB-TT-SYSTEM/scan-after-CELL.json   ScanRecord: the files that one cell wrote
    DIR/records/BBB-TT-SYSTEM/scan-aged.json         ScanRecord: the files that ageing has left
    DIR/records/BBB-TT-SYSTEM/step-NN-CELL.json      StepRecord: what was done before that cell
    DIR/records/BBB-TT-SYSTEM/host-NAME-...          the same as one of several machines made them
    DIR/series/BBB.json, BBB-counts.parquet, BBB-intervals.parquet
                                         SeriesRecord and the many rows of a finished block's runs,
                                         unless all runs of the study are less than 8 MiB: from then
                                         on the run records say `series` and hold no rows
    DIR/records-abandoned/NNN/BBB-TT-SYSTEM/         turns of a block that was cut short; not read
    DIR/environment-resumed-NNN.json     EnvironmentRecord of each time that the study went on
    DIR/journal.ndjson                   what happened, in order; a SHA-256 of each file, chained
    DIR/report.html, DIR/charts/*.svg    made from the above, any number of times
Format 1 is the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fsgauge.engine import wire
from fsgauge.plain_files.kept import Kept
from fsgauge.record.command import CommandJob, CommandRun, ForeignJob
from fsgauge.record.machine import Machine, StorageFacts
from fsgauge.record.merging import merged
from fsgauge.record.modes import Curve, Pace, RaceRules
from fsgauge.record.parts import DeviceRun, MachineStart, Part, ServerFacts, ServerRun, Traffic
from fsgauge.record.preconditioning import CellPreconditioning
from fsgauge.record.strikes import Strike, Struck

FORMAT = 1
REACHED_BY = "reached by"
"""In the details of a system's facts: what the nodes that drive the load reach it by."""


class Record(Kept):
    """What is stored for good, with its format."""

    format: Literal[1] = 1


FactorValue = str | int | bool


class Cell(Kept):
    """One point of the sweep. `name` is for people and `--fail-if`: "randread 4 KiB, depth 32".

    `factors` are what it is, in the words of its kind of study (fsgauge.record.factors): raw
    numbers, the unit last in a factor's name. A factor that does not apply is left out.
    """

    id: str
    name: str
    kind: str
    factors: dict[str, FactorValue]
    pace: Pace | None = Field(default=None, exclude_if=lambda value: value is None)


def turn_title(system: str, *, again: bool, over_path: bool) -> str:
    return system + (" again" if again else "") + (" over its path" if over_path else "")


class Turn(Kept):
    """One system's turn in a block: made afresh once, then every cell in the block's order.

    `again` marks the second turn of the baseline in the block (A/A), `over_path` a turn beside
    those of a served system, over its path without the server, `strikes` what is done to machines
    in each of its runs.
    """

    block: int
    turn: int
    system: str
    again: bool
    cells: list[str]
    over_path: bool = False
    strikes: list[Strike] = Field(default=[], exclude_if=lambda value: not value)

    @property
    def title(self) -> str:
        """The turn as people know it: "ext4", "ext4 again", "ext4 over its path"."""
        return turn_title(self.system, again=self.again, over_path=self.over_path)


class Plan(Kept):
    """All turns in the order they happen, and what that will take."""

    format: Literal[1] = 1
    study: str
    seed: int
    baseline: str
    systems: list[str]
    primary: list[str]
    primary_layout: bool = False
    cells: list[Cell]
    turns: list[Turn]
    expected_seconds: float
    expected_written_bytes: int
    side_by_side: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether the turns of a block are measured by turns, cell by cell, and not one by one."""
    struck: list[Turn] = Field(default=[], exclude_if=lambda value: not value)
    """Turns whose runs are struck on purpose, in blocks of their own: nothing that is compared."""
    curve: Curve | None = Field(default=None, exclude_if=lambda value: value is None)
    race: RaceRules | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def paced_loads(self) -> list[Cell]:
        """Of a curve, the cells whose rate it raises."""
        paced = {cell.pace.load for cell in self.cells if cell.pace}
        return [cell for cell in self.cells if cell.id in paced]

    @property
    def places(self) -> list[tuple[str, str]]:
        """Each cell's id with each system, in the order of cells."""
        return [(cell.id, system) for cell in self.cells for system in self.systems]

    @property
    def all_turns(self) -> list[Turn]:
        return [*self.turns, *self.struck]

    def of_turn(self, turn: Turn) -> Plan:
        """The plan of one turn alone, struck or not, for whoever measures just that."""
        return self.model_copy(update={"turns": [turn], "struck": [], "side_by_side": False})

    @property
    def comparisons(self) -> int:
        """The primary cells times the systems next to the baseline: corrected together."""
        cells = self.paced_loads if self.curve else self.primary or self.cells
        return max(1, len(cells) * (len(self.systems) - 1))

    def has_cell(self, measured: Cell) -> bool:
        """Whether a cell is one of the plan, also with a rate that was decided since."""
        return any(
            each == measured or (each.id == measured.id and each.pace and measured.pace)
            for each in self.cells
        )


class StudyRecord(Record):
    """Written before the first run."""

    fsgauge_version: str
    study: dict[str, Any]
    plan: Plan
    command: list[str]
    started_unix_ns: int
    rig: str


class SystemFacts(Kept):
    """How a system stood when it was measured: what was asked and what is in force."""

    kind: str
    mkfs_command: list[str]
    mkfs_output: str
    mount_source: str
    mount_options: str
    tunables: dict[str, str]
    size_bytes: int
    free_bytes: int | None
    block_size_bytes: int | None
    free_extents: int | None = Field(default=None, exclude_if=lambda value: value is None)
    """Pieces of free space, where a folder's file system told of them before its first turn."""
    largest_free_bytes: int | None = Field(default=None, exclude_if=lambda value: value is None)
    details: dict[str, str] = Field({})
    """What the file system's own tools say is in force: features, journal, groups, profiles."""


class TurnRecord(Record):
    """How the system of one turn was made; `layout` is null where no files were laid out."""

    block: int
    turn: int
    system: str
    again: bool
    facts: SystemFacts
    target: dict[str, Any]
    layout: wire.LayoutResult | None = None
    start_state: list[str]
    started_unix_ns: int
    prepare_ns: int
    notes: list[str]
    server: ServerFacts | None = None
    over_path: bool = False


class RunRecord(Record):
    """One cell on one system in one block: a part for each machine, or a fault and no part.

    With `series`, its histogram counts and intervals are in that block's Parquet files. `device` is
    null where no single block device is below the system.
    """

    block: int
    turn: int
    position: int
    system: str
    again: bool
    cell: Cell
    job: Annotated[
        wire.LoadJob | wire.ClientsJob | CommandJob | ForeignJob, Field(discriminator="kind")
    ]
    caches: str
    parts: list[Part]
    fault: wire.EngineFault | None
    started_unix_ns: int
    series: str | None = None
    server: ServerRun | None = None
    device: DeviceRun | None = None
    over_path: bool = False
    preconditioning: CellPreconditioning | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    starts: list[MachineStart] = Field(default=[], exclude_if=lambda value: not value)
    """Of several machines that began together, in the order of `parts`."""
    traffic: list[Traffic] = Field(default=[], exclude_if=lambda value: not value)
    """What the counters of the system's layers counted between the machines that took part."""
    struck: list[Struck] = Field(default=[], exclude_if=lambda value: not value)
    """What was done to machines on purpose meanwhile."""
    command: CommandRun | None = Field(default=None, exclude_if=lambda value: value is None)
    """What a program of the user's did, where it was the load."""
    not_read: list[str] = Field(default=[], exclude_if=lambda value: not value)
    """What could not be read beside the run in time, in words; what was measured stands."""

    @cached_property
    def result(self) -> wire.LoadResult | None:
        """What all its machines measured, as one result; None where it failed. Added up once."""
        return merged(self.parts)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same with other values, added up anew."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("result", None)
        return copied

    @property
    def load(self) -> wire.LoadJob | None:
        """The job where it was a plain load; None where many clients worked on a file set."""
        return self.job if isinstance(self.job, wire.LoadJob) else None

    @property
    def left_files_short(self) -> bool:
        """Whether the time limit ended it while it wrote files that later runs work on."""
        job = self.job
        if self.result is None or self.result.ended != "duration":
            return False
        if isinstance(job, wire.ClientsJob):
            return job.phase.kind == "write" and not job.wear_out
        return isinstance(job, wire.LoadJob) and job.extend and not job.wear_out

    @property
    def is_foreign(self) -> bool:
        return isinstance(self.job, ForeignJob)

    @property
    def most_gave_up(self) -> bool:
        """Whether most clients, or most files, were given up: the rest is not what was asked."""
        clients, job = self.result.clients if self.result else None, self.job
        if clients is None or not isinstance(job, wire.ClientsJob):
            return False
        of = max(job.clients, len(self.result.jobs) if self.result else 0)
        return 2 * clients.clients_gave_up > of or clients.files_given_up > clients.files


class LostBlock(BaseModel):
    """A block in which a machine was lost, as the journal has it: what happened and what was done
    meanwhile, both in words, and the last lines of the machine's console. `again`: the block was
    measured again; otherwise the runs that it lacked have failed."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    block: int
    because: str
    during: str
    lines: list[str]
    again: bool


class NotRemovedTurn(BaseModel):
    """A turn whose system could not be removed after it was measured, as the journal has it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    block: int
    turn: int
    system: str
    because: str


class ScanRecord(Record):
    """What lay where in one turn. Exactly one of `result` and `fault` is set.

    With "after cell", the files that `cell` (its id) has written, synced before; with "aged", those
    that ageing has left; otherwise all.
    """

    block: int
    turn: int
    system: str
    again: bool
    when: Literal["before", "after", "after cell", "aged"]
    cell: str | None = None
    result: wire.ScanResult | None
    fault: wire.EngineFault | None
    started_unix_ns: int


class StepRecord(Record):
    """What was done to a system before a cell, untimed; `number` counts the steps of a turn.

    age: an op log was replayed, with `job` and `result`; delete: one of its files was removed;
    ballast: free space outside of the region was taken; clear: the files of the cells before were
    removed. `size_bytes` is what the step took or gave back, `free_bytes` what was free after it.
    """

    block: int
    turn: int
    system: str
    again: bool
    number: int
    cell: str
    step: Literal["age", "delete", "ballast", "clear"]
    what: str
    job: wire.AgeJob | None = None
    result: wire.AgeResult | None = None
    size_bytes: int
    free_bytes: int
    started_unix_ns: int
    elapsed_ns: int


OfTurn = TurnRecord | RunRecord | ScanRecord | StepRecord
"""A record that lies in the folder of its turn."""


class EnvironmentRecord(Record):
    """Every machine of the rig at one moment; the first one drives the load.

    `left_out` names machines that were part of the rig when the study began, and why they no longer
    are.
    """

    machines: Annotated[list[Machine], Field(min_length=1)]
    left_out: list[str] = Field(default=[], exclude_if=lambda value: not value)

    @property
    def load(self) -> Machine:
        return self.machines[0]

    @property
    def below(self) -> Machine:
        """The machine that systems sit on; of several, the first."""
        return next(each for each in self.machines if each.storage is not None)

    @property
    def storage(self) -> StorageFacts:
        """What the systems sit on."""
        return next(each.storage for each in self.machines if each.storage is not None)

    def of_role(self, role: str) -> Machine | None:
        return next((each for each in self.machines if each.role == role), None)

    @model_validator(mode="after")
    def _each_is_one(self) -> Self:
        for key in ("name", "role"):
            if len({getattr(each, key) for each in self.machines}) < len(self.machines):
                raise ValueError(f"two machines have one {key}")
        if all(each.storage is None for each in self.machines):
            raise ValueError("no machine has storage")
        return self
