"""An ageing for tests: what the fake engine answers, with changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock

from fsgauge.age.wearing import Order, Worn
from fsgauge.engine.wire import AgeJob, AgeResult, ChurnProfile, CompleteEnd
from tests.cli import fake_engine
from tests.scan_example import example

ORDER = Order(
    profile=ChurnProfile(),
    mode="fast",
    fill_percent=80.0,
    end=CompleteEnd(),
    time_limit_ns=10**9,
    seed=1,
)


def aged(folder: Path, *, behaviour: str = "", **changes: Any) -> AgeResult:
    """The fake engine's result for `ORDER` in `folder`; `changes` replace keys of it."""
    job = AgeJob(
        directory=str(folder),
        profile=ORDER.profile,
        mode=ORDER.mode,
        end=ORDER.end,
        time_limit_ns=ORDER.time_limit_ns,
        seed=ORDER.seed,
    )
    with mock.patch.dict(os.environ, {"FSGAUGE_FAKE_ENGINE_MODE": behaviour}):
        answer: dict[str, Any] = fake_engine.age(job.model_dump(mode="json"))
    answer |= {"format": 1, "kind": "age", "engine": fake_engine.ENGINE, "notes": []}
    return AgeResult.model_validate(answer | changes)


def worn(folder: Path, *, behaviour: str = "", **changes: Any) -> Worn:
    """One file in one extent before, one in three after."""
    return Worn(example(extents=2), aged(folder, behaviour=behaviour, **changes), example())
