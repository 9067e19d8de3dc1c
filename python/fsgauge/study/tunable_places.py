"""Which settings of the kernel a study may change: of its own device, of the client of a file
system that is mounted, and a few of the machine's.

The rest of /proc/sys is the machine's: kernel.core_pattern names a program that root starts.
So a key is accepted when its place is in this list, and no other way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsgauge.errors import did_you_mean, nearest

DEVICE = "{device}"
MOUNT = "{mount}"
_NAME = r"(?!uevent\b)[A-Za-z0-9_]+"
_WRITEBACK = "(?:min|max)_(?:ratio|ratio_fine|bytes)|read_ahead_kb|strict_limit"
_WHICH = r"(?P<device>\{device\}|[A-Za-z0-9!_-]+)"
_OF_A_DEVICE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<home>/sys/block/{_WHICH})/(?P<rest>queue/(?:iosched/)?{_NAME})",
        rf"(?P<home>/sys/block/{_WHICH}/bdi)/(?P<rest>{_WRITEBACK})",
        rf"(?P<home>/sys/fs/(?:ext4|ldiskfs)/{_WHICH})/(?P<rest>(?!trigger_fs_error\b){_NAME})",
        rf"(?P<home>/sys/fs/xfs/{_WHICH})/(?P<rest>error/(?:{_NAME}/){{0,2}}{_NAME})",
        rf"(?P<home>/proc/fs/ldiskfs/{_WHICH})/(?P<rest>{_NAME})",
        rf"(?P<home>/proc/fs/jbd2/{_WHICH}-[0-9]+)/(?P<rest>{_NAME})",
    )
)
_OF_THE_MACHINE = {
    "vm": "dirty_background_bytes dirty_background_ratio dirty_bytes dirty_expire_centisecs"
    " dirty_ratio dirty_writeback_centisecs dirtytime_expire_seconds laptop_mode page-cluster"
    " swappiness vfs_cache_pressure watermark_scale_factor zone_reclaim_mode",
    "fs/xfs": "age_buffer_centisecs error_level filestream_centisecs inherit_noatime"
    " inherit_nodefrag inherit_nodump inherit_nosymlinks inherit_sync rotorstep"
    " speculative_cow_prealloc_lifetime speculative_prealloc_lifetime xfssyncd_centisecs",
    "fs/nfs": "nfs_congestion_kb nfs_mountpoint_timeout",
    "fs": "aio-max-nr",
    "sunrpc": "tcp_slot_table_entries tcp_max_slot_table_entries udp_slot_table_entries",
    "net/core": "busy_poll busy_read netdev_budget netdev_max_backlog rmem_default rmem_max"
    " somaxconn wmem_default wmem_max",
    "net/ipv4": "tcp_autocorking tcp_limit_output_bytes tcp_max_syn_backlog tcp_notsent_lowat"
    " tcp_rmem tcp_sack tcp_slow_start_after_idle tcp_timestamps tcp_window_scaling tcp_wmem",
}
PROC_SYS = tuple(
    f"/proc/sys/{folder}/{name}"
    for folder, names in _OF_THE_MACHINE.items()
    for name in names.split()
)
"""Settings of the whole machine that a study may change while a turn lasts."""
_OF_LUSTRE = {
    "osc": "checksums checksum_type contention_seconds grant_shrink grant_shrink_interval"
    " max_dirty_mb max_pages_per_rpc max_rpcs_in_flight resend_count short_io_bytes",
    "mdc": "checksums checksum_type max_dirty_mb max_mod_rpcs_in_flight max_pages_per_rpc"
    " max_rpcs_in_flight short_io_bytes",
    "llite": "checksums fast_read max_cached_mb max_read_ahead_async_active max_read_ahead_mb"
    " max_read_ahead_per_file_mb max_read_ahead_whole_mb statahead_agl statahead_max"
    " statahead_running_max tiny_write xattr_cache",
}
_LUSTRE = re.compile(r"(?P<layer>[a-z]+)\.(?P<which>[A-Za-z0-9_*-]+)\.(?P<rest>[a-z_]+)")
_MOUNTED = re.compile(rf"(?P<home>/sys/class/bdi/\{{mount\}})/(?P<rest>{_WRITEBACK})")
OF_A_MOUNT = (
    "osc.*.(max_rpcs_in_flight, max_dirty_mb and the like)",
    "mdc.*.(max_rpcs_in_flight, max_mod_rpcs_in_flight and the like)",
    "llite.*.(max_read_ahead_mb, max_cached_mb and the like)",
    "/sys/class/bdi/{mount}/(read_ahead_kb and the like)",
)
"""Those of the client of a mounted file system, as people read them; Lustre's as lctl has them."""
OF_A_DEVICE = (
    "/sys/block/{device}/queue/... (short: queue/...)",
    "/sys/block/{device}/bdi/(read_ahead_kb, strict_limit, max_ratio and the like)",
    "/sys/fs/ext4/{device}/...",
    "/sys/fs/ldiskfs/{device}/...",
    "/sys/fs/xfs/{device}/error/...",
    "/proc/fs/ldiskfs/{device}/...",
    "/proc/fs/jbd2/{device}-8/...",
)
"""The others, as people read them."""
IO_SCHEDULERS = ("none", "noop", "deadline", "mq-deadline", "kyber", "bfq", "cfq")
_OF_A_QUEUE = (
    *("add_random", "discard_max_bytes", "io_poll", "io_timeout", "iostats", "max_sectors_kb"),
    *("nomerges", "nr_requests", "read_ahead_kb", "rotational", "rq_affinity", "scheduler"),
    *("wbt_lat_usec", "write_cache"),
)
_CALLED = {
    **dict.fromkeys(("elevator", "io_scheduler", "iosched", "ioscheduler"), "scheduler"),
    **dict.fromkeys(("readahead", "read_ahead", "ra"), "read_ahead_kb"),
}
"""What people say for settings of a device's queue."""
_NEAREST = 3
_VALUE = re.compile(r"[A-Za-z0-9 _.:,+-]{1,200}")


@dataclass(frozen=True)
class TunablePlace:
    """`home` may hold {device} or {mount} and is the kernel's own folder; `rest` lies below it.

    `device` is {device}, the name of a device, {mount}, or empty for a setting of the machine.
    Those of Lustre's client have a `home` below that of Lustre, which may hold stars.
    """

    home: str
    rest: str
    device: str
    is_lustre: bool = False

    @property
    def is_of_client(self) -> bool:
        return self.is_lustre or self.device == MOUNT

    @property
    def path(self) -> str:
        return f"{self.home}/{self.rest}"


def place_of(key: str) -> TunablePlace | None:
    """Where a tunable is; None for one that a study may not change."""
    if (client := _of_client(key)) is not None:
        return client
    text = key if key.startswith("/") else f"/sys/block/{DEVICE}/{key}"
    if text in PROC_SYS:
        home, _, rest = text.rpartition("/")
        return TunablePlace(home, rest, "")
    for pattern in _OF_A_DEVICE:
        found = pattern.fullmatch(text)
        if found:
            return TunablePlace(found["home"], found["rest"], found["device"])
    return None


def _of_client(key: str) -> TunablePlace | None:
    if found := _MOUNTED.fullmatch(key):
        return TunablePlace(found["home"], found["rest"], MOUNT)
    found = _LUSTRE.fullmatch(key)
    if found and found["rest"] in _OF_LUSTRE.get(found["layer"], "").split():
        return TunablePlace(f"{found['layer']}/{found['which']}", found["rest"], "", is_lustre=True)
    return None


def possible_value(value: str) -> bool:
    """Whether a value is numbers and words: no setting in the list takes a path."""
    return _VALUE.fullmatch(value) is not None


def tunable_words(name: str) -> str:
    """A setting of the machine by its own name or sysctl's, with how a system gets it; "" for
    none: those of devices depend on the device."""
    found = place_called(name.strip())
    if not found.startswith("/"):
        return ""
    return (
        f"{name}\n  A setting of the kernel ({found}), put back after each turn:"
        f' --system "ext4:tunables.{found}=VALUE".\n  more: fsgauge explain system.tunables'
    )


def place_called(name: str) -> str:
    """The key of a setting that people call so: scheduler is queue/scheduler, vm.dirty_ratio
    /proc/sys/vm/dirty_ratio; "" for none."""
    last = re.split(r"[./]", name)[-1]
    last = _CALLED.get(last, last)
    if last in _OF_A_QUEUE:
        return f"queue/{last}"
    return next((place for place in PROC_SYS if place.rpartition("/")[2] == last), "")


def nearest_places(key: str) -> str:
    """What the key may have meant, a few at most, in words; sysctl's dots are understood."""
    if called := place_called(key):
        return did_you_mean([called])
    names = {place.rpartition("/")[2]: place for place in PROC_SYS}
    name = re.split(r"[./]", key)[-1]
    near = [names[each] for each in nearest(name, names, most=_NEAREST, least=0.7)]
    if not near:
        return 'no accepted setting is similar; device settings look like "queue/scheduler"'
    return did_you_mean(near)
