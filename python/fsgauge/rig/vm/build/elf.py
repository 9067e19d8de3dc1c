"""What an ELF file is linked with: the libraries it names, and where it looks for them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE = 2, 1
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRINGS, _RPATH, _RUNPATH, _END = 1, 5, 15, 29, 0


@dataclass(frozen=True)
class Linked:
    """Names as in the file; `folders` may begin with $ORIGIN."""

    libraries: tuple[str, ...]
    folders: tuple[str, ...] = ()


def linked(path: Path) -> Linked | None:
    """None for a file that is not a 64-bit little-endian ELF; empty for one linked statically."""
    with path.open("rb") as file:
        head = file.read(64)
        if head[:4] != _MAGIC or len(head) < 64 or head[4:6] != bytes([_CLASS_64, _LITTLE]):
            return None
        data = head + file.read()
    headers_at, size, count = (
        struct.unpack_from("<Q", data, 32)[0],
        *struct.unpack_from("<HH", data, 54),
    )
    segments = [
        struct.unpack_from("<IIQQQQQQ", data, headers_at + size * number) for number in range(count)
    ]
    dynamic = next((each for each in segments if each[0] == _DYNAMIC), None)
    if dynamic is None:
        return Linked(())
    entries = [
        struct.unpack_from("<qQ", data, dynamic[2] + at) for at in range(0, dynamic[5] - 15, 16)
    ]
    ends = next((at for at, (tag, _) in enumerate(entries) if tag == _END), len(entries))
    entries = entries[:ends]
    address = next((value for tag, value in entries if tag == _STRINGS), None)
    strings_at = next(
        (
            each[2] + address - each[3]
            for each in segments
            if address is not None and each[0] == _LOAD and each[3] <= address < each[3] + each[5]
        ),
        None,
    )
    if strings_at is None:
        return Linked(())

    def text(offset: int) -> str:
        at = strings_at + offset
        return data[at : data.index(b"\0", at)].decode()

    paths = [text(value) for tag, value in entries if tag in (_RPATH, _RUNPATH)]
    return Linked(
        tuple(text(value) for tag, value in entries if tag == _NEEDED),
        tuple(folder for each in paths for folder in each.split(":") if folder),
    )
