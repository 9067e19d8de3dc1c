"""The words for a cell: whoever reads two of one study can tell them apart."""

from __future__ import annotations

import re

import pytest

from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.record.factors import factors_of, unit_in
from fsgauge.study.parse import load_study
from fsgauge.study.shipped import shipped_names
from fsgauge.study.workload import cells_of
from tests.synthetic_commits import make_commits


@pytest.mark.parametrize("name", sorted(shipped_names()))
def test_each_cell_of_a_study_has_words_of_its_own(name: str) -> None:
    """Reads at 5 % free and at 50 % free were both "1 MiB read at depth 1 with 4 streams"."""
    cells = [factors_of(cell) for cell in cells_of(load_study(name, []).workload)]
    nouns = [each.asked or each.noun for each in cells]
    assert len(set(nouns)) == len(nouns), sorted(nouns)


@pytest.mark.parametrize("name", sorted(shipped_names()))
def test_what_gives_a_run_more_operations_is_a_key_of_its_study(name: str) -> None:
    """Studies that end with their work were told to set workload.duration, which they lack."""
    study = load_study(name, [])
    for cell in cells_of(study.workload):
        said = factors_of(cell).longer_runs
        ((section, key),) = re.findall(r"--set (\w+)\.(\w+)=", said)
        assert hasattr(getattr(study, section), key), (cell.name, said)


def test_a_rate_is_in_commits_where_each_operation_is_one() -> None:
    """Unless the study names what it asks for."""
    (cell,) = make_commits({"ext4": 500.0}, blocks=1).study.plan.cells
    assert unit_in(cell, "IOPS") == "IOPS"
    assert unit_in(cell, "IOPS", [cell.id]) == "commits/s"
    assert unit_in(cell, "B/s", [cell.id]) == "B/s"
    for asked, unit in (("operations", "IOPS"), ("commits", "commits/s")):
        log = MixFactors(
            group="log",
            block_size_bytes=8192,
            queue_depth=1,
            jobs=1,
            read_percent=0,
            interface="psync",
            judged_as=asked,
        ).cell("log", "log")
        assert unit_in(log, "IOPS", ["log"]) == unit_in(log, "IOPS") == unit
