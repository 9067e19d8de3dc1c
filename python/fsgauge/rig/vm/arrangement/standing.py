"""A system set up over its nodes, step by step, until the context ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.machine.process.tool import LATE
from fsgauge.rig.vm.arrangement.roles import BELOW, FOLDER, Arrangement, device_for, environment
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.in_force import NotInForceError, fault_of_loss
from fsgauge.rig.vm.messages import Do, Order, order
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.rig.vm.recipe import Layer, Step
from fsgauge.rig.vm.slowness import load_words
from fsgauge.study.rig_keys import RigKeys
from fsgauge.system import FileSystem, find_kind

_MAKE_SECONDS = 2400.0
_BESIDE_SECONDS = 30.0
"""A guest that is asked to end a step after so many seconds answers within as many more."""
_LOOK_SECONDS = 60.0
_DROP_SECONDS = 240.0


class TeardownError(RigError):
    """A system that stood could not be removed: what was measured on it counts all the same."""


Remains = Callable[[TeardownError], None]
_UNDONE = ", undone"
REMOUNTED = "unmounted and mounted again"
CACHE_EMPTIED = "unmounted, the cache on disk emptied, and mounted again"
_DROP_CACHES = "sync; echo 3 > /proc/sys/vm/drop_caches"


class NotReadyError(RigError):
    """What fsgauge itself does before a run was not done: no system failed."""


@dataclass
class SystemOverNodes:
    """A system that stands; `facts` are those of the file system that was made, empty where the
    system's own steps made it."""

    group: NodeGroup
    found: Arrangement
    size_bytes: int
    facts: dict[str, Any] = field(default_factory=dict)
    undo: list[Callable[[], object]] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    keeps_server_warm: bool = False
    held: tuple[int, ...] = ()
    """The nodes that are asked whether it is what its name says."""
    is_set_up: bool = False
    """Whether all of its steps were done."""

    def run(self, at: int, text: str, seconds: float = _LOOK_SECONDS) -> str:
        """What a script in bash prints on the node at that place. RigError where it fails."""
        return self.run_on((at,), text, seconds)[at]

    def run_on(self, places: tuple[int, ...], text: str, seconds: float) -> dict[int, str]:
        """The same on several nodes at once."""
        orders = {at: self._order(at, text, seconds) for at in places}
        answers = self.group.give(orders, seconds + _BESIDE_SECONDS)
        return {at: str(json.loads(answer)) for at, answer in answers.items()}

    def set_up(self) -> None:
        """All of its steps. RigError with the one that failed; NotInForceError where all were done
        and it is not what its name says."""
        self._set_up()
        self.is_set_up = True
        self.hold()

    def remove(self) -> None:
        """Undo its steps; TeardownError where one cannot be undone, with the nodes given up."""
        try:
            while self.undo:
                self.undo.pop()()
        except Interrupted:
            raise
        except FsgaugeError as error:
            self.group.give_up()
            raise error.told_as(TeardownError) from error

    def hold(self) -> None:
        """From now on it has to be what its name says. NotInForceError where it is not already;
        NotReadyError where a node does not say it in time, which is no fault of the system."""
        roles = self.group.roles
        self.held = tuple(at for at in roles.all if self.found.held(roles, at))
        orders = {
            at: self._holding([e.model_dump(mode="json") for e in self.found.held(roles, at)], at)
            for at in self.held
        }
        try:
            lost = self._losses(orders)
        except NodeLostError:
            raise
        except RigError as error:
            what = f"whether the system is in force cannot be asked: {error.what}"
            raise error.told_as(NotReadyError, what) from error
        self._require_none(lost)

    def require_held(self) -> None:
        """NotInForceError where some of it has been lost since."""
        self._require_none(self._losses(dict.fromkeys(self.held, order("held"))))

    def _require_none(self, lost: list[str]) -> None:
        if lost:
            fault = fault_of_loss(self.found.system.name, lost)
            raise NotInForceError(fault.what, cause=fault.cause, next=fault.next)

    def let_go(self) -> None:
        self.group.give({at: self._holding([], at) for at in self.held}, _LOOK_SECONDS)
        self.held = ()

    def lost_beside(self) -> list[str]:
        """What is lost on the nodes that drive no load; those that do look themselves. RigError
        where a node does not answer in time."""
        places = [at for at in self.held if at not in self.group.roles.loads]
        return self._losses(dict.fromkeys(places, order("held")))

    def _holding(self, held: list[Any], at: int) -> Order:
        return order("hold", held=held, environment=self._environment(at))

    def _losses(self, orders: dict[int, Order]) -> list[str]:
        answers = self.group.give(orders, _LOOK_SECONDS)
        return [str(each) for at in orders for each in json.loads(answers[at]) or ()]

    def count(self) -> None:
        found = self.found.counters(self.group.roles)
        counters = [each.model_dump(mode="json") for each in found]
        orders = {
            at: order("count", counters=counters, environment=self._environment(at))
            for at in self.group.roles.loads
        }
        self.group.give(orders, _LOOK_SECONDS)

    def before_runs(self, keys: RigKeys) -> None:
        """From now on caches are as the study has them before each run, and mounts as well."""
        self.keeps_server_warm = "server" not in keys.drop_caches
        above = self.found.reached_by
        empties = "disk" in keys.drop_caches and above is not None and above.disk_cache
        anew = empties or keys.remount  # the system before may have left the nodes other orders
        done = CACHE_EMPTIED if empties else REMOUNTED
        loads = self.group.roles.loads
        undone = {at: self._remounting(at, all_steps=empties) if anew else [] for at in loads}
        orders = {at: order("remount", orders=each, done=done) for at, each in undone.items()}
        self.group.give(orders, _LOOK_SECONDS)

    def _remounting(self, at: int, *, all_steps: bool) -> list[tuple[Do, dict[str, Any]]]:
        """What unmounts it on a node and mounts it again: the last step there, or all of them, or
        what fsgauge itself has mounted."""
        above = self.found.reached_by or self.found.file_system
        if above is None:
            stand = self._standing_order(at, anew=False)
            return [("fall", {"folder": stand.words["folder"]}), ("stand", stand.words)]
        steps = [s for s in above.step if at in self.found.nodes_of(s.on, self.group.roles)]
        undone = [step for step in reversed(steps) if step.undo.strip()][: None if all_steps else 1]
        texts = [(step.undo, step) for step in undone]
        texts += [(step.do, step) for step in reversed(undone)]
        return [("run", self._order(at, text, step.seconds).words) for text, step in texts]

    def read_parameters(self) -> None:
        for layer in self.found.layers:
            for each in layer.in_force:
                if each.lost:
                    continue
                at = self.found.nodes_of(each.on, self.group.roles)[0]
                try:
                    text = self.run(at, each.read)
                except NodeLostError:
                    raise
                except RigError as error:
                    text = f"not read: {error.what}"
                self.parameters[each.name] = "; ".join(text.split("\n")).strip("; ")

    def drop_caches(self) -> str:
        """Write back and empty the caches of the nodes that drive no load, unless the study keeps
        them; says of which."""
        roles = self.group.roles
        places = tuple(at for at in roles.all if at not in roles.loads)
        if not places:
            return ""
        names = ", ".join(self.group.stations[at].name for at in places)
        if self.keeps_server_warm:
            return f"{names}: caches kept"
        try:
            self.run_on(places, _DROP_CACHES, _DROP_SECONDS)
        except NodeLostError:
            raise
        except RigError as error:
            raise NotReadyError(
                f"caches cannot be emptied before a run: {error.what}",
                details=error.details,
                cause="what a system was asked to write did not reach its disk",
                next=error.next,
            ) from error
        return f"{names}: synced; page, dentry and inode caches dropped"

    def room_bytes(self) -> int:
        """What may be written to it: on the node that has least. RigError where it is not
        mounted on one."""
        orders = dict.fromkeys(self.group.roles.loads, order("room", folder=FOLDER))
        answers = self.group.give(orders, _LOOK_SECONDS)
        return min(int(answer) for answer in answers.values())

    def again(self, at: int) -> float:
        """On a node that was started again, with its disks as they were: its part of the system
        is set up again, and nothing is made anew. Gives the seconds of mounting it there.

        It asks that node alone, which its group may be without meanwhile.
        """
        found, roles, node = self.found, self.group.roles, self.group.nodes[at]

        def steps(layer: Layer | None) -> None:
            for step in layer.step if layer is not None else ():
                text = step.do if step.again is None else step.again
                if text.strip() and at in found.nodes_of(step.on, roles):
                    node.ask(self._order(at, text, step.seconds), step.seconds + _BESIDE_SECONDS)

        mounting = 0.0
        steps(found.volume)
        if found.file_system is not None:
            steps(found.file_system)
        elif isinstance(find_kind(found.system.kind), FileSystem) and at in found.holders(roles):
            began = time.monotonic()
            node.ask(self._standing_order(at, anew=False), _MAKE_SECONDS)
            mounting = time.monotonic() - began
        steps(found.reached_by)
        return mounting

    def _order(self, at: int, text: str, seconds: float) -> Order:
        return order("run", text=text, environment=self._environment(at), seconds=seconds)

    def _environment(self, at: int) -> dict[str, str]:
        disks = self.group.nodes[at].spec.disks
        stations, roles = self.group.stations, self.group.roles
        return environment(self.found, roles, stations, disks, at, self.size_bytes)

    def _standing_order(self, at: int, *, anew: bool) -> Order:
        device = device_for(self.found, self.group.nodes[at].spec.disks)
        system = self.found.system.model_copy(update={"rig": None}).model_dump_json()
        return order("stand", system=system, device=device, folder=self._place, anew=anew)

    @property
    def _place(self) -> str:
        return FOLDER if self.found.reached_by is None else BELOW

    def _set_up(self) -> None:
        found = self.found
        self._steps(found.volume)
        if found.file_system is not None:
            # The same start for every turn: nothing on the disk that the nodes share.
            at = found.holders(self.group.roles)[0]
            device = device_for(found, self.group.nodes[at].spec.disks)
            self.group.tell_one(at, order("blank", device=device), _MAKE_SECONDS)
            self._steps(found.file_system)
        elif isinstance(find_kind(found.system.kind), FileSystem) and not found.is_device:
            self._make()
        if found.reached_by is not None:
            self._steps(found.reached_by)

    def _make(self) -> None:
        group, places = self.group, self.found.holders(self.group.roles)
        orders = {at: self._standing_order(at, anew=True) for at in places}
        answers = group.give(orders, _MAKE_SECONDS)
        self.facts = json.loads(answers[places[0]])
        fall = dict.fromkeys(places, order("fall", folder=self._place))
        self.undo.append(lambda: group.give(fall, _MAKE_SECONDS))

    def _steps(self, layer: Layer) -> None:
        for number, step in enumerate(layer.step, start=1):
            name = f"{layer.title}, step {number}"
            places = self.found.nodes_of(step.on, self.group.roles)
            if step.once:
                places = tuple(at for at in places if (at, name) not in self.group.done_once)
                self._carry_out(name, step, places, step.do)
                self.group.done_once |= {(at, name) for at in places}
                continue
            back = tuple(reversed(places))
            self.undo.append(partial(self._carry_out, name + _UNDONE, step, back, step.undo))
            self._carry_out(name, step, places, step.do)

    def _carry_out(self, name: str, step: Step, places: tuple[int, ...], text: str) -> None:
        if not text.strip():
            return
        for each in [(at,) for at in places] if step.by_turns else [places]:
            try:
                self.run_on(each, text, step.seconds)
            except NodeLostError:
                raise
            except RigError as error:
                busy = f" ({load_words()})" if LATE in error.what else ""
                how = "removed" if name.endswith(_UNDONE) else "set up"
                raise RigError(
                    f'"{self.found.system.name}" is not {how} ({name}): {error.what}{busy}',
                    details=error.details,
                    cause=error.cause or "its steps are in rig/vm/systems",
                    next=f"fsgauge rig test {self.found.system.kind}",
                ) from error


@contextmanager
def standing(
    group: NodeGroup, found: Arrangement, size_bytes: int, remains: Remains = lambda _: None
) -> Iterator[SystemOverNodes]:
    """The system, mounted on all nodes that drive the load.

    What the steps made is undone after, in the opposite order. RigError with the step that failed,
    and its node; NotInForceError where all of it was done and the system is not what its name says;
    TeardownError where something cannot be undone, so that the nodes are given up. Where something
    failed before that, `remains` is told of it, and what failed first is raised.
    """
    here = SystemOverNodes(group, found, size_bytes)
    try:
        here.set_up()
        yield here
    except Interrupted:
        raise  # the nodes end with the study
    except FsgaugeError:
        if not group.is_lost:
            if here.undo and not here.is_set_up:
                with suppress(FsgaugeError):  # what was not done cannot be undone
                    here.undo.pop()()
            try:
                here.remove()
            except TeardownError as error:
                remains(error)
        raise
    here.remove()
