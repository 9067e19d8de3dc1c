"""Under what runs were measured: the one list of facts, and how equal they must be for what.

Takes `Conditions`, the machines, the engine and the tool of some runs.

    one sample    every fact must be equal. Blocks measured under different conditions are different
                  questions, and a mean over them answers neither (pyperf refuses the same way:
                  _bench.py, _CHECKED_METADATA)
    one machine   `MACHINE`, and the identity of the storage: rates themselves can be compared
    two folders   a few must be equal and others are listed, as they may be the point:
                  stats.folders.same_conditions reads them here
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.engine.wire import Engine
from fsgauge.errors import InputError
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord

_UNEQUAL_TOOLS = {"fio", "losetup", "mount"}
"""Tools that take no part in what is measured, or leave their trace in the mount options."""
_IDENTITY = ("kind", "model", "serial", "wwid", "file_system")
_QUEUE = ("scheduler", "rotational", "write_cache", "logical_block_size_bytes")


@dataclass(frozen=True)
class Conditions:
    """Under what some runs were measured. `engine` is None while nothing was."""

    fsgauge_version: str
    rig: str
    engine: Engine | None
    environment: EnvironmentRecord


def _of_engine(name: str) -> Callable[[Conditions], object]:
    return lambda conditions: getattr(conditions.engine, name) if conditions.engine else None


def of_machines(environment: EnvironmentRecord, read: Callable[[Machine], object]) -> object:
    """A fact of the rig's only machine; of several, that of each by its role."""
    found = {machine.role: read(machine) for machine in environment.machines}
    return next(iter(found.values())) if len(found) == 1 else found


def _of_machines(read: Callable[[Machine], object]) -> Callable[[Conditions], object]:
    return lambda conditions: of_machines(conditions.environment, read)


def _of_machine(name: str) -> Callable[[Conditions], object]:
    return _of_machines(lambda machine: getattr(machine, name))


def _storage(machine: Machine) -> object:
    """The storage without what changes each time it is attached: loop numbers, scratch names."""
    facts = machine.storage
    if facts is None:
        return None
    chain = _chain(machine, (*_IDENTITY, "size_bytes", *_QUEUE))
    return {"kind": facts.kind, "size_bytes": facts.size_bytes, "chain": chain}


def _chain(machine: Machine, keys: Sequence[str]) -> list[dict[str, Any]]:
    """Some facts of each link; a mount point of ours without the token of its run."""
    return [
        {key: link[key] for key in keys if link.get(key) is not None}
        | ({"mount_point": without_token(mounted)} if (mounted := link.get("mount_point")) else {})
        for link in (machine.storage.device_chain if machine.storage is not None else ())
    ]


def _tools(machine: Machine) -> object:
    versions = machine.tool_versions
    return {name: versions[name] for name in sorted(versions) if name not in _UNEQUAL_TOOLS}


FACTS: dict[str, Callable[[Conditions], object]] = {
    "fsgauge version": lambda conditions: conditions.fsgauge_version,
    "record format": lambda conditions: conditions.environment.format,
    "rig": lambda conditions: conditions.rig,
    "engine version": _of_engine("version"),
    "engine profile": _of_engine("profile"),
    "engine commit": _of_engine("commit"),
    "engine target": _of_engine("target"),
    "machines": lambda conditions: [each.role for each in conditions.environment.machines],
    "host": _of_machine("name"),
    "kernel": _of_machine("kernel"),
    "architecture": _of_machine("architecture"),
    "processor": _of_machine("processor"),
    "processor count": _of_machine("processor_count"),
    "governor": _of_machine("governor"),
    "memory": _of_machine("memory_bytes"),
    "limits": _of_machines(lambda machine: ", ".join(machine.limited_to) or None),
    "virtual machine": _of_machine("virtual_machine"),
    "clock source": _of_machine("clock_source"),
    "tools": _of_machines(_tools),
    "storage": _of_machines(_storage),
    "version of the models": _of_machines(
        lambda machine: machine.simulation and machine.simulation.model_version
    ),
}
"""Name and value of every fact."""

MACHINE = (
    "machines",
    "host",
    "architecture",
    "processor",
    "processor count",
    "limits",
    "virtual machine",
    "rig",
)
"""What makes them the same machines, and how much of them may be used. A kernel changes how much
memory it reports, so neither is."""


def unlike_machines(first: Conditions, second: Conditions) -> list[str]:
    """The facts by which they are not the same machines, role by role, with the same storage."""
    found = [name for name in MACHINE if FACTS[name](first) != FACTS[name](second)]
    return found + ["storage"] * (_identity(first) != _identity(second))


def _identity(conditions: Conditions) -> object:
    return of_machines(conditions.environment, lambda machine: _chain(machine, _IDENTITY))


def differences(then: Conditions, now: Conditions) -> list[str]:
    """What differs, one sentence each: "kernel: Linux 6.1 then, Linux 6.18 now"."""
    found = []
    for name, value in FACTS.items():
        before, after = value(then), value(now)
        unknown = name.startswith("engine") and (then.engine is None or now.engine is None)
        if before != after and not unknown:
            found.append(f"{name}: {_words(before, after)} then, {_words(after, before)} now")
    return found


def require_equal(then: Conditions, now: Conditions, *, next: str) -> None:
    """Raise InputError that names each difference."""
    found = differences(then, now)
    if found:
        raise InputError(
            "what is measured now would not be the same study",
            details=tuple(found),
            cause="this differs from when the study began, and its runs would be pooled with"
            " the earlier ones",
            next=next,
        )


def _words(value: object, other: object) -> str:
    """A value; of a table, what the other one has not."""
    if isinstance(value, dict) and isinstance(other, dict):
        value = {key: each for key, each in value.items() if other.get(key) != each}
        return ", ".join(f"{key} {plain(each)}" for key, each in value.items()) or "nothing"
    return plain(value)


def plain(value: object) -> str:
    """A value in words; "none" where there is none."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)


PREFIX = "fsgauge-"
TOKEN_BYTES = 6
_OURS = re.compile(rf"(?<=/){PREFIX}[0-9a-f]{{{2 * TOKEN_BYTES}}}-(?=[a-z])")


def own_name(token: str, purpose: str) -> str:
    """The name of a folder that a run makes: "fsgauge-0123456789ab-ram"."""
    return f"{PREFIX}{token}-{purpose}"


def without_token(path: str) -> str:
    """A path with the token of our folders replaced."""
    return _OURS.sub(f"{PREFIX}*-", path)


def without_place(text: str, device: str) -> str:
    """A tool's output about a file system, without its device and our mount point."""
    if device.startswith("/dev/"):
        text = re.sub(rf"{re.escape(device)}(?![0-9A-Za-z])", "the device", text)
    return without_token(text)
