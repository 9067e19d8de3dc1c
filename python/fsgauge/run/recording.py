"""What a rig tells of its blocks: each record on disk before the rig goes on, and shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsgauge.engine.wire import ClientsResult
from fsgauge.errors import RigError
from fsgauge.progress import Progress
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Plan, RunRecord, ScanRecord, StepRecord, TurnRecord
from fsgauge.rig import happenings
from fsgauge.stats.client_errors import ERRORS, needed
from fsgauge.store import ResultsFolder
from fsgauge.store.abandon import set_aside
from fsgauge.store.journal import GIVEN_UP, NOT_REMOVED, VOID


@dataclass
class Recording:
    """Told each happening of a study. `runs` are its own in whole blocks and since, none of them
    over a path beside a server; kept only for a study that asks whether it knows enough."""

    folder: ResultsFolder
    progress: Progress
    plan: Plan
    keeps_runs: bool
    runs: list[RunRecord] = field(default_factory=list)
    during: str = ""
    """What the rig did last, for the journal."""
    endless_on: set[str] | None = field(default_factory=set)
    """Systems on which the program was killed at its time limit; None once a run has ended."""
    cut: dict[tuple[int, int, str], str] = field(default_factory=dict)
    """Block, turn and kind of job of writers that the time limit ended, and their cell's name."""

    def __call__(self, happening: happenings.Happening) -> None:
        """Raises RigError where it cannot be stored, or nothing more is worth measuring."""
        match happening:
            case happenings.TurnStarted(turn):
                self.during = f"{turn.system} was made"
                self.progress.turn_started(turn)
                self.folder.journal("turn", block=turn.block, turn=turn.turn, system=turn.system)
            case happenings.StepStarted(turn, what):
                self.during = f"{turn.system}: {what}"
                self.progress.step_started(turn, what)
            case happenings.RunStarted(turn, cell):
                self.during = f"{turn.system} was measured ({cell.name})"
                self.progress.run_started(turn, cell)
            case happenings.LoadBegins():
                pass
            case happenings.StartMissed(turn, cell, because):
                self.folder.journal(
                    "start missed", block=turn.block, turn=turn.turn, cell=cell.id, because=because
                )
            case happenings.FromMachine(machine, record):
                self.folder.write_of_turn(record, machine)
            case happenings.BlockVoid(block, because, lines):
                self.void({block}, because, during=self.during, lines=lines)
            case happenings.BlockGivenUp(block, because, lines):
                self.folder.journal(
                    GIVEN_UP, blocks=[block], because=because, during=self.during, lines=lines
                )
            case happenings.NotRemoved(turn, because):
                self.folder.journal(
                    NOT_REMOVED,
                    block=turn.block,
                    turn=turn.turn,
                    system=turn.system,
                    because=because,
                )
            case TurnRecord() | ScanRecord():
                self.folder.write_of_turn(happening)
            case StepRecord():
                self._step(happening)
            case RunRecord():
                self._run(happening)
            case _:
                self.progress.event(happening)

    def void(self, blocks: set[int], because: str, **facts: object) -> None:
        """What was recorded of these blocks is set aside: they are measured again."""
        others = {turn.block for turn in self.plan.all_turns} - blocks
        aside = set_aside(self.folder, self.plan, others)
        self.folder.journal(VOID, blocks=sorted(blocks), because=because, abandoned=aside, **facts)
        self.runs = [run for run in self.runs if run.block not in blocks]

    def _step(self, record: StepRecord) -> None:
        self.folder.write_of_turn(record)
        self.folder.journal(
            "step", block=record.block, turn=record.turn, cell=record.cell, what=record.what
        )

    def _run(self, record: RunRecord) -> None:
        place = record.block, record.turn, record.job.kind
        cut = self.cut.get(place, "")
        record = _after(cut, record)
        fault = record.fault.what if record.fault else None
        self.folder.write_of_turn(record)
        self.folder.journal(
            "run", block=record.block, turn=record.turn, cell=record.cell.id, fault=fault
        )
        if self.keeps_runs and not (record.over_path or record.struck):
            self.runs.append(record)
        self.progress.run_ended(record)
        if record.struck:
            return
        require_server(record)
        require_clients(record, cut)
        if record.left_files_short:
            self.cut[place] = record.cell.name
        self._require_an_end(record)

    def _require_an_end(self, record: RunRecord) -> None:
        """Raise RigError for a program that came to its end on no system: all of the turns to come
        would wait for its limit."""
        fault = record.fault
        if fault is None or fault.code != "command.time_limit":
            self.endless_on = None
        if self.endless_on is None or fault is None:
            return
        self.endless_on.add(record.system)
        if self.endless_on >= {turn.system for turn in self.plan.turns}:
            where = "on every system, and no run of it ended"
            raise RigError(fault.what, details=(where,), cause=fault.cause, next=fault.next)


def _after(cut: str, record: RunRecord) -> RunRecord:
    """The record of a run that found a short file, with why that is so; any other as it is."""
    fault = record.fault
    if not cut or fault is None or fault.code != "target.size":
        return record
    why = {
        "what": f'the time limit ended "{cut}" before all of its file was written',
        "cause": fault.what,
        "next": "a longer workload.time_limit, or less to write",
    }
    return record.model_copy(update={"fault": fault.model_copy(update=why)})


def require_clients(record: RunRecord, cut: str = "") -> None:
    """Raise RigError that says what is needed; the record is stored already. `cut` is the cell in
    which the time limit ended the writers of these files; "" where they wrote all."""
    clients = record.result.clients if record.result else None
    if clients is None or not record.most_gave_up:
        return
    error = max(clients.errors, key=lambda each: each.count, default=None)
    lost = _lost(clients, factors_of(record.cell).at_once_on_all_hosts)
    if cut and error is not None and error.kind == "missing":
        raise RigError(
            f'{lost} in "{record.cell.name}" on "{record.system}"',
            details=_counted(clients),
            cause=f'the time limit ended "{cut}" before all of the files were written',
            next="a longer workload.time_limit, or fewer files",
        )
    raise RigError(
        f'{lost} in "{record.cell.name}" on "{record.system}"',
        details=_counted(clients),
        cause=f"{error.message}: {error.first_path}" if error else "",
        next=needed(error.kind, record.cell) if error else "dmesg | tail",
    )


def _lost(clients: ClientsResult, of: int) -> str:
    """ "30 of 40 clients gave up"; of clients that all went on, "90 of 90 files were given up"."""
    if 2 * clients.clients_gave_up > of:
        return f"{clients.clients_gave_up:,} of {of:,} client{'s' if of > 1 else ''} gave up"
    tried = clients.files + clients.files_given_up
    were = "s were" if tried > 1 else " was"
    return f"{clients.files_given_up:,} of {tried:,} file{were} given up"


_ENDS_ALL = ("network.", "password.")
"""Codes of faults that the next run would meet as well."""


def require_server(record: RunRecord) -> None:
    """Raise RigError where clients could not even begin to talk to the server."""
    fault = record.fault
    if fault is not None and fault.code.startswith(_ENDS_ALL):
        raise RigError(
            fault.what,
            details=(f'in "{record.cell.name}" on "{record.system}"',),
            cause=fault.cause,
            next=fault.next or "look at the server's log",
        )


def _counted(clients: ClientsResult) -> tuple[str, ...]:
    found = sorted(clients.errors, key=lambda each: -each.count)
    return tuple(
        f"{each.count:,} x {each.operation}: {ERRORS[each.kind].name},"
        f" the first at {each.first_path}"
        for each in found[:6]
    )
