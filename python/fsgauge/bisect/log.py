"""What a bisection has tried so far: bisect.json in its folder, and its page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from fsgauge.bisect.judging import LimitVerdict, Outcome, answer, next_kernel
from fsgauge.errors import InputError
from fsgauge.plain_files import MissingError, PlainFolder
from fsgauge.plain_files.bounds import LOG
from fsgauge.plain_files.kept import Kept
from fsgauge.report import words
from fsgauge.report.logged import write_logged

FILE = "bisect.json"


class Asked(Kept):
    """What was asked for; a folder goes on with the same alone."""

    study: str
    overrides: list[str]
    system: str
    storage: str | None
    seed: int | None
    good: str
    bad: str
    limits: list[str]


class Step(Kept):
    """A study of one kernel against the good one; `directory` is its results folder."""

    kernel: str
    directory: str
    blocks: int
    outcome: Outcome
    limits: list[LimitVerdict]


class Log(Kept):
    """All of it. A kernel that was measured again with more blocks counts by its last step."""

    format: Literal[1] = 1
    asked: Asked
    kernels: list[str]
    steps: list[Step] = Field([])

    @model_validator(mode="after")
    def _steps_are_of_its_kernels(self) -> Self:
        if [*self.kernels[:1], *self.kernels[1:][-1:]] != [self.asked.good, self.asked.bad]:
            raise ValueError("its kernels are not those from the good one to the bad one")
        if not {step.kernel for step in self.steps} <= set(self.kernels):
            raise ValueError("a step is of another kernel")
        return self

    @property
    def tried(self) -> dict[str, Outcome]:
        return {step.kernel: step.outcome for step in self.steps}

    def with_step(self, step: Step) -> Log:
        return self.model_copy(update={"steps": [*self.steps, step]})


def read_log(folder: Path, asked: Asked) -> Log | None:
    """What the folder has; None where it has nothing, InputError where it has something else."""
    path = folder / FILE
    try:
        with PlainFolder.opened(folder, as_owner=False) as opened:
            content = opened.read_json(FILE, LOG)
            opened.require_roots_alone("ls -la")
    except MissingError:
        return None
    try:
        found = Log.model_validate_json(content)
    except ValueError as error:
        raise InputError(
            f"{path} cannot be read as the log of a bisection",
            cause="it was edited or cut short, or another version of fsgauge wrote it",
            next="--output DIR",
        ) from error
    if found.asked != asked:
        raise InputError(
            f"{folder} has another bisection: {found.asked.good} to {found.asked.bad},"
            f" study {found.asked.study}",
            next="the same words as then, to go on with it; or --output DIR",
        )
    return found


BLOCKS = (1, 2, 4)
"""How many times the study's blocks a kernel is given, one after the other, until it is decided."""

Measure = Callable[[str, int], Step]
"""Measures a kernel in so many times the study's blocks."""


def steps(log: Log, measure: Measure) -> Iterator[Log]:
    """The log after each measurement, until nothing is left to try."""
    while (kernel := next_kernel(log.kernels, log.tried)) is not None:
        for times in BLOCKS:
            step = measure(kernel, times)
            log = log.with_step(step)
            yield log
            if step.outcome != "undecided":
                break


def write_bisect(log: Log, folder: Path) -> Path:
    """Write the log and its page into a folder; RigError where that cannot be."""
    reports = {
        step.directory: os.path.relpath(Path(step.directory) / "report.html", folder)
        for step in log.steps
    }
    said = answer(log.kernels, log.tried)
    return write_logged("bisect", log, folder, answer=said, reports=reports, words=words)
