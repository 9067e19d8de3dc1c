"""Lists of whole numbers in columns: equal to the plain list, and a fraction of its memory."""

from __future__ import annotations

import sys
import tracemalloc

import pytest
from pydantic import TypeAdapter, ValidationError

from fsgauge.engine.wire import Group, ListedExtent, ListedFile
from fsgauge.engine.wire.base import Packed

EXTENTS = [
    ListedExtent(logical_bytes=at << 20, physical_bytes=(9 - at) << 30, length_bytes=1 << 20)
    for at in range(5)
]


def file_of(extents: object) -> ListedFile:
    return ListedFile.model_validate(
        {"name": "a", "size_bytes": 5 << 20, "extents": 5, "list": extents}
    )


def test_it_reads_as_the_list_that_it_was_made_of() -> None:
    packed = Packed.of(ListedExtent, EXTENTS)
    assert list(packed) == EXTENTS and packed == EXTENTS and len(packed) == 5
    assert packed[0] == EXTENTS[0] and packed[-1] == EXTENTS[-1]
    assert packed[1:3] == EXTENTS[1:3] and list(packed[::-1]) == EXTENTS[::-1]
    assert packed != EXTENTS[:4] and not Packed.of(ListedExtent, [])
    assert list(packed.column("length_bytes")) == [1 << 20] * 5
    with pytest.raises(IndexError):
        packed[5]
    with pytest.raises(KeyError):
        packed.column("colour")


def test_it_is_the_same_in_a_record_and_on_disk() -> None:
    plain = [each.model_dump() for each in EXTENTS]
    file = file_of(plain)
    assert isinstance(file.list, Packed)
    assert file.model_dump()["list"] == plain
    again = ListedFile.model_validate_json(file.model_dump_json())
    assert again == file and hash(again.list) == hash(file.list)
    assert file_of(file.list).list is file.list


@pytest.mark.parametrize("wrong", [-1, 1.5, "many"])
def test_what_is_no_whole_number_is_refused_as_in_a_plain_list(wrong: object) -> None:
    row = {"logical_bytes": 0, "physical_bytes": wrong, "length_bytes": 1}
    with pytest.raises(ValidationError, match="physical_bytes"):
        file_of([row])


def test_a_number_beyond_sixty_four_bits_is_refused() -> None:
    """From a damaged record: no traceback, but the error that says which file it is."""
    row = {"logical_bytes": 0, "physical_bytes": 1 << 64, "length_bytes": 1}
    with pytest.raises(ValidationError, match="less than 18446744073709551616"):
        file_of([row])


def test_groups_by_the_ten_thousand_take_a_tenth_of_their_memory_or_less() -> None:
    """The published study on 2 TiB holds 550 scans of 16,384 groups: as models that was more memory
    than the machine had."""
    groups = [
        {
            "offset_bytes": at << 27,
            "size_bytes": 1 << 27,
            "free_bytes": (1 << 26) + at,
            "free_extents": 1000 + at,
            "largest_free_bytes": (1 << 20) + at,
        }
        for at in range(5_000)
    ]
    text = TypeAdapter(list[Group]).validate_python(groups)
    plain = TypeAdapter(list[Group])
    packed: TypeAdapter[Packed[Group]] = TypeAdapter(Packed[Group])
    as_json = plain.dump_json(text)
    held = {}
    for name, adapter in (("plain", plain), ("packed", packed)):
        tracemalloc.start()
        found = adapter.validate_json(as_json)
        held[name] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(found) == 5_000
    assert held["packed"] * 10 < held["plain"], (held, sys.version)
