"""What a load asks of io_uring, so that a machine that forbids it is known before anything runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from fsgauge.record.factors import CellFactors


@dataclass(frozen=True)
class Rings:
    """So many rings at once, each for `depth` operations of `size_bytes`.

    `size_bytes` is 0 where no buffers are registered. `instead` changes the study so that it needs
    none. `by_itself` is what the engine does where io_uring is forbidden, in words; "" where it can
    do nothing else.
    """

    count: int
    depth: int
    size_bytes: int
    instead: str = ""
    by_itself: str = ""

    @property
    def buffer_bytes(self) -> int:
        return self.count * self.depth * self.size_bytes


def of_clients(clients: int, threads: int | None, instead: str, *, is_asked_for: bool) -> Rings:
    """One ring for each event loop over its share of the clients, who can do without."""
    loops = threads or os.cpu_count() or 1
    does = "" if is_asked_for else "clients make plain calls, and each waits for its own"
    return Rings(loops, -(-clients // loops), 0, instead, does)


def rings_of(cells: Iterable[CellFactors], instead: str) -> Rings | None:
    """The most that one of these cells asks for; None where none is submitted by io_uring."""
    found = [each for each in cells if getattr(each, "interface", "") == "io_uring"]
    if not found:
        return None
    return Rings(
        max(each.at_once for each in found),
        max(each.depth for each in found),
        max(each.operation_bytes for each in found),
        instead,
    )
