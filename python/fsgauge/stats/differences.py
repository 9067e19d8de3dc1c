"""What differs between the systems beside the thing studied, from how each was made.

Takes turn records; gives facts with one value a system, only those that are not equal. The kind
of file system and what the study asked for (its mkfs and mount options) are the thing studied.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fsgauge.record.records import TurnRecord
from fsgauge.stats.results import Difference
from fsgauge.units import format_size

SIZE_TOLERANCE = 0.01
MOUNT_OPTIONS = "mount options in force"
"""The difference that lists options which only some systems have."""
FILE_SYSTEM = "file system"
"""The detail of a folder that names its file system's type."""


def words_of(difference: Difference) -> str:
    """ "space for data: 906 MiB (ext4, ext4 noatime); 921 MiB (xfs)": systems of one value
    together."""
    systems: dict[str, list[str]] = {}
    for system, value in difference.values.items():
        systems.setdefault(value, []).append(system)
    each = (f"{value} ({', '.join(names)})" for value, names in systems.items())
    return f"{difference.fact}: {'; '.join(each)}"


def first_turns(turns: Sequence[TurnRecord]) -> dict[str, TurnRecord]:
    """The first turn of each system: how it was made."""
    first: dict[str, TurnRecord] = {}
    for turn in turns:
        first.setdefault(turn.system, turn)
    return first


def differences_between(systems: Sequence[str], turns: Sequence[TurnRecord]) -> list[Difference]:
    first = first_turns(turns)
    known = {system: first[system] for system in systems if system in first}
    mounted = {name: turn for name, turn in known.items() if turn.facts.mount_options}
    found = [
        # Of a folder, used as it is; a file system that was made is the thing studied.
        _fact(FILE_SYSTEM, {n: t.facts.details.get(FILE_SYSTEM, "") for n, t in mounted.items()}),
        _fact("block size of the file system", {n: _block_size(t) for n, t in mounted.items()}),
        _fact("space for data", _sizes({n: space_for_data(t) for n, t in mounted.items()})),
        _fact("bytes under load", _sizes({n: _target_bytes(t) for n, t in known.items()})),
        _fact("files", {n: str(t.layout.files) for n, t in mounted.items() if t.layout}),
        *_mount_options(mounted),
    ]
    return [difference for difference in found if difference is not None]


def _fact(name: str, values: dict[str, str]) -> Difference | None:
    return Difference(fact=name, values=values) if len(set(values.values())) > 1 else None


def _block_size(turn: TurnRecord) -> str:
    size_bytes = turn.facts.block_size_bytes
    return "unknown" if size_bytes is None else format_size(size_bytes)


def are_alike(sizes: Collection[int]) -> bool:
    """Whether sizes are within a hundredth of one another."""
    return max(sizes) - min(sizes) <= SIZE_TOLERANCE * max(sizes)


def _sizes(sizes: dict[str, int | None]) -> dict[str, str]:
    """Sizes in words, or nothing when all are alike."""
    known = [size for size in sizes.values() if size is not None]
    if not known or are_alike(known):
        return {}
    return {name: "unknown" if size is None else format_size(size) for name, size in sizes.items()}


def space_for_data(turn: TurnRecord) -> int | None:
    """What its files could take when it was new: what was left once it was filled, and the files.
    None where the room of a system is not known."""
    left = turn.facts.free_bytes
    if left is None:
        return None
    return left + (turn.layout.size_bytes if turn.layout is not None else 0)


def _target_bytes(turn: TurnRecord) -> int | None:
    target = turn.target
    if target.get("kind") in ("files", "served_files"):
        return int(target["count"]) * int(target["file_size_bytes"])
    size = target.get("size_bytes")
    return None if size is None else int(size)


def _mount_options(mounted: dict[str, TurnRecord]) -> list[Difference]:
    """Options in force on some systems and not on others; each system shows its own."""
    options = {n: set(t.facts.mount_options.split(",")) - {""} for n, t in mounted.items()}
    if len(options) < 2:
        return []
    common = set.intersection(*options.values())
    values = {
        name: ", ".join(sorted(present - common)) or "none" for name, present in options.items()
    }
    difference = _fact(MOUNT_OPTIONS, values)
    return [] if difference is None else [difference]
