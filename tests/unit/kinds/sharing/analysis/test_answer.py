"""The answer of sharing: what each system does in writing, reading and reading again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsgauge.kinds.sharing.analysis.answer import TESTS, sharing_answer
from fsgauge.kinds.sharing.analysis.model import CellLimit, Sharing, SystemFaults
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import Comparison
from fsgauge.study.workload import cells_of

SYSTEMS = ["nfs", "cachefs", "unionfs", "gfs2", "ocfs2"]
CELLS = cells_of(SharingWorkload.model_validate({"kind": "sharing", "tests": [*TESTS, "putc"]}))
RATIOS = {"nfs": (0.56, 0.9, 0.88), "cachefs": (0.7, 0.85, 3.1), "unionfs": (0.3, 0.8, 0.78)}
RATIOS |= {"gfs2": (0.98, 0.97, 1.01), "ocfs2": (0.6, 0.5, 0.4)}


def entry(cell: str, system: str, ratio: float, blocks: int) -> Comparison:
    """Told from 1 where it is further than a tenth from it."""
    verdict = "better" if ratio > 1.1 else "worse" if ratio < 0.95 else "undecided"
    return Comparison.model_validate(
        {
            "cell": cell,
            "system": system,
            "metric": "bandwidth",
            "primary": True,
            "ratio": ratio,
            "low": 0.95 * ratio,
            "high": 1.05 * ratio,
            "p_adjusted": 0.01,
            "verdict": verdict,
            "n": blocks,
            "p": 0.01,
            "alone_low": None,
            "alone_high": None,
            "pick_low": None,
            "pick_high": None,
            "family": 15,
            "detectable_percent": 10.0,
            "margin_percent": 5.0,
            "robust_ratio": ratio,
            "robust_low": None,
            "robust_high": None,
            "robust_p": 0.01,
            "left_out": [],
            "blocks": [],
        }
    )


def question(blocks: int = 5, faults: list[SystemFaults] | None = None) -> Question:
    found = [
        entry(cell.id, system, RATIOS[system][at], blocks)
        for at, cell in enumerate(CELLS[:3])
        for system in SYSTEMS
    ]
    return Question(
        baseline="ext3",
        baseline_is_raw=False,
        others=SYSTEMS,
        cells=CELLS,
        primary=CELLS,
        metrics={cell.id: "bandwidth" for cell in CELLS},
        comparisons=found,
        noise=None,
        blocks_complete=blocks,
        few_operations="",
        next_step="",
        invalid_reason="",
        margin_percent=5.0,
        own=Sharing(faults=faults or [], limits=[]),
    )


def answered(asked: Question) -> str:
    said = sharing_answer(asked)
    assert said is not None
    return said


def sentences(said: str) -> list[str]:
    return [each for each in said.replace(". ", ".\n").splitlines() if each]


def test_write_read_and_reread_of_every_system_are_in_the_first_two_sentences() -> None:
    """It named write alone, of three systems, and never reread, which is what a cache is for."""
    first, second = sentences(answered(question()))
    assert first == (
        "Of ext3's rate at 64 KiB records of 16 MiB: in write nfs 56 %, cachefs 70 %, unionfs 30 %,"
        " ocfs2 60 %; in read nfs 90 %, cachefs 85 %, unionfs 80 %, ocfs2 50 %; in reread nfs 88 %,"
        " cachefs 3.10 times, unionfs 78 %, ocfs2 40 %."
    )
    assert second == "No difference from ext3 above 10 %: gfs2 in write, read and reread."
    assert all(system in first + second for system in SYSTEMS)


def test_systems_are_compared_on_the_most_hosts() -> None:
    workload = {"kind": "sharing", "tests": [*TESTS], "hosts": [1, 2]}
    cells = cells_of(SharingWorkload.model_validate(workload))
    asked = replace(question(), cells=cells, metrics={cell.id: "bandwidth" for cell in cells})
    found = [
        each.model_copy(update={"cell": cell.id, "ratio": factor * each.ratio})
        for at, cell in enumerate(cells)
        for each in asked.comparisons[at % 3 * len(SYSTEMS) :][: len(SYSTEMS)]
        for factor in [0.5 if cell.id.endswith("hosts2") else 1.0]
    ]
    first, _ = sentences(answered(replace(asked, comparisons=found)))
    assert "in write nfs 28 %, cachefs 35 %" in first


@pytest.mark.parametrize(
    ("test", "done"),
    [
        ("read", "reads"),
        ("create_sequential", "creates in order"),
        ("rewrite_in_place", "rewrites in place"),
        ("seeks", "random seeks"),
    ],
)
def test_what_hosts_do_together_is_counted(test: str, done: str) -> None:
    cell = cells_of(SharingWorkload.model_validate({"kind": "sharing", "tests": [test]}))[0]
    assert SharingFactors.of(cell).done == done


def test_a_share_that_two_limits_of_disks_set_says_that_requests_are_small() -> None:
    """A cache of 4 KiB pages on a disk of 300 IOPS read at 14 % of a file system that met its
    disk's bandwidth; the number alone said nothing of why."""
    asked = question()
    cell = next(each.cell for each in asked.comparisons if "reread" in each.cell)
    limits = [
        CellLimit(
            cell=cell,
            system=system,
            limit=limit,
            processor_share=None,
            iops_share=1.0,
            bandwidth_share=1.0,
            test_share=None,
        )
        for system, limit in (("ext3", "bandwidth"), ("unionfs", "IOPS"), ("nfs", "bandwidth"))
    ]
    first, _ = sentences(answered(replace(asked, own=Sharing(faults=[], limits=limits))))
    assert "unionfs 78 % (by small requests), ocfs2" in first
    assert first.count("small requests") == 1


def test_noise_is_one_clause_with_what_would_have_shown_on_each_system() -> None:
    """Each system and test had its own clause and figure, fourteen in all."""
    asked = question()
    noisy = [
        each.model_copy(
            update={
                "verdict": "too noisy",
                "low": 0.3,
                "high": 3.0,
                "detectable_percent": 60.0 + 7 * at,
            }
        )
        for at, each in enumerate(asked.comparisons)
    ]
    said = answered(replace(asked, comparisons=noisy))
    assert said == (
        "Too noisy to tell from ext3: nfs, cachefs, unionfs, gfs2 and ocfs2 in write, read and"
        " reread; only a factor of 2.3 to 2.6 or more would have shown."
    )
    unknown = [each.model_copy(update={"detectable_percent": None}) for each in noisy]
    assert "shown" not in answered(replace(asked, comparisons=unknown))


def test_two_blocks_cannot_tell_and_are_shown_all_the_same() -> None:
    first, second = sentences(answered(question(blocks=2)))
    assert first == "Undecided: 2 complete blocks cannot tell an effect from noise."
    assert all(second.count(f" {system} ") == 3 for system in SYSTEMS)


def test_who_failed_comes_after_and_is_not_among_the_rates() -> None:
    failed = [
        SystemFaults(
            system="gfs2", planned=8, reached=0, counts={"not set up": 2}, first="it failed"
        ),
        SystemFaults(
            system="cachefs", planned=8, reached=7, counts={"not in force": 1}, first="no daemon"
        ),
    ]
    asked = question(faults=failed)
    asked = replace(asked, comparisons=[e for e in asked.comparisons if e.system != "gfs2"])
    first, last = sentences(answered(asked))
    assert "gfs2" not in first and "cachefs 3.10 times" in first
    assert last == (
        "gfs2 failed (not set up in 2 turns) and cachefs failed (not in force in 1 turn)."
    )


def test_what_the_rig_sets_is_not_said_as_a_ratio() -> None:
    asked = question()
    limited = [each for each in asked.comparisons if each.system == "nfs"][:1]
    rest = [each for each in asked.comparisons if each not in limited]
    _, second = sentences(answered(replace(asked, comparisons=rest, limited=limited)))
    assert "limited by the rig: nfs in write" in second.lower()


def test_a_study_of_one_of_the_tests_has_the_general_answer() -> None:
    asked = question()
    assert sharing_answer(replace(asked, cells=CELLS[:1])) is None


@pytest.mark.parametrize("test", TESTS)
def test_each_of_the_tests_has_a_place(test: str) -> None:
    assert f"{test} nfs" in answered(question())
