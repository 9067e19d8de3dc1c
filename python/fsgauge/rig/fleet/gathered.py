"""What all hosts told of a block, put together: the study's own records, and those of each host.

All hosts carry out one plan, so their happenings come in one order. Each is put together once every
host has told it, in the order of the hosts, so that it makes no difference who told it first. Hosts
may tell and wait for what is planned, and only so often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from pydantic import ValidationError

from fsgauge.errors import RigError
from fsgauge.record.command import CommandRun, Found
from fsgauge.record.factors import factors_of
from fsgauge.record.parts import MachineStart, Traffic
from fsgauge.record.preconditioning import CellPreconditioning
from fsgauge.record.records import Plan, RunRecord, ScanRecord, StepRecord, Turn, TurnRecord
from fsgauge.rig.fleet.added_up import scan_of_all, step_of_all
from fsgauge.rig.fleet.control import SAME_VERSION, HostLostError, no_sense
from fsgauge.rig.fleet.gated_engine import RESTS
from fsgauge.rig.fleet.messages import RECORDS, AnyRecord, HappeningMessage, Label
from fsgauge.rig.happenings import (
    MOST_STARTS,
    FromMachine,
    Happening,
    RunStarted,
    StepStarted,
    TurnStarted,
)

_MOST_TOLD_OF_A_TURN = 20_000
_MOST_MEETINGS = 1000
"""Of a cell, or of a turn beside its cells."""


class Planned:
    """One block of a plan. All raise HostLostError with the host's name."""

    def __init__(self, plan: Plan, block: int) -> None:
        self._block = block
        self._turns: dict[int, Turn] = {t.turn: t for t in plan.turns if t.block == block}
        self._cells = {cell.id: cell for cell in plan.cells}
        self._happened: Counter[str] = Counter()
        self._recorded: set[tuple[str, str, int, int]] = set()
        self._waited: Counter[tuple[int, str, bool]] = Counter()

    def require_told(self, host: str, told: Sequence[HappeningMessage]) -> None:
        """Happenings of planned turns and cells, as many as can happen."""
        for each in told:
            turn = self._turns.get(each.turn)
            if turn is None or (each.kind == "run started" and each.text not in turn.cells):
                raise HostLostError(host, "it tells of what is not in the plan")
        self._happened[host] += len(told)
        if self._happened[host] > _MOST_TOLD_OF_A_TURN * len(self._turns):
            raise HostLostError(host, "it tells more of a block than can happen in it")

    def require_record(self, host: str, record: AnyRecord) -> None:
        """A record of what was planned, and of each turn and run one."""
        position = record.position if isinstance(record, RunRecord) else 0
        key = (host, type(record).__name__, record.turn, position)
        is_new = key not in self._recorded or isinstance(record, StepRecord | ScanRecord)
        self._recorded.add(key)
        if not (is_new and self._is_planned(record)):
            raise HostLostError(host, "its record is not of what was planned")

    def _is_planned(self, record: AnyRecord) -> bool:
        turn = self._turns.get(record.turn)
        if turn is None or record.block != self._block:
            return False
        if (record.system, record.again) != (turn.system, turn.again):
            return False
        if not isinstance(record, RunRecord):
            return True
        at = record.position
        is_cell = at >= 0 and turn.cells[at : at + 1] == [record.cell.id]
        is_whole = len(record.parts) <= 1 and all(part.slices for part in record.parts)
        return (
            is_cell
            and record.cell == self._cells[record.cell.id]
            and is_whole
            and record.series is None
        )

    def require_due(self, host: str, label: Label) -> None:
        """A start or a meeting of the plan; a host that always comes to the same one is lost."""
        turn = self._turns.get(label.turn)
        is_of_turn = label.meeting != "" and label.cell == ""
        is_planned = turn is not None and (label.cell in turn.cells or is_of_turn)
        if not is_planned or label.block != self._block:
            raise HostLostError(host, f"it waits for {label}, which is not planned")
        key = (label.turn, label.cell, label.meeting != "")
        self._waited[key] += 1
        if self._waited[key] > (_MOST_MEETINGS if label.meeting else 2 * MOST_STARTS):
            raise HostLostError(host, f"it waits for {label} again and again")


class Gathered(Planned):
    def __init__(self, plan: Plan, block: int, hosts: Sequence[str]) -> None:
        super().__init__(plan, block)
        self._told: dict[str, list[HappeningMessage]] = {host: [] for host in hosts}
        self._steps: list[HappeningMessage] = []
        self._begun: set[int] = set()
        self._next = 0

    def add(self, host: str, told: Sequence[HappeningMessage]) -> None:
        """What a host has told since it was last asked. Steps that begin are told of the first host
        alone: the others may need more or fewer rounds until they are steady. Raises HostLostError
        for what is not of the plan, or has no end."""
        self.require_told(host, told)
        first = next(iter(self._told))
        if host == first:
            self._steps += [each for each in told if each.kind == "step started"]
        self._told[host] += [each for each in told if each.kind != "step started"]

    def steps(self) -> list[Happening]:
        """Steps that the first host has begun since this was last asked, in turns that all have."""
        found = [each for each in self._steps if each.turn in self._begun]
        self._steps = [each for each in self._steps if each.turn not in self._begun]
        return [StepStarted(self._turns[each.turn], each.text) for each in found]

    def told_by(self, host: str) -> int:
        return len(self._told[host])

    @property
    def is_complete(self) -> bool:
        return all(len(each) == self._next for each in self._told.values())

    def ready(self) -> list[dict[str, HappeningMessage]]:
        """What every host has told by now and was not put together yet, in order."""
        found = []
        while all(len(each) > self._next for each in self._told.values()):
            found.append({host: each[self._next] for host, each in self._told.items()})
            self._next += 1
        return found

    def records(self, told: dict[str, HappeningMessage]) -> dict[str, AnyRecord]:
        """The record that each host made; none of hosts that rested while others measured, and none
        of a scan of what those have written."""
        found = records_of(told)
        for host, record in found.items():
            self.require_record(host, record)
        first = next(iter(found.values()))
        if not isinstance(first, ScanRecord) or first.cell is None:
            return found
        hosts = factors_of(self._cells[first.cell]).host_count
        return dict(list(found.items())[:hosts])

    def begun(self, told: dict[str, HappeningMessage]) -> Happening | None:
        """What began on all hosts; None where they made a record."""
        first = next(iter(told.values()))
        if any((each.kind, each.turn) != (first.kind, first.turn) for each in told.values()):
            raise hosts_differ(
                "the hosts do not do the same any more",
                *(f"{host}: {each.kind}, turn {each.turn + 1}" for host, each in told.items()),
            )
        turn = self._turns[first.turn]
        match first.kind:
            case "turn started":
                self._begun.add(first.turn)
                return TurnStarted(turn)
            case "step started":
                return StepStarted(turn, first.text)
            case "run started":
                return RunStarted(turn, self._cells[first.text])
        return None


def records_of(told: dict[str, HappeningMessage]) -> dict[str, AnyRecord]:
    found: dict[str, AnyRecord] = {}
    for host, each in told.items():
        try:
            record = RECORDS[each.kind].model_validate(each.record)
        except ValidationError as error:
            raise no_sense(host, "its record", error) from error
        if isinstance(record, RunRecord):
            if record.fault is not None and record.fault.code == RESTS.code:
                continue
            parts = [part.model_copy(update={"machine": host}) for part in record.parts]
            record = record.model_copy(update={"parts": parts})
        found[host] = record
    return found


def together(records: dict[str, AnyRecord], starts: Sequence[MachineStart] = ()) -> list[Happening]:
    """The records of all hosts, then the study's own; `records` are in the order of the hosts."""
    found: list[Happening] = [FromMachine(host, record) for host, record in records.items()]
    first = next(iter(records.values()))
    if isinstance(first, RunRecord):
        runs = {host: each for host, each in records.items() if isinstance(each, RunRecord)}
        return [*found, _run(runs, starts)]
    if isinstance(first, TurnRecord):
        turns = {host: each for host, each in records.items() if isinstance(each, TurnRecord)}
        return [*found, _turn(turns)]
    if isinstance(first, StepRecord):
        steps = [each for each in records.values() if isinstance(each, StepRecord)]
        return [*found, step_of_all(steps)]
    scans = [each for each in records.values() if isinstance(each, ScanRecord)]
    return [*found, scan_of_all(scans)]


def _run(records: dict[str, RunRecord], starts: Sequence[MachineStart]) -> RunRecord:
    """One run of all hosts: their parts, which statistics adds, or the first fault."""
    first = next(iter(records.values()))
    faults = {host: each.fault for host, each in records.items() if each.fault is not None}
    fault = None
    for host, each in faults.items():
        more = f" and {len(faults) - 1} more of {len(records)} hosts" if len(faults) > 1 else ""
        fault = each.model_copy(update={"what": f"{host}{more}: {each.what}"})
        break
    same = {(each.turn, each.position, each.system, each.cell.id) for each in records.values()}
    if len(same) > 1:
        raise hosts_differ(f"hosts measured different runs at once: {sorted(map(str, same))}")
    return first.model_copy(
        update={
            "parts": [] if fault else [part for each in records.values() for part in each.parts],
            "fault": fault,
            "caches": _alike({host: each.caches for host, each in records.items()}),
            "started_unix_ns": min(each.started_unix_ns for each in records.values()),
            "device": first.device if len(records) == 1 else None,
            "preconditioning": _least_steady(list(records.values())),
            "starts": list(starts),
            "traffic": _added([each.traffic for each in records.values()]),
            "command": _program({host: each.command for host, each in records.items()}),
        }
    )


def _program(runs: dict[str, CommandRun | None]) -> CommandRun | None:
    """What a program did on all hosts; None where it was not started on each. Its own numbers are
    the mean of the hosts: it prints rates and times, and nobody here knows which of them add up."""
    known = {host: each for host, each in runs.items() if each is not None}
    if not known or len(known) < len(runs):
        return None
    if len(known) == 1:
        return next(iter(known.values()))
    every = list(known.values())
    names = [name for name in every[0].values if all(name in each.values for each in every)]
    founds = [each.found for each in every if each.found is not None]
    return CommandRun(
        exit_code=next((each.exit_code for each in every if each.exit_code != 0), 0),
        looks=sum(each.looks for each in every),
        waiting=sum(each.waiting for each in every),
        peak_memory_bytes=max(each.peak_memory_bytes for each in every),
        values={name: fmean(each.values[name] for each in every) for name in names},
        unread={
            name: f"{host}: {why}"
            for host, each in known.items()
            for name, why in each.unread.items()
        },
        left=list(dict.fromkeys(name for each in every for name in each.left)),
        output=[f"{host}: {line}" for host, each in known.items() for line in each.output],
        errors=[f"{host}: {line}" for host, each in known.items() for line in each.errors],
        found=None
        if len(founds) < len(every)
        else Found(
            files=sum(each.files for each in founds),
            size_bytes=sum(each.size_bytes for each in founds),
        ),
    )


def _added(traffic: Sequence[Sequence[Traffic]]) -> list[Traffic]:
    found: dict[str, Traffic] = {}
    for each in (one for of_host in traffic for one in of_host):
        parts = Counter(found[each.name].parts if each.name in found else {})
        parts.update(each.parts)
        found[each.name] = each.model_copy(update={"parts": dict(parts)})
    return list(found.values())


def _least_steady(records: list[RunRecord]) -> CellPreconditioning | None:
    """Of the first host whose device was not steady yet; of the first one where all were."""
    found = [each.preconditioning for each in records if each.preconditioning is not None]
    return next((each for each in found if not each.reached), found[0] if found else None)


def _turn(records: dict[str, TurnRecord]) -> TurnRecord:
    host, first = next(iter(records.items()))
    notes = [note for note in first.notes if all(note in each.notes for each in records.values())]
    for name, each in records.items():
        notes += [f"{name}: {note}" for note in each.notes if note not in notes]
    different = [name for name, each in records.items() if _made(each) != _made(first)]
    if different:
        differ = "differ" if len(different) > 1 else "differs"
        notes.append(f"not made alike: {', '.join(different)} {differ} from {host}")
    return first.model_copy(
        update={
            "notes": notes,
            "prepare_ns": max(each.prepare_ns for each in records.values()),
            "started_unix_ns": min(each.started_unix_ns for each in records.values()),
        }
    )


def _made(record: TurnRecord) -> tuple[object, ...]:
    facts = record.facts
    return (facts.kind, facts.mkfs_command[:1], facts.mount_options, facts.block_size_bytes)


def _alike(words: dict[str, str]) -> str:
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{host}: {text}" for host, text in words.items())


def hosts_differ(what: str, *details: str) -> RigError:
    return RigError(
        what,
        details=details,
        cause="one of them left out a step that the others made",
        next=SAME_VERSION,
    )
