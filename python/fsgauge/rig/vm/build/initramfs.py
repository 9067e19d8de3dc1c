"""An initramfs: a cpio archive in the kernel's "newc" form, compressed."""

from __future__ import annotations

import gzip
import stat

_FILE, _FOLDER = stat.S_IFREG | 0o755, stat.S_IFDIR | 0o755
_TRAILER = "TRAILER!!!"


def initramfs(files: dict[str, bytes], folders: tuple[str, ...]) -> bytes:
    """Files by path, all executable, all root's; equal files give equal archives."""
    archive = bytearray()
    entries = [(name, _FOLDER, b"") for name in folders]
    entries += [(name, _FILE, data) for name, data in sorted(files.items())]
    for number, (name, mode, data) in enumerate(entries, start=1):
        archive += _entry(number, name, mode, data)
    archive += _entry(0, _TRAILER, 0, b"")
    return gzip.compress(bytes(archive), compresslevel=6, mtime=0)


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = [number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(f"{field:08x}".encode() for field in fields)
    head += name.encode() + b"\0"
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
