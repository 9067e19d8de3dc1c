"""What churn brings to light: each finding where it belongs, and none on a sound study."""

import pytest

from fsgauge.kinds.churn.factors import ChurnFactors
from tests.synthetic_churn import make_churn

SOUND = {"storage_kind": "device", "rotational": "1", "blocks": 3, "fills": [80]}


def found(code, **changes):
    findings = make_churn(**{**SOUND, **changes}).results().findings
    return next((finding for finding in findings if finding.code == code), None)


def codes(**changes):
    findings = make_churn(**{**SOUND, **changes}).results().findings
    return {
        finding.code for finding in findings if finding.code.startswith(("churn.", "storage.s"))
    }


def test_a_sound_study_on_a_disk_has_none():
    assert codes() == {"storage.sparse"}  # the synthetic study says loop, not preallocated


def test_ageing_that_failed_part_of_its_operations():
    finding = found("churn.refused", refused=lambda turn, cell: 40 * (cell.id == "aged-80-read"))
    assert finding.level == "warning"
    assert "480 operations failed, in 12 of 24 trees" in finding.sentence
    assert "No space left on device" in finding.sentence
    assert finding.where[0].endswith("aged, 80 % full: 40 failed")
    assert "dmesg" in finding.advice
    results = make_churn(**SOUND, refused=lambda turn, cell: 40).results()
    assert results.sureness.ageing_errors == 24 * 40


def test_ageing_that_ended_early():
    finding = found(
        "churn.ended_early",
        ended=lambda turn, cell: (
            "time_limit" if ChurnFactors.of(cell).wear == "aged" else "complete"
        ),
    )
    assert "12 of 24 trees (time limit)" in finding.sentence
    assert "age_time_limit" in finding.advice


def test_a_tree_that_is_not_as_full_as_was_asked():
    finding = found("churn.not_filled", live=lambda turn, cell: 0.9)
    assert "24 trees are not as full" in finding.sentence
    assert "holds 72 % of what was available" in finding.sentence
    assert found("churn.not_filled", live=lambda turn, cell: 0.99) is None


def test_trees_that_are_not_the_same():
    finding = found(
        "churn.different_trees",
        live=lambda turn, cell: 1.0 if ChurnFactors.of(cell).wear == "aged" else 0.99,
    )
    assert "12 pairs of turns" in finding.sentence


def test_writers_that_ran_out_of_space():
    changes = {
        "errors": lambda turn, cell: [("write", "no_space", 4)] * (cell.id == "aged-80-write"),
        "lost": lambda turn, cell: (20, 1) if cell.id == "aged-80-write" else (0, 0),
    }
    assert "the storage was full" in found("clients.no_space", **changes).sentence
    assert "files were given up" in found("clients.gave_up", **changes).sentence
    assert "write_fill" in found("clients.no_space", **changes).advice


def test_a_time_limit_that_came_first():
    finding = found("clients.cut", cut=lambda turn, cell: ChurnFactors.of(cell).side == "read")
    assert "24 of 48 runs" in finding.sentence


def test_scans_that_failed():
    finding = found("scan.failed", scan_faults=lambda turn: turn.system == "xfs")
    assert "FIEMAP is not known there" in finding.sentence


@pytest.mark.parametrize(
    ("kind", "rotational", "told"),
    [("loop", None, True), ("ram", None, True), ("device", "0", True), ("device", "1", False)],
)
def test_storage_without_seeks(kind, rotational, told):
    changes = {"storage_kind": kind, "rotational": rotational}
    finding = found("storage.no_seeks", **changes)
    assert (finding is not None) == told
    if told:
        assert finding.level == "note"
        assert "split" in finding.sentence
