"""The hosts' monotonic clocks against that of the coordinator: engine to engine, no wall clock.

The coordinator's engine answers, each host's engine asks. What is found is an offset and a bound
that holds whatever way the messages took. A common start lies further away after one that was
missed, then nearer again.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from fsgauge.engine import wire
from fsgauge.engine.client import Engine, EngineFaultError
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.plain_files.kept import Kept
from fsgauge.rig.fleet.control import Answer, Control, HostLostError, understood
from fsgauge.rig.fleet.messages import Fault, Words

_LONGER, _SHORTER = 2.0, 0.9
_MOST_TIMES = 8.0


@dataclass
class LeadTime:
    """Seconds from the moment in which a start is given to the start itself, at least."""

    least_seconds: float
    _times: float = 1.0

    @property
    def seconds(self) -> float:
        return self.least_seconds * self._times

    def missed(self) -> None:
        """Some host heard of a start too late: twice as long, up to eight times the least."""
        self._times = min(_LONGER * self._times, _MOST_TIMES)

    def kept(self) -> None:
        """All hosts began together: a tenth shorter, down to the least."""
        self._times = max(_SHORTER * self._times, 1.0)


EXCHANGES = 40
_LONGEST_STUDY_NS = 7 * 24 * 3600 * 10**9
_SERVE_SECONDS = 20.0
_ASK_SECONDS = 20.0
_SILENCE_NS = 10_000_000_000
_MOST_REPLIES = 1 << 40
_FURTHEST_NS = 1 << 62
_JUMPED = ("clock.jumped", "clock.drift", "clock.suspended")


@dataclass
class Clock:
    """The coordinator's clock as it is served. Make it with `served_clock`. `now` reads it."""

    address: str
    port: int
    key: str
    now: Callable[[], int] = time.monotonic_ns
    readings: dict[str, wire.ClockReading] = field(default_factory=dict)
    """The last one of each host."""

    def compare(self, control: Control, hosts: Iterable[str]) -> None:
        for host, found in self._ask(control, {host: [] for host in hosts}, {}).items():
            self.readings[host] = found.reading

    def here(
        self, control: Control, moments_ns: Mapping[str, list[int]]
    ) -> dict[str, list[wire.ClockMoment]]:
        found = self._ask(control, moments_ns, self.readings)
        for host, result in found.items():
            self.readings[host] = result.reading
        return {host: result.moments for host, result in found.items()}

    def of_host(self, host: str, here_ns: int) -> int:
        """A moment of the coordinator's clock by that of a host."""
        return here_ns - self.readings[host].offset_ns

    def _ask(
        self,
        control: Control,
        moments_ns: Mapping[str, list[int]],
        earlier: Mapping[str, wire.ClockReading],
    ) -> dict[str, wire.ExchangeClockResult]:
        words = {
            host: {
                "job": wire.ExchangeClockJob(
                    address=self.address,
                    port=self.port,
                    key=self.key,
                    exchanges=EXCHANGES,
                    earlier=earlier.get(host),
                    moments_ns=moments,
                ).model_dump_json()
            }
            for host, moments in moments_ns.items()
        }
        answers = control.ask_each(words, "compare_clock", _ASK_SECONDS)
        return {
            host: _result(host, answer, len(moments_ns[host])) for host, answer in answers.items()
        }


class Exchanged(Kept):
    result: wire.ExchangeClockResult | None = None
    code: Words = ""
    fault: Fault | None = None


def _result(host: str, answer: Answer, moments: int) -> wire.ExchangeClockResult:
    found = understood(host, answer, Exchanged)
    if found.fault is not None:
        is_jump = found.code in _JUMPED
        how = "relied on" if is_jump else "compared"
        raise HostLostError(host, f"its clock cannot be {how}: {found.fault.what}")
    if found.result is None or len(found.result.moments) != moments:
        raise HostLostError(host, "its clock's answer is not that to the question")
    times = (found.result.reading.offset_ns, *(each.peer_ns for each in found.result.moments))
    if any(abs(each) > _FURTHEST_NS for each in times):
        raise HostLostError(host, "its clock is further away than any can be")
    return found.result


def exchanged(job: str) -> str:
    try:
        result = Engine().exchange_clock(wire.ExchangeClockJob.model_validate_json(job))
    except FsgaugeError as error:
        code = error.fault.code if isinstance(error, EngineFaultError) else ""
        return Exchanged(code=code, fault=Fault.of(error)).model_dump_json()
    return Exchanged(result=result).model_dump_json()


@contextmanager
def served_clock(address: str, engine: Engine) -> Iterator[Clock]:
    """The clock of this machine, told to whoever has the key, until the context ends."""
    key = secrets.token_hex(32)
    served, ended = threading.Event(), threading.Event()
    ports: list[int] = []
    stops: list[object] = []
    faults: list[FsgaugeError] = []

    def heard(event: wire.Event) -> None:
        if isinstance(event, wire.ClockServedEvent):
            ports.append(event.port)
            served.set()

    def serve() -> None:
        job = wire.ServeClockJob(
            address=address,
            key=key,
            time_limit_ns=_LONGEST_STUDY_NS,
            reply_limit=_MOST_REPLIES,
            lease=wire.Lease(silence_limit_ns=_SILENCE_NS),
        )
        try:
            engine.serve_clock(job, heard, stops.append)
        except FsgaugeError as error:
            faults.append(error)
        finally:
            ended.set()
            served.set()

    thread = threading.Thread(target=serve, name="clock", daemon=True)
    thread.start()
    try:
        if not served.wait(_SERVE_SECONDS) or not ports:
            why = faults[0].what if faults else f"nothing came within {_SERVE_SECONDS:.0f} s"
            raise RigError(
                f"the clock of this machine cannot be told to the hosts: {why}",
                cause=f"the address {address} is not one of this machine, or the engine is older",
                next='listen = "ADDRESS" in the hosts file',
            )
        yield Clock(address, ports[0], key)
    finally:
        for stop in stops:
            if callable(stop) and not ended.is_set():
                stop()
        thread.join(_SERVE_SECONDS)
