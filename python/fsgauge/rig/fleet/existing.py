"""Hosts that are the workers of a dask cluster which runs already: --hosts tls://HOST:PORT.

fsgauge starts and ends none of them. It connects with the certificates that dask's configuration
names, puts its plugin on the workers for the length of a study, and takes it away again. What roles
such a cluster's certificates have is the business of whoever runs it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any

from distributed.comm import CommClosedError, get_address_host
from distributed.core import ConnectionPool, send_recv
from distributed.protocol.pickle import dumps
from distributed.utils import get_ip

from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.rig.fleet import nodes
from fsgauge.rig.fleet.cluster import Cluster, running
from fsgauge.rig.fleet.control import ASKED
from fsgauge.rig.fleet.identity import identity_from
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Launcher, NotOurs, Started
from fsgauge.rig.fleet.model import Fleet, Host
from fsgauge.rig.fleet.plain_comm import SCHEME, NotPlainError, Plain, RoleSecurity

_ATTEND_SECONDS = 4.0
_CONNECT_SECONDS = 30.0
_IDENTIFY_SECONDS = 60.0
_CERTIFICATES = (
    "ca-file, client.cert and client.key below distributed.comm.tls in ~/.config/dask/*.yaml, or"
    " DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on"
)


class ExistingCluster(Cluster):
    """Someone else's cluster, as a client of its scheduler. Make it with `existing_cluster`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: str) -> None:
        super().__init__(loop)
        self._address = address
        self._pool: ConnectionPool
        self._attending: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        return self._address

    @property
    def host_address(self) -> str:
        """The address of this machine that is nearest to the scheduler."""
        return str(get_ip(get_address_host(self._address)))

    async def _begin(self, listen: str) -> None:  # noqa: ARG002 - nothing listens here
        arguments = RoleSecurity(None).get_connection_args("client")
        if arguments.get("ssl_context") is None:
            raise ValueError("dask's configuration names none")
        self._pool = ConnectionPool(
            deserialize=False, connection_args=arguments, timeout=_CONNECT_SECONDS
        )
        await self._pool.start()
        plugin = dumps(nodes.HostPlugin(keeps_worker=True))
        await self._of_scheduler(
            op="register_worker_plugin", plugin=plugin, name=nodes.NAME, idempotent=False
        )
        self._attending = asyncio.ensure_future(self._attend())

    async def _end(self) -> None:
        if self._attending is not None:
            self._attending.cancel()
        with suppress(Exception):
            ending = self._of_scheduler(op="unregister_worker_plugin", name=nodes.NAME)
            await asyncio.wait_for(ending, _ATTEND_SECONDS)
        with suppress(Exception):
            await asyncio.wait_for(self._pool.close(), _ATTEND_SECONDS)

    async def _names(self) -> dict[str, str]:
        known = await self._of_scheduler(op="identity", n_workers=-1)
        return {_name_of(address, each): address for address, each in known["workers"].items()}

    async def _forget(self, name: str) -> None:
        """Its own scheduler sees to that."""

    async def _send(self, name: str, address: str, message: dict[str, Any]) -> object:  # noqa: ARG002
        """By the scheduler, which knows at once when a worker is gone."""
        found = await self._of_scheduler(
            op="broadcast", msg=message, workers=[address], on_error="ignore"
        )
        if address not in found:
            raise CommClosedError
        return found[address]

    async def _attend(self) -> None:
        """Say to all workers that the coordinator is there; their scheduler outlives it."""
        message = {"op": ASKED, "question": "attend", "words": {}}
        while True:
            with suppress(Exception):
                await self._of_scheduler(op="broadcast", msg=message, on_error="ignore")
            await asyncio.sleep(_ATTEND_SECONDS)

    async def _of_scheduler(self, **message: object) -> Plain:
        """What the scheduler replies; nothing that it or its workers send is unpickled."""
        address = self._address.replace("tls://", f"{SCHEME}://", 1)
        comm = await self._pool.connect(address)
        try:
            return await send_recv(comm, **message)
        finally:
            self._pool.reuse(address, comm)


def existing_cluster(address: str) -> AbstractContextManager[Cluster]:
    """The cluster of a scheduler, until the context ends; InputError where it is not reached."""
    if not address.startswith("tls://"):
        raise InputError(
            f"--hosts {address} is not an address with TLS",
            cause="whoever can talk to a scheduler runs code on its workers, so fsgauge uses none"
            " without TLS",
            next="--hosts tls://HOST:PORT, and certificates in dask's configuration",
        )

    def refused(error: BaseException) -> FsgaugeError:
        if isinstance(error, ValueError):
            return InputError(
                f"no certificate for {address}: {error}",
                cause="a tls:// address needs a certificate, a key and who signed them",
                next=_CERTIFICATES,
            )
        if isinstance(error, OSError | TimeoutError) and not isinstance(error, NotPlainError):
            words = str(error) or f"no answer within {_CONNECT_SECONDS:.0f} s"
            return RigError(
                f"the scheduler {address} cannot be reached: {words}",
                cause="it does not run there, or a firewall is between",
                next="--hosts tls://HOST:PORT, as the scheduler says it when it starts",
            )
        return RigError(
            f"the workers of {address} cannot be hosts: {type(error).__name__}: {error}"[:400],
            cause="fsgauge is not installed where they run, or another version",
            next="install this fsgauge where the workers run, with cryptography and distributed",
        )

    return running(lambda loop: ExistingCluster(loop, address), "", refused)


def fleet_of_scheduler(address: str) -> Fleet:
    """The workers of a scheduler as hosts, one a machine; InputError where it has none."""
    with existing_cluster(address) as control:
        names = sorted(control.registered())
        answers = control.ask(names, "identify", _IDENTIFY_SECONDS)
    hosts: dict[tuple[str, str], Host] = {}
    for name in names:
        found = identity_from(name, answers[name])
        hosts.setdefault((found.machine, found.boot), Host(name=name))
    if not hosts:
        raise InputError(
            f"the scheduler {address} has no worker",
            cause="none was started, or none reached it",
            next="dask worker, on each host",
        )
    return Fleet(launcher="scheduler", host=list(hosts.values()))


class ExistingLauncher(Launcher):
    """Starts no one: a worker that is lost is there again once its nanny has started it."""

    register_seconds = 30.0

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        return {host.name: NotOurs() for host in bootstraps}

    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        return f"on {host.name}: fsgauge {'--version' if looks else 'doctor --systems'}"


def _name_of(address: str, worker: Mapping[str, Any]) -> str:
    name = str(worker.get("name", ""))
    chosen = name if name and "://" not in name and not name.isdecimal() else address
    return re.sub(r"[^A-Za-z0-9._-]+", "-", chosen.removeprefix("tls://")).strip("-.")[:60]
