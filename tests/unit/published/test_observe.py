"""What results say to a trial: the right cells, the right ratio, its interval."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fsgauge.published.observe import observe, why_none
from fsgauge.published.trial import Trial
from fsgauge.stats.results import Results
from tests.over_hosts_example import at_a_limit, over_hosts_study
from tests.synthetic import make_study


def trial(**changes: Any) -> Trial:
    base = {"study": "s", "words": "w", "rule": "below", "metric": "iops", "system": "ext4"}
    return Trial.model_validate({**base, **changes})


def effect(system: str, cell: Any) -> float:
    """Half at depth 1, three quarters deeper."""
    if system == "raw":
        return 1.0
    return 0.5 if cell.factors["queue_depth"] == 1 else 0.75


@cache
def results() -> Results:
    return make_study(effect=effect, block_sizes=(4096,), blocks=8).results()


def test_a_ratio_is_that_of_the_cells_asked_for() -> None:
    (one,) = observe(trial(cells={"pattern": "randread", "queue_depth": 1}), results())
    assert (one.system, one.over, one.n) == ("ext4", "raw", 8)
    assert one.value == pytest.approx(0.5, rel=0.05) and one.contains(one.value)
    assert one.p is not None and one.is_below(1) and not one.is_above(0.75)


def test_every_cell_without_factors() -> None:
    assert len(observe(trial(), results())) == 9
    assert observe(trial(system="zfs"), results()) == []
    assert observe(trial(cells={"queue_depth": 7}), results()) == []


def test_steps_are_ratios_of_ratios_inside_blocks() -> None:
    found = observe(trial(quantity="steps", across="queue_depth", at=[1, 64]), results())
    assert len(found) == 3
    for each in found:
        assert each.value == pytest.approx(1.5, rel=0.05) and each.is_above(1)
        assert "queue depth 64 over 1" in each.cell


def test_a_quantity_that_nobody_declares_is_refused() -> None:
    with pytest.raises((KeyError, ModuleNotFoundError)):
        observe(trial(quantity="beauty"), results())


def test_a_ratio_to_another_system_is_taken_inside_blocks() -> None:
    (other,) = [each for each in results().systems if each not in ("raw", "ext4")][:1]
    cells = {"pattern": "randread", "queue_depth": 1}
    (one,) = observe(trial(over=other, cells=cells), results())
    assert (one.system, one.over, one.n) == ("ext4", other, 8)
    assert one.value == pytest.approx(1.0, rel=0.05)
    assert observe(trial(over="raw", cells=cells), results()) == []


def test_own_steps_are_of_the_systems_own_rates() -> None:
    deeper = trial(quantity="own steps", across="queue_depth", at=[1, 32])
    found = observe(deeper, results())
    rates = {
        each.cell: each.value
        for each in results().measurements
        if (each.system, each.metric) == ("ext4", "iops")
    }
    at = {
        cell.factors["queue_depth"]: cell.id
        for cell in results().cells
        if cell.factors["pattern"] == "randread"
    }
    one = next(each for each in found if each.cell.startswith("randread"))
    assert one.value == pytest.approx(rates[at[32]] / rates[at[1]])
    assert one.low is not None and one.low < one.value and "queue depth 32 over 1" in one.cell


def test_what_a_limit_of_the_rig_sets_is_not_observed() -> None:
    """Two nodes that share a disk have half of its limit each: they did twice what one does, as was
    published of writes (F-26)."""
    two = {"ext4": "ext4", "xfs": "xfs"}
    study = over_hosts_study((1, 2), {}, systems=two, blocks=5, block_sizes=(4096,))
    more = trial(quantity="more hosts", cells={"hosts": 2, "pattern": "randwrite"})
    deeper = trial(quantity="own steps", across="queue_depth", at=[1, 32])
    rate = trial(quantity="rate", metric="bandwidth", cells={"hosts": 1})
    free, limited = study.results(), at_a_limit(study).results()
    for about in (more, deeper, rate):
        assert observe(about, free) and observe(about, limited) == []
    assert observe(more, free)[0].value == pytest.approx(2.0, rel=0.05)
    said = why_none(more, limited)
    assert "a disk's IOPS limit set its rates" in said and "is missing" in said, said


def test_why_nothing_is_observed_is_said() -> None:
    """ "Its run has no such ratio, or the rig's limits set it" left the reader to guess which."""
    assert why_none(trial(system="zfs"), results()) == "its run has no such cell or system"
    nowhere = trial(cells={"queue_depth": 7})
    assert why_none(nowhere, results()) == "its run has no such cell or system"
    one = trial(cells={"pattern": "randread", "queue_depth": 1})
    noisy = [each.model_copy(update={"verdict": "too noisy"}) for each in results().comparisons]
    said = why_none(one, results().model_copy(update={"comparisons": noisy}))
    assert "too far apart" in said and "are missing" in said
    emulated = [each.model_copy(update={"limit": "emulator"}) for each in results().measurements]
    said = why_none(one, results().model_copy(update={"measurements": emulated}))
    assert said == "the emulated processor set its rates; a machine where KVM works is missing"
    left = results().model_copy(update={"comparisons": []})
    assert "has to be run again" in why_none(one, left)
