"""File-system workloads of vdbench's as groups: each fwd is one, on the files of its fsd."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from fsgauge.converting import numbers
from fsgauge.converting.groups import Converted, Findings, Group
from fsgauge.converting.job_file import Option
from fsgauge.errors import InputError
from fsgauge.units import exact_rate, exact_size

_MEND = "write a whole number there, with k, m or g where it is a size"
_LINE = re.compile(r"^(fsd|fwd|rd)=([^,\s]+)(.*)$")
_PAIR = re.compile(r"(\w+)=(\([^)]*\)|[^,\s]+)")
_OPERATIONS = {
    "getattr": {"stat": 1}, "open": {"open": 1}, "close": {"open": 1},
    "create": {"create": 1, "unlink": 1}, "delete": {"unlink": 1, "create": 1},
}  # fmt: skip


def is_vdbench(text: str) -> bool:
    """Whether it has a file work definition."""
    return bool(re.search(r"^fwd=", text, re.MULTILINE))


def convert_vdbench(path: Path, text: str) -> Converted:
    """Raises InputError for operations that no group has."""
    found: dict[str, list[tuple[str, dict[str, str], Option]]] = {"fsd": [], "fwd": [], "rd": []}
    defaults: dict[str, dict[str, str]] = {"fsd": {}, "fwd": {}, "rd": {}}
    findings = Findings()
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.match(line.strip())
        if match is None:
            continue
        given = {pair[1].lower(): pair[2] for pair in _PAIR.finditer(match[3])}
        if match[2] == "default":
            defaults[match[1]] = given
            continue
        option = Option(match[1], match[2], str(path), number, 1, line.strip())
        found[match[1]].append((match[2], {**defaults[match[1]], **given}, option))
    run = found["rd"][-1][1] if found["rd"] else {}
    duration = int(run["elapsed"]) * 10**9 if run.get("elapsed", "").isdecimal() else None
    folders = {name: given for name, given, _ in found["fsd"]}
    owners: dict[str, Group] = {}
    groups = []
    for name, given, option in found["fwd"]:
        group = _group(name, {**run, **given}, option, findings)
        _files(group, given.get("fsd", "default"), folders, owners, option, findings)
        rate = run.get("fwdrate", "max")
        if rate.isdecimal():
            skewed = float(given["skew"]) / 100 if "skew" in given else 1 / len(found["fwd"])
            group.put("rate", exact_rate(round(int(rate) * skewed, 3)), option)
            group.put("arrival", "exponential")
        group.duration_ns = duration
        groups.append(group)
    if not groups:
        raise InputError(f"{path} has no fwd but its default", next="vdbench -f FILE -s")
    findings.note(None, "files of a group stand in one folder", "depth, width")
    findings.raise_refusals("fsgauge study from-fio")
    return Converted(path.name, "vdbench", groups, findings)


def _group(name: str, given: Mapping[str, str], option: Option, findings: Findings) -> Group:
    group = Group(re.sub(r"[^A-Za-z0-9_ -]+", "-", name)[:40])
    kind, block = given.get("operation", "read"), given.get("xfersize", "4k")
    if kind in ("read", "write") and given.get("fileio", "sequential").startswith("random"):
        share = given.get("rdpct", "")
        weights = (
            {"read": int(share), "write": 100 - int(share)} if share.isdecimal() else {kind: 1}
        )
        group.put("operations", {key: each for key, each in weights.items() if each}, option)
        group.put("order", "random", option)
        group.put("direct", "o_direct" in given.get("openflags", ""), option)
    elif kind in ("read", "write"):
        group.put("operations", {f"{kind}_file": 1}, option)
    elif kind in _OPERATIONS:
        group.put("operations", dict(_OPERATIONS[kind]), option)
    else:
        findings.refuse(option, f"no group does {kind}; the nearest is rename or stat")
        group.put("operations", {"stat": 1}, option)
    try:
        parts = block.strip("()").split(",")
        group.put("block_sizes", [exact_size(numbers.size(each)) for each in parts[::2]], option)
        if len(parts) > 1:
            group.put("block_weights", [int(each) for each in parts[1::2]], option)
        if int(given.get("threads", "1")) > 1:
            group.put("jobs", int(given["threads"]), option)
    except ValueError as error:
        raise InputError(
            f"{name} has a number that cannot be read: {error}",
            location=option.location(),
            next=_MEND,
        ) from error
    return group


def _files(
    group: Group,
    name: str,
    folders: Mapping[str, Mapping[str, str]],
    owners: dict[str, Group],
    option: Option,
    findings: Findings,
) -> None:
    if name in owners:
        group.share_files(owners[name], findings, option)
        return
    fsd = folders.get(name, next(iter(folders.values()), {}))
    sizes = fsd.get("sizes", fsd.get("size", "1m"))
    try:
        folders_below = numbers.leaves(int(fsd.get("width", "1")), int(fsd.get("depth", "1")))
        count = int(fsd.get("files", "1")) * folders_below
        each = numbers.size(sizes.strip("()").split(",")[0])
    except ValueError as error:
        raise InputError(f"{name}: {error}", location=option.location(), next=_MEND) from error
    if "," in sizes:
        findings.refuse(option, "files of several sizes; the nearest is an fsd of each")
    group.put_files(count, each, own=False, sources=[option])
    owners[name] = group
