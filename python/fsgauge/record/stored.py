"""All that a results folder has of a study, once it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fsgauge.plain_files import SeenFolder
from fsgauge.record import records


@dataclass(frozen=True)
class StoredStudy:
    """All records of one results folder, in the order of the plan.

    `path_turns` and `path_runs` are those over paths beside a server, `struck_turns` and
    `struck_runs` those with faults on purpose: no samples of the study. Their scans and steps are
    in none of its lists. `lost` are the times that a machine was lost. `folder` is the one that
    they were read from. `ended_by` is what ended the study early, "" where nothing did.
    """

    directory: Path
    folder: SeenFolder
    study: records.StudyRecord
    turns: list[records.TurnRecord]
    runs: list[records.RunRecord]
    before: records.EnvironmentRecord
    after: records.EnvironmentRecord | None
    study_toml: str
    scans: list[records.ScanRecord] = field(default_factory=list)
    path_turns: list[records.TurnRecord] = field(default_factory=list)
    path_runs: list[records.RunRecord] = field(default_factory=list)
    struck_turns: list[records.TurnRecord] = field(default_factory=list)
    struck_runs: list[records.RunRecord] = field(default_factory=list)
    steps: list[records.StepRecord] = field(default_factory=list)
    changes: tuple[str, ...] = ()
    lost: list[records.LostBlock] = field(default_factory=list)
    not_removed: list[records.NotRemovedTurn] = field(default_factory=list)
    ended_by: str = ""
    resumed: bool = False
