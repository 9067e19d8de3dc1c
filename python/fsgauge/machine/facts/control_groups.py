"""The control groups of this process, version 1, 2 or both: what they allow, and how often a CPU
quota stopped it.

A limit may be set in any group above: all that can be seen are read, and the tightest counts. In a
container the groups above the mount, or above the namespace, cannot be seen.

Source: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst and blkio-controller.rst,
Documentation/scheduler/sched-bwc.rst, Linux 6.12; cgroups(7), cgroup_namespaces(7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.facts.mounts import Mount, parse_mountinfo
from fsgauge.machine.facts.pseudo_files import lines_of, text_of
from fsgauge.record.limits import IoLimit, Throttled

SELF = Path("/proc/self")
CONTROLLERS = ("cpu", "cpuset", "memory", "io")
_V1_NAMES = {"io": "blkio"}
_MOST_LEVELS = 64
_UNLIMITED_BYTES = 1 << 60
"""Version 1 writes its largest number where nothing is limited."""
_IO_KEYS = {
    "rbps": "read_bytes",
    "wbps": "write_bytes",
    "riops": "read_operations",
    "wiops": "write_operations",
}
_V1_IO_FILES = {
    "blkio.throttle.read_bps_device": "read_bytes",
    "blkio.throttle.write_bps_device": "write_bytes",
    "blkio.throttle.read_iops_device": "read_operations",
    "blkio.throttle.write_iops_device": "write_operations",
}

_DECIDING = {
    "cpu": ("cpu.max", "cpu.cfs_quota_us", "cpu.stat"),
    "cpuset": ("cpuset.cpus.effective", "cpuset.effective_cpus"),
    "memory": ("memory.max", "memory.high", "memory.limit_in_bytes"),
    "io": ("io.max", *_V1_IO_FILES),
}


@dataclass(frozen=True)
class Group:
    """This process's group of one controller: its name, and its folder with those above it, as far
    as they can be seen, the innermost first."""

    controller: str
    version: int
    name: str
    folders: tuple[Path, ...]

    def numbers(self, file: str) -> Iterator[int]:
        """The number in a file of each level that has it; none of "max" and "-1"."""
        for folder in self.folders:
            number = _number(text_of(folder / file))
            if number is not None:
                yield number


def own_groups(process: Path = SELF) -> dict[str, Group]:
    """The group of each controller that can be seen; raises OSError where /proc has none. A
    controller is of version 2 where no hierarchy of version 1 has it."""
    mounts = parse_mountinfo((process / "mountinfo").read_text(errors="surrogateescape"))
    found: dict[str, Group] = {}
    for line in (process / "cgroup").read_text(errors="surrogateescape").splitlines():
        number, _, rest = line.partition(":")
        listed, _, name = rest.partition(":")
        version = 2 if number == "0" and not listed else 1
        for controller in CONTROLLERS:
            own = _V1_NAMES.get(controller, controller)
            if version == 1 and own not in listed.split(","):
                continue
            folders = _levels(mounts, own if version == 1 else "", name)
            if folders and (version == 1 or controller not in found):
                found[controller] = Group(controller, version, name, folders)
    return found


def memory_limit_bytes(group: Group) -> int | None:
    """The least of the limits above which memory is reclaimed, page cache first."""
    if group.version == 2:
        return min([*group.numbers("memory.max"), *group.numbers("memory.high")], default=None)
    of_all = _keyed(group.folders[0] / "memory.stat").get("hierarchical_memory_limit")
    limits = [of_all] if of_all is not None else list(group.numbers("memory.limit_in_bytes"))
    return min((each for each in limits if each < _UNLIMITED_BYTES), default=None)


def memory_left_bytes(group: Group) -> int | None:
    """What the fullest level may still take, its page cache counted as free."""
    names = ("memory.max", "memory.high") if group.version == 2 else ("memory.limit_in_bytes",)
    usage = "memory.current" if group.version == 2 else "memory.usage_in_bytes"
    of_all = "" if group.version == 2 else "total_"
    left = []
    for folder in group.folders:
        limits = [each for name in names if (each := _number(text_of(folder / name))) is not None]
        used = _number(text_of(folder / usage))
        if not limits or used is None or min(limits) >= _UNLIMITED_BYTES:
            continue
        counted = _keyed(folder / "memory.stat")
        cached = sum(counted.get(f"{of_all}{way}_file", 0) for way in ("active", "inactive"))
        left.append(max(0, min(limits) - used + min(cached, used)))
    return min(left, default=None)


def processor_quota(group: Group) -> float | None:
    return min((each for folder in group.folders if (each := _quota(folder))), default=None)


def throttled_levels(group: Group) -> dict[Path, Throttled]:
    """What each level with a quota has counted since it was made."""
    found = {}
    for folder in group.folders:
        counted = _keyed(folder / "cpu.stat")
        if _quota(folder) is None or "nr_throttled" not in counted:
            continue
        found[folder] = Throttled(
            periods=counted.get("nr_periods", 0),
            throttled_periods=counted["nr_throttled"],
            throttled_ns=counted.get("throttled_time", 1000 * counted.get("throttled_usec", 0)),
        )
    return found


def cpuset(group: Group) -> str | None:
    """The processors that the group may use: "0-3,8"."""
    name = "cpuset.cpus.effective" if group.version == 2 else "cpuset.effective_cpus"
    return next((found for folder in group.folders if (found := text_of(folder / name))), None)


def io_limits(group: Group) -> list[IoLimit]:
    found: dict[str, dict[str, int]] = {}
    for folder in group.folders:
        for device, name, value in _io_of(folder, group.version):
            of_device = found.setdefault(device, {})
            of_device[name] = min(value, of_device.get(name, value))
    return [IoLimit(device=_node(device), **each) for device, each in found.items()]


def closed_files(group: Group) -> list[str]:
    """Files that would say what is allowed, but may not be read by this user."""
    return [
        str(folder / name)
        for folder in group.folders
        for name in _DECIDING[group.controller]
        if _is_closed(folder / name)
    ]


def _is_closed(file: Path) -> bool:
    try:
        return file.exists() and text_of(file) is None
    except OSError:  # its folder may not be entered
        return True


def _io_of(folder: Path, version: int) -> Iterator[tuple[str, str, int]]:
    if version == 2:
        for line in lines_of(folder / "io.max"):
            device, *pairs = line.split() or [""]
            for key, _, value in (pair.partition("=") for pair in pairs):
                number = _number(value)
                if number is not None and key in _IO_KEYS:
                    yield device, _IO_KEYS[key], number
        return
    for file, name in _V1_IO_FILES.items():
        for line in lines_of(folder / file):
            device, _, value = line.partition(" ")
            number = _number(value.strip())
            if number is not None and ":" in device:  # no sum of all
                yield device, name, number


def _node(numbers: str) -> str:
    try:
        return f"/dev/{(Path('/sys/dev/block') / numbers).resolve(strict=True).name}"
    except OSError:
        return numbers


def _levels(mounts: list[Mount], controller: str, name: str) -> tuple[Path, ...]:
    """The folders of a group and of those above it; () where it is not below any mount. A mount
    shows a part of the hierarchy, whose name is its root. One that begins with "/.." is above this
    process's namespace: all that is known is that it is above the group."""
    for mount in reversed(mounts):
        if mount.file_system != ("cgroup" if controller else "cgroup2"):
            continue
        if controller and controller not in mount.super_options.split(","):
            continue
        root, point = mount.root.rstrip("/"), Path(mount.mount_point)
        if root.startswith("/.."):
            rest = ""
        elif name == root or name.startswith(f"{root}/"):
            rest = name[len(root) :].strip("/")
        else:
            continue
        if ".." in rest.split("/") or not point.is_dir():
            continue
        levels = [point]
        for part in [part for part in rest.split("/") if part][:_MOST_LEVELS]:
            levels.append(levels[-1] / part)
        return tuple(level for level in reversed(levels) if level.is_dir())
    return ()


def _quota(folder: Path) -> float | None:
    """In processors; None where the group has none."""
    words = (text_of(folder / "cpu.max") or "").split()
    quota = _number(words[0] if words else text_of(folder / "cpu.cfs_quota_us"))
    period = _number(words[1] if len(words) > 1 else text_of(folder / "cpu.cfs_period_us"))
    return quota / period if quota and period else None


def _keyed(file: Path) -> dict[str, int]:
    pairs = (line.partition(" ") for line in lines_of(file))
    return {key: number for key, _, text in pairs if (number := _number(text)) is not None}


_MOST_DIGITS = 20
"""Of 2**64 - 1, which version 1 writes where nothing is limited."""


def _number(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
