"""What every kind's [workload] answers alike."""

from __future__ import annotations

import pytest

from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.record.records import Cell
from fsgauge.study.workload import cells_of


def test_cells_are_made_once_and_those_of_a_copy_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan asked for them eight times, two fifths of a list of all studies."""
    made: list[OverheadWorkload] = []
    make = OverheadWorkload.cells

    def counted(self: OverheadWorkload) -> list[Cell]:
        made.append(self)
        return make(self)

    monkeypatch.setattr(OverheadWorkload, "cells", counted)
    workload = OverheadWorkload(queue_depths=[1, 32])
    cells_of(workload).clear()
    assert cells_of(workload) == make(workload)
    assert made == [workload]
    assert workload == OverheadWorkload(queue_depths=[1, 32])
    assert workload.model_dump() == OverheadWorkload(queue_depths=[1, 32]).model_dump()
    fewer = workload.model_copy(update={"queue_depths": [1]})
    assert {cell.factors["queue_depth"] for cell in cells_of(fewer)} == {1}
