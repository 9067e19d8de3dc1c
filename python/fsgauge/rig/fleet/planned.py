"""What hosts may tell of a block and wait for in it: what is planned, and only so often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fsgauge.record.records import Plan, RunRecord, ScanRecord, StepRecord, Turn, TurnRecord
from fsgauge.rig.fleet.control import HostLostError
from fsgauge.rig.fleet.gate import Label
from fsgauge.rig.fleet.messages import HappeningMessage, LabelMessage
from fsgauge.rig.happenings import MOST_STARTS

AnyRecord = TurnRecord | StepRecord | ScanRecord | RunRecord

_MOST_TOLD_OF_A_TURN = 20_000
_MOST_MEETINGS = 1000
"""Of a cell, or of a turn beside its cells."""


class Planned:
    """One block of a plan. All raise HostLostError with the host's name."""

    def __init__(self, plan: Plan, block: int) -> None:
        self._block = block
        self._turns: dict[int, Turn] = {t.turn: t for t in plan.turns if t.block == block}
        self._cells = {cell.id: cell for cell in plan.cells}
        self._told: Counter[str] = Counter()
        self._recorded: set[tuple[str, str, int, int]] = set()
        self._waited: Counter[tuple[int, str, bool]] = Counter()

    def require_told(self, host: str, told: Sequence[HappeningMessage]) -> None:
        """Happenings of planned turns and cells, as many as can happen."""
        for each in told:
            turn = self._turns.get(each.turn)
            if turn is None or (each.kind == "run started" and each.text not in turn.cells):
                raise HostLostError(host, "it tells of what is not in the plan")
        self._told[host] += len(told)
        if self._told[host] > _MOST_TOLD_OF_A_TURN * len(self._turns):
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

    def require_due(self, host: str, label: LabelMessage) -> None:
        """A start or a meeting of the plan; a host that always comes to the same one is lost."""
        turn = self._turns.get(label.turn)
        is_of_turn = label.meeting != "" and label.cell == ""
        where = Label(**label.model_dump())
        if turn is None or label.block != self._block:
            raise HostLostError(host, f"it waits for {where}, which is not planned")
        if label.cell not in turn.cells and not is_of_turn:
            raise HostLostError(host, f"it waits for {where}, which is not planned")
        key = (label.turn, label.cell, label.meeting != "")
        self._waited[key] += 1
        if self._waited[key] > (_MOST_MEETINGS if label.meeting else 2 * MOST_STARTS):
            raise HostLostError(host, f"it waits for {where} again and again")
