"""Progress of ageing: quiet where it is quick, one line a while elsewhere."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import pytest

from fsgauge.engine.wire import AgeProgressEvent
from fsgauge.progress import scan_and_age
from tests.patience import patience

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


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + patience(10)
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_step_says_what_it_is_where_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with scan_and_age.step("drawing page.html", stream):
        pass
    assert stream.getvalue() == ""
    monkeypatch.setattr(scan_and_age, "_LINE_SECONDS", 0.0)
    with scan_and_age.step("drawing a\x1b.html", stream):
        until(lambda: bool(stream.getvalue()))
    assert stream.getvalue() == "drawing a\\x1b.html\n"


def test_a_step_leaves_no_half_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(scan_and_age, "_QUIET_SECONDS", 0.0)
    with pytest.raises(OSError, match="full"), scan_and_age.step("saving it", stream):
        until(lambda: bool(stream.getvalue()))
        raise OSError("full")
    assert stream.getvalue() == "\r\x1b[Ksaving it\r\x1b[K"
