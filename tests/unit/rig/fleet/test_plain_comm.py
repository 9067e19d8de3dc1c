"""One frame of msgpack is read, and nothing that dask would make an object of."""

from __future__ import annotations

import struct

import msgpack
import pytest
from distributed.protocol import dumps, to_serialize

from fsgauge.rig.fleet.plain_comm import NotPlainError, plain_value


def message(*frames: bytes) -> memoryview:
    prelude = struct.pack(f"{len(frames) + 1}Q", len(frames), *map(len, frames))
    return memoryview(prelude + b"".join(frames))


def test_plain_values_are_read_as_dask_writes_them() -> None:
    said = {"op": "fsgauge", "words": {"a": 1, "b": [None, True, 2.5, b"c"]}}
    found = plain_value(message(*dumps(said)))
    assert found == {"op": "fsgauge", "words": {"a": 1, "b": (None, True, 2.5, b"c")}}


@pytest.mark.parametrize("value", [object(), to_serialize(1), ValueError("x"), lambda: None])
def test_what_dask_pickles_is_refused(value: object) -> None:
    with pytest.raises(NotPlainError, match="more than plain text"):
        plain_value(message(*dumps({"op": value})))


def test_marks_of_dask_s_own_stay_what_they_are() -> None:
    marks = [
        {"__Enum__": True, "__module__": "os", "__name__": "x", "name": "y"},
        {"__Pickled__": 1},
    ]
    assert plain_value(message(msgpack.packb(marks))) == tuple(marks)


@pytest.mark.parametrize(
    "frame",
    [
        *(b"", b"\xc1", b"\xc0\xc0", b"\xdd\xff\xff\xff\xff", b"\xa2\xff\xff"),
        *(b"\x91" * 5000 + b"\xc0", b"\x81\x81\xc0\xc0\xc0", b"\xc7\x01\x05x"),
    ],
)
def test_what_is_no_message_is_refused(frame: bytes) -> None:
    with pytest.raises(NotPlainError):
        plain_value(message(frame))


def test_frames_of_other_lengths_are_refused() -> None:
    with pytest.raises(NotPlainError):
        plain_value(memoryview(struct.pack("2Q", 1, 5) + b"\xc0"))
