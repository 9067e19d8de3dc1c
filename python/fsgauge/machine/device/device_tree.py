"""Everything that is on a block device: found, named, never touched.

Takes a device, gives one line for each thing in its whole tree (partitions, holders, mounts in
any namespace that can be seen, swap, signatures). What cannot be found out is a finding too.
Data without a signature is another search: data_search.py.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator

from fsgauge.errors import RigError
from fsgauge.machine.device.block_device import BlockDevice, device_at, device_with_numbers
from fsgauge.machine.device.loop_devices import all_backings, backing_of, identity_of_device
from fsgauge.machine.facts.mounts import mounts_everywhere, swaps
from fsgauge.machine.process.tool import find_tool, must_run, run_tool

_TREE_LIMIT = 256
_NOTHING_FOUND = 2
_AMBIVALENT = 8
"""Exit codes of blkid(8)."""
_MEMBERS = {
    "LVM2_member": "LVM member",
    "linux_raid_member": "RAID member",
    "ddf_raid_member": "RAID member",
    "isw_raid_member": "RAID member",
    "zfs_member": "ZFS member",
    "crypto_LUKS": "LUKS container",
    "bcache": "bcache member",
    "ceph_bluestore": "Ceph OSD",
    "swap": "swap",
}


def contents_of(device: BlockDevice) -> list[str]:
    """One line for each thing found; empty without signatures, partitions, holders or mounts."""
    lines: list[str] = []
    for member in tree_of(device):
        lines += _on_one(member, top=member == device)
    for lower in below(device):
        lines += [f"{lower.path}  {use}" for use in _uses(lower)]
    return lines


def label_of(device: BlockDevice) -> str | None:
    """The kind and UUID of what blkid finds on a device: another one is another's work."""
    known = probed(device)
    words = [known.get("TYPE") or known.get("PTTYPE"), known.get("UUID") or known.get("PTUUID")]
    return " ".join(word for word in words if word) or None


def tree_of(device: BlockDevice) -> list[BlockDevice]:
    """The device, its partitions and all that is made on them, each once."""
    found: dict[str, BlockDevice] = {}
    waiting = [device]
    while waiting:
        member = waiting.pop(0)
        if member.numbers in found:
            continue
        found[member.numbers] = member
        if len(found) > _TREE_LIMIT:
            raise RigError(
                f"{device.path} carries more than {_TREE_LIMIT} devices",
                cause="each of them would have to be examined, and a disk to measure carries none",
                next=f"lsblk {device.path}; --storage names another device",
            )
        waiting += [*member.partitions(), *member.holders(), *_loops_over(member)]
    return list(found.values())


def _on_one(device: BlockDevice, *, top: bool) -> list[str]:
    try:
        kinds = _signatures(device)
    except RigError as error:
        kinds = [f"cannot be examined ({'; '.join((error.what, *error.details[-1:]))})"]
    if not top and not kinds:
        kinds = ["partition" if (device.folder / "partition").exists() else "device made on it"]
    things = [*kinds, *_uses(device)]
    return [f"{device.path}  {', '.join(things)}"] if things else []


def _signatures(device: BlockDevice) -> list[str]:
    """What blkid and wipefs recognise: blkid knows labels, wipefs sees every signature."""
    known = _probe(device)
    words = [_describe(known)] if known.get("TYPE") or known.get("PTTYPE") else []
    named = {known.get("TYPE", ""), known.get("PTTYPE", "")}
    for kind in _wipefs_types(device):
        if kind not in named:
            named.add(kind)
            words.append(f"{_MEMBERS.get(kind, kind)} signature")
    return words


def probed(device: BlockDevice) -> dict[str, str]:
    try:
        return _probe(device)
    except RigError:
        return {}


def _probe(device: BlockDevice) -> dict[str, str]:
    said = run_tool(["blkid", "--probe", "--output", "export", device.path])
    if said.exit_code == _NOTHING_FOUND:
        return {}
    if said.exit_code == _AMBIVALENT:
        return {"TYPE": "several contradictory signatures"}
    if said.exit_code != 0:
        raise RigError(
            "blkid failed",
            details=(said.words,),
            cause="the device cannot be read, or only by root",
            next=f"sudo blkid -p {device.path}",
        )
    pairs = (line.partition("=") for line in said.output.splitlines())
    return {
        key: " ".join(shlex.split(value)) if "\\" in value else value for key, _, value in pairs
    }


def _describe(known: dict[str, str]) -> str:
    kind = known.get("TYPE")
    if not kind:
        return f"partition table ({known['PTTYPE']})"
    label = f' "{known["LABEL"]}"' if known.get("LABEL") else ""
    group = _volume_group(known) if kind == "LVM2_member" else ""
    return f"{_MEMBERS.get(kind, kind)}{label}{group}"


def _volume_group(known: dict[str, str]) -> str:
    """ " of group vg0", where the LVM tools are installed."""
    if find_tool("pvs") is None or "DEVNAME" not in known:
        return ""
    said = run_tool(["pvs", "--noheadings", "-o", "vg_name", known["DEVNAME"]])
    name = said.output.strip()
    return f" of group {name}" if said.exit_code == 0 and name else ""


def _wipefs_types(device: BlockDevice) -> list[str]:
    said = must_run(["wipefs", "--no-act", "--json", device.path], what="wipefs failed")
    if not said.output.strip():
        return []
    return [entry["type"] for entry in json.loads(said.output)["signatures"]]


def _uses(device: BlockDevice) -> list[str]:
    points = {m.mount_point for _, m in mounts_everywhere() if _is_on(m.device, m.source, device)}
    uses = [f"mounted at {point}" for point in sorted(points)]
    if device.path in map(os.path.realpath, swaps()):
        uses.append("in use as swap")
    return uses


def _is_on(numbers: str, source: str, device: BlockDevice) -> bool:
    """By number; by source too, as btrfs mounts carry numbers of their own."""
    if numbers == device.numbers:
        return True
    found = device_at(source) if source.startswith("/dev/") else None
    return found is not None and found.numbers == device.numbers


def _loops_over(device: BlockDevice) -> Iterator[BlockDevice]:
    wanted = identity_of_device(device.numbers)
    for backing in all_backings():
        found = device_at(backing.loop) if backing.identity == wanted else None
        if found is not None:
            yield found


def below(device: BlockDevice) -> Iterator[BlockDevice]:
    waiting = _one_below(device)
    for _ in range(_TREE_LIMIT):
        if not waiting:
            return
        member = waiting.pop(0)
        yield member
        waiting += _one_below(member)


def _one_below(device: BlockDevice) -> list[BlockDevice]:
    backing = backing_of(device.path)
    if backing is None or not backing.identity.is_device:
        return device.slaves()
    lower = device_with_numbers(f"{backing.identity.major}:{backing.identity.minor}")
    return [lower] if lower is not None else []
