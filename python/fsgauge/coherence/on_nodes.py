"""The systems of the virtual rig, each set up on two nodes and a server. A system that costs its
nodes is set up once more on new ones, for the cases that are left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.agents.agents import Answer, Step, folder_name
from fsgauge.coherence.log import Counted, Examined
from fsgauge.coherence.running import run_cases
from fsgauge.errors import FsgaugeError, Interrupted
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import order
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.rig.vm.session import VmSession
from fsgauge.rig.vm.trials import nodes_for
from fsgauge.study.model import System


class NodeAgents:
    """Agents on the nodes that drive the load; `folder` is made in that of the system."""

    def __init__(self, group: NodeGroup, folder: str) -> None:
        self._group, self._folder = group, f"{FOLDER}/{folder}"

    @property
    def names(self) -> Sequence[str]:
        return self._group.names

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        """Raises NodeLostError where a node, also the server, ends or does not answer."""
        loads = self._group.roles.loads
        orders = {
            loads[at]: order("agent", folder=self._folder, step=dict(step))
            for at, step in steps.items()
        }
        answers = self._group.give(orders, seconds)
        return {at: json.loads(answers[loads[at]]) for at in steps}


@dataclass
class _Left:
    system: System
    cases: list[str]
    was_told: bool = False


def try_nodes(
    wanted: Sequence[System],
    cases: Sequence[str],
    trials: int,
    kernel: str | None,
    say: Callable[[str], None],
    tell: Callable[[Examined | Counted], None],
) -> None:
    """All of them, told as it is known. Raises what keeps every node from starting."""
    left = [_Left(system, list(cases)) for system in wanted]
    while left:
        with nodes_for(wanted, kernel, say) as session:
            goes_on = True
            while left and goes_on:
                goes_on = _tested(session, left[0], trials, say, tell)
                if not left[0].cases:
                    left.pop(0)


def _tested(
    session: VmSession,
    left: _Left,
    trials: int,
    say: Callable[[str], None],
    tell: Callable[[Examined | Counted], None],
) -> bool:
    """The cases that are left of one system; False where its nodes are of no use any more."""
    system, is_set_up = left.system, False
    try:
        with session.standing(system) as stood:
            is_set_up = True
            stood.read_parameters()
            if not left.was_told:
                left.was_told = True
                words = stood.found.words
                tell(Examined(name=system.name, words=words, parameters=stood.parameters))
            agents = NodeAgents(stood.group, folder_name())
            left.cases, is_alive = run_cases(agents, system.name, left.cases, trials, tell)
            if not is_alive:
                stood.group.give_up()
                return False
    except Interrupted:
        raise
    except FsgaugeError as error:
        if isinstance(error, NotUpError):
            raise
        fault = error.with_last_words
        if not is_set_up or left.cases:
            tell(Examined(name=system.name, words=system.kind, fault=fault))
        else:
            say(f"{system.name}: {fault}")
        left.cases = []
        return not isinstance(error, NodeLostError) and is_set_up
    return True
