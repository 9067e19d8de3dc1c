"""What the engine simulates of a study: its device, and for each system a policy with its settings.
Options of the real file system say where its data lies; those that have a model set it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import cast

from fsgauge.engine import wire
from fsgauge.engine.wire import DeviceChange, SimulatedDevice
from fsgauge.errors import InputError
from fsgauge.rig.refusing import or_without
from fsgauge.study.model import LoopStorage, RamStorage, SimulatedStorage, Study, System
from fsgauge.study.policies import BLOCK_BYTES, POLICIES, Policy
from fsgauge.system.ext import EXT4
from fsgauge.system.options import mkfs_words, switches
from fsgauge.units import exact_size

USUAL_MODEL = "disks-8+2-2012"
"""Where a study's storage is none of the simulator's: that of the published rig."""
USUAL_STRIPE_BYTES = 1 << 20
NOTHING_LOST = {"lost_to_dies": 0.0}
"""The shortest time of flash: what its longest time comes to where dies cost nothing."""


def size_of(study: Study) -> int:
    """Bytes of all devices, in whole blocks; InputError for storage that exists somewhere."""
    storage = study.storage
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        raise InputError(
            f"the simulator has devices of its own, and the study's storage is a {storage.kind}",
            next="--storage simulated:1TiB",
        )
    return storage.size - storage.size % (BLOCK_BYTES * devices_of(study))


def devices_of(study: Study) -> int:
    return study.storage.devices if isinstance(study.storage, SimulatedStorage) else 1


def stripe_bytes_of(study: Study) -> int:
    storage = study.storage
    given = storage.stripe_size if isinstance(storage, SimulatedStorage) else None
    return given or USUAL_STRIPE_BYTES


def times_of(study: Study) -> str | None:
    """The end of the model's range of times; None where it has one time for each run."""
    return study.storage.times if isinstance(study.storage, SimulatedStorage) else None


def device_of(study: Study) -> SimulatedDevice:
    storage = study.storage
    if isinstance(storage, SimulatedStorage):
        numbers = dict(storage.parameters)
        if storage.times == "shortest":
            numbers |= NOTHING_LOST
        changes = [DeviceChange(name=name, value=value) for name, value in numbers.items()]
        return SimulatedDevice(model=storage.model, changes=changes)
    return SimulatedDevice(model=USUAL_MODEL)


USUAL_RESERVED_PERCENT = 5.0
"""Blocks that mke2fs leaves to root."""
_BLOCKS = {"1024": 1024, "1k": 1024, "2048": 2048, "2k": 2048, "4096": 4096, "4k": 4096}
_RATIOS = {"small": 4096, "news": 4096, "floppy": 8192, "default": 16384, "big": 32768,
           "huge": 65536, "largefile": 1 << 20, "largefile4": 1 << 22}  # fmt: skip
"""Bytes for an inode, by the types of mke2fs.conf."""
_SMALL_BLOCKS = ("small", "floppy")
_WITHOUT_EFFECT_MKE2FS = {
    "-D": None,
    "-e": None,
    "-j": None,
    "-E": ("lazy_itable_init", "lazy_journal_init", "discard", "nodiscard"),
    "-O": ("extent", "extents", "flex_bg", "sparse_super", "metadata_csum", "dir_index",
           "filetype", "ext_attr", "large_file", "huge_file", "dir_nlink", "extra_isize"),
}  # fmt: skip
"""What decides nothing about blocks, and features that the model's ext4 has in any case."""
_WITHOUT_EFFECT = {
    *("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime", "diratime"),
    *("nodiratime", "lazytime", "nolazytime", "defaults", "rw", "barrier", "nobarrier"),
    *("discard", "nodiscard", "exec", "noexec", "suid", "nosuid", "dev", "nodev"),
    *("commit", "data=ordered", "logbufs", "logbsize", "inode64"),
}
"""Options of mount that decide nothing about where data lies."""
_KERNEL_SIZE = re.compile(r"(\d+)([kmg])", re.IGNORECASE)
_KERNEL_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def settings_by_options(study: Study, system: System, policy: Policy) -> dict[str, str]:
    """What its options of mkfs and mount set; InputError for one that has no model."""
    found: dict[str, str] = {}
    for key, option in _options(system):
        name, equals, value = option.partition("=")
        setting, fixed = policy.options.get(f"{key} {name}{equals}", (None, None))
        if setting is not None:
            found[setting] = fixed or _as_size(value)
        elif key != "mount" or not {name, option} & _WITHOUT_EFFECT:
            raise _unknown(study, system, key, option)
    if system.extent_size_hint is not None:
        if policy.extent_size_hint is None:
            raise _unknown(study, system, "extent_size_hint", "")
        found[policy.extent_size_hint] = exact_size(system.extent_size_hint)
    if system.tunables:
        raise _unknown(study, system, "tunables", "")
    for name, text in found.items():
        try:
            policy.settings[name].read(text)
        except ValueError as error:
            raise InputError(
                f'the model of "{system.name}" cannot have {name} {text}: {error}',
                cause=f"fsgauge explain {shlex.quote(name)} has its limits",
                next=or_without(study, system, "another value"),
            ) from None
    return found


def _options(system: System) -> Iterator[tuple[str, str]]:
    for option in system.mount.split(","):
        if option.strip():
            yield "mount", option.strip()
    if system.mkfs.strip() and system.kind != EXT4.name:
        # "-d agcount=8,size=1g -K": a switch with its list, or one that has none.
        for switch in re.split(r"\s+(?=-)", system.mkfs.strip()):
            flag, _, options = switch.partition(" ")
            for option in options.split(",") if options else [""]:
                yield "mkfs", f"{flag} {option.strip()}".strip()


def _as_size(value: str) -> str:
    """A size as the kernel reads it, 64k, as one of a study; other values as they are."""
    match = _KERNEL_SIZE.fullmatch(value)
    return exact_size(int(match[1]) * _KERNEL_UNITS[match[2].lower()]) if match else value


def _unknown(study: Study, system: System, key: str, option: str) -> InputError:
    named = f"{key} = {option!r}" if option else key
    return InputError(
        f'the model of "{system.name}" knows nothing of {named}',
        cause="what it would change of where data lies is not simulated",
        next=or_without(study, system, "leave it out"),
    )


def made_with(study: Study, system: System) -> tuple[wire.Mke2fs, int]:
    """What mke2fs is told, and the bytes of a block; InputError for what has no model. A model by
    its own name has no mkfs: nothing is left to root, and blocks are those of models."""
    if system.kind != EXT4.name:
        return wire.Mke2fs(), BLOCK_BYTES
    try:
        return told_of(system, size_of(study) // devices_of(study))
    except ValueError as error:
        raise _unknown(study, system, "mkfs", str(error)) from None


def policy_of(study: Study, system: System) -> wire.SimulatedPolicy:
    """The policy of a system; InputError where there is no model of it as it is asked for."""
    kind = model_of(study, system)
    policy = POLICIES[kind]
    settings = settings_of(study, system)

    def of(name: str) -> int:
        return cast(int, policy.value(settings, name))

    match kind:
        case "ext4-6.18" | "ext4-6.12" | "ext4-6.1":
            if policy.release is None:
                raise TypeError(f"{kind} follows a release")
            return wire.Ext4Policy(
                release=policy.release,
                delays=bool(of("delayed_allocation")),
                shared_blocks=of("mb_stream_req"),
                group_preallocation_blocks=of("mb_group_prealloc"),
                max_to_scan=of("mb_max_to_scan"),
                min_to_scan=of("mb_min_to_scan"),
                order2_request=of("mb_order2_req"),
                linear_groups=of("mb_max_linear_groups"),
                stripe_blocks=of("stripe"),
                processors=of("processors"),
                mke2fs=made_with(study, system)[0],
            )
        case "xfs-6.18":
            return wire.XfsPolicy(
                preallocation_blocks=of("allocsize"),
                extent_hint_blocks=of("extsize"),
                groups=of("agcount"),
            )
        case "ldiskfs":
            table = cast(list[int], policy.value(settings, "prealloc_table"))
            return wire.LdiskfsPolicy(prealloc_table_blocks=table, last_group=of("mb_last_group"))
        case "delayed":
            return wire.DelayedPolicy(delay_blocks=of("delay"))
        case "window":
            return wire.WindowPolicy(window_blocks=of("window"))
        case "vxfs":
            return wire.VxfsPolicy(
                initial_blocks=of("initial_extent_size"), largest_blocks=of("max_seqio_extent_size")
            )
        case _:
            return _PLAIN[kind]()


_PLAIN: dict[str, Callable[[], wire.SimulatedPolicy]] = {
    "block-at-a-time": wire.BlockAtATimePolicy,
    "first-fit": wire.FirstFitPolicy,
    "next-fit": wire.NextFitPolicy,
    "best-fit": wire.BestFitPolicy,
    "worst-fit": wire.WorstFitPolicy,
    "buddy": wire.BuddyPolicy,
}


def settings_of(study: Study, system: System) -> dict[str, str]:
    """Every setting in force, as text; those that options of mkfs and mount say are among them."""
    policy = POLICIES[model_of(study, system)]
    given = {**system.settings, **settings_by_options(study, system, policy)}
    return {name: given.get(name, each.default) for name, each in policy.settings.items()}


def model_of(study: Study, system: System) -> str:
    """The model that stands for a system's kind; InputError where there is none."""
    usual = {policy.stands_for: name for name, policy in POLICIES.items() if policy.stands_for}
    kind = usual.get(system.kind, system.kind)
    if kind in POLICIES:
        return kind
    known = [*usual, *POLICIES]
    raise InputError(
        f'there is no model of {system.kind}, which "{system.name}" is',
        details=(f"there are: {', '.join(known)}",),
        next=or_without(study, system, "a system that there is a model of"),
    )


def told_of(system: System, size_bytes: int) -> tuple[wire.Mke2fs, int]:
    """What mke2fs is told, and the bytes of a block that it chooses for a device of this size.
    ValueError names an option that has no model."""
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
    return wire.Mke2fs.model_validate(told), block_bytes


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
    if name in _WITHOUT_EFFECT_MKE2FS:
        known = _WITHOUT_EFFECT_MKE2FS[name]
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
