"""What going on with a study needs to know: what it was, what is left, whether all is as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError

from fsgauge import __version__
from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.errors import InputError, quoted
from fsgauge.record.conditions import Conditions, require_equal
from fsgauge.record.records import Plan, RunRecord, StudyRecord
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import Description
from fsgauge.store import StoredStudy
from fsgauge.study.model import Study


def study_of(stored: StoredStudy) -> Study:
    """The study as it was when it began; raises InputError when the record does not hold one."""
    try:
        return Study.model_validate_json(json.dumps(stored.study.study))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{stored.directory / 'study.json'} does not hold a study that this fsgauge can run",
            details=(f"{where}: {first['msg']}",),
            cause="another version wrote it, or it was edited",
            next=f"fsgauge report {quoted(stored.directory)}",
        ) from error


def is_finished(
    stored: StoredStudy, whole: set[int], events: Sequence[Mapping[str, object]]
) -> bool:
    """Whether every block is whole, or the study asked to end sooner; `events` are its journal."""
    ended = bool(events) and events[-1].get("event") == "ended"
    plan = stored.study.plan
    lacks = {turn.block for turn in plan.all_turns} - whole
    if ended and lacks and knows_enough(stored.study, stored.runs):
        lacks -= {turn.block for turn in plan.turns}
    return ended and not lacks


def keeps_runs(study: Study) -> bool:
    """Whether what is measured next is decided by what was measured."""
    return study.plan.stop_interval is not None or study.plan.mode != "all"


def knows_enough(record: StudyRecord, runs: Sequence[RunRecord]) -> bool:
    """Whether the study's intervals are as narrow as it asked; False where it did not ask."""
    if record.study.get("plan", {}).get("stop_interval") is None or not runs:
        return False
    from fsgauge.stats.planned import state_of

    return state_of(record, runs).enough


def plan_of(record: StudyRecord, block: int, runs: Sequence[RunRecord]) -> Plan:
    """The plan of a block, of a curve with the rates that came of the blocks before; RigError."""
    if record.plan.curve is None:
        return record.plan
    from fsgauge.stats.curve.rates import plan_of_block

    return plan_of_block(record.plan, block, runs)


def of_race(record: StudyRecord, block: int, runs: Sequence[RunRecord]) -> tuple[Plan, str]:
    """The plan with the turns of a race so far and next, and how it stands, in words."""
    if record.plan.race is None:
        return record.plan, ""
    from fsgauge.stats.race.replay import raced_plan, replayed, standing_words

    found = replayed(record, runs)
    if found is None:
        return record.plan, ""
    return raced_plan(found), standing_words(found, block)


def raced_study(stored: StoredStudy) -> StoredStudy:
    """What is stored, with the turns that its race has had or has next."""
    plan, _ = of_race(stored.study, 0, stored.runs)
    return replace(stored, study=stored.study.model_copy(update={"plan": plan}))


def without(plan: Plan, whole: set[int]) -> Plan:
    """The part of a plan that is left, for whoever watches."""
    turns = [turn for turn in plan.turns if turn.block not in whole]
    struck = [turn for turn in plan.struck if turn.block not in whole]
    share = (len(turns) + len(struck)) / len(plan.all_turns)
    return plan.model_copy(
        update={
            "turns": turns or plan.turns,
            "struck": struck,
            "expected_seconds": plan.expected_seconds * share,
            "expected_written_bytes": int(plan.expected_written_bytes * share),
        }
    )


def require_same(stored: StoredStudy, rig: Rig, found: Description) -> None:
    """Raise InputError where what must be equal differs from when the study began."""
    then = Conditions(
        fsgauge_version=stored.study.fsgauge_version,
        rig=stored.study.rig,
        engine=_engine_of(stored),
        environment=stored.before,
    )
    now = Conditions(__version__, rig.name, found.engine, found.environment)
    require_equal(then, now, next=f"fsgauge report {quoted(stored.directory)}")


def _engine_of(stored: StoredStudy) -> EngineBuild | None:
    """The build that laid out the first files or, where nothing is laid out, made the first run."""
    results = (*(turn.layout for turn in stored.turns), *(run.result for run in stored.runs))
    return next((result.engine for result in results if result is not None), None)
