"""Steps and scans of several hosts, added up."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import EngineFault, Jumps
from fsgauge.record.records import ScanRecord, StepRecord
from fsgauge.rig.fleet.added_up import scan_of_all, step_of_all
from fsgauge.scan.numbers import numbers_of
from tests.synthetic_churn import make_churn

STUDY = make_churn(blocks=2)


def steps() -> list[StepRecord]:
    """Two that aged, as if of two hosts, the second one of twice as much."""
    first = next(step for step in STUDY.steps if step.result is not None and step.job is not None)
    assert first.result is not None and first.job is not None
    result = first.result.model_copy(
        update={
            "live_bytes": 2 * first.result.live_bytes,
            "live_files": 2 * first.result.live_files,
            "storage_age": 4.0,
            "ended": "time_limit",
            "log_checksum": "another",
            "elapsed_ns": first.result.elapsed_ns + 7,
        }
    )
    changed = {"result": result, "size_bytes": 5, "elapsed_ns": first.elapsed_ns + 9}
    known = first.result.model_copy(update={"storage_age": 1.0})
    return [first.model_copy(update={"result": known}), first.model_copy(update=changed)]


def test_one_host_s_record_is_what_it_was() -> None:
    first = steps()[0]
    assert step_of_all([first]) is first
    scan = STUDY.scans[0]
    assert scan_of_all([scan]) is scan


def test_ageing_adds_up() -> None:
    first, second = steps()
    whole = step_of_all([first, second])
    assert whole.result is not None and first.result is not None and first.job is not None
    assert whole.job is not None and whole.job.space_bytes == 2 * (first.job.space_bytes or 0)
    assert whole.result.live_bytes == 3 * first.result.live_bytes
    assert whole.result.live_files == 3 * first.result.live_files
    assert whole.result.storage_age == pytest.approx((1.0 + 2 * 4.0) / 3)
    assert whole.result.ended == "time_limit"
    assert whole.size_bytes == first.size_bytes + 5
    assert whole.elapsed_ns == second.elapsed_ns
    assert whole.free_bytes == first.free_bytes
    by_name = {each.operation: each.done for each in whole.result.operations}
    assert by_name == {each.operation: 2 * each.done for each in first.result.operations}
    assert whole.result.log_checksum not in (first.result.log_checksum, "another")


def test_scans_add_up() -> None:
    """Twice the same files: as many per file as before, and twice as many of them."""
    scan = next(each for each in STUDY.scans if each.result is not None)
    whole = scan_of_all([scan, scan])
    assert whole.result is not None and scan.result is not None
    one, both = numbers_of(scan.result), numbers_of(whole.result)
    for name in ("files", "extents", "extent_bytes"):
        assert both[name] == 2 * (one[name] or 0), name
    for name in ("extents_per_file", "fragmented_percent", "layout_score"):
        assert both[name] == pytest.approx(one[name]), name
    assert sum(each.extents for each in whole.result.extent_lengths) == 2 * sum(
        each.extents for each in scan.result.extent_lengths
    )
    jumped = scan.result.counts.model_copy(update={"jumps": Jumps(far=2, near=3, passed_bytes=5)})
    known = scan.model_copy(update={"result": scan.result.model_copy(update={"counts": jumped})})
    for others, found in ((known, Jumps(far=4, near=6, passed_bytes=10)), (scan, None)):
        both_scans = scan_of_all([known, others]).result
        assert both_scans is not None and both_scans.counts.jumps == found
    if scan.result.free is not None:
        assert whole.result.free is not None
        assert whole.result.free.size_bytes == 2 * scan.result.free.size_bytes
        assert whole.result.free.largest_bytes == scan.result.free.largest_bytes


def test_a_scan_that_failed_on_one_host_failed() -> None:
    scan = next(each for each in STUDY.scans if each.result is not None)
    fault = EngineFault(what="no", cause="", next="", errno=None, code="scan.failed")
    failed = scan.model_copy(update={"result": None, "fault": fault})
    whole = scan_of_all([scan, failed])
    assert isinstance(whole, ScanRecord)
    assert whole.result is None and whole.fault == fault
