"""What processes listen on, as the kernel tells it of each: TCP, and UDP that is not connected."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

_STATES = {"tcp": "0A", "udp": "07"}


@dataclass(frozen=True)
class Listener:
    """A socket that hears whoever reaches its address."""

    protocol: str
    address: str
    port: int


def listeners(process: int | str = "self") -> set[Listener]:
    """Of one process; none where it is gone. Its network may be another than ours."""
    inodes = _sockets(process)
    found = set()
    for protocol, state in _STATES.items():
        for table in (protocol, f"{protocol}6"):
            for line in _lines(Path(f"/proc/{process}/net/{table}")):
                words = line.split()
                if words[3] == state and words[9] in inodes:
                    address, port = words[1].split(":")
                    found.add(Listener(protocol, _address(address), int(port, 16)))
    return found


def _sockets(process: int | str) -> set[str]:
    found = set()
    try:
        for entry in Path(f"/proc/{process}/fd").iterdir():
            try:
                target = str(entry.readlink())
            except OSError:
                continue
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:
        return set()
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()[1:]
    except OSError:
        return []


def _address(digits: str) -> str:
    """The kernel prints words of four bytes, each in the order of the machine."""
    data = bytes.fromhex(digits)
    words = [data[at : at + 4][::-1] for at in range(0, len(data), 4)]
    return str(ipaddress.ip_address(b"".join(words)))
