"""The main path: study -> plan -> rig -> record; all after it needs the results folder alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from fsgauge import __version__
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.ordinary_causes import ordinary_cause
from fsgauge.plan.turns import make_plan
from fsgauge.programs.interruption import interruptible, unwrapped
from fsgauge.progress import Progress
from fsgauge.record.records import Plan, StudyRecord
from fsgauge.rig.happenings import StudyVoid
from fsgauge.rig.refusing import refused_by, require_none
from fsgauge.rig.registry import require_hosts
from fsgauge.rig.rig import Rig, around_on, design_of
from fsgauge.rig.session import Session
from fsgauge.run.recording import Recording
from fsgauge.run.resuming import (
    is_finished,
    keeps_runs,
    knows_enough,
    of_race,
    plan_of,
    raced_study,
    require_same,
    study_of,
    without,
)
from fsgauge.store import ResultsFolder, read_results
from fsgauge.store.abandon import set_aside, whole_blocks
from fsgauge.store.blocks import compact
from fsgauge.store.folder import require_place
from fsgauge.store.journal import read_journal
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study

__all__ = ["Outcome", "left_of", "resume_study", "run_study"]


@dataclass(frozen=True)
class Outcome:
    """Where the records are, and what ended the study early, if anything did."""

    directory: Path
    ended_by: FsgaugeError | None


def run_study(
    study: Study,
    *,
    rig: Rig,
    results: Path,
    destroy: Consent | None,
    command: list[str],
    progress: Progress,
    created: Callable[[Path], None] = lambda _: None,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Measure a study from nothing to a folder of records; `created` is told the folder's name, and
    the texts of `beside` are kept in it, by name.
    Raises InputError or RigError before anything was measured; once a run is recorded, what ends
    the study early is in the outcome, and the records stay."""
    require_hosts(rig, study)
    strikes = rig.strikes(study)
    looks = (partial(require_place, results), partial(rig.check, study, destroy))
    require_none(refused_by(looks))
    side_by_side = design_of(rig, study).side_by_side
    with interruptible(), rig.opened(study) as session:
        found = session.describe()
        plan = make_plan(
            study,
            size_bytes=found.size_bytes,
            side_by_side=side_by_side,
            strikes=strikes,
            around=around_on(rig, study).once_up,
        )
        with ResultsFolder.created(results, study.name) as folder:
            created(folder.directory)
            record = StudyRecord(
                fsgauge_version=__version__,
                study=study.model_dump(mode="json", by_alias=True),
                plan=plan,
                command=command,
                started_unix_ns=time.time_ns(),
                rig=rig.name,
            )
            folder.write_environment("before", found.environment)
            for name, text in beside.items():
                folder.write(name, text)
            folder.write_study(record, dump_study(study))
            folder.journal("started", runs=sum(len(turn.cells) for turn in plan.all_turns))
            progress.study_started(study, plan, found.environment)
            recording = Recording(folder, progress, plan, keeps_runs(study))
            ended_by = _measure(session, record, recording, set())
            folder.files.require_still()
    return Outcome(folder.directory, ended_by)


def resume_study(
    directory: Path,
    *,
    rig: Callable[[str], Rig],
    destroy: Consent | None,
    progress: Progress,
    accept_changed: bool = False,
) -> Outcome | None:
    """Measure what a study still lacks, as it was planned; None when it lacks nothing.

    `rig` gives the one of the name that the study has. The block that was cut short is set aside
    and measured whole. Raises InputError when the folder cannot be read or the machine is not the
    same, RigError when another process writes it or its records were changed, unless that is
    accepted.
    """
    with interruptible(), ResultsFolder.opened(directory) as folder:
        as_planned = read_results(folder.files, accept_changed=accept_changed)
        stored = raced_study(as_planned)
        study, plan, whole = study_of(stored), stored.study.plan, whole_blocks(stored)
        if is_finished(stored, whole, read_journal(folder.files)):
            return None
        chosen = rig(stored.study.rig)
        chosen.check(study, destroy)
        with chosen.opened(study) as session:
            found = session.describe()
            require_same(stored, chosen, found)
            aside = set_aside(folder, plan, whole)
            folder.write_environment("resumed", found.environment)
            folder.journal("resumed", whole_blocks=sorted(whole), abandoned=aside)
            progress.study_started(study, without(plan, whole), found.environment)
            recording = Recording(folder, progress, plan, keeps_runs(study))
            if recording.keeps_runs:
                recording.runs += [run for run in stored.runs if run.block in whole]
            ended_by = _measure(session, as_planned.study, recording, whole)
            folder.files.require_still()
    return Outcome(directory, ended_by)


def left_of(directory: Path) -> Plan | None:
    """The plan of what a study in a folder lacks; None for nothing. InputError if unreadable."""
    with ResultsFolder.opened(directory) as folder:
        stored = raced_study(read_results(folder.files))
        whole = whole_blocks(stored)
        finished = is_finished(stored, whole, read_journal(folder.files))
    return None if finished else without(stored.study.plan, whole)


def _measure(
    session: Session, record: StudyRecord, recording: Recording, whole: set[int]
) -> FsgaugeError | None:
    """Every block that is missing; gives the error that cut the study short, if any did."""
    ended_by, folder = None, recording.folder
    try:
        with unwrapped():
            _all_blocks(session, record, recording, whole)
    except Exception as error:
        ended_by = ordinary_cause(error)
        if ended_by is None:
            raise
        if not folder.has_runs():
            folder.discard()
            raise ended_by from error
        ended_by = _of_the_rig(ended_by)
    try:
        folder.write_environment("after", session.describe().environment)
        folder.journal("ended", by=ended_by.what if ended_by else None)
    except Exception as error:
        ended_by = ended_by or ordinary_cause(error)
        if ended_by is None:
            raise
    return ended_by


def _of_the_rig(error: FsgaugeError) -> FsgaugeError:
    """What is refused once runs are recorded was not refused before them: the rig has changed, and
    other options for the same study are no way on."""
    if not isinstance(error, InputError):
        return error
    return RigError(
        error.what,
        details=error.details,
        cause="; ".join(filter(None, (error.cause, "it was not refused when the study began"))),
        next="df -h; df -i; findmnt; dmesg | tail",
    )


def _all_blocks(
    session: Session, record: StudyRecord, recording: Recording, whole: set[int]
) -> None:
    """Every block that is not whole, until the study knows enough; rows may go to Parquet."""
    blocks = sorted({turn.block for turn in record.plan.all_turns})
    try:
        while not _every_block(session, record, recording, whole, blocks):
            whole = set()
    finally:
        recording.progress.ended()


def _every_block(
    session: Session,
    record: StudyRecord,
    recording: Recording,
    whole: set[int],
    blocks: Sequence[int],
) -> bool:
    """The blocks that are not whole, in order; False where all must be measured again."""
    compared = {turn.block for turn in record.plan.turns}
    for block in blocks:
        if block not in whole:
            if block in compared and knows_enough(record, recording.runs):
                continue
            recording.folder.files.require_still()
            try:
                _block(session, record, recording, block, whole)
            except StudyVoid as error:
                recording.void(set(blocks), error.what)
                recording.folder.write_environment("before", session.describe().environment)
                return False
        compact(recording.folder, block, len(blocks))
    return True


def _block(
    session: Session, record: StudyRecord, recording: Recording, block: int, whole: set[int]
) -> None:
    """One block, as the blocks before it decide; `whole` are those of another session."""
    if record.plan.race is None:
        session.block(plan_of(record, block, recording.runs), block, recording)
        return
    plan, words = of_race(record, block, recording.runs)
    if any(turn.block == block for turn in plan.turns):
        recording.progress.raced(without(plan, whole), words)
        session.block(plan, block, recording)
