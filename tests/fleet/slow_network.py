"""A network that is slow, and not alike in both directions: datagrams go through a process here."""

from __future__ import annotations

import heapq
import random
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

Delay = tuple[float, float]
"""Seconds, from the least to the most; what lies between is drawn."""


@contextmanager
def delaying_proxy(target: tuple[str, int], there: Delay, back: Delay) -> Iterator[int]:
    """A UDP port of this machine that leads to `target` and back again, each with its delay."""
    ended = threading.Event()
    served = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    served.bind((target[0], 0))
    thread = threading.Thread(target=_carry, args=(served, target, there, back, ended), daemon=True)
    thread.start()
    try:
        yield int(served.getsockname()[1])
    finally:
        ended.set()
        thread.join(10)
        served.close()


def _carry(
    served: socket.socket,
    target: tuple[str, int],
    there: Delay,
    back: Delay,
    ended: threading.Event,
) -> None:
    chance = random.Random(7)
    ways: dict[tuple[str, int], socket.socket] = {}
    pending: list[tuple[float, int, socket.socket, bytes, tuple[str, int]]] = []
    number = 0
    while not ended.is_set():
        left = pending[0][0] - time.monotonic() if pending else 0.2
        ready, _, _ = select.select([served, *ways.values()], [], [], max(0.0, min(left, 0.2)))
        for each in ready:
            data, who = each.recvfrom(4096)
            number += 1
            if each is served:
                way = ways.setdefault(who, socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                item = (time.monotonic() + chance.uniform(*there), number, way, data, target)
            else:
                asked = next(client for client, way in ways.items() if way is each)
                item = (time.monotonic() + chance.uniform(*back), number, served, data, asked)
            heapq.heappush(pending, item)
        while pending and pending[0][0] <= time.monotonic():
            _, _, way, data, to = heapq.heappop(pending)
            way.sendto(data, to)
    for way in ways.values():
        way.close()
