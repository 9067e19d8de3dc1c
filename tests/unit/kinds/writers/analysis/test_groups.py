"""Groups are named by what else varies, and by nothing that does not."""

from __future__ import annotations

from fsgauge.kinds.writers.analysis.groups import groups_of
from fsgauge.record import Cell


def cell(**changes: object) -> Cell:
    fields: dict[str, object] = {
        "id": "c",
        "name": "c",
        "pattern": "write",
        "read_percent": 0,
        "block_size_bytes": 8192,
        "queue_depth": 1,
        "jobs": 1,
        "interface": "psync",
        "ranges": "shared",
        "direct": True,
    }
    return Cell.model_validate(fields | changes)


def test_writers_alone_make_one_group_in_their_order() -> None:
    (group,) = groups_of([cell(jobs=4), cell(jobs=1), cell(jobs=2)])
    assert group.name == "" and list(group.cells) == [1, 2, 4]


def test_names() -> None:
    assert [g.name for g in groups_of([cell(), cell(ranges="own_files")])] == [
        "shared",
        "own files",
    ]
    assert [g.name for g in groups_of([cell(), cell(direct=False)])] == ["direct", "buffered"]
    assert [g.name for g in groups_of([cell(), cell(block_size_bytes=65536)])] == [
        "8 KiB",
        "64 KiB",
    ]
    both = [cell(direct=False, ranges="segmented"), cell()]
    assert [g.name for g in groups_of(both)] == ["segmented, buffered", "shared, direct"]
