"""Progress of ageing: quiet where it is quick, one line a while elsewhere."""

from __future__ import annotations

import io

import pytest

from fsgauge.engine.wire import AgeProgressEvent
from fsgauge.progress import scan_and_age

EVENT = AgeProgressEvent(
    event="age_progress",
    operations=12_000,
    share=0.25,
    failed=3,
    written_bytes=5 << 30,
    live_files=1000,
    live_bytes=1 << 30,
    elapsed_ns=7 * 10**9,
)


def test_the_words() -> None:
    assert scan_and_age.age_words(EVENT) == (
        "25 %, 12,000 operations, 5 GiB written, 1,000 files of 1 GiB, 3 failed, 7 s"
    )


def test_a_quick_stage_says_nothing_and_a_long_one_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(scan_and_age.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    progress = scan_and_age.StageProgress(stream)
    progress.stage("ageing")
    progress.event(EVENT)
    assert stream.getvalue() == ""
    now[0] = 111.0
    progress.event(EVENT)
    progress.event(EVENT)
    progress.ended()
    assert stream.getvalue().splitlines() == [f"ageing: {scan_and_age.age_words(EVENT)}"]
