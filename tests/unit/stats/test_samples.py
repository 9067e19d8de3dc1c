"""Which runs are samples: those that were measured to their end."""

from __future__ import annotations

from fsgauge.stats.samples import collect, is_complete, whole_blocks
from tests.synthetic import make_study
from tests.synthetic.setting import with_result
from tests.unit.stats.one_run import ONE_CELL, tampered


def test_an_interrupted_run_is_no_sample_and_its_block_is_not_whole() -> None:
    """What it counted until it was cut short would be held against runs that had all their time."""
    study = make_study(**{**ONE_CELL, "blocks": 2})
    first, *rest = study.runs
    cut = with_result(first, tampered(first, ended="interrupted"))
    assert is_complete(first)
    assert not is_complete(cut)
    key = ("iops", first.cell.id, first.system)
    place = (first.block, first.again)
    assert place in collect(study.study.plan, study.runs).logs[key]
    assert place not in collect(study.study.plan, [cut, *rest]).logs.get(key, {})
    cells = [first.cell.id]
    assert whole_blocks(study.study.plan, study.runs, cells) == [0, 1]
    assert whole_blocks(study.study.plan, [cut, *rest], cells) == [1]
