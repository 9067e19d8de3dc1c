"""Every turn begins on a device that is discarded."""

from __future__ import annotations

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said
from fsgauge.rig.host import formatted

BUSY = "blkdiscard: cannot open /dev/loop1: Device or resource busy"


def said(exit_code: int, error: str = "") -> Said:
    return Said(("blkdiscard", "/dev/loop1"), exit_code, "", error)


def answering(monkeypatch: pytest.MonkeyPatch, *answers: Said) -> list[Said]:
    """The tool gives these answers, the last one again and again; no time passes but by pauses."""
    left, now = list(answers), [0.0]
    monkeypatch.setattr(
        formatted, "discard", lambda *_, **__: left.pop(0) if len(left) > 1 else left[0]
    )
    monkeypatch.setattr(formatted.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(formatted.time, "sleep", lambda seconds: now.append(now.pop() + seconds))
    return left


def test_a_device_that_somebody_has_for_a_moment_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server of another study had copied the mount table, and a study ended because of it."""
    answering(monkeypatch, said(1, BUSY), said(1, BUSY), said(0))
    assert formatted.make_blank("/dev/loop1") == ("whole device discarded", [])


def test_one_that_stays_busy_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, said(1, BUSY))
    with pytest.raises(RigError, match="could not be discarded"):
        formatted.make_blank("/dev/loop1")


def test_any_other_refusal_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left = answering(monkeypatch, said(1, "Input/output error"), said(0))
    with pytest.raises(RigError, match="could not be discarded"):
        formatted.make_blank("/dev/loop1")
    assert len(left) == 1
