"""Whole studies with planted effects: what is found, what is left out, what is said."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Turn
from fsgauge.report.sureness import sureness_lines
from fsgauge.stats import Results, read_study
from fsgauge.stats.samples import collect
from fsgauge.stats.wording import is_headline, ratio_range
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import with_machine
from tests.unit.stats.one_run import ONE_CELL

SMALL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096, 65536),
    "queue_depths": (32,),
}


def codes(results: Results) -> set[str]:
    return {finding.code for finding in results.findings}


def test_a_planted_loss_is_found_and_said() -> None:
    study = make_study(**SMALL, noise=0.005, effect=lambda system, cell: planted(system))
    results = study.results()
    entry = results.comparison("randread-4KiB-depth32", "xfs", "iops")
    assert entry is not None and entry.low is not None and entry.high is not None
    assert entry.low < 0.8 < entry.high
    assert entry.verdict == "worse"
    assert "xfs" in results.answer and "80 %" in results.answer
    assert results.sureness.valid


def planted(system: str) -> float:
    return 0.8 if system == "xfs" else 1.0


def test_the_ratio_of_a_latency_has_its_own_direction() -> None:
    results = make_study(**SMALL, effect=lambda system, cell: planted(system)).results()
    entry = results.comparison("randread-4KiB-depth32", "xfs", "read.mean")
    assert entry is not None
    assert entry.ratio > 1.2
    assert entry.verdict == "worse"


def test_an_answer_stays_short_enough_to_read() -> None:
    for systems in (["raw", "ext4"], ["raw", "ext4", "xfs", "btrfs", "f2fs"], ["ext4", "xfs"]):
        for noise in (0.0, 0.02, 0.3):
            study = make_study(
                systems={name: name for name in systems},
                noise=noise,
                patterns=("randread", "randwrite"),
                block_sizes=(4096, 65536, 262144),
                queue_depths=(1, 32),
                duration_s=5,
            )
            results = study.results()
            assert len(results.answer.split()) <= 160, results.answer
            assert is_headline(results.lines[0]), results.lines[0]


def test_an_undecided_answer_says_what_would_have_shown() -> None:
    results = make_study(**SMALL, seed=1, noise=0.2, effect=lambda system, cell: 1.0).results()
    rates = [entry for entry in results.comparisons if entry.primary and entry.metric == "iops"]
    assert {entry.verdict for entry in rates} == {"undecided"}
    assert results.answer.startswith("Too noisy to tell") and "would have shown" in results.answer


def test_a_missing_run_leaves_its_block_out_of_its_cell_only() -> None:
    def faults(turn: Turn, cell: Any) -> bool:
        return (turn.block, turn.system) == (2, "xfs") and OverheadFactors.of(
            cell
        ).block_size_bytes == 4096

    results = make_study(**SMALL, faults=faults).results()
    hit = results.comparison("randread-4KiB-depth32", "xfs", "iops")
    spared = results.comparison("randread-64KiB-depth32", "xfs", "iops")
    other = results.comparison("randread-4KiB-depth32", "ext4", "iops")
    assert hit is not None and spared is not None and other is not None
    assert (hit.n, hit.left_out) == (7, [2])
    assert (spared.n, other.n) == (8, 8)
    assert "runs.failed" in codes(results)


def test_a_baseline_without_its_second_turn_is_left_out() -> None:
    def faults(turn: Turn, cell: Any) -> bool:
        return turn.block == 3 and turn.again

    results = make_study(**SMALL, faults=faults).results()
    assert all(entry.left_out == [3] for entry in results.comparisons)


def test_an_interrupted_study_says_what_it_has() -> None:
    results = make_study(**SMALL, paused_after_runs=9).results()
    assert results.sureness.blocks_complete == 1
    assert {"runs.interrupted", "blocks.few"} <= codes(results)
    assert results.answer.startswith("Undecided: one complete block")
    assert all(entry.verdict == "undecided" for entry in results.comparisons)


def test_a_study_without_a_block_says_so() -> None:
    results = make_study(**SMALL, paused_after_runs=1).results()
    assert results.answer.startswith("No answer")


def test_a_study_that_has_not_begun_can_be_read() -> None:
    study = make_study(**SMALL, paused_after_runs=1)
    results = read_study([], [], study.study, study.before)
    assert results.answer.startswith("No answer")
    assert results.baseline_kind == "unknown"


def test_a_system_that_was_made_otherwise_in_a_turn_is_named_on_another_disk_it_is_not() -> None:
    made = make_study(**SMALL)
    *turns, last = made.turns

    def codes_with(**changes: object) -> set[str]:
        facts = last.facts.model_copy(update=changes)
        others = [*turns, last.model_copy(update={"facts": facts})]
        return codes(read_study(others, made.runs, made.study, made.before))

    kind, disk = last.facts.kind, "/dev/vde"
    assert "system.changed" not in codes_with(
        mkfs_command=[f"mkfs.{kind}", "-q", disk], mount_source=disk
    )
    assert "system.changed" in codes_with(mkfs_command=[f"mkfs.{kind}", "-q", "-x", disk])


def test_one_system_gives_the_noise() -> None:
    results = make_study(**SMALL, systems={"xfs": "xfs"}).results()
    assert results.comparisons == []
    assert "one system" in results.answer


def test_a_rig_that_drifts_within_blocks_is_valid_and_says_so() -> None:
    results = make_study(**SMALL, later_effect=1.08).results()
    assert results.sureness.valid
    assert "noise.drift" in codes(results)
    assert not results.answer.startswith("Not valid")


def test_a_rig_too_noisy_to_answer_is_not_called_good() -> None:
    results = make_study(**SMALL, seed=1, noise=0.3).results()
    assert results.sureness.valid and results.sureness.too_noisy
    assert "noise.wide" in codes(results)
    line = next(each for each in sureness_lines(results) if each.name == "Noise floor")
    assert not line.good and "too noisy to answer" in line.text
    wide = next(each for each in results.findings if each.code == "noise.wide")
    assert "stands all the same" not in wide.advice


@pytest.mark.parametrize(
    ("share", "words"), [(1.0, "Too noisy to answer"), (0.02, "Too noisy for small differences")]
)
def test_noise_that_decides_something_is_too_noisy_for_the_rest(share: float, words: str) -> None:
    results = make_study(
        **SMALL,
        seed=1,
        noise=0.3,
        effect=lambda system, cell: share if system == "xfs" else 1.0,
    ).results()
    found = next(each for each in results.findings if each.code == "noise.wide")
    assert found.sentence.startswith(words)
    line = next(each for each in sureness_lines(results) if each.name == "Noise floor")
    assert line.text.endswith(words[:1].lower() + words[1:])
    assert ("stands all the same" in found.advice) == (share < 1)


def test_the_page_has_one_number_for_the_noise_of_its_cell() -> None:
    """It had three: the interval of A/A, the band of the picture, and the finding's percent."""
    results = make_study(**{**ONE_CELL, "blocks": 4}, noise=0.3).results()
    floor = results.noise_of("iops")
    assert floor is not None and floor.band is not None
    band = floor.band_of(results.primary_cells[0])
    assert band is not None and floor.band.high == pytest.approx(band.high)
    line = next(each for each in sureness_lines(results) if each.name == "Noise floor")
    assert line.text.startswith(ratio_range(band.low, band.high))
    wide = next(each for each in results.findings if each.code == "noise.wide")
    assert f"{100 * (band.high - 1):.0f} % apart" in wide.sentence


def test_the_noise_ratio_is_in_order_of_time_whatever_the_plan_calls_the_twin() -> None:
    study = make_study(**SMALL, later_effect=1.08, noise=0.0)
    samples = collect(study.study.plan, study.runs)
    logs = samples.noise_log_ratios("iops", "randread-4KiB-depth32")
    assert len({turn.again for turn in first_baseline_turns(study)}) == 2
    assert all(log == pytest.approx(0.077, abs=1e-3) for log in logs.values())


def first_baseline_turns(study: SyntheticStudy) -> list[Turn]:
    first: dict[int, Turn] = {}
    for turn in study.study.plan.turns:
        if turn.system == study.study.plan.baseline:
            first.setdefault(turn.block, turn)
    return list(first.values())


def test_a_debug_engine_makes_the_study_invalid() -> None:
    results = make_study(**SMALL, profile="debug").results()
    assert not results.sureness.valid


def test_more_than_the_raw_device_is_a_finding_with_fitting_advice() -> None:
    effect = {"xfs": 1.3}
    study = make_study(**SMALL, noise=0.005, effect=lambda system, cell: effect.get(system, 1.0))
    finding = next(f for f in study.results().findings if f.code == "cache.answered")
    assert "30 %" in finding.sentence and "loop" in finding.advice.lower()
    cached = study.study.model_copy(
        update={"study": {**study.study.study, "workload": {"direct": False}}}
    )
    results = read_study(study.turns, study.runs, cached, study.before, study.after)
    finding = next(f for f in results.findings if f.code == "cache.answered")
    assert "workload.direct=true" in finding.advice


def test_differences_leave_out_what_was_studied_and_what_is_equal() -> None:
    facts = {difference.fact for difference in make_study(**SMALL).results().differences}
    assert "mount options in force" in facts and "space for data" in facts
    assert not facts & {"kind", "block size of the file system", "files", "bytes under load"}


def test_a_machine_that_changed_is_a_finding() -> None:
    study = make_study(**SMALL)
    after = with_machine(study.before, kernel="6.19.0")
    results = read_study(study.turns, study.runs, study.study, study.before, after)
    finding = next(f for f in results.findings if f.code == "environment.changed")
    assert finding.where == ["kernel: 6.18.0 before, 6.19.0 after"]


def test_results_survive_being_stored() -> None:
    results = make_study(**SMALL).results()
    assert Results.model_validate_json(results.model_dump_json()) == results
