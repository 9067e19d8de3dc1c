"""What a study tells mke2fs, as the model takes it: what the model does not have is refused.

What mke2fs is not told it takes from its mke2fs.conf, by the size of the device.
"""

from __future__ import annotations

from fsgauge.engine.wire import Mke2fs
from fsgauge.study.model import System
from fsgauge.system.ext import EXT4
from fsgauge.system.options import mkfs_words, switches

USUAL_RESERVED_PERCENT = 5.0
"""Blocks that mke2fs leaves to root."""
_BLOCKS = {"1024": 1024, "1k": 1024, "2048": 2048, "2k": 2048, "4096": 4096, "4k": 4096}
_RATIOS = {"small": 4096, "news": 4096, "floppy": 8192, "default": 16384, "big": 32768,
           "huge": 65536, "largefile": 1 << 20, "largefile4": 1 << 22}  # fmt: skip
"""Bytes for an inode, by the types of mke2fs.conf."""
_SMALL_BLOCKS = ("small", "floppy")
_WITHOUT_EFFECT = {
    "-D": None,
    "-e": None,
    "-j": None,
    "-E": ("lazy_itable_init", "lazy_journal_init", "discard", "nodiscard"),
    "-O": ("extent", "extents", "flex_bg", "sparse_super", "metadata_csum", "dir_index",
           "filetype", "ext_attr", "large_file", "huge_file", "dir_nlink", "extra_isize"),
}  # fmt: skip
"""What decides nothing about blocks, and features that the model's ext4 has in any case."""


def told_of(system: System, size_bytes: int) -> tuple[Mke2fs, int]:
    """What mke2fs is told, and the bytes of a block that it chooses for a device of this size.

    ValueError names an option that has no model.
    """
    told: dict[str, float | int | bool] = {"reserved_percent": USUAL_RESERVED_PERCENT}
    words = mkfs_words(EXT4, system.mkfs, system.name)
    block_bytes = EXT4.small_blocks_bytes(size_bytes, words) or 4096
    given = list(switches(EXT4, words, system.name))
    for name, value in given:
        if name == "-T" and value in _RATIOS:
            told.setdefault("bytes_per_inode", _RATIOS[value])
            block_bytes = 1024 if value in _SMALL_BLOCKS else block_bytes
    for name, value in given:
        match name:
            case "-b" if value.lower() in _BLOCKS:
                block_bytes = _BLOCKS[value.lower()]
            case "-m":
                told["reserved_percent"] = _number(name, value)
            case "-i" | "-N" | "-I":
                told[_COUNTS[name]] = _whole(name, value)
            case "-T" if value in _RATIOS:
                pass
            case _:
                for option in value.split(","):
                    told |= _option(name, option)
    return Mke2fs.model_validate(told), block_bytes


_COUNTS = {"-i": "bytes_per_inode", "-N": "inodes", "-I": "inode_size_bytes"}


def _option(name: str, option: str) -> dict[str, int | bool]:
    """What one option of a switch says; ValueError for one that has no model."""
    key, equals, value = option.partition("=")
    has = not option.startswith("^")
    match name, option.removeprefix("^"):
        case "-O", "has_journal":
            return {} if has else {"journal_size_bytes": 0}
        case "-O", "64bit":
            return {"has_64bit": has}
        case "-O", "resize_inode":
            return {"resize_inode": has}
    if name == "-J" and key == "size" and equals:
        return {"journal_size_bytes": _whole(f"{name} {key}", value) << 20}
    if name in _WITHOUT_EFFECT:
        known = _WITHOUT_EFFECT[name]
        if known is None or key in known:
            return {}
    raise ValueError(f"{name} {option}".strip())


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{name} {value}") from None


_MOST_DIGITS = 15


def _whole(name: str, value: str) -> int:
    if not value.isdecimal() or len(value) > _MOST_DIGITS:
        raise ValueError(f"{name} {value}")
    return int(value)
