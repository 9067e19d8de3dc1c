"""The answer of sharing: the general one, and who failed."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.kinds.sharing.analysis import ANALYSIS
from fsgauge.kinds.sharing.analysis.model import FaultClass, Sharing, SystemFaults
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.stats.answer import answer
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import Comparison
from fsgauge.study.workload import cells_of

SYSTEMS = ["nfs", "cachefs", "unionfs", "gfs2", "ocfs2"]
TESTS = ["write", "read", "reread"]
CELLS = cells_of(SharingWorkload.model_validate({"kind": "sharing", "tests": TESTS}))
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


def failed(system: str, reached: int, name: FaultClass, turns: int) -> SystemFaults:
    return SystemFaults(
        system=system, planned=8, reached=reached, counts={name: turns}, first="it failed"
    )


def test_who_failed_comes_after_and_is_not_among_the_rates() -> None:
    faults = [failed("gfs2", 0, "not set up", 2), failed("cachefs", 7, "not in force", 1)]
    asked = question(faults=faults)
    asked = replace(asked, comparisons=[e for e in asked.comparisons if e.system != "gfs2"])
    said = ANALYSIS.answer(asked)
    assert said is not None
    of_rates, _, last = said.rpartition(" gfs2 failed")
    assert "gfs2" not in of_rates and "cachefs" in of_rates
    assert last == " (not set up in 2 turns) and cachefs failed (not in force in 1 turn)."


def test_write_read_and_reread_of_every_system_are_told() -> None:
    """It named write alone, of three systems, and never reread, which is what a cache is for."""
    said = " ".join(answer(question(), ANALYSIS))
    assert " % of ext3's write of 64 KiB records of 16 MiB (" in said
    for test in ("read", "reread"):
        assert f"{test.capitalize()} of 64 KiB records of 16 MiB: " in said
    assert all(system in said for system in SYSTEMS)


def test_what_the_rig_sets_is_not_said_as_a_ratio() -> None:
    asked = question(faults=[failed("gfs2", 7, "crash", 1)])
    said = ANALYSIS.answer(replace(asked, comparisons=[], limited=asked.comparisons))
    assert said is not None and said.endswith(" gfs2 failed (crash in 1 turn).")
    assert " times " not in said and " % of " not in said


def test_where_no_system_failed_the_general_answer_says_all() -> None:
    assert ANALYSIS.answer(question()) is None
