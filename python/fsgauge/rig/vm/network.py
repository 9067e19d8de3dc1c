"""The private network between the machines of a study: who has which address, and its switch.

Addresses are fixed, the same in every study. Two studies at once do not meet: each network is
sockets that its own machines' QEMUs inherited, without address or privilege. A thread of fsgauge's
own passes frames on, so nothing of it can outlive fsgauge. A frame takes its time at the sender's
bandwidth, then the delay. Nothing is lost for want of room: a machine whose frames cannot be passed
on is made to wait, unless the other one takes nothing for a while.
"""

from __future__ import annotations

import heapq
import random
import selectors
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fsgauge.study.model import Study, System
from fsgauge.study.rig_keys import NetworkKeys
from fsgauge.units import exact_percent, format_bandwidth, format_duration

NETWORK = "10.9.0.0/24"
INTERFACE = "eth0"


@dataclass(frozen=True)
class Station:
    """One machine on the network; `number` counts from 1."""

    name: str
    number: int

    @property
    def address(self) -> str:
        return f"10.9.0.{self.number}"

    @property
    def hardware_address(self) -> str:
        """Its Ethernet address, of those that are QEMU's."""
        return f"52:54:00:09:00:{self.number:02x}"


def hosts_file(stations: Sequence[Station]) -> str:
    lines = ["127.0.0.1 localhost", *(f"{each.address} {each.name}" for each in stations)]
    return "\n".join(lines) + "\n"


def shape_of(study: Study, system: System | None = None) -> Shape:
    """While this system is measured, or else that of all."""
    keys = keys_of(study, system)
    return Shape(keys.bandwidth or 0.0, keys.delay / 1e9, keys.loss / 100)


def keys_of(study: Study, system: System | None = None) -> NetworkKeys:
    own = system.rig.network if system is not None and system.rig is not None else None
    whole = study.rig.network if study.rig is not None else None
    return own or whole or NetworkKeys()


def words_of(keys: NetworkKeys) -> str:
    """For people: "links of 125 MB/s, with a delay of 1 ms"."""
    found = [f"links of {format_bandwidth(keys.bandwidth)}" if keys.bandwidth else ""]
    found.append(f"a delay of {format_duration(keys.delay)}" if keys.delay else "")
    found.append(f"{exact_percent(keys.loss)} of frames lost" if keys.loss else "")
    return " with ".join(filter(None, [found[0], " and ".join(filter(None, found[1:]))]))


_HEADER_BYTES = 4
"""Before each frame is its length, as QEMU's stream sockets have it."""
_LONGEST_FRAME_BYTES = 1 << 17
_PIECE_BYTES = 1 << 18
_MOST_ARRIVED_BYTES = 1 << 20
_MOST_ON_THE_WAY_BYTES = 64 << 20
_BUSY_SECONDS = 0.002
"""A link that has more than this to carry is not given more."""
_SHORTEST_FRAME_BYTES = 14
_STALLED_SECONDS = 0.5
"""A machine that takes nothing for so long gets no further frames until it does."""
_LONGEST_TICK_SECONDS = 0.5
_BROADCAST = b"\xff" * 6


@dataclass(frozen=True)
class Shape:
    """Of each link. `loss` is the share of frames that never arrive; 0 bytes are no limit."""

    bytes_per_second: float = 0.0
    delay_seconds: float = 0.0
    loss: float = 0.0


@dataclass
class Port:
    own: socket.socket
    heard: bytearray = field(default_factory=bytearray)
    waiting: list[tuple[float, int, bytes]] = field(default_factory=list)
    """Frames for it: when each arrives, its number, its bytes; a heap."""
    waiting_bytes: int = 0
    rest: bytes = b""
    """Of the frame that it takes now."""
    sends_until: float = 0.0
    """When its link has carried what it sent."""
    took_at: float = 0.0
    is_cut: bool = False
    is_closed: bool = False

    def has_arrived(self, now: float) -> bool:
        return bool(self.rest) or bool(self.waiting and self.waiting[0][0] <= now)

    def is_stalled(self, now: float) -> bool:
        arrived = self.waiting[0][0] if self.waiting and not self.rest else self.took_at
        return self.has_arrived(now) and now - max(self.took_at, arrived) > _STALLED_SECONDS

    def is_full(self, now: float) -> bool:
        """Whether what else is for it has to wait: not for one that takes nothing."""
        if self.is_closed or self.waiting_bytes < _MOST_ARRIVED_BYTES:
            return False
        if self.waiting_bytes < _MOST_ON_THE_WAY_BYTES and not self.has_arrived(now):
            return False
        return not self.is_stalled(now)


class Switch:
    """Passes frames between the machines whose sockets these are, until it is closed."""

    def __init__(self, sockets: Sequence[socket.socket], shape: Shape, seed: int = 0) -> None:
        self._ports = [Port(each) for each in sockets]
        self._stations: dict[bytes, Port] = {}
        self._random = random.Random(seed)  # noqa: S311 - which frames are lost is to repeat
        self._shape = shape
        self._wakes, self._woken = socket.socketpair()
        self._lock = threading.Lock()
        self._is_over = False
        self._left: list[Port] = []
        """Ends of machines that were started again."""
        self._passed = 0
        for each in (*sockets, self._wakes, self._woken):
            each.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name="switch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._is_over = True
        with suppress(OSError):
            self._wakes.send(b"x")
        if self._thread.ident is not None:
            self._thread.join(10.0)
        for each in (*(port.own for port in self._ports), self._wakes, self._woken):
            each.close()

    def shape(self, shape: Shape) -> None:
        with self._lock:
            self._shape = shape

    def cut(self, number: int, *, is_cut: bool = True) -> None:
        """Whether the link of a machine, counted from 0, carries nothing in either direction."""
        with self._lock:
            self._ports[number].is_cut = is_cut

    def replace(self, number: int, own: socket.socket) -> None:
        own.setblocking(False)
        with self._lock:
            before, self._ports[number] = self._ports[number], Port(own)
            self._stations = {
                address: port for address, port in self._stations.items() if port is not before
            }
            self._left.append(before)
        with suppress(OSError):
            self._wakes.send(b"x")

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._is_over:
                self._let_go(selector)
                self._watch(selector)
                for key, events in selector.select(self._seconds_to_next()):
                    port = key.data
                    if port is None:
                        with suppress(OSError):
                            self._woken.recv(64)
                        continue
                    if events & selectors.EVENT_WRITE:
                        self._write(port)
                    if events & selectors.EVENT_READ:
                        self._read(port)

    def _let_go(self, selector: selectors.BaseSelector) -> None:
        with self._lock:
            left, self._left = self._left, []
        for port in left:
            port.is_closed = True
            if port.own in selector.get_map():
                selector.unregister(port.own)
            port.own.close()

    def _watch(self, selector: selectors.BaseSelector) -> None:
        now = time.monotonic()
        is_full = any(port.is_full(now) for port in self._ports)
        for port in self._ports:
            events = 0
            if not (is_full or port.is_closed or port.sends_until > now + _BUSY_SECONDS):
                events |= selectors.EVENT_READ
            if port.has_arrived(now) and not port.is_closed:
                events |= selectors.EVENT_WRITE
            is_known = port.own in selector.get_map()
            if events and is_known:
                selector.modify(port.own, events, port)
            elif events:
                selector.register(port.own, events, port)
            elif is_known:
                selector.unregister(port.own)

    def _seconds_to_next(self) -> float:
        now = time.monotonic()
        moments = [port.waiting[0][0] for port in self._ports if port.waiting]
        ends = [_STALLED_SECONDS] if moments else []
        moments += [port.sends_until - _BUSY_SECONDS for port in self._ports]
        ends += [each - now for each in moments if each > now]
        return min([_LONGEST_TICK_SECONDS, *ends])

    def _read(self, port: Port) -> None:
        try:
            piece = port.own.recv(_PIECE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            port.is_closed = True
            return
        port.heard += piece
        for frame in _frames(port):
            self._pass_on(port, frame)

    def _pass_on(self, source: Port, frame: bytes) -> None:
        if len(frame) < _HEADER_BYTES + _SHORTEST_FRAME_BYTES:
            return
        self._stations[frame[_HEADER_BYTES + 6 : _HEADER_BYTES + 12]] = source
        to = frame[_HEADER_BYTES : _HEADER_BYTES + 6]
        known = self._stations.get(to) if to != _BROADCAST else None
        now = time.monotonic()
        with self._lock:
            shape = self._shape
            arrives = max(now, source.sends_until)
            if shape.bytes_per_second:
                arrives += (len(frame) - _HEADER_BYTES) / shape.bytes_per_second
                source.sends_until = arrives
            arrives += shape.delay_seconds
            if source.is_cut or (shape.loss and self._random.random() < shape.loss):
                return
            for port in self._ports if known is None else (known,):
                if port is source or port.is_cut or port.is_closed:
                    continue
                if port.waiting_bytes >= _MOST_ARRIVED_BYTES and port.is_stalled(now):
                    continue
                self._passed += 1
                heapq.heappush(port.waiting, (arrives, self._passed, frame))
                port.waiting_bytes += len(frame)

    def _write(self, port: Port) -> None:
        while port.has_arrived(now := time.monotonic()):
            if not port.rest:
                port.rest = heapq.heappop(port.waiting)[2]
                port.waiting_bytes -= len(port.rest)
            try:
                taken = port.own.send(port.rest)
            except BlockingIOError:
                return
            except OSError:
                port.is_closed = True
                return
            port.took_at, port.rest = now, port.rest[taken:]


def _frames(port: Port) -> list[bytes]:
    found = []
    start = 0
    while len(port.heard) - start >= _HEADER_BYTES:
        length = int.from_bytes(port.heard[start : start + _HEADER_BYTES], "big")
        if length > _LONGEST_FRAME_BYTES:
            port.is_closed = True
            break
        end = start + _HEADER_BYTES + length
        if len(port.heard) < end:
            break
        found.append(bytes(port.heard[start:end]))
        start = end
    del port.heard[:start]
    return found
