"""Settings of a policy that depend on the size of its device: groups that are not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic_core import PydanticCustomError

from fsgauge.study.conflict import conflict
from fsgauge.study.policies import AG_COUNT, LAST_GROUP, POLICIES
from fsgauge.study.policy_settings import BLOCK_BYTES, GROUP_BLOCKS
from fsgauge.study.storage import LoopStorage, RamStorage, SimulatedStorage, Storage
from fsgauge.study.system import System
from fsgauge.units import format_size

_GROUP_BYTES = GROUP_BLOCKS * BLOCK_BYTES
_LEAST_XFS_GROUP_BYTES, _MOST_XFS_GROUP_BYTES = 16 << 20, 1 << 40
"""Of an allocation group of XFS, as mkfs.xfs makes them."""


def refuse_missing_groups(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first setting that names groups that the device cannot have."""
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        return
    devices = storage.devices if isinstance(storage, SimulatedStorage) else 1
    each_bytes = storage.size // devices
    for index, system in enumerate(systems):
        policy = POLICIES.get(system.kind)
        for name, refused in _CHECKS.items():
            if policy is None or name not in system.settings:
                continue
            value = policy.value(system.settings, name)
            if isinstance(value, int) and (what := refused(value, each_bytes)):
                raise _beyond(index, name, what, is_simulated=isinstance(storage, SimulatedStorage))


def _last_group(group: int, each_bytes: int) -> str:
    groups = -(-each_bytes // _GROUP_BYTES)
    if group < groups:
        return ""
    return (
        f"there is no group {group}: a device of {format_size(each_bytes)} has groups 0 to"
        f" {groups - 1}"
    )


def _group_count(count: int, each_bytes: int) -> str:
    if count == 0 or _LEAST_XFS_GROUP_BYTES <= each_bytes / count <= _MOST_XFS_GROUP_BYTES:
        return ""
    return (
        f"{count} allocation groups on {format_size(each_bytes)} have"
        f" {format_size(each_bytes / count)} each: from {format_size(_LEAST_XFS_GROUP_BYTES)} to"
        f" {format_size(_MOST_XFS_GROUP_BYTES)} are possible"
    )


_CHECKS: dict[str, Callable[[int, int], str]] = {LAST_GROUP: _last_group, AG_COUNT: _group_count}


def _beyond(index: int, name: str, what: str, *, is_simulated: bool) -> PydanticCustomError:
    keys = [("system", index, "settings", name), ("storage", "size")]
    if is_simulated:
        keys.append(("storage", "devices"))
    return conflict(what, keys, next="another number, or a storage.size that has it")
