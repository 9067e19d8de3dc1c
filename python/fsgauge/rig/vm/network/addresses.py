"""Who is who on the private network: fixed addresses, the same in every study.

Two studies at once do not meet: each network is sockets that its own machines inherited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NETWORK = "10.9.0.0/24"
INTERFACE = "eth0"
MOST_NODES = 200


@dataclass(frozen=True)
class Station:
    """One machine on the network; `number` counts from 1."""

    name: str
    number: int

    @property
    def address(self) -> str:
        """Its IP address."""
        return f"10.9.0.{self.number}"

    @property
    def hardware_address(self) -> str:
        """Its Ethernet address, of those that are QEMU's."""
        return f"52:54:00:09:00:{self.number:02x}"


def hosts_file(stations: Sequence[Station]) -> str:
    """/etc/hosts of each of them."""
    lines = ["127.0.0.1 localhost", *(f"{each.address} {each.name}" for each in stations)]
    return "\n".join(lines) + "\n"
