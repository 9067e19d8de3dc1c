"""The words for a cell: whoever reads two of one study can tell them apart."""

from __future__ import annotations

import pytest

from fsgauge.record.factors import factors_of
from fsgauge.study.parse import load_study
from fsgauge.study.shipped import shipped_names
from fsgauge.study.workload import cells_of


@pytest.mark.parametrize("name", sorted(shipped_names()))
def test_each_cell_of_a_study_has_words_of_its_own(name: str) -> None:
    """Reads at 5 % free and at 50 % free were both "1 MiB read at depth 1 with 4 streams"."""
    cells = [factors_of(cell) for cell in cells_of(load_study(name, []).workload)]
    nouns = [each.asked or each.noun for each in cells]
    assert len(set(nouns)) == len(nouns), sorted(nouns)
