"""Whoever has the key of one host, and speaks dask's protocol by hand to all who listen.

The key is good for being that host, and for nothing else: no function is run in the coordinator or
on another host, and no other host is kept from measuring.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from distributed import Scheduler, Worker

from fsgauge.rig.fleet.certificates import Credentials
from fsgauge.rig.fleet.cluster import Cluster
from fsgauge.rig.fleet.control import Lost
from fsgauge.rig.fleet.hosts import Hosts, started_hosts
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.nodes import FleetScheduler
from tests.attack.test_hostile_hosts import Bomb
from tests.fleet.stolen_key import Closed, Stolen
from tests.fleet.stub_hosts import StubLauncher

OURS = {"register-worker", "heartbeat_worker", "unregister", "identity"}
OF_WORKERS = (
    *("run", "run_coroutine", "plugin-add", "upload_file", "update_data", "get_data", "gather"),
    *("actor_execute", "actor_attribute", "terminate", "call_stack", "get_logs", "versions"),
)


class Victim:
    """A fleet of two, the key of `a`, and a folder that is made where a pickle is read."""

    def __init__(self, running: Hosts, witness: Path) -> None:
        self.running, self.witness = running, witness
        self.cluster: Cluster = running.cluster
        self.key: Credentials = self.cluster.authority.issue("host", "a")
        self.pickled = pickle.dumps(Bomb(witness))

    @property
    def scheduler(self) -> str:
        return self.cluster.address

    def connected(self) -> Stolen:
        return Stolen(self.scheduler, self.key)

    def all_measure(self) -> bool:
        """Whether both hosts are there and answer."""
        answers = self.cluster.ask(["a", "b"], "identify", 20.0)
        return all(isinstance(each, str) for each in answers.values())

    def require_unharmed(self) -> None:
        assert not self.witness.exists()
        assert self.all_measure()


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    hosts = [Host(name="a"), Host(name="b")]
    with started_hosts(hosts, StubLauncher(tmp_path), "127.0.0.1") as running:
        yield Victim(running, tmp_path / "it ran")


def dask_s_own() -> tuple[list[str], list[str]]:
    """What dask's scheduler would do for whoever asks it, and for whoever is registered."""

    async def names() -> tuple[list[str], list[str]]:
        found = Scheduler(
            dashboard=False, dashboard_address="127.0.0.1:0", host="127.0.0.1", port=0
        )
        return sorted(found.handlers), sorted(found.stream_handlers)

    return asyncio.run(names())


def words_of(victim: Victim) -> list[dict[str, Any]]:
    """Functions in all places where dask looks for one."""
    places = ("function", "plugin", "setup", "teardown", "key", "args", "kwargs", "graph_header")
    plain: dict[str, Any] = dict.fromkeys(places, victim.pickled)
    return [{}, plain, {"msg": {"op": "run", "function": victim.pickled}, "workers": None}]


def test_the_scheduler_does_nothing_of_what_dask_s_would(victim: Victim) -> None:
    handlers, of_streams = dask_s_own()
    assert "run_function" in handlers and "update-graph" in of_streams
    for asked in sorted({*handlers, *of_streams} - OURS):
        for words in words_of(victim):
            with pytest.raises(Closed), victim.connected() as host:
                if asked in ("keep-alive", "worker-status-change", "log-event", "close"):
                    raise Closed
                host.ask(op=asked, **words)
    victim.require_unharmed()


@pytest.mark.parametrize("asked", sorted(OURS))
def test_a_pickle_in_what_a_host_may_say(victim: Victim, asked: str) -> None:
    for place in ("address", "name", "metrics", "extra", "reply", "serializers", "more"):
        with pytest.raises(Closed), victim.connected() as host:
            host.say_pickle(
                {"op": asked, "address": "x", "name": "a", place: "PICKLE"}, victim.pickled
            )
            host.hear()
    with pytest.raises(Closed), victim.connected() as host:
        host.say_pickle({"op": "PICKLE"}, victim.pickled)
        host.hear()
    victim.require_unharmed()


def registered(host: Stolen, name: str, **more: object) -> Any:
    """The scheduler's reply to a host that registers as dask's workers do."""
    words = {"address": host.own_address, "status": "running", "nthreads": 1, "reply": False}
    return host.ask(op="register-worker", name=name, now=0.0, metrics={}, **(words | more))


def test_a_registered_host_has_no_tasks_run(victim: Victim) -> None:
    """On the connection that stays, dask hears what clients say as well."""
    _, of_streams = dask_s_own()
    spare = victim.cluster.authority.issue("host", "c")
    for asked in of_streams:
        with Stolen(victim.scheduler, spare) as host:
            assert registered(host, "c")["status"] == "OK"
            words = words_of(victim)[1]
            with suppress(Closed):
                host.say([{"op": asked, "client": "c", "keys": ["x"], **words}])
                host.say_pickle({"op": asked, "graph": "PICKLE"}, victim.pickled)
                while True:
                    host.hear()
        while "c" in victim.cluster.registered():
            continue
    victim.require_unharmed()


def test_a_host_is_no_other_host(victim: Victim) -> None:
    theirs = victim.cluster.registered()["b"]
    with pytest.raises(Closed), victim.connected() as host:
        registered(host, "b")
    with victim.connected() as host:
        assert host.ask(op="heartbeat_worker", address=theirs) == {"status": "missing"}
        assert host.ask(op="unregister", address=theirs, safe=True) == "OK"
    assert victim.cluster.registered()["b"] == theirs
    victim.require_unharmed()


def test_what_a_host_is_asked_reaches_no_other_host(victim: Victim) -> None:
    """It says that it listens where another one does, and is heard there no more than before."""
    spare = victim.cluster.authority.issue("host", "c")
    theirs = victim.cluster.registered()["b"]
    victim.cluster.forget("b")
    with Stolen(victim.scheduler, spare) as host:
        assert registered(host, "c", address=theirs)["status"] == "OK"
        answer = victim.cluster.ask(["c"], "identify", 20.0)["c"]
    assert isinstance(answer, Lost)
    assert answer.words == "another host answers where it said that it listens"
    assert not victim.witness.exists()


@pytest.mark.parametrize(
    "address",
    ["", "x", "tcp://127.0.0.1:22", "fsgauge://a.host.that.is.looked.up:1", 7, None, "a" * 9999],
)
def test_a_host_that_listens_nowhere(victim: Victim, address: object) -> None:
    spare = victim.cluster.authority.issue("host", "c")
    with pytest.raises(Closed), Stolen(victim.scheduler, spare) as host:
        registered(host, "c", address=address)
    assert "c" not in victim.cluster.registered()
    victim.require_unharmed()


@pytest.mark.parametrize("target", OF_WORKERS)
def test_another_host_does_nothing_for_it(victim: Victim, target: str) -> None:
    """Nor would it for the coordinator, whose key alone is heard there."""
    there = victim.cluster.registered()["b"]
    with pytest.raises(Closed), Stolen(there, victim.key) as host:
        host.ask(op=target, function=victim.pickled, args=victim.pickled, plugin=victim.pickled)
    with suppress(Closed), Stolen(there, victim.cluster.authority.issue("scheduler", "x")) as known:
        assert known.ask(op=target, function=victim.pickled, plugin=victim.pickled) is None
    assert hasattr(Worker, "run")
    victim.require_unharmed()


SIZES = (17 << 20, 1 << 40, (1 << 64) - 1, 0, 3, 16)


@pytest.mark.parametrize("size", SIZES)
def test_a_message_of_another_size(victim: Victim, size: int) -> None:
    with pytest.raises(Closed), victim.connected() as host:
        host.say_bytes(struct.pack("Q", size))
        host.hear()
    victim.require_unharmed()


def test_messages_that_are_none(victim: Victim) -> None:
    bodies = [
        b"",
        b"\xc1",
        b"\x91" * 5000 + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xc7\x01\x05x",
        b"\x81\x81\xc0\xc0\xc0",
        b"\xa2\xff\xff",
        b"\xc0\xc0",
        b"\x93\x01\x02\x03",
        b"\x81\xa2op\x93\x01\x02\x03",
        b"\x81\xa2op\x81\xc0\xc0",
    ]
    for body in bodies:
        with pytest.raises(Closed), victim.connected() as host:
            host.say_frames(body)
            host.hear()
    for frames in ((), (b"\xc0", b"\xc0"), (b"\x80",) * 2000):
        with pytest.raises(Closed), victim.connected() as host:
            host.say_frames(*frames)
            host.hear()
    victim.require_unharmed()


def test_a_host_that_speaks_without_end(victim: Victim) -> None:
    with pytest.raises(Closed), victim.connected() as host:
        for _ in range(100_000):
            host.ask(op="identity")
    with pytest.raises(Closed), victim.connected() as host:
        for _ in range(20):
            host.ask(op="identity", more=b"x" * (8 << 20))
    victim.require_unharmed()


def test_a_host_with_many_connections(victim: Victim) -> None:
    """Of its own it may have a few; none is taken from others."""
    with suppress(Closed):
        found = [victim.connected() for _ in range(50)]
    heard = 0
    for each in found:
        with suppress(Closed):
            heard += each.ask(op="identity") == {"type": "Scheduler"}
    assert 0 < heard < 10
    assert victim.cluster.ask(["b"], "attend", 20.0) == {"b": "ok"}
    for each in found:
        each.__exit__()
    victim.require_unharmed()


def test_the_fleet_s_own_scheduler_is_tried(victim: Victim) -> None:
    """And not dask's, which would do all of the above."""
    assert isinstance(victim.cluster._scheduler, FleetScheduler)
