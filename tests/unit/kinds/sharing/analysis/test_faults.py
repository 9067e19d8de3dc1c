"""Faults of systems: classed, counted in turns, and said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.kinds.sharing.analysis.faults import class_of, failed_finding, words
from fsgauge.kinds.sharing.analysis.model import Sharing, SystemFaults
from tests.synthetic.setting import with_result
from tests.synthetic_sharing import make_sharing
from tests.unit.stats.one_run import one_run


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("system.not_set_up", "not set up"),
        ("system.not_in_force", "not in force"),
        ("system.crashed", "crash"),
        ("system.hangs", "hang"),
        ("io.error", "I/O error"),
        ("job.unresponsive", "I/O error"),
        ("verify.mismatch", "wrong data"),
    ],
)
def test_each_fault_has_a_class(code: str, named: str) -> None:
    fault = EngineFault(what="it failed", cause="", next="", code=code)
    assert class_of(one_run().model_copy(update={"fault": fault, "parts": []})) == named


@pytest.mark.parametrize(
    "code",
    [
        "rig.not_up",
        "rig.not_ready",
        "io_uring.refused",
        "clock.jumped",
        "start.missed",
        "lease.silent",
    ],
)
def test_a_fault_of_the_rig_is_no_system_s(code: str) -> None:
    fault = EngineFault(what="node1 is not up", cause="", next="", code=code)
    assert class_of(one_run().model_copy(update={"fault": fault, "parts": []})) is None


def test_what_the_rig_failed_costs_no_system_its_claim() -> None:
    """C-17 counted planned runs: one that fsgauge was too late for refuted "NFS ran without
    problems"."""
    made = make_sharing(3)
    nfs, *others = [run for run in made.runs if run.system == "nfs"]
    for code, sound in (("rig.not_ready", 1.0), ("system.hangs", 5 / 6)):
        fault = EngineFault(what="it failed", cause="", next="", code=code)
        failed = nfs.model_copy(update={"fault": fault, "parts": []})
        rest = [run for run in made.runs if run.system != "nfs"]
        own = Sharing.of(replace(made, runs=[failed, *others, *rest]).results())
        assert own is not None
        (of_nfs,) = [each for each in own.faults if each.system == "nfs"]
        assert of_nfs.sound == pytest.approx(sound) and of_nfs.reached == 5


def test_a_file_that_the_time_limit_cut_short_is_no_system_s_fault() -> None:
    """A read after put_byte, which its limit had ended, was an I/O error of the file system."""
    made = make_sharing(3)
    first, second, *others = sorted(
        (run for run in made.runs if run.system == "nfs"), key=lambda run: (run.block, run.turn)
    )
    assert (first.block, first.turn) == (second.block, second.turn) and first.load and first.result
    fault = EngineFault(what="it has 1 bytes", cause="", next="", code="target.size")
    short = second.model_copy(update={"fault": fault, "parts": []})
    new = {"extend": True, "passes": 1}
    cut = with_result(
        first.model_copy(update={"job": first.load.model_copy(update=new)}),
        first.result.model_copy(update={"ended": "duration"}),
    )
    rest = [run for run in made.runs if run.system != "nfs"]
    for before, counts in ((first, {"I/O error": 1}), (cut, {})):
        results = replace(made, runs=[before, short, *others, *rest]).results()
        own = Sharing.of(results)
        assert own is not None
        assert next(each for each in own.faults if each.system == "nfs").counts == counts
        said = [each for each in results.findings if each.code == "clients.cut"]
        assert bool(said) == (before is cut), "nothing said why reads were missing"
    assert said[0].sentence.startswith("In the only run the time limit ended")
    assert said[0].advice.endswith("1 later run failed, as the file was short.")


def test_a_sound_run_has_none() -> None:
    assert class_of(one_run()) is None


def test_a_system_that_failed_is_named_with_what_it_reached() -> None:
    sound = SystemFaults(system="nfs", planned=8, reached=8, counts={}, first="")
    failed = SystemFaults(
        system="ocfs2", planned=8, reached=5, counts={"crash": 1, "hang": 2}, first="it panicked"
    )
    assert words(sound) == "none"
    (found,) = failed_finding([sound, failed])
    assert found.level == "warning" and "1 of 2 systems" in found.sentence
    assert found.where == ["ocfs2: crash in 1 turn, hang in 2 turns; it panicked"]
    assert list(failed_finding([sound])) == []
