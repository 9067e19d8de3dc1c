"""The coordinator's end: a scheduler and a client in a thread of their own, and hosts by name.

Every question has a deadline, and goes to one host at a time: a host that hangs costs no other
host its answer. What comes back is a host's answer, or how it was lost.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from distributed import Client
from distributed.comm import get_address_host
from distributed.diagnostics.plugin import SchedulerPlugin

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.fleet import plugin as host_side
from fsgauge.rig.fleet.certificates import Authority
from fsgauge.rig.fleet.control import Answer, Lost, Question
from fsgauge.rig.fleet.nodes import FleetScheduler, configure, security_of

T = TypeVar("T")

START_SECONDS = 60.0
_CLOSE_SECONDS = 10.0
_LOOK_SECONDS = 0.05


Function = Callable[..., Coroutine[Any, Any, Any]]


class _Loss(SchedulerPlugin):  # type: ignore[misc]  # no types are read of distributed
    """Is told of each host that comes, and of each that goes, at once on a closed connection."""

    def __init__(self, come: Callable[[str], None], gone: Callable[[str], None]) -> None:
        self._come, self._gone = come, gone

    def add_worker(self, scheduler: object, worker: str, **_: object) -> None:  # noqa: ARG002
        self._come(worker)

    def remove_worker(self, scheduler: object, worker: str, **_: object) -> None:  # noqa: ARG002
        self._gone(worker)


class Cluster:
    """A running scheduler. Make it with `cluster`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.authority = Authority.made()
        self._scheduler: FleetScheduler
        self._client: Client
        self._lost: dict[str, asyncio.Event] = {}

    @property
    def address(self) -> str:
        """Where hosts find the scheduler."""
        return str(self._scheduler.address)

    @property
    def host_address(self) -> str:
        """The same without protocol and port."""
        return str(get_address_host(self.address))

    async def _begin(self, listen: str | None) -> None:
        scheduler = security_of(self.authority.issue("scheduler", "scheduler"))
        self._scheduler = FleetScheduler(
            security=scheduler,
            protocol="tls",
            host=listen,
            port=0,
            dashboard=False,
            plugins=[_Loss(self._has_come, self._has_gone)],
        )
        await self._scheduler
        coordinator = security_of(self.authority.issue("coordinator", "coordinator"))
        self._client = await Client(
            self.address,
            security=coordinator,
            asynchronous=True,
            set_as_default=False,
            direct_to_workers=False,
        )
        await self._client.register_plugin(host_side.HostPlugin(), name=host_side.NAME)

    async def _end(self) -> None:
        for closing in (self._client.close(), self._scheduler.close(reason="the study is over")):
            with suppress(Exception):
                await asyncio.wait_for(closing, _CLOSE_SECONDS)

    def _has_gone(self, address: str) -> None:
        if (event := self._lost.get(address)) is not None:
            event.set()

    def _has_come(self, address: str) -> None:
        """It may have the address and port of one that has gone."""
        self._lost.pop(address, None)

    def forget(self, name: str) -> None:
        """A host that is lost is registered no longer: a new process takes its name. Its connection
        may seem to be there for a while, where the network was cut."""
        self._call(self._forget(name), START_SECONDS)

    async def _forget(self, name: str) -> None:
        address = (await self._names()).get(name)
        if address is not None:
            await self._scheduler.remove_worker(address, stimulus_id="lost", close=False)

    def registered(self) -> dict[str, str]:
        """Hosts that are there: address by name."""
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

    def ask(
        self,
        hosts: Iterable[str],
        function: Function | Question,
        within: float,
        /,
        **words: object,
    ) -> dict[str, Answer]:
        """The same question to several hosts at once; their answers by name."""
        return self.ask_each(dict.fromkeys(hosts, words), function, within)

    def ask_each(
        self,
        words: Mapping[str, Mapping[str, object]],
        function: Function | Question,
        seconds: float,
        /,
    ) -> dict[str, Answer]:
        """A question to each host, with words of its own."""
        asked = getattr(host_side, function) if isinstance(function, str) else function

        async def all_of_them() -> dict[str, Answer]:
            names = await self._names()
            found = await asyncio.gather(
                *(self._ask(names.get(host), asked, seconds, each) for host, each in words.items())
            )
            return dict(zip(words, found, strict=True))

        return self._call(all_of_them(), seconds + START_SECONDS)

    async def _ask(
        self, address: str | None, function: Function, seconds: float, words: Mapping[str, object]
    ) -> Answer:
        if address is None:
            return Lost("closed", "its connection was closed")
        lost = self._lost.setdefault(address, asyncio.Event())
        asked = asyncio.ensure_future(
            self._client.run(function, workers=[address], on_error="return", **words)
        )
        gone = asyncio.ensure_future(lost.wait())
        await asyncio.wait({asked, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not asked.done():
            asked.cancel()
            if lost.is_set():
                return Lost("closed", "its connection was closed")
            return Lost("silent", f"it gave no answer for {seconds:.0f} s")
        try:
            answer = asked.result().get(address, OSError())
        except Exception as error:
            answer = error
        if isinstance(answer, OSError | TimeoutError):
            return Lost("closed", "its connection was closed")
        if isinstance(answer, BaseException):
            return Lost("failed", f"{type(answer).__name__}: {answer}"[:300])
        return answer

    def _call(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Do it in the loop's thread; the caller can be interrupted meanwhile."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout=seconds)
        except TimeoutError:
            raise RigError(
                f"the coordinator itself did not answer within {seconds:.0f} s",
                cause="this machine is overloaded, or was suspended",
            ) from None
        finally:
            future.cancel()


@contextmanager
def cluster(listen: str | None) -> Iterator[Cluster]:
    """A scheduler that listens with TLS, until the context ends; RigError where it cannot."""

    def refused(error: BaseException) -> FsgaugeError:
        return RigError(
            f"the coordinator cannot listen{f' on {listen}' if listen else ''}: {error}",
            next='listen = "ADDRESS" in the hosts file: one of this machine (ip address)',
        )

    with running(Cluster, listen, refused) as found:
        yield found


@contextmanager
def running(
    make: Callable[[asyncio.AbstractEventLoop], Cluster],
    listen: str | None,
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
