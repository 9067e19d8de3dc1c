"""A scan for tests: what the fake engine answers, with changes."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from fsgauge.wire import ScanJob, ScanResult
from tests.cli import fake_engine


def example(*, path: str = "/fake", map_order: int = 3, **changes: Any) -> ScanResult:
    """The fake engine's scan; `changes` replace keys of the result, or of its `counts`."""
    job = ScanJob(path=path, top=3, map_order=map_order).model_dump(mode="json")
    with mock.patch.dict(os.environ, {"FAKE_ENGINE_MODE": ""}):
        answer: dict[str, Any] = fake_engine.scan(job)
    answer |= {"format": 1, "kind": "scan", "engine": fake_engine.ENGINE, "notes": []}
    for key, value in changes.items():
        if key in answer["counts"]:
            answer["counts"][key] = value
        else:
            answer[key] = value
    return ScanResult.model_validate(answer)
