"""A machine of a rig as it stands, and what the systems on it sit on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, field_validator

from fsgauge.plain_files.kept import Kept
from fsgauge.record.limits import Limits, in_force
from fsgauge.record.preconditioning import StoragePreconditioning
from fsgauge.units import grouped, some_of

_OLD_CLAIM = ": ratios hold, rates do not"
_MOST_NAMED = 3
"""Systems in one sentence: a race has dozens that differ in one option."""


class StorageFacts(Kept):
    """What the systems sat on. `sentence` is for the report's first screen: what it is, and nothing
    of how well numbers hold on it, which its noise says.
    """

    kind: str
    sentence: str
    size_bytes: int
    device_chain: list[dict[str, Any]]
    cautions: list[str]
    preconditioning: StoragePreconditioning | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    cached_direct: dict[str, str] = Field(default={}, exclude_if=lambda value: not value)
    """Systems whose direct I/O goes through the page cache, and the pages that were seen there."""

    @property
    def is_measured_on(self) -> bool:
        """Whether there is any: a machine that only serves or watches has none."""
        return self.kind != NO_STORAGE.kind

    @field_validator("sentence")
    @classmethod
    def _without_old_claim(cls, sentence: str) -> str:
        """Records of older versions said of every shared disk that ratios hold on it."""
        return sentence.replace(_OLD_CLAIM, "")


def cached_direct_cautions(systems: Mapping[str, str]) -> list[str]:
    """A sentence for all systems whose direct I/O left as many pages in the page cache."""
    alike = grouped((words, f'"{name}"') for name, words in systems.items())
    return [
        f"direct I/O of {some_of(names, _MOST_NAMED)} goes through the page cache:"
        f" {words} were seen there"
        for words, names in alike.items()
    ]


NO_STORAGE = StorageFacts(kind="none", sentence="", size_bytes=0, device_chain=[], cautions=[])
"""Of a machine on which nothing is measured."""

LOAD = "load"
"""The role of a machine that drives the load. Of several hosts that do, each has a number after
it, but for the first."""

SERVER = "server"
"""The role of a machine that serves what others reach."""

BELOW = "host"
"""The role of the machine that virtual ones are on; it measures nothing itself."""


class SimulatedNumber(Kept):
    """One number of a device that was simulated; `origin` says how sure it is."""

    name: str
    value: float
    unit: str
    what: str
    source: str
    origin: Literal["printed", "assumed", "fitted"]
    is_changed: bool


class Simulation(Kept):
    """What stood in the place of a file system and a device where nothing was measured.

    `policies` are the models of the systems by their names, `proofs` how well each is proven.
    `times` is the end of the device's range of times, "" where it has no range.
    """

    model_version: int
    policies: dict[str, str]
    proofs: dict[str, str]
    device: str
    device_words: str
    numbers: list[SimulatedNumber]
    times: str = Field(default="", exclude_if=lambda value: not value)


class Machine(Kept):
    """A machine as it is; what cannot be read is null, with a reason in `missing`.

    `name` is its host name, `role` what it does in its rig: "load" drives the load, "load 2" does
    so as well. Both are its
    own among the machines of a record, and the role is the same in every study of a rig.
    `storage` is null where no system sits on it. `throttle_events` counts since the machine
    started, over all processors; frequencies are those of the slowest processor. `memory_bytes` and
    `processor_count` are what the process that measures may use.
    """

    name: str
    role: str
    captured_unix_ns: int
    kernel: str
    architecture: str
    distribution: str
    processor: str
    processor_count: int
    governor: str | None
    throttle_events: int | None = None
    frequency_limit_hz: int | None = None
    frequency_maximum_hz: int | None = None
    memory_bytes: int
    limits: Limits | None = Field(default=None, exclude_if=lambda value: value is None)
    """None in records that are older than this fact."""
    reclaimer: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """The file that turns off what reclaims unused memory, where the kernel does so by itself."""
    virtual_machine: str | None
    load_average: float
    clock_source: str | None
    storage: StorageFacts | None
    tool_versions: dict[str, str]
    missing: dict[str, str]
    simulation: Simulation | None = Field(default=None, exclude_if=lambda value: value is None)
    """Where nothing was measured: the models that were used."""

    @property
    def limited_to(self) -> list[str]:
        """The limits that bind, each in words; none where nothing was measured."""
        if self.simulation is not None:
            return []
        chain = self.storage.device_chain if self.storage is not None else []
        devices = [str(link.get("path")) for link in chain if link.get("kind") == "device"]
        return in_force(self.limits, self.processor_count, devices)


ONE_MACHINE = (
    "all hosts are processes of one machine, and share its processors, memory and disk: this tries"
    " a fleet out, and says nothing of many hosts"
)
"""A caution of the storage of a fleet that is one machine."""


def is_over_network(machines: Sequence[Machine]) -> bool:
    """Whether hosts of their own drove the load, which a network joins."""
    loads = with_role(machines, LOAD)
    storage = loads[0].storage if loads else None
    return len(loads) > 1 and (storage is None or ONE_MACHINE not in storage.cautions)


def with_role(machines: Sequence[Machine], role: str) -> list[Machine]:
    """The machines of a role, whatever number stands behind it."""
    return [each for each in machines if each.role.partition(" ")[0] == role]


def title_of(machine: Machine, machines: Sequence[Machine]) -> str:
    """What a machine is called among others: its role, or its name where several drive loads."""
    hosts = with_role(machines, LOAD)
    return machine.name if len(hosts) > 1 and machine in hosts else machine.role
