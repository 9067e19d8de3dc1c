"""Lost data, rates above the device, unfair writers: found where planted, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.writers.analysis import p_of
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.stats import Results
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.stats.results import Finding
from tests.synthetic_writers import LAWS, broken, law, make_writers

CODES = {"integrity", "faster_than_device", "idle.worker", "cache.answered"}


def read(**changes: Any) -> Results:
    return make_writers(**changes).results()


def found(results: Results, code: str) -> Finding:
    return next(finding for finding in results.findings if finding.code == code)


def codes(results: Results) -> set[str]:
    return {finding.code for finding in results.findings}


def test_an_honest_study_has_none_of_them() -> None:
    results = read(integrity=lambda turn, cell: broken(), writers=(1, 2, 4))
    assert not codes(results) & CODES
    assert not any(finding.code.startswith("run.") for finding in results.findings)
    assert results.sureness.valid


def test_lost_data_makes_the_study_invalid_and_is_named() -> None:
    results = read(
        integrity=lambda turn, cell: (
            broken(torn=2, lost=1)
            if (turn.block, turn.system, WritersFactors.of(cell).writers) == (1, "ext4", 2)
            else broken()
        )
    )
    finding = found(results, "integrity")
    assert finding.level == "invalid" and finding is results.findings[0]
    for part in ("ext4", "2 torn, 1 lost", "2 writers", "byte 0 and 8192", "1 of 64 runs"):
        assert part in finding.sentence
    assert finding.where[0].startswith("block 2, ext4") and "of 1000 blocks" in finding.where[0]
    assert finding.advice
    assert not results.sureness.valid
    assert results.answer.startswith("Not valid: ext4 did not keep") and "times" not in (
        results.answer
    )
    assert len(results.answer.split()) < 60


@pytest.mark.parametrize("kind", ["corrupt", "torn", "foreign", "stale", "lost"])
def test_one_block_of_any_kind_is_enough(kind: str) -> None:
    results = read(
        integrity=lambda turn, cell: (
            broken(**{kind: 1})
            if (turn.block, turn.system, WritersFactors.of(cell).writers) == (7, "xfs", 1)
            else broken()
        )
    )
    assert f"1 {kind} block" in found(results, "integrity").sentence


def faster(system: str, writers: int) -> float:
    return law(*LAWS[system], writers) * (1.4 if system == "xfs" else 1.0)


def test_a_rate_above_the_device_is_named_with_fitting_advice() -> None:
    results = read(rate=faster)
    finding = found(results, "faster_than_device")
    assert finding.level == "warning"
    assert "xfs did 34 % more than the device alone" in finding.sentence
    assert "loop" in finding.advice.lower()
    assert finding.where == [finding.where[0]] and "1 writer" in finding.where[0]
    assert "cache.answered" not in codes(results), "said once"


def test_systems_as_fast_as_the_device_are_seldom_called_faster() -> None:
    """16 studies of 2 systems and 4 numbers of writers: uncorrected, 5 of them would be."""
    named = sum(
        "faster_than_device"
        in codes(read(seed=seed, writers=(1, 2, 3, 4), noise=0.05, rate=lambda s, n: 1000.0 * n))
        for seed in range(16)
    )
    assert named <= 1


def test_of_buffered_writes_the_advice_is_to_make_them_durable() -> None:
    finding = found(read(rate=faster, direct=(False,)), "faster_than_device")
    assert "in direct writes: these were buffered, and the page cache answered" in finding.sentence
    assert "workload.sync" in finding.advice and "workload.access" in finding.advice


def test_of_buffered_writes_that_are_synced_the_cache_is_said_to_have_merged_them() -> None:
    finding = found(read(rate=faster, direct=(False,), sync="fsync"), "faster_than_device")
    assert "these were buffered, and the cache may merge them" in finding.sentence
    assert "Memory answered" not in finding.advice and "workload.access" in finding.advice


def test_without_a_device_nothing_is_faster() -> None:
    systems = {"ext4": "ext4", "xfs": "xfs"}
    assert "faster_than_device" not in codes(read(systems=systems, rate=faster))


def test_the_p_of_an_interval_is_that_of_its_blocks() -> None:
    logs = [0.01, 0.05, -0.02, 0.04, 0.03]
    ratio = ratio_of_blocks(logs)
    assert ratio is not None
    share = Estimate(value=ratio.ratio, low=ratio.low, high=ratio.high, n=ratio.n)
    assert p_of(share) == pytest.approx(ratio.p)
    assert p_of(Estimate(value=1.2, low=None, high=None, n=1)) == 1


def test_unfair_writers_are_found_although_all_do_the_same_work() -> None:
    results = read(writers=(1, 4), slowest=lambda turn, cell: 0.3 if turn.system == "xfs" else 0.9)
    finding = found(results, "idle.worker")
    assert finding.level == "warning" and finding.count == 8
    assert "the slowest writer did less than half" in finding.sentence
    assert "at worst 30 %: writer 1 of xfs" in finding.sentence
    assert all("xfs" in place and "4 writers" in place for place in finding.where)
    assert "workload.descriptors" in finding.advice


def test_half_of_the_mean_is_still_fair() -> None:
    assert "idle.worker" not in codes(read(slowest=lambda turn, cell: 0.55))
