"""dask's scheduler and worker as a fleet uses them: TLS alone, roles checked, nothing else open.

Both start a web server without TLS by default: here nothing listens but their own port. A host may
register itself and say that it lives; it cannot ask the scheduler to run anything on another host,
and it runs nothing but what the scheduler asks for.
"""

from __future__ import annotations

import logging
from typing import Self

import dask
from distributed import Scheduler, Security, Worker
from distributed.comm import Comm, CommClosedError

from fsgauge.rig.fleet.bootstrap import Bootstrap
from fsgauge.rig.fleet.certificates import Credentials, Identity, identity_in

_OF_HOSTS = frozenset({"register-worker", "heartbeat_worker", "unregister", "identity", "close"})
"""What a host may ask of the scheduler."""
_HEARTBEAT_SECONDS = 15.0
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "60s",
    "distributed.admin.system-monitor.interval": "30s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.host-cpu": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.log-length": 100,
    "distributed.diagnostics.nvml": False,
    "distributed.comm.timeouts.connect": "60s",
    "distributed.comm.timeouts.tcp": "30s",
    "distributed.comm.require-encryption": True,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": "15s",
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.reuse-broadcast-comm": True,
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.worker.use-file-locking": False,
}


def configure() -> None:
    """Have dask do nothing beside carrying messages; before anything of it is made."""
    dask.config.set(_QUIET)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


def security_of(credentials: Credentials) -> Security:
    """TLS with one certificate for whatever role its holder has."""
    certificate, key = credentials.certificate, credentials.key
    return Security(
        require_encryption=True,
        tls_ca_file=credentials.authority,
        tls_client_cert=certificate,
        tls_client_key=key,
        tls_scheduler_cert=certificate,
        tls_scheduler_key=key,
        tls_worker_cert=certificate,
        tls_worker_key=key,
    )


def identity_of(comm: Comm) -> Identity | None:
    """Who is at the other end, by the certificate that was checked in the handshake."""
    return identity_in(comm.extra_info.get("peercert"))


class FleetScheduler(Scheduler):  # type: ignore[misc]  # no types are read of distributed
    """Registers hosts and carries the coordinator's messages to them."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Nothing listens without TLS."""

    async def _handle_comm(self, comm: Comm) -> None:
        who = identity_of(comm)
        if who is None or who.role == "scheduler":
            comm.abort()
            return
        if who.role == "host":
            _limit(comm)
        await super()._handle_comm(comm)

    async def add_worker(self, comm: Comm, *, name: str, **more: object) -> None:
        """Register a host under the name in its certificate, and no other."""
        who = identity_of(comm)
        if who is None or (who.role, who.name) != ("host", name):
            comm.abort()
            return
        await super().add_worker(comm, name=name, **more)

    async def add_client(self, comm: Comm, **more: object) -> None:
        """Register the coordinator."""
        who = identity_of(comm)
        if who is None or who.role != "coordinator":
            comm.abort()
            return
        await super().add_client(comm, **more)


class FleetWorker(Worker):  # type: ignore[misc]  # as above
    """A host's end."""

    @classmethod
    def of(cls, bootstrap: Bootstrap, folder: str, **more: object) -> Self:
        """The worker that a bootstrap is for, with its files in `folder`; begins when awaited."""
        return cls(
            bootstrap.scheduler,
            name=bootstrap.name,
            nthreads=1,
            security=security_of(bootstrap.credentials),
            protocol="tls",
            memory_limit=0,
            dashboard=False,
            local_directory=folder,
            **more,
        )

    def start_http_server(self, *_: object, **__: object) -> None:
        """Nothing listens without TLS."""

    async def _handle_comm(self, comm: Comm) -> None:
        who = identity_of(comm)
        if who is None or who.role != "scheduler":
            comm.abort()
            return
        await super()._handle_comm(comm)


def _limit(comm: Comm) -> None:
    """Close the connection of a host that asks for what is not a host's to ask."""
    read = comm.read

    async def checked(deserializers: object = None) -> object:
        message = await read(deserializers=deserializers)
        if isinstance(message, dict) and message.get("op") not in _OF_HOSTS:
            comm.abort()
            raise CommClosedError("a host asked for what only the coordinator may ask")
        return message

    comm.read = checked
