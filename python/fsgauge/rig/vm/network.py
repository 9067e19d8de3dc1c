"""The private network between the machines of a study: who has which address, and its shape.

Addresses are fixed, the same in every study. Two studies at once do not meet: each network is
sockets that its own machines inherited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.rig.vm.switch import Shape
from fsgauge.study.model import Study, System
from fsgauge.study.rig_keys import NetworkKeys
from fsgauge.units import exact_percent, format_bandwidth, format_duration

NETWORK = "10.9.0.0/24"
INTERFACE = "eth0"


@dataclass(frozen=True)
class Station:
    """One machine on the network; `number` counts from 1."""

    name: str
    number: int

    @property
    def address(self) -> str:
        return f"10.9.0.{self.number}"

    @property
    def hardware_address(self) -> str:
        """Its Ethernet address, of those that are QEMU's."""
        return f"52:54:00:09:00:{self.number:02x}"


def hosts_file(stations: Sequence[Station]) -> str:
    lines = ["127.0.0.1 localhost", *(f"{each.address} {each.name}" for each in stations)]
    return "\n".join(lines) + "\n"


def shape_of(study: Study, system: System | None = None) -> Shape:
    """While this system is measured, or else that of all."""
    keys = keys_of(study, system)
    return Shape(keys.bandwidth or 0.0, keys.delay / 1e9, keys.loss / 100)


def keys_of(study: Study, system: System | None = None) -> NetworkKeys:
    own = system.rig.network if system is not None and system.rig is not None else None
    whole = study.rig.network if study.rig is not None else None
    return own or whole or NetworkKeys()


def words_of(keys: NetworkKeys) -> str:
    """For people: "links of 125 MB/s, with a delay of 1 ms"."""
    found = [f"links of {format_bandwidth(keys.bandwidth)}" if keys.bandwidth else ""]
    found.append(f"a delay of {format_duration(keys.delay)}" if keys.delay else "")
    found.append(f"{exact_percent(keys.loss)} of frames lost" if keys.loss else "")
    return " with ".join(filter(None, [found[0], " and ".join(filter(None, found[1:]))]))
