"""Who may do what: nothing listens without TLS, and a host's certificate is good for one host."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from distributed import Client
from distributed.core import rpc

from fsgauge.rig.fleet.certificates import Authority, Credentials
from fsgauge.rig.fleet.hosts import Hosts, started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.nodes import security_of
from tests.fleet.stub_hosts import StubLauncher


def listening() -> set[tuple[str, int]]:
    """Addresses and ports on which this process listens by TCP."""
    inodes = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                address, port = words[1].split(":")
                found.add((address, int(port, 16)))
    return found


@pytest.fixture
def two(tmp_path: Path) -> Any:
    before = listening()
    hosts = [Host(name="a"), Host(name="b")]
    with started_hosts(hosts, StubLauncher(tmp_path), "127.0.0.1") as running:
        yield running, listening() - before


def test_nothing_listens_without_tls(two: tuple[Hosts, set[tuple[str, int]]]) -> None:
    running, ports = two
    addresses = [running.cluster.address, *running.cluster.registered().values()]
    assert {port for _, port in ports} == {int(each.rpartition(":")[2]) for each in addresses}
    for _, port in ports:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            plain.settimeout(5)
            try:
                said = plain.recv(100)
            except OSError:
                said = b""
            assert b"HTTP" not in said


def refused(address: str, credentials: Credentials, **message: Any) -> bool:
    """Whether a question is not answered."""

    async def ask() -> Any:
        args = security_of(credentials).get_connection_args("worker")
        async with rpc(address, connection_args=args, timeout=5) as remote:
            return await asyncio.wait_for(remote.__getattr__(message.pop("op"))(**message), 5)

    try:
        asyncio.run(ask())
    except (OSError, TimeoutError, RuntimeError, ValueError):
        return True
    return False


def test_a_host_cannot_have_another_one_run_anything(
    two: tuple[Hosts, set[tuple[str, int]]],
) -> None:
    running, _ = two
    own = running.cluster.authority.issue("host", "a")
    there = running.cluster.registered()["b"]
    assert refused(there, own, op="identity")
    scheduler = running.cluster.address
    assert not refused(scheduler, own, op="identity")
    assert refused(scheduler, own, op="broadcast", msg={"op": "identity"})
    coordinator = running.cluster.authority.issue("coordinator", "coordinator")
    assert not refused(scheduler, coordinator, op="broadcast", msg={"op": "identity"})


def test_another_study_s_certificate_is_refused(
    two: tuple[Hosts, set[tuple[str, int]]],
) -> None:
    running, _ = two
    stranger = Authority.made().issue("coordinator", "coordinator")
    assert refused(running.cluster.address, stranger, op="identity")


def test_a_host_cannot_be_the_coordinator(two: tuple[Hosts, set[tuple[str, int]]]) -> None:
    running, _ = two
    own = running.cluster.authority.issue("host", "a")

    async def connect() -> None:
        async with Client(
            running.cluster.address,
            security=security_of(own),
            asynchronous=True,
            set_as_default=False,
            timeout=3,
        ):
            pass

    with pytest.raises((OSError, TimeoutError)):
        asyncio.run(connect())
