"""What the run of a trial lacks for a verdict, each in words that name what would have it."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.published.runs import JudgedRun
from fsgauge.published.trial import Need, Trial

_NOISE = {
    "noise.wide": "two equal systems came out too far apart in it",
    "run.starved": "its load waited for processors",
}
"""Findings that forbid "confirmed" and "refuted", in words."""


def lacking(trial: Trial, run: JudgedRun) -> list[str]:
    """Why a run decides nothing of a trial; [] where it does."""
    found = [words for need in trial.needs if (words := _lacks(need, run))]
    if not trial.counted and (noise := noise_words(trial, run)):
        found.append(f"{noise}; a quieter machine, or more blocks, are missing")
    return found


def noise_words(trial: Trial, run: JudgedRun) -> str:
    """Why its times are not to be relied on, with the findings that say so; "" where they are. A
    load that waited for processors in runs of other systems leaves those of the trial."""
    return " and ".join(
        f"{words} ({code})"
        for code, words in _NOISE.items()
        if code in run.findings and (code != "run.starved" or run.starves(trial))
    )


def waits_for(trial: Trial) -> Iterator[str]:
    """What has to be there before it can be run, beyond a quiet machine."""
    words: dict[Need, str] = {
        "heads": "a disk with heads",
        "larger than memory": "storage larger than memory",
        "a network": "hosts that a network joins",
    }
    return (words[need] for need in trial.needs)


def _lacks(need: Need, run: JudgedRun) -> str:
    if need == "heads":
        return (
            "" if run.heads == "yes" else "its storage does not seek; a disk with heads is missing"
        )
    if need == "a network":
        return "" if run.network else "it was one machine; hosts that a network joins are missing"
    return {
        "yes": "",
        "no": "its files fit in memory, which answered for the storage; larger storage is missing",
        "unknown": "whether its files fit in memory was not kept; it has to be run again",
    }[run.beyond_memory]
