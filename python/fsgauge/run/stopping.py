"""Whether the records of a study already say what it asked for, so that it may end."""

from __future__ import annotations

from fsgauge.plain_files import PlainFolder
from fsgauge.store import StoredStudy, read_results


def knows_enough(stored: StoredStudy) -> bool:
    """Whether the study's intervals are as narrow as it asked; False where it did not ask."""
    if stored.study.study.get("plan", {}).get("stop_interval") is None or not stored.runs:
        return False
    from fsgauge.stats import read_study

    results = read_study(stored.turns, stored.runs, stored.study, stored.environment_before)
    return any(finding.code == "plan.stopped" for finding in results.findings)


def folder_knows_enough(
    folder: PlainFolder, stop_interval: float | None, *, accept_changed: bool
) -> bool:
    """The same for a folder that is being written; reads it only if the study asked."""
    if stop_interval is None:
        return False
    return knows_enough(read_results(folder, accept_changed=accept_changed))
