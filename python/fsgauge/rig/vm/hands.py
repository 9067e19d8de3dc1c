"""The nodes of a system that stands, as hands: each does one small step at a time in its guest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from fsgauge.hands.hands import Answer, HandLostError, Step
from fsgauge.rig.vm.arrangement.environment import FOLDER
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.node import NodeLostError


class NodeHands:
    """See fsgauge.hands.hands.Hands: the nodes that drive the load. `folder` is made by a step, in
    the system's own."""

    def __init__(self, group: NodeGroup, folder: str) -> None:
        self._group, self._folder = group, f"{FOLDER}/{folder}"

    @property
    def names(self) -> Sequence[str]:
        return self._group.names

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        """Raises HandLostError where a node, also the server, ends or does not answer."""
        loads = self._group.roles.loads
        orders = {
            loads[at]: Order(do="hand", words={"folder": self._folder, "step": dict(step)})
            for at, step in steps.items()
        }
        try:
            answers = self._group.give(orders, seconds)
        except NodeLostError as error:
            lost = HandLostError(
                error.what, details=error.details, cause=error.cause, next=error.next
            )
            lost.has_ended = error.has_ended
            raise lost from error
        return {at: json.loads(answers[loads[at]]) for at in steps}
