"""The main path: study -> plan -> rig -> engine -> record; then statistics and report read records.

`run_study` and `resume_study` measure and store; everything after needs the results folder alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fsgauge import __version__
from fsgauge.engine import Engine
from fsgauge.errors import FsgaugeError
from fsgauge.interruption import interruptible
from fsgauge.plan.turns import make_plan
from fsgauge.progress import Progress
from fsgauge.record import StudyRecord
from fsgauge.rig.host.device.consent import Consent
from fsgauge.rig.rig import Rig
from fsgauge.run.campaign import Campaign
from fsgauge.run.resuming import is_finished, require_same, study_of, without
from fsgauge.run.stopping import folder_knows_enough
from fsgauge.run.turn import measure_turn
from fsgauge.store import ResultsFolder, read_results
from fsgauge.store.abandon import set_aside, whole_blocks
from fsgauge.store.blocks import compact
from fsgauge.store.journal import read_journal
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study

__all__ = ["Outcome", "resume_study", "run_study"]


@dataclass(frozen=True)
class Outcome:
    """Where the records are, and what ended the study early, if anything did."""

    directory: Path
    ended_by: FsgaugeError | None


def run_study(
    study: Study,
    *,
    rig: Rig,
    engine: Engine,
    results: Path,
    destroy: Consent | None,
    command: list[str],
    progress: Progress,
    created: Callable[[Path], None] = lambda _: None,
) -> Outcome:
    """Measure a study from nothing to a folder of records; `created` is told the folder's name.

    Raises InputError or RigError before anything was measured; once a run is recorded, what ends
    the study early is in the outcome, and the records stay.
    """
    rig.check(study, destroy)
    with interruptible(), rig.storage(study) as attached:
        plan = make_plan(study, size_bytes=attached.size_bytes)
        environment = rig.environment(study, attached)
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
            folder.write_environment("before", environment)
            folder.write_study(record, dump_study(study))
            folder.journal("started", runs=sum(len(turn.cells) for turn in plan.turns))
            progress.study_started(study, plan, environment)
            campaign = Campaign(study, plan, rig, engine, attached, folder, progress)
            ended_by = _measure(campaign, set())
    return Outcome(folder.directory, ended_by)


def resume_study(
    directory: Path,
    *,
    rig: Rig,
    engine: Engine,
    destroy: Consent | None,
    progress: Progress,
    accept_changed: bool = False,
) -> Outcome | None:
    """Measure what a study still lacks, as it was planned; None when it lacks nothing.

    The block that was cut short is set aside and measured whole. Raises InputError when the folder
    cannot be read or the machine is not the same, RigError when another process writes it or its
    records were changed, unless that is accepted.
    """
    with interruptible(), ResultsFolder.opened(directory) as folder:
        stored = read_results(folder.files, accept_changed=accept_changed)
        study, plan, whole = study_of(stored), stored.study.plan, whole_blocks(stored)
        if is_finished(stored, whole, read_journal(folder.files)):
            return None
        rig.check(study, destroy)
        with rig.storage(study) as attached:
            environment = rig.environment(study, attached)
            require_same(stored, rig, engine, environment)
            aside = set_aside(folder, plan, whole)
            folder.write_environment("resumed", environment)
            folder.journal("resumed", whole_blocks=sorted(whole), abandoned=aside)
            progress.study_started(study, without(plan, whole), environment)
            campaign = Campaign(study, plan, rig, engine, attached, folder, progress)
            ended_by = _measure(campaign, whole, accept_changed=accept_changed)
    return Outcome(directory, ended_by)


def _measure(
    campaign: Campaign, whole: set[int], *, accept_changed: bool = False
) -> FsgaugeError | None:
    """Every block that is missing; gives the error that cut the study short, if any did."""
    ended_by = None
    try:
        _all_blocks(campaign, whole, accept_changed)
    except FsgaugeError as error:
        if not campaign.folder.has_runs():
            campaign.folder.discard()
            raise
        ended_by = error
    try:
        environment = campaign.rig.environment(campaign.study, campaign.attached)
        campaign.folder.write_environment("after", environment)
        campaign.folder.journal("ended", by=ended_by.what if ended_by else None)
    except FsgaugeError as error:
        ended_by = ended_by or error
    return ended_by


def _all_blocks(campaign: Campaign, whole: set[int], accept_changed: bool) -> None:
    """Every block that is not whole, until the study knows enough; rows go to Parquet."""
    folder, stop_interval = campaign.folder, campaign.study.plan.stop_interval
    try:
        for block in sorted({turn.block for turn in campaign.plan.turns}):
            if block not in whole:
                if folder_knows_enough(folder.files, stop_interval, accept_changed=accept_changed):
                    break
                _block(campaign, block)
            compact(folder, block)
    finally:
        campaign.progress.ended()


def _block(campaign: Campaign, block: int) -> None:
    for turn in campaign.plan.turns:
        if turn.block == block:
            for record in measure_turn(campaign, turn):
                campaign.progress.run_ended(record)
