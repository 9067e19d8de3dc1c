"""Allocation policies that there is a model of, by the kind of system that a study names.

They exist in the simulator alone. `settings` of a system are read here, so that a mistake is shown
where it stands in the study file; what a device has no room for, in placement.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from pydantic_core import PydanticCustomError

from fsgauge.errors import did_you_mean, nearest
from fsgauge.quantities import UnitError
from fsgauge.study.base import conflict
from fsgauge.units import exact_size, parse_size

BLOCK_BYTES = 4096
"""Of every simulated device."""
_BLOCK = exact_size(BLOCK_BYTES)
LARGEST_NUMBER = (1 << 32) - 1
_MOST_DIGITS = len(str(LARGEST_NUMBER))

GROUP_BLOCKS = 8 * BLOCK_BYTES
"""Of a group: its bitmap is one block."""
_MOST_ENTRIES = 63
"""Of a table of windows."""

Value = int | bool | list[int]


@dataclass(frozen=True)
class Setting:
    """One thing that can be set of a policy. A size is given in bytes and used in whole blocks.

    `least` and `most` are in blocks, or in whatever else `of` says is counted.
    """

    what: str
    takes: Literal["number", "size", "size or 0", "yes or no", "ascending blocks"]
    default: str
    least: int = 0
    most: int = LARGEST_NUMBER
    of: str = ""
    is_power_of_two: bool = False

    def read(self, text: str) -> Value:
        """The value as the engine takes it; ValueError says what is wrong with it."""
        if self.takes == "yes or no":
            if text not in ("yes", "no"):
                raise ValueError('it is "yes" or "no"')
            return text == "yes"
        if self.takes == "ascending blocks":
            return self._table(text)
        if self.takes == "size or 0" and text == "0":
            return 0
        if self.takes in ("size", "size or 0"):
            return self._blocks(text)
        return self._number(text)

    def limits(self) -> str:
        """What it can be, with its unit: "a whole number of blocks from 1 to 32768"."""
        if self.takes == "yes or no":
            return "yes or no"
        if self.takes == "ascending blocks":
            return f"ascending numbers of blocks from {self.least} to {self.most}"
        if self.takes in ("size", "size or 0"):
            least, most = (
                exact_size(max(1, each) * BLOCK_BYTES) for each in (self.least, self.most)
            )
            whole = "a power of two" if self.is_power_of_two else f"whole blocks of {_BLOCK}"
            zero = ", or 0" if self.takes == "size or 0" else ""
            return f"a size from {least} to {most}, {whole}{zero}"
        return self._whole()

    def _whole(self) -> str:
        of = f" of {self.of}" if self.of else ""
        most = f" to {self.most}" if self.most < LARGEST_NUMBER else " up"
        return f"a whole number{of} from {self.least}{most}"

    def _number(self, text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
            raise ValueError(f"it is {self._whole()}")
        if not self.least <= int(text) <= self.most:
            raise ValueError(f"it is {self._whole()}")
        return int(text)

    def _table(self, text: str) -> list[int]:
        words = text.split()
        if not words:
            raise ValueError("it has no entry; entries are numbers of blocks")
        if len(words) > _MOST_ENTRIES:
            raise ValueError(f"it has {len(words)} entries, and at most {_MOST_ENTRIES} are read")
        entries = []
        for word in words:
            try:
                entries.append(self._number(word))
            except ValueError:
                raise ValueError(f'its entry "{word}" is not {self._whole()}') from None
        for before, after in pairwise(entries):
            if before >= after:
                raise ValueError(f"it is not ascending, {before} comes before {after}")
        return entries

    def _blocks(self, text: str) -> int:
        try:
            size_bytes = parse_size(text)
        except UnitError as error:
            raise ValueError(f"{error}; it is {self.limits()}") from None
        blocks, rest_bytes = divmod(size_bytes, BLOCK_BYTES)
        is_even = not self.is_power_of_two or blocks.bit_count() == 1
        if rest_bytes or not is_even or not max(1, self.least) <= blocks <= self.most:
            raise ValueError(f"it is {self.limits()}")
        return blocks


@dataclass(frozen=True)
class Policy:
    """A policy as `fsgauge doctor --systems` and the guide list it."""

    summary: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    release: Literal["6.1", "6.12", "6.18"] | None = None
    """The Linux whose code it follows, where it is one's."""
    stands_for: str | None = None
    """The file system that is simulated by it where a study names that."""
    options: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """What options of that file system set here, with the value that they set, or their own."""
    extent_size_hint: str | None = None
    """The setting that a system's key of this name is."""

    def value(self, settings: Mapping[str, str], name: str) -> Value:
        setting = self.settings[name]
        return setting.read(settings.get(name, setting.default))


AG_COUNT = "agcount"
LAST_GROUP = "mb_last_group"
_FIRST_EXTENT, _LARGEST_EXTENT = "initial_extent_size", "max_seqio_extent_size"

_EXT4 = {
    "delayed_allocation": Setting(
        "whether data waits in memory and is allocated when it is written back", "yes or no", "yes"
    ),
    "mb_stream_req": Setting(
        "files of so many blocks share a preallocation", "number", "16", of="blocks"
    ),
    "mb_group_prealloc": Setting(
        "blocks of that preallocation", "number", "512", 1, GROUP_BLOCKS, "blocks"
    ),
    "mb_max_to_scan": Setting(
        "runs that a search looks at, at most", "number", "200", least=1, of="free runs"
    ),
    "mb_min_to_scan": Setting(
        "runs that it looks at, at least", "number", "10", least=1, of="free runs"
    ),
    "mb_order2_req": Setting(
        "powers of two from this one on are looked for by order", "number", "2"
    ),
    "mb_max_linear_groups": Setting(
        "groups that are looked at one by one first: 4 on disks that rotate",
        "number",
        "4",
        of="groups",
    ),
    "stripe": Setting("blocks of a stripe; 0: none", "number", "0", 0, GROUP_BLOCKS, "blocks"),
    "processors": Setting(
        "processors of the machine: from 6.17 on, large files go on in as many places",
        "number",
        "1",
        least=1,
        of="processors",
    ),
}

_EXT4_OPTIONS: dict[str, tuple[str, str | None]] = {
    "mount delalloc": ("delayed_allocation", "yes"),
    "mount nodelalloc": ("delayed_allocation", "no"),
    "mount stripe=": ("stripe", None),
}

POLICIES: dict[str, Policy] = {
    "ext4-6.18": Policy(
        "mballoc of ext4 as of Linux 6.17 and 6.18", _EXT4, "6.18", "ext4", _EXT4_OPTIONS
    ),
    "ext4-6.12": Policy("mballoc of ext4 as of Linux 6.12", _EXT4, "6.12"),
    "ext4-6.1": Policy("mballoc of ext4 as of Linux 6.1", _EXT4, "6.1"),
    "xfs-6.18": Policy(
        "XFS of Linux 6.18: groups with their free runs by place and by length",
        {
            "allocsize": Setting(
                "set aside for a file that grows in the page cache; 0: it doubles with the file",
                "size or 0",
                "0",
                most=(1 << 30) // BLOCK_BYTES,
                is_power_of_two=True,
            ),
            "extsize": Setting(
                "the extent size hint of all files; 0: none", "size or 0", "0", most=(1 << 21) - 1
            ),
            AG_COUNT: Setting(
                "allocation groups; 0: as mkfs.xfs makes them", "number", "0", of="groups"
            ),
        },
        "6.18",
        "xfs",
        {"mount allocsize=": ("allocsize", None), "mkfs -d agcount=": ("agcount", None)},
        "extsize",
    ),
    "ldiskfs": Policy(
        "ldiskfs of Lustre: each write is a request, a table gives its window",
        {
            "prealloc_table": Setting(
                "windows in blocks, as in /proc/fs/ldiskfs/DEVICE/prealloc_table",
                "ascending blocks",
                "4 8 16 32 64 128 256 512 1024 2048",
                1,
                GROUP_BLOCKS,
                "blocks",
            ),
            LAST_GROUP: Setting("the group where large files begin", "number", "0"),
        },
    ),
    "block-at-a-time": Policy(
        "each block alone, when it is written (NSS without delayed allocation, ext3)"
    ),
    "delayed": Policy(
        "blocks wait in memory and are allocated together (NSS with delayed allocation)",
        {"delay": Setting("bytes of a file that wait at most", "size", "1 MiB", 1, GROUP_BLOCKS)},
    ),
    "window": Policy(
        "a window of one size is set aside for each file that is written",
        {"window": Setting("its size", "size", "1 MiB", 1, GROUP_BLOCKS)},
    ),
    "vxfs": Policy(
        "the extent policy of VxFS: extents double as a file grows",
        {
            _FIRST_EXTENT: Setting("the first extent, at least", "size", "8 KiB", 1, GROUP_BLOCKS),
            _LARGEST_EXTENT: Setting("an extent, at most", "size", "8 MiB", 1, GROUP_BLOCKS),
        },
    ),
    "first-fit": Policy("the first free run that is long enough"),
    "next-fit": Policy("the next free run that is long enough, from where the last one ended"),
    "best-fit": Policy("the shortest free run that is long enough"),
    "worst-fit": Policy("the longest free run"),
    "buddy": Policy("aligned pieces of powers of two"),
}
"""By kind."""


def check_settings(kind: str, settings: Mapping[str, str]) -> None:
    """Raise a conflict for a setting that the kind does not have, or that cannot be."""
    policy = POLICIES.get(kind)
    for name, text in settings.items():
        if policy is None:
            raise _no_model(kind)
        setting = policy.settings.get(name)
        if setting is None:
            near = nearest(name, policy.settings)
            known = ", ".join(policy.settings) or "none"
            raise conflict(
                f"{kind} has no setting {name}",
                [("settings", name)],
                hint=did_you_mean(near) if near else f"it has: {known}",
                next=f"fsgauge explain {kind}",
            )
        try:
            setting.read(text)
        except ValueError as error:
            raise conflict(
                f'{name} cannot be "{text}": {error}',
                [("settings", name)],
                next=f'{name} = "{setting.default}" is the default',
            ) from None
    if policy is not None and _FIRST_EXTENT in policy.settings:
        _check_extents(policy, settings)


def _check_extents(policy: Policy, settings: Mapping[str, str]) -> None:
    first, largest = (policy.value(settings, name) for name in (_FIRST_EXTENT, _LARGEST_EXTENT))
    if isinstance(first, int) and isinstance(largest, int) and first > largest:
        first_size, largest_size = (exact_size(each * BLOCK_BYTES) for each in (first, largest))
        raise conflict(
            f"{_FIRST_EXTENT} is {first_size} and {_LARGEST_EXTENT} {largest_size}: the first"
            " extent is no longer than the longest",
            [("settings", name) for name in (_FIRST_EXTENT, _LARGEST_EXTENT) if name in settings],
            next=f'{_FIRST_EXTENT} = "{largest_size}", or less',
        )


def _no_model(kind: str) -> PydanticCustomError:
    """Settings of a kind that has none: the model that stands for it has, or the nearest one."""
    standing = {each.stands_for: name for name, each in POLICIES.items() if each.stands_for}
    near = nearest(kind, [*standing, *POLICIES])
    model = standing.get(near[0], near[0]) if near else ""
    what = f'settings are those of a model, and no model is called "{kind}"'
    if kind in standing:
        what = f'settings are those of a model, and "{kind}" is a file system that is mounted'
    return conflict(
        what,
        ["kind", "settings"],
        hint=did_you_mean([model]) if model else f"there are: {', '.join(POLICIES)}",
        next=f'kind = "{model}", or leave settings out' if model else "leave settings out",
    )


def described() -> str:
    """Every kind with its settings, for the description of the key."""
    return "; ".join(
        f"{kind}: {', '.join(policy.settings)}"
        for kind, policy in POLICIES.items()
        if policy.settings
    )
