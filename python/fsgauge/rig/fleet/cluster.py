"""The coordinator's end: a scheduler in a thread of its own, and hosts by name.

Every question has a deadline, and goes to one host at a time: a host that hangs costs no other
host its answer. What comes back is a host's answer, or how it was lost.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeVar

from distributed.comm import get_address_host
from distributed.core import send_recv
from distributed.diagnostics.plugin import SchedulerPlugin

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.fleet.certificates import Authority, Identity
from fsgauge.rig.fleet.control import ASKED, Answer, Control, Lost, Question
from fsgauge.rig.fleet.nodes import FleetScheduler, configure
from fsgauge.rig.fleet.plain_comm import NotPlainError, identity_of

T = TypeVar("T")

START_SECONDS = 60.0
_CLOSE_SECONDS = 10.0
_LOOK_SECONDS = 0.05


class _Loss(SchedulerPlugin):  # type: ignore[misc]  # no types are read of distributed
    """Is told of each host that goes, at once on a closed connection, and of each that comes: it
    may have the address and port of one that has gone."""

    def __init__(self, lost: dict[str, asyncio.Event]) -> None:
        self._lost = lost

    def add_worker(self, scheduler: object, worker: str, **_: object) -> None:  # noqa: ARG002
        self._lost.pop(worker, None)

    def remove_worker(self, scheduler: object, worker: str, **_: object) -> None:  # noqa: ARG002
        if (event := self._lost.get(worker)) is not None:
            event.set()


class Cluster(Control):
    """A running scheduler. Make it with `cluster`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.authority = Authority.made()
        self._scheduler: FleetScheduler
        self._lost: dict[str, asyncio.Event] = {}

    @property
    def address(self) -> str:
        return str(self._scheduler.address)

    @property
    def host_address(self) -> str:
        return str(get_address_host(self.address))

    async def _begin(self, listen: str) -> None:
        own = self.authority.issue("scheduler", "scheduler")
        self._scheduler = FleetScheduler(own, listen, plugins=[_Loss(self._lost)])
        await self._scheduler

    async def _end(self) -> None:
        with suppress(Exception):
            closing = self._scheduler.close(reason="the study is over")
            await asyncio.wait_for(closing, _CLOSE_SECONDS)

    def forget(self, name: str) -> None:
        """A host that is lost is registered no longer: a new process takes its name. Its connection
        may seem to be there for a while, where the network was cut."""
        self._call(self._forget(name), START_SECONDS)

    async def _forget(self, name: str) -> None:
        address = (await self._names()).get(name)
        if address is not None:
            await self._scheduler.remove_worker(address, stimulus_id="lost", close=False)

    def registered(self) -> dict[str, str]:
        return self._call(self._names(), 10.0)

    async def _names(self) -> dict[str, str]:
        return {str(each.name): address for address, each in self._scheduler.workers.items()}

    def wait_for(self, name: str, is_alive: Callable[[], str | None], seconds: float) -> str | None:
        """Wait until a host is registered; None then, or why it will not be."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if name in self.registered():
                return None
            if (why := is_alive()) is not None:
                return why
            time.sleep(_LOOK_SECONDS)
        return f"it did not register within {seconds:.0f} s"

    def ask_each(
        self, words: Mapping[str, Mapping[str, object]], function: Question, seconds: float, /
    ) -> dict[str, Answer]:
        async def all_of_them() -> dict[str, Answer]:
            names = await self._names()
            found = await asyncio.gather(
                *(
                    self._ask(host, names.get(host), function, seconds, each)
                    for host, each in words.items()
                )
            )
            return dict(zip(words, found, strict=True))

        return self._call(all_of_them(), seconds + START_SECONDS)

    async def _ask(
        self,
        name: str,
        address: str | None,
        question: Question,
        seconds: float,
        words: Mapping[str, object],
    ) -> Answer:
        if address is None:
            return Lost("closed", "its connection was closed")
        lost = self._lost.setdefault(address, asyncio.Event())
        message = {"op": ASKED, "question": question, "words": dict(words)}
        asked = asyncio.ensure_future(self._send(name, address, message))
        gone = asyncio.ensure_future(lost.wait())
        await asyncio.wait({asked, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not asked.done():
            asked.cancel()
            if lost.is_set():
                return Lost("closed", "its connection was closed")
            return Lost("silent", f"it gave no answer for {seconds:.0f} s")
        return _answer_in(asked)

    async def _send(self, name: str, address: str, message: dict[str, Any]) -> object:
        """What this host replies to a message, whoever else may listen where it said it does."""
        pool = self._scheduler.rpc
        comm = await pool.connect(address)
        try:
            if identity_of(comm) != Identity("host", name):
                comm.abort()
                raise NotPlainError("another host answers where it said that it listens")
            return await send_recv(comm, **message)
        finally:
            pool.reuse(address, comm)

    def _call(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Do it in the loop's thread; the caller can be interrupted meanwhile."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout=seconds)
        except TimeoutError:
            raise RigError(
                f"the coordinator itself did not answer within {seconds:.0f} s",
                cause="this machine is overloaded, or was suspended",
                next="uptime; fsgauge resume goes on with the study",
            ) from None
        finally:
            future.cancel()


def _answer_in(asked: asyncio.Future[object]) -> Answer:
    try:
        reply = asked.result()
    except NotPlainError as error:
        return Lost("failed", str(error)[:300])
    except (OSError, TimeoutError):
        return Lost("closed", "its connection was closed")
    except Exception as error:
        return Lost("failed", f"{type(error).__name__}: {error}"[:300])
    if isinstance(reply, dict) and reply.keys() == {"answer"}:
        return reply["answer"]
    if isinstance(reply, dict) and isinstance(failed := reply.get("failed"), str):
        return Lost("failed", failed[:300])
    return Lost("failed", "it sent no answer to what it was asked")


def cluster(listen: str) -> AbstractContextManager[Cluster]:
    """A scheduler that listens with TLS, until the context ends; RigError where it cannot."""

    def refused(error: BaseException) -> FsgaugeError:
        return RigError(
            f"the coordinator cannot listen on {listen}: {error}",
            cause="this machine does not have that address, or the port is taken",
            next='listen = "ADDRESS" in the hosts file: one of this machine (ip address)',
        )

    return running(Cluster, listen, refused)


@contextmanager
def running(
    make: Callable[[asyncio.AbstractEventLoop], Cluster],
    listen: str,
    refused: Callable[[BaseException], FsgaugeError],
) -> Iterator[Cluster]:
    """A cluster in a loop and thread of its own; raises what `refused` makes of an error."""
    configure()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fleet", daemon=True)
    thread.start()
    found = make(loop)
    try:
        begun = asyncio.run_coroutine_threadsafe(found._begin(listen), loop)
        try:
            begun.result(timeout=START_SECONDS)
        except Exception as error:
            raise refused(error) from error
        yield found
    finally:
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(found._end(), loop).result(3 * _CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_SECONDS)
