"""Who may do what: nothing listens without TLS, and a host's certificate is good for one host."""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Scheduler, Worker
from distributed.protocol import pickle as dask_pickle

from fsgauge.rig.fleet.certificates import Authority, Credentials
from fsgauge.rig.fleet.hosts import Hosts, started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.nodes import FleetScheduler, FleetWorker
from tests.fleet.listeners import Listener, listeners
from tests.fleet.stolen_key import Closed, Stolen
from tests.fleet.stub_hosts import StubLauncher
from tests.patience import patience


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Hosts, set[Listener]]]:
    before = listeners()
    hosts = [Host(name="a"), Host(name="b")]
    with started_hosts(hosts, StubLauncher(tmp_path), "127.0.0.1") as running:
        yield running, listeners() - before


def test_nothing_listens_without_tls(two: tuple[Hosts, set[Listener]]) -> None:
    running, found = two
    addresses = [running.cluster.address, *running.cluster.registered().values()]
    ports = {each.port for each in found}
    assert ports == {int(each.rpartition(":")[2]) for each in addresses}
    assert {(each.protocol, each.address) for each in found} == {("tcp", "127.0.0.1")}
    for port in ports:
        with socket.create_connection(("127.0.0.1", port), timeout=patience(5)) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            plain.settimeout(5)
            try:
                said = plain.recv(100)
            except OSError:
                said = b""
            assert b"HTTP" not in said


def test_a_host_asks_for_nothing_but_to_be_there(two: tuple[Hosts, set[Listener]]) -> None:
    running, _ = two
    own = running.cluster.authority.issue("host", "a")
    with Stolen(running.cluster.address, own) as host:
        assert host.ask(op="identity", n_workers=-1) == {"type": "Scheduler"}
        with pytest.raises(Closed):
            host.ask(op="broadcast", msg={"op": "identity"})


@pytest.mark.parametrize("target", ["scheduler", "b"])
@pytest.mark.parametrize("role", ["host", "scheduler"])
def test_another_study_s_certificate_is_refused(
    two: tuple[Hosts, set[Listener]], target: str, role: str
) -> None:
    running, _ = two
    places = {**running.cluster.registered(), "scheduler": running.cluster.address}
    stranger = Authority.made().issue("host" if role == "host" else "scheduler", "a")
    with pytest.raises(Closed), Stolen(places[target], stranger) as other:
        other.ask(op="identity")


def test_a_host_cannot_ask_another_one(two: tuple[Hosts, set[Listener]]) -> None:
    running, _ = two
    own = running.cluster.authority.issue("host", "a")
    there = running.cluster.registered()["b"]
    with pytest.raises(Closed), Stolen(there, own) as host:
        host.ask(op="fsgauge", question="attend", words={})
    coordinator = running.cluster.authority.issue("scheduler", "scheduler")
    with Stolen(there, coordinator) as known:
        assert known.ask(op="fsgauge", question="attend", words={}) == {"answer": "ok"}


def test_only_the_scheduler_is_a_scheduler_to_a_host(tmp_path: Path) -> None:
    """A host that stands in the scheduler's place on the network is not served."""
    from tests.fleet.stolen_key import Impostor

    authority = Authority.made()
    with Impostor(authority.issue("host", "a")) as impostor:
        assert not impostor.is_served(authority.issue("host", "b"), tmp_path)
    with Impostor(authority.issue("scheduler", "scheduler")) as real:
        assert real.is_served(authority.issue("host", "b"), tmp_path)


def test_dask_has_no_more_to_do_here_than_is_listed() -> None:
    """A newer dask with more to ask for brings nothing in."""

    async def names() -> tuple[set[str], set[str], set[str]]:
        own = Authority.made().issue("scheduler", "scheduler")
        scheduler = FleetScheduler(own, "127.0.0.1")
        return set(scheduler.handlers), set(scheduler.stream_handlers), set(scheduler.extensions)

    handlers, of_streams, extensions = asyncio.run(names())
    assert handlers == {"register-worker", "heartbeat_worker", "unregister", "identity"}
    assert of_streams == {"keep-alive", "worker-status-change", "log-event"}
    assert extensions == set()


def test_dask_unpickles_nothing(two: tuple[Hosts, set[Listener]]) -> None:
    """Once a fleet has been used in this process."""
    with pytest.raises(OSError, match="a pickle"):
        dask_pickle.loads(pickle.dumps(1))
    assert FleetScheduler is not Scheduler and FleetWorker is not Worker


def test_credentials_are_of_one_host(two: tuple[Hosts, set[Listener]]) -> None:
    running, _ = two
    found: list[Credentials] = [running.cluster.authority.issue("host", name) for name in "ab"]
    assert found[0].key != found[1].key
