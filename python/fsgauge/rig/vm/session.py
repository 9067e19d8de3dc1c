"""A study on the virtual rig: its machine, and blocks that the guest measures.

A machine that is lost makes its block void; a new one is started and the block is measured again,
at most twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic import TypeAdapter, ValidationError

from fsgauge.plan.estimate import block_seconds
from fsgauge.record import Plan
from fsgauge.rig.fleet.gathered import Gathered, records_of
from fsgauge.rig.fleet.messages import Described
from fsgauge.rig.rig import BlockVoid, Description, Tell
from fsgauge.rig.vm.disks import in_guest, kernels_of, limits_of, storage_of
from fsgauge.rig.vm.facts import as_virtual, machine_below, with_kernel
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import Node, NodeLostError
from fsgauge.study.model import Study, System
from fsgauge.wire import Event

MOST_REPEATS = 2
_PREPARE_SECONDS = 1800.0
_ANSWER_SECONDS = 300.0
_PATIENCE = 30.0
"""A block may take so many times as long as is expected, and no less than an hour."""
_LEAST_SECONDS = 3600.0
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class VmSession:
    """The study prepared in a machine, or in one for each kernel that its systems ask for.

    `start` makes a new machine of a kernel, up and with empty disks.
    """

    def __init__(
        self,
        study: Study,
        disks: list[str],
        start: Callable[[str | None], Node],
        say: Callable[[str], None],
    ) -> None:
        self._study, self._disks = study, disks
        self._limits, self._start, self._say = limits_of(study), start, say
        self._nodes: dict[str | None, Node] = {}

    def prepare(self) -> None:
        """Start the machines that are missing, attach the storage in each, limit its disks.

        Raises what a guest refuses.
        """
        for kernel in kernels_of(self._study):
            if kernel not in self._nodes:
                self._prepare(kernel)

    def try_out(self, system: System) -> float:
        """Make one system and fill it, in a study of its own; gives the seconds that this took."""
        kernel = kernels_of(self._study)[0]
        if kernel not in self._nodes:
            self._nodes[kernel] = self._start(kernel)
        node = self._nodes[kernel]
        alone = self._study.model_copy(update={"systems": [system]})
        node.ask(Order(do="prepare", study=self._words(alone)), _PREPARE_SECONDS, self._hear)
        order = Order(do="make", system=system.name)
        return float(node.ask(order, _PREPARE_SECONDS, self._hear))

    def describe(self) -> Description:
        """All machines as they are now, and the one that they are on."""
        found = {kernel: self._described(node) for kernel, node in self._nodes.items()}
        machines = [
            as_virtual(each.machines[0], self._nodes[kernel], self._limits, at)
            for at, (kernel, each) in enumerate(found.items())
        ]
        machines.append(machine_below({each.name for each in machines}))
        return Description(
            size_bytes=min(each.size_bytes for each in found.values()),
            engine=next(iter(found.values())).engine,
            machines=machines,
        )

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """One block; where a machine is lost it is void, and measured again."""
        for repeats in range(MOST_REPEATS + 1):
            try:
                for node, part in self._parts(plan, block):
                    self._measure(node, part, block, tell)
                return
            except NodeLostError as error:
                self._say("; ".join([error.what, *error.details[-2:]]))
                tell(BlockVoid(block, error.what))
                if repeats == MOST_REPEATS:
                    raise
                self._renew()

    def _parts(self, plan: Plan, block: int) -> Iterator[tuple[Node, Plan]]:
        """Which machine measures what of a block: all of it, or a turn at a time."""
        if len(self._nodes) == 1:
            yield next(iter(self._nodes.values())), plan
            return
        kernels = {system.name: system.kernel for system in self._study.systems}
        for turn in plan.turns:
            if turn.block == block:
                node = self._nodes[kernels[turn.system]]
                yield node, plan.model_copy(update={"turns": [turn]})

    def _renew(self) -> None:
        """New machines for those that have ended or hang."""
        for kernel, node in list(self._nodes.items()):
            if node.is_lost:
                node.end()
                self._prepare(kernel)

    def _prepare(self, kernel: str | None) -> None:
        node = self._nodes[kernel] = self._start(kernel)
        order = Order(do="prepare", study=self._words(self._study))
        node.ask(order, _PREPARE_SECONDS, self._hear)
        for disk in node.spec.disks:
            limits = self._limits
            node.monitor.limit_disk(disk.serial, limits.iops, limits.bytes_per_second)

    def _measure(self, node: Node, plan: Plan, block: int, tell: Tell) -> None:
        name = node.spec.name
        gathered = Gathered(plan, block, [name])

        def hear(reply: Reply) -> None:
            if reply.event:
                with suppress(ValidationError):
                    tell(_EVENT.validate_json(reply.event))
            if reply.told is None:
                self._hear(reply)
                return
            told = {name: reply.told}
            begun = gathered.begun(told)
            tell(begun if begun is not None else with_kernel(records_of(told)[name], node))

        order = Order(do="block", plan=plan.model_dump_json(), block=block)
        size_bytes = storage_of(self._study).size
        expected = block_seconds(self._study, size_bytes, side_by_side=plan.side_by_side)
        node.ask(order, max(_LEAST_SECONDS, _PATIENCE * expected), hear)

    def _described(self, node: Node) -> Described:
        answer = node.ask(Order(do="describe"), _ANSWER_SECONDS, self._hear)
        return Described.model_validate_json(answer)

    def _words(self, study: Study) -> str:
        return in_guest(study, self._disks).model_dump_json(by_alias=True)

    def _hear(self, reply: Reply) -> None:
        if reply.said and not reply.said.startswith("destroying "):
            self._say(reply.said)
