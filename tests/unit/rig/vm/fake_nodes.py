"""Nodes of ours in place of machines: each answers an order as a function says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fsgauge.errors import RigError
from fsgauge.rig.vm.arrangement.roles import Roles
from fsgauge.rig.vm.cache import Kernel, KernelFacts
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.rig.vm.qemu import Disk

Answer = Callable[["FakeNode", Order], list[Reply | BaseException]]
"""What a node says to an order; the last one is its answer, its fault or how it is lost."""


class FakeMonitor:
    def __init__(self) -> None:
        self.counts: dict[str, dict[str, dict[str, int]]] = {}
        self.limits: list[tuple[str, int, int]] = []
        self.spoiled: list[str] = []
        self.refuses = ""

    def limit_disk(self, disk: Disk, iops: int, bytes_per_second: int) -> None:
        self.limits.append((disk.serial, iops, bytes_per_second))

    def spoil_disk(self, disk: Disk) -> None:
        if self.refuses:
            raise RigError(self.refuses)
        self.spoiled.append(disk.serial)

    def mend_disk(self, disk: Disk) -> None:
        self.spoiled.remove(disk.serial)

    def disk_counts(self) -> dict[str, dict[str, dict[str, int]]]:
        if self.refuses:
            raise RigError(self.refuses)
        return self.counts


class FakeNode:
    accelerator = "tcg"
    slowness = 1.0

    def __init__(self, name: str, answer: Answer, kernel: str | None = None, *disks: Disk) -> None:
        facts = KernelFacts(package=kernel or "stock", version="1", recipe="", modules=[])
        self.spec: Any = type("Spec", (), {})()
        self.spec.name = name
        self.spec.kernel = Kernel(Path("/none"), facts)
        self.spec.disks = disks or (Disk("disk0", Path("/none")),)
        self.monitor = FakeMonitor()
        self.orders: list[Order] = []
        self.aborted = 0
        self.is_lost = False
        self.is_away = False
        self.is_waited_for = False
        self._answer = answer
        self._replies: deque[Reply | BaseException] = deque()

    def attend(self) -> None:
        pass

    @property
    def has_line(self) -> bool:
        return bool(self._replies)

    @property
    def port(self) -> int:
        return -1

    def send(self, order: Order, seconds: float) -> None:
        self.orders.append(order)
        self.is_waited_for = True
        self._replies.extend(self._answer(self, order))

    def look(self, hear: Callable[[Reply], None], tick_seconds: float) -> str | None:
        if not self._replies:
            return None
        reply = self._replies.popleft()
        if isinstance(reply, NodeLostError):
            self.is_lost = True
        if isinstance(reply, BaseException):
            self.is_waited_for = False
            raise reply
        if reply.answer is None:
            hear(reply)
            return None
        self.is_waited_for = False
        return reply.answer

    def ask(self, order: Order, seconds: float) -> str:
        self.send(order, seconds)
        while (answer := self.look(lambda _: None, 0.0)) is None:
            continue
        return answer

    def pass_on(self, order: Order) -> None:
        self.orders.append(order)

    def abort(self) -> None:
        self.aborted += 1
        self._replies.clear()
        self.is_waited_for = False

    def power_off(self) -> None:
        self.is_away = True

    def has_returned(self) -> None:
        self.is_away = False

    def give_up(self) -> None:
        self.is_lost = True

    def last_lines(self) -> tuple[str, ...]:
        return (f"console: of {self.spec.name}",)

    def end(self) -> None:
        self.is_lost = True


def group_of(nodes: list[FakeNode], server: int | None = None) -> NodeGroup:
    """Those nodes together; all but the server drive the load."""
    loads = tuple(at for at in range(len(nodes)) if at != server)
    given: Any = nodes
    return NodeGroup(given, Roles(len(nodes), server, loads))
