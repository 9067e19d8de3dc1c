"""Groups are named by what else varies, and by nothing that does not."""

from __future__ import annotations

from fsgauge.kinds.writers.analysis.lines import groups_of
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell


def cell(**changes: object) -> Cell:
    fields: dict[str, object] = {
        "pattern": "write",
        "block_size_bytes": 8192,
        "writers": 1,
        "queue_depth": 1,
        "interface": "psync",
        "ranges": "shared",
        "access": "direct",
        "allocation": "overwrite",
    }
    return WritersFactors.model_validate(fields | changes).cell("c", "c")


def test_writers_alone_make_one_group_in_their_order() -> None:
    (group,) = groups_of([cell(writers=4), cell(writers=1), cell(writers=2)])
    assert group.name == "" and list(group.cells) == [1, 2, 4]


def test_names() -> None:
    assert [g.name for g in groups_of([cell(), cell(ranges="own files")])] == [
        "shared",
        "own files",
    ]
    assert [g.name for g in groups_of([cell(), cell(access="buffered")])] == ["direct", "buffered"]
    assert [g.name for g in groups_of([cell(), cell(block_size_bytes=65536)])] == [
        "8 KiB",
        "64 KiB",
    ]
    both = [cell(access="buffered", ranges="segmented"), cell()]
    assert [g.name for g in groups_of(both)] == ["segmented, buffered", "shared, direct"]
