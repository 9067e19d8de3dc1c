"""Machines that were lost: what is said of each, from the journal alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.progress import Progress
from fsgauge.record.records import LostBlock
from fsgauge.report.write import read_report, write_report
from fsgauge.rig.happenings import BlockGivenUp, BlockVoid, NotRemoved, RunStarted
from fsgauge.run.recording import Recording
from fsgauge.stats.read import read_study
from fsgauge.stats.results import Results
from fsgauge.store import ResultsFolder, read_results
from tests.laboratory import run
from tests.synthetic import make_study
from tests.synthetic.setting import with_result
from tests.unit.stats.one_run import ONE_CELL

pytestmark = pytest.mark.usefixtures("blank_pictures")

PANIC = "console: Kernel panic - not syncing: sysrq triggered crash"
LOST = LostBlock(
    block=1,
    because="the machine node1 has ended",
    during="xfs was measured (randread)",
    lines=[PANIC],
    again=True,
)


def results(*lost: LostBlock) -> Results:
    made = make_study(**ONE_CELL | {"blocks": 3})
    return read_study(made.turns, made.runs, made.study, made.before, lost=lost)


def test_each_time_is_a_finding_with_the_console_s_lines_and_changes_nothing_else() -> None:
    found = results(LOST, LOST.model_copy(update={"again": False}))
    first, second = [each for each in found.findings if each.code == "machine.lost"]
    assert first.sentence == (
        "In block 2, while xfs was measured (randread): the machine node1 has ended. The block was"
        " measured again."
    )
    assert "have failed" in second.sentence
    assert first.lines == [PANIC] and first.level == "warning"
    assert found.comparisons == results().comparisons


def test_a_system_that_could_not_be_removed_is_a_finding_and_costs_no_run(tmp_path: Path) -> None:
    """Both nodes were restarted, and the page had no trace of it."""
    directory = run(tmp_path).directory
    plan = read_results(directory).study.plan
    turn = plan.turns[1]
    because = '"cachefs" is not removed (FS-Cache, step 2, undone): node2: umount: target is busy'
    with ResultsFolder.opened(directory) as folder:
        Recording(folder, Progress(), plan, keeps_runs=False)(NotRemoved(turn, because))
    (found,) = read_results(directory).not_removed
    assert (found.system, found.because) == (turn.system, because)
    report = read_report(directory)
    (told,) = [each for each in report.results.findings if each.code == "system.not_removed"]
    assert told.level == "warning" and told.where == [f"block {turn.block + 1}, {because}"]
    assert report.results.sureness.runs_failed == 0


def test_where_every_run_failed_the_answer_is_how() -> None:
    """ "No answer yet: no block is complete" was said of `run command -- false`."""
    made = make_study(**ONE_CELL | {"blocks": 3})

    def answer(*whats: str) -> str:
        runs = [
            with_result(run, None, EngineFault(what=what, cause="", next="", code="x"))
            for run, what in zip(made.runs, whats, strict=False)
        ]
        return read_study(made.turns, runs, made.study, made.before).answer

    said = "false ended with exit code 1"
    assert answer(said, f"{said}: no / room.") == f"No answer: all 2 runs failed: {said}."
    assert answer(f"{said}: no / room.") == f"No answer: the only run failed: {said}: no / room."
    assert answer("mkfs failed", said) == "No answer: all 2 runs failed, the first: mkfs failed."
    assert answer() and "failed" not in answer()


def test_a_system_whose_runs_all_failed_is_named_next_to_those_that_are_compared() -> None:
    """The answer spoke of the others as if it had not been there."""
    systems = {"raw": "raw", "ext4": "ext4", "xfs": "xfs"}
    own = {"systems": systems, "faults": lambda turn, _: turn.system == "xfs"}
    made = make_study(**ONE_CELL | {"blocks": 3}, **own)
    lines = made.results().lines
    assert lines[0].startswith("ext4")
    assert "xfs is not compared: no run came to its end." in lines


def test_what_was_read_too_late_is_noted_and_costs_no_run() -> None:
    made = make_study(**ONE_CELL | {"blocks": 3})
    words = ["what its layers count: the shell is late"]
    late = made.runs[0].model_copy(update={"not_read": words})
    found = read_study(made.turns, [late, *made.runs[1:]], made.study, made.before)
    (note,) = [each for each in found.findings if each.code == "run.not_read"]
    assert note.level == "note" and "the shell is late" in note.where[0]
    assert found.comparisons == results().comparisons and found.sureness.runs_failed == 0


def test_a_void_block_is_in_the_journal_and_on_the_page(tmp_path: Path) -> None:
    """Void once, and given up at last; the records are those of a study that ran to its end."""
    directory = run(tmp_path).directory
    plan = read_results(directory).study.plan
    turn = next(turn for turn in plan.turns if turn.block == 1)
    with ResultsFolder.opened(directory) as folder:
        recording = Recording(folder, Progress(), plan, keeps_runs=False)
        recording(RunStarted(turn, plan.cells[0]))
        recording(BlockGivenUp(1, "the machine node1 has ended", (PANIC, "console: <b>")))
        recording(BlockVoid(1, "node1 has said nothing for 90 s"))
    given_up, void = read_results(directory).lost
    assert (given_up.block, given_up.again, void.again) == (1, False, True)
    assert given_up.during == f"{turn.system} was measured ({plan.cells[0].name})"
    assert given_up.lines == [PANIC, "console: <b>"] and void.lines == []
    page = write_report(directory).read_text(encoding="utf-8")
    assert PANIC in page and "console: &lt;b&gt;" in page
    assert "node1 has said nothing for 90 s" in page
