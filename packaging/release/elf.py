"""Two questions about a program, answered from its ELF header alone, for any processor."""

from __future__ import annotations

import struct

_DYNAMIC, _INTERPRETER = 2, 3
_NEEDED = 1


def machine_of(program: bytes) -> int:
    """The header's e_machine; ValueError for what is no 64-bit little-endian program."""
    if program[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (machine,) = struct.unpack_from("<H", program, 18)
    return int(machine)


def is_static(program: bytes) -> bool:
    """Whether it asks for no dynamic linker and no shared library.

    A position-independent static program has a dynamic section, but nothing is needed in it.
    """
    machine_of(program)
    return all(
        kind != _INTERPRETER and not (kind == _DYNAMIC and _needs_a_library(program, start, size))
        for kind, start, size in _segments(program)
    )


def _segments(program: bytes) -> list[tuple[int, int, int]]:
    """Type, offset and size in bytes of each program header."""
    (table,) = struct.unpack_from("<Q", program, 32)
    entry_bytes, count = struct.unpack_from("<HH", program, 54)
    found = []
    for index in range(count):
        at = table + index * entry_bytes
        (kind,) = struct.unpack_from("<I", program, at)
        (start,) = struct.unpack_from("<Q", program, at + 8)
        (size,) = struct.unpack_from("<Q", program, at + 32)
        found.append((kind, start, size))
    return found


def _needs_a_library(program: bytes, start: int, size: int) -> bool:
    tags = struct.iter_unpack("<qQ", program[start : start + size - size % 16])
    return any(tag == _NEEDED for tag, _ in tags)
