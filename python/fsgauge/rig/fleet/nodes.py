"""dask's scheduler and worker as a fleet uses them: messages to and from hosts, and nothing else.

Both can do far more than that, and would do it for whoever asks: run functions, fetch data from one
another, serve web pages. Here a host may register itself under the name in its certificate and say
that it lives, and nothing that it says of itself is kept; the coordinator asks it the questions of
fleet/control.py. dask's own words that are not for this are not heard. A host answers by its one
plugin, outside of dask's tasks, so that nothing is run twice, moved or stolen.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import dask
from distributed import Scheduler, Worker
from distributed.comm import Comm, get_address_host, parse_address
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.utils import get_ip, get_ip_interface
from distributed.versions import get_versions

from fsgauge.errors import InputError
from fsgauge.rig.fleet import plain_comm
from fsgauge.rig.fleet.certificates import Credentials, Role
from fsgauge.rig.fleet.control import ASKED
from fsgauge.rig.fleet.host_answers import HostAnswers
from fsgauge.rig.fleet.launcher.launcher import Bootstrap

NAME = "fsgauge-host"
LEASE_SECONDS = 15.0
"""A coordinator that asks nothing for so long is gone: the host ends what it does and cleans up."""
_LOOK_SECONDS = 4.0
_AT_ONCE = ("attend", "arm", "pass_meeting", "measure", "describe", "described", "size_bytes")
"""Answered by dask's own thread; all other questions wait for something."""


class HostPlugin(WorkerPlugin):  # type: ignore[misc]  # no types are read of distributed
    """Holds the rig of one study at most, and ends that once the coordinator is gone.

    With `keeps_worker` the worker is of a cluster that runs already, and goes on; its scheduler
    outlives the coordinator, so that only what the coordinator itself asks says that it is there.
    """

    name = NAME
    idempotent = True

    def __init__(self, keeps_worker: bool = False) -> None:
        self.keeps_worker = keeps_worker
        self.answers: HostAnswers
        self._asked = time.monotonic()
        self._watch: asyncio.Task[None] | None = None
        self._worker: Worker

    def __reduce__(self) -> tuple[type[HostPlugin], tuple[bool]]:
        return HostPlugin, (self.keeps_worker,)

    def setup(self, worker: Worker) -> None:
        self._asked, self._worker = time.monotonic(), worker
        self.answers = HostAnswers(Path(worker.local_directory))
        worker.handlers[ASKED] = self.answer
        self._watch = asyncio.ensure_future(self._look())

    async def teardown(self, worker: Worker) -> None:
        """Whatever ends the worker, nothing of the study stays."""
        worker.handlers.pop(ASKED, None)
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        because = "the host leaves the fleet"
        await asyncio.to_thread(self.answers.leave, self.answers.held, because, for_good=True)

    async def answer(self, question: str, words: dict[str, Any]) -> dict[str, object]:
        """The answer to a question, or how that failed: never an error of dask's own, which would
        be pickled."""
        self.heard()
        try:
            if question in _AT_ONCE:
                return {"answer": self.answers.answer(question, words)}
            return {"answer": await asyncio.to_thread(self.answers.answer, question, words)}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"[:300]}

    def heard(self) -> None:
        self._asked = time.monotonic()

    async def _look(self) -> None:
        """Ask whether the coordinator is there: it may have nothing to ask for a while."""
        because = "the coordinator is silent"
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self.keeps_worker:
                with suppress(Exception):
                    await asyncio.wait_for(
                        self._worker.scheduler.identity(n_workers=0), _LOOK_SECONDS
                    )
                    self.heard()
            if time.monotonic() - self._asked < LEASE_SECONDS:
                continue
            held, ends = self.answers.held, not self.keeps_worker
            await asyncio.to_thread(self.answers.leave, held, because, for_good=ends)
            if not self.keeps_worker:
                break
        await self._worker.close(executor_wait=False, reason=because)


_MOST_CONNECTIONS = 8
"""Of one host to the scheduler: one that stays, and some that come and go."""
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
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.worker.use-file-locking": False,
}
_NOTHING_MEASURED: dict[str, Any] = {
    "bandwidth": {"total": 1, "workers": {}, "types": {}},
    "digests_total_since_heartbeat": {},
    "memory": 0,
    "spilled_bytes": {"memory": 0, "disk": 0},
}
"""In place of what a host says of itself to dask."""


def configure() -> None:
    """Have dask do nothing beside carrying messages; before anything of it is made."""
    dask.config.set(_QUIET)
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    plain_comm.refuse_pickles()


def security_of(credentials: Credentials | Bootstrap, peer: Role | None) -> plain_comm.RoleSecurity:
    certificate, key = credentials.certificate, credentials.key
    return plain_comm.RoleSecurity(
        peer,
        tls_ca_file=credentials.authority,
        tls_client_cert=certificate,
        tls_client_key=key,
        tls_scheduler_cert=certificate,
        tls_scheduler_key=key,
        tls_worker_cert=certificate,
        tls_worker_key=key,
    )


class FleetScheduler(Scheduler):  # type: ignore[misc]  # no types are read of distributed
    def __init__(self, credentials: Credentials, listen: str, **more: object) -> None:
        super().__init__(
            security=security_of(credentials, "host"),
            protocol=plain_comm.SCHEME,
            host=listen,
            port=0,
            dashboard=False,
            extensions={},
            **more,
        )
        self.handlers = {
            "register-worker": self._register,
            "heartbeat_worker": self._heartbeat,
            "unregister": self._leave,
            "identity": self._identity,
        }
        self.stream_handlers = dict.fromkeys(
            ("keep-alive", "worker-status-change", "log-event"), _unheard
        )
        self._connections: Counter[str] = Counter()
        self._versions = get_versions()

    def start_http_server(self, *_: object, **__: object) -> None:
        """No page is served."""

    async def _handle_comm(self, comm: Comm) -> None:
        who = plain_comm.identity_of(comm)
        if who is None or self._connections[who.name] >= _MOST_CONNECTIONS:
            comm.abort()
            return
        self._connections[who.name] += 1
        self._require_known(comm)
        try:
            with suppress(Exception):  # what a host says wrongly ends its connection alone
                await super()._handle_comm(comm)
        finally:
            self._connections[who.name] -= 1
            comm.abort()

    def _require_known(self, comm: Comm) -> None:
        """Close the connection of a host that asks for anything but the above."""
        read = comm.read

        async def checked(deserializers: object = None) -> object:
            message = await read(deserializers=deserializers)
            known = self.stream_handlers if comm.name == _STREAM else self.handlers
            for each in message if isinstance(message, tuple) else (message,):
                asked = each.get("op") if isinstance(each, dict) else each
                if asked not in (*known, "close", "close-stream", "OK"):
                    comm.abort()
                    raise plain_comm.NotPlainError("a host asked for what no host may ask")
            return message

        comm.read = checked

    async def _register(self, comm: Comm, *, address: str, name: str, **_: object) -> None:
        """A host under the name in its certificate, and no other."""
        who = plain_comm.identity_of(comm)
        if who is None or who.name != name or not _is_reachable(address):
            comm.abort()
            return
        await self.add_worker(
            comm,
            address=address,
            name=name,
            status="running",
            server_id=name,
            nthreads=1,
            resolve_address=False,
            now=0.0,
            resources={},
            memory_limit=None,
            metrics=_NOTHING_MEASURED,
            services={},
            local_directory="",
            versions=self._versions,
            nanny="",
            extra={},
            stimulus_id="register",
        )

    def _heartbeat(self, comm: Comm, *, address: str, **_: object) -> dict[str, Any]:
        if not self._is_own(comm, address):
            return {"status": "missing"}
        found: dict[str, Any] = self.heartbeat_worker(
            address=address, resolve_address=False, metrics=_NOTHING_MEASURED
        )
        return found

    async def _leave(self, comm: Comm, *, address: str, **_: object) -> str:
        if self._is_own(comm, address):
            await self.remove_worker(address, stimulus_id="unregister")
        return "OK"

    def _identity(self, comm: Comm, **_: object) -> dict[str, str]:  # noqa: ARG002
        """That the coordinator is there; nothing of other hosts."""
        return {"type": "Scheduler"}

    def _is_own(self, comm: Comm, address: object) -> bool:
        who = plain_comm.identity_of(comm)
        found = self.workers.get(address) if isinstance(address, str) else None
        return who is not None and found is not None and bool(found.name == who.name)


_STREAM = "Scheduler connection to worker"
"""dask's own name of the connection that stays."""


def _unheard(**_: object) -> None:
    """What dask tells for the tasks that a fleet does not have."""


def _is_reachable(address: object) -> bool:
    """Whether it is an IP address with a port, so that no name is looked up."""
    try:
        scheme, place = parse_address(str(address), strict=True)
        ipaddress.ip_address(get_address_host(str(address)))
    except ValueError:
        return False
    return bool(scheme == plain_comm.SCHEME and place.rpartition(":")[2].isdecimal())


class FleetWorker(Worker):  # type: ignore[misc]  # as above
    """A host's end. It listens on the address from which it reaches the coordinator."""

    @classmethod
    def of(cls, bootstrap: Bootstrap, folder: str, **more: object) -> Self:
        """The worker that a bootstrap is for, with its files in `folder`; begins when awaited."""
        found = cls(
            bootstrap.scheduler,
            name=bootstrap.name,
            nthreads=1,
            security=security_of(bootstrap, "scheduler"),
            protocol=plain_comm.SCHEME,
            host=_own_address(bootstrap),
            memory_limit=0,
            dashboard=False,
            local_directory=folder,
            extensions={},
            plugins=[HostPlugin()],
            **more,
        )
        found.handlers = {}  # the plugin adds its own
        return found

    def start_http_server(self, *_: object, **__: object) -> None:
        """No page is served."""


def _own_address(bootstrap: Bootstrap) -> str:
    if bootstrap.interface is not None:
        try:
            return str(get_ip_interface(bootstrap.interface))
        except ValueError:
            raise InputError(
                f"the interface {bootstrap.interface} is not there, or has no IPv4 address",
                cause="hosts name their interfaces differently",
                next="ip -4 address, on this host",
            ) from None
    return str(get_ip(get_address_host(bootstrap.scheduler)))
