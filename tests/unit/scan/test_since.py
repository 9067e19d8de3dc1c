"""What changed since an earlier scan, in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Jumps, ScanResult
from fsgauge.scan.since import since
from fsgauge.units import moment
from tests.scan_example import example

GIB = 1 << 30


def scan(extents: int = 1000, *, far: int = 0, free: int = 4 * GIB, **more: Any) -> ScanResult:
    """A thousand files of 4 GiB together, on flash."""
    found = example()
    assert found.free is not None
    counts = {
        "files": 1000,
        "files_without_extents": 0,
        "extents": extents,
        "extent_bytes": 4 * GIB,
        "undecided_extents": 0,
        "jumps": Jumps(far=far, near=0, passed_bytes=0),
    }
    room = {"size_bytes": free, "largest_bytes": free // 2, "unread_bytes": 0}
    return found.model_copy(
        update={
            "started_unix_ns": 1_795_000_000_000_000_000,
            "counts": found.counts.model_copy(update=counts | more),
            "free": found.free.model_copy(update=room),
            "room": found.room.model_copy(update={"is_rotational": False}),
        }
    )


def said(before: ScanResult, now: ScanResult) -> str:
    start = f"Since {moment(before.started_unix_ns)}: "
    found = since(before, now)
    assert found.startswith(start)
    return found.removeprefix(start)


def test_what_has_become_worse_is_said_with_what_it_costs() -> None:
    assert said(scan(), scan(9000, far=20_000, free=GIB)) == (
        "free space from 4 to 1 GiB, the largest free piece from 2 GiB to 512 MiB; extents per"
        " file from 1.00 to 9.00; reading as many bytes takes flash 3 % more time than then"
    )


def test_what_costs_many_times_as_much() -> None:
    found = said(scan(), scan(9000, far=2_000_000))
    assert found.endswith("reading as many bytes takes flash 3.9 times as much time as then")


def test_what_became_better_is_said_too() -> None:
    found = said(scan(9000, far=200_000), scan())
    assert found.startswith("extents per file from 9.00 to 1.00; reading as many bytes takes")
    assert found.endswith(" % less time than then")


def test_room_alone_may_change_and_nothing_may() -> None:
    room = "free space from 4 to 3 GiB, the largest free piece from 2 to 1.5 GiB"
    same = "reading as many bytes takes flash as much time as then"
    assert said(scan(), scan(free=3 * GIB)) == f"{room}; {same}"
    assert said(scan(), scan()) == "nothing changed"


def test_of_pieces_that_a_user_cannot_count_nothing_is_said() -> None:
    user = scan(9000, far=200_000, undecided_extents=500)
    assert said(scan(), user) == "nothing changed"


@pytest.mark.parametrize("changes", [{"path": "/other"}, {"size_bytes": 5}])
def test_two_that_cannot_be_compared_have_no_sentence(changes: dict[str, Any]) -> None:
    now = scan()
    other = now.model_copy(update={"source": now.source.model_copy(update=changes)})
    assert since(scan(), other) == ""
