"""The machines of a study that are there together: its nodes on one kernel, and their network."""

from __future__ import annotations

import json
import math
import select
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from fsgauge.errors import FsgaugeError
from fsgauge.record.machine import Machine
from fsgauge.rig.fleet.control import Answer, Control, Question, Reached
from fsgauge.rig.vm.arrangement.roles import BELOW, FOLDER, Roles
from fsgauge.rig.vm.disks import Limits
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.network import Station, Switch
from fsgauge.rig.vm.node import Hear, Node, NodeLostError, NodeStruckError
from fsgauge.rig.vm.qemu import Disk
from fsgauge.rig.vm.slowness import load_words

_TICK_SECONDS = 0.5
_LEAST_SECONDS = 60.0
"""An emulated machine on a busy host takes its time."""
_JOIN_SECONDS = 120.0
_SLOWER = 10
_OF_DISKS = ("destroying ", "reading /dev/", "sampling /dev/")


class NodeGroup(Control, Reached):
    """Nodes that are up, in their order, and what each does. `end` is safe to repeat.

    While one is waited for, the others are looked at as well: a server that dies is seen at once,
    and not when its clients have given up.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        roles: Roles,
        switch: Switch | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.cluster = self
        self.nodes = list(nodes)
        self.roles = roles
        self.switch = switch
        self.stations = [Station(node.spec.name, at + 1) for at, node in enumerate(nodes)]
        self.done_once: set[tuple[int, str]] = set()
        """Steps that are done once for each start of a node: its place and the step."""
        self.ended = threading.Event()
        self._say = say
        self._limits: Limits | None = None
        self._latency_ns = 0
        self._seconds = self._ends = math.inf

    def join(self, latency_ns: int = 0) -> None:
        """Give each its address and the names of the others, and its disks their latency."""
        self._latency_ns = latency_ns
        self.give({at: self._joining(at) for at in self.roles.all}, _JOIN_SECONDS)

    def _joining(self, at: int) -> Order:
        names = [station.name for station in self.stations]
        words: dict[str, object] = {"number": at + 1, "names": names, "folders": [BELOW, FOLDER]}
        if self._latency_ns:
            words["delayed"] = [disk.serial for disk in self.nodes[at].spec.disks]
            words["delay_ns"] = self._latency_ns
        return Order(do="join", words=words)

    @property
    def slowness(self) -> float:
        return max(node.slowness for node in self.nodes)

    @property
    def loads(self) -> list[Node]:
        return [self.nodes[at] for at in self.roles.loads]

    @property
    def names(self) -> list[str]:
        return [node.spec.name for node in self.loads]

    @property
    def is_lost(self) -> bool:
        return any(node.is_lost for node in self.nodes)

    def end(self) -> None:
        self.ended.set()
        for node in self.nodes:
            node.end()
        if self.switch is not None:
            self.switch.close()

    def give_up(self) -> None:
        for node in self.nodes:
            node.give_up()

    def limit(self, limits: Limits) -> None:
        self._limits = limits
        for at in self.roles.all:
            self.limit_node(at)

    def limit_node(self, at: int, iops: int | None = None) -> None:
        """The disks of one node: to what all are limited to, or to so few operations each."""
        if self._limits is None:
            return
        node = self.nodes[at]
        for disk in node.spec.disks:
            limits = self.limits_of(disk)
            if limits is not None:
                most = limits.iops if iops is None else iops
                node.monitor.limit_disk(disk, most, limits.bytes_per_second)

    def limits_of(self, disk: Disk) -> Limits | None:
        """Of one disk in one node: its share, where all nodes have it; None without limits."""
        if self._limits is None:
            return None
        users = len(self.nodes) if disk.is_shared else 1
        of_node = self._limits.bytes_per_second // users
        return Limits(max(1, self._limits.iops // users), of_node, self._limits.latency_ns)

    def slowed(self, operations_per_second: float | None) -> int:
        """What a slow disk does: as is asked for, or a tenth of the limit of all."""
        usual = self._limits.iops / _SLOWER if self._limits is not None else 1
        return max(1, round(usual if operations_per_second is None else operations_per_second))

    def join_again(self, at: int) -> None:
        """What `join` and `limit` did for one that has been started again; other orders to it may
        not go on."""
        self.nodes[at].ask(self._joining(at), _JOIN_SECONDS)
        self.limit_node(at)

    def bystanders(self) -> list[tuple[Node, Machine]]:
        places = [at for at in self.roles.all if at not in self.roles.loads]
        answers = self.give({at: Order(do="machine") for at in places}, _JOIN_SECONDS)
        return [(self.nodes[at], Machine.model_validate_json(answers[at])) for at in places]

    def end_asking_after(self, seconds: float) -> None:
        """Questions after so many seconds from now, of a quiet host, find the nodes lost."""
        seconds *= self.slowness
        self._seconds, self._ends = seconds, time.monotonic() + seconds

    def last_lines(self, name: str) -> tuple[str, ...]:
        found = (node for node in self.nodes if node.spec.name == name)
        return next((node.last_lines() for node in found), ())

    def ask_each(
        self, words: Mapping[str, Mapping[str, object]], function: Question, seconds: float, /
    ) -> dict[str, Answer]:
        """A question to each node, with words of its own. Raises NodeLostError."""
        if time.monotonic() > self._ends:
            self.give_up()
            raise NodeLostError(
                f"the nodes did not finish the block within {self._seconds:.0f} s ({load_words()})",
                details=self.last_lines(self.names[0]),
                cause="a system that hangs on one of them keeps all waiting",
                next="fsgauge rig test",
            )
        places = {node.spec.name: at for at, node in enumerate(self.nodes)}
        orders = {
            places[name]: Order(do="ask", question=function, words=dict(each))
            for name, each in words.items()
        }
        answers = self.give(orders, max(_LEAST_SECONDS, seconds))
        return {name: json.loads(answers[places[name]]) for name in words}

    def tell_one(self, at: int, order: Order, seconds: float, hear: Hear | None = None) -> str:
        return self.give({at: order}, seconds, hear)[at]

    def give(
        self, orders: Mapping[int, Order], seconds: float, hear: Hear | None = None
    ) -> dict[int, str]:
        """An order to several of them at once, by their places; the answers as JSON. Raises the
        first one's error once all have answered; NodeLostError at once, NodeStruckError where one
        of them has no power. What `hear` raises aborts all orders."""
        answers: dict[int, str] = {}
        refused: FsgaugeError | None = None
        waiting = set(orders)
        for node in self.nodes:
            node.attend()
        try:
            for at, order in orders.items():
                self._require_power({at})
                self.nodes[at].send(order, seconds)
            while waiting:
                self._require_power(waiting)
                for at in self._ready():
                    try:
                        answer = self.nodes[at].look(hear or self.hear, 0.0)
                    except NodeLostError:
                        self._require_power(waiting)
                        if self.nodes[at].is_away:
                            continue  # its power went in this very moment
                        raise
                    except FsgaugeError as error:
                        if at not in waiting or self.nodes[at].is_waited_for:
                            raise  # what `hear` raised
                        refused, answer = refused or error, "null"
                    if answer is not None:
                        waiting.discard(at)
                        answers[at] = answer
        except NodeLostError:
            raise
        except BaseException:
            for at in waiting:
                self.nodes[at].abort()
            raise
        if refused is not None:
            raise refused
        return answers

    def _ready(self) -> list[int]:
        """Places of nodes that may have said something; of all with power after a moment."""
        there = [(at, node) for at, node in enumerate(self.nodes) if not node.is_away]
        if not any(node.has_line for _, node in there):
            with suppress(ValueError, OSError):  # one was ended, which the next look says
                select.select([node.port for _, node in there], [], [], _TICK_SECONDS)
        return [at for at, _ in there]

    def _require_power(self, places: Iterable[int]) -> None:
        """NodeStruckError for one of them whose power is off."""
        for at in places:
            if self.nodes[at].is_away:
                raise NodeStruckError(f"{self.nodes[at].spec.name} has no power")

    def hear(self, reply: Reply) -> None:
        if reply.said:
            self.say(reply.said)

    def say(self, sentence: str) -> None:
        """Tell people what a guest says, but for its own disks: they were made for the study."""
        names = [f"{node.spec.name}: " for node in self.nodes]
        own = next((sentence.removeprefix(each) for each in names if sentence.startswith(each)), "")
        if not (own or sentence).startswith(_OF_DISKS):
            self._say(sentence)
