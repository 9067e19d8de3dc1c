"""Loads of several cells become one job, without what belongs to the engine's caller."""

from __future__ import annotations

from fsgauge.plan.turns import mixed
from tests.unit.kinds.mix.studies import LOG, READERS
from tests.unit.kinds.mix.test_method import loads


def test_every_load_is_in_the_job_in_its_order() -> None:
    both = loads(READERS + LOG)
    job = mixed(both)
    assert [each["read_percent"] for each in job.loads] == [100, 0]
    assert all(key not in each for each in job.loads for key in ("kind", "held", "lease"))
    assert not job.lay_out
    assert mixed(both, lay_out=True).lay_out
