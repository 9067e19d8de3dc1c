"""A study as the nodes of a group measure it: one of them alone, or several that begin together;
and single systems, each made once there as its own study would, to learn what a guest refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from fsgauge.engine.wire import Event
from fsgauge.errors import FsgaugeError, Interrupted
from fsgauge.record.records import Plan, RunRecord
from fsgauge.rig.fleet.clock import Clock, LeadTime
from fsgauge.rig.fleet.control import HostLostError
from fsgauge.rig.fleet.gathered import Gathered, records_of
from fsgauge.rig.fleet.messages import Described
from fsgauge.rig.fleet.session import PreparedHosts
from fsgauge.rig.happenings import RunStarted, Tell
from fsgauge.rig.rig import of_some
from fsgauge.rig.session import Description
from fsgauge.rig.vm.arrangement.roles import arrangement_of, device_for
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.disks import Limits, consent_to, in_guest, kernels_of, on_devices, storage_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order, Reply, order
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.study.model import Study, System


@dataclass
class Prepared:
    """The nodes of one kernel with a study prepared on them. `volume` is what all systems are on,
    where a bare disk is among them: it stands until the nodes end."""

    group: NodeGroup
    measuring: Measuring
    has_logs: bool = False
    is_ready: bool = False
    volume: SystemOverNodes | None = None

    def take(self, study: Study, limits: Limits) -> None:
        self.measuring.prepare(study)
        self.group.limit(limits)
        self.is_ready = True

    def on_volume(self, study: Study) -> Study:
        found = arrangement_of(study, study.systems[0])
        self.volume = SystemOverNodes(self.group, found, storage_of(study).size)
        self.volume.set_up()
        disks = self.group.nodes[self.group.roles.loads[0]].spec.disks
        return on_devices(study, [device_for(found, disks)])


PREPARE_SECONDS = 1800.0
_ANSWER_SECONDS = 300.0
_LEAST_LEAD_SECONDS = 2.5
"""A start is so far away at least: an emulated machine hears of it late, and gets ready slowly."""
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class OnOne:
    def __init__(self, group: NodeGroup) -> None:
        self._group = group
        self._at = group.roles.loads[0]

    def prepare(self, study: Study) -> None:
        """Attach its storage; raises what a guest refuses. `study` is as the guests have it."""
        _prepare(self._group, study)

    def describe(self) -> Description:
        answer = self._group.tell_one(self._at, Order(do="describe"), _ANSWER_SECONDS)
        return Described.validate_json(answer)

    def measure(self, plan: Plan, block: int, tell: Tell, seconds: float) -> None:
        """What the plan has of a block, within that time; raises NodeLostError."""
        name = self._group.names[0]
        gathered = Gathered(plan, block, [name])

        def hear(reply: Reply) -> None:
            if reply.event:
                with suppress(ValidationError):
                    tell(_EVENT.validate_json(reply.event))
            if reply.told is None:
                self._group.hear(reply)
                return
            told = {name: reply.told}
            happening = gathered.begun(told) or records_of(told)[name]
            tell(happening)
            if isinstance(happening, RunStarted | RunRecord):
                self._group.nodes[self._at].pass_on(Order(do="go"))

        asked = Order(do="block", plan=plan.model_dump_json(), block=block)
        self._group.tell_one(self._at, asked, seconds, hear)


class OnSeveral(PreparedHosts):
    """Several nodes drive the load, each with its share of every run, as the hosts of a fleet do.
    The clock that they start by is that of the first one: this machine is not on their network."""

    def __init__(self, group: NodeGroup) -> None:
        super().__init__(
            group,
            lambda _: self._study,
            group.say,
            LeadTime(_LEAST_LEAD_SECONDS),
            lambda _: consent_to(self._study),
        )
        self._group = group
        self._study: Study
        self._is_clock_served = False

    def prepare(self, study: Study) -> None:
        self._study = study
        self._prepare(self._group.names)
        self._settle(self._group.names, PREPARE_SECONDS)
        if not self._is_clock_served:
            self._clock, self._is_clock_served = self._served_clock(), True

    def measure(self, plan: Plan, block: int, tell: Tell, seconds: float) -> None:
        self._group.end_asking_after(seconds)
        try:
            self._measure(plan, block, tell)
        except HostLostError as error:
            self._group.give_up()
            raise NodeLostError(
                error.what, details=self._group.last_lines(error.host), cause=error.cause
            ) from error
        except NodeLostError:
            raise
        except BaseException:
            with suppress(NodeLostError):
                self._abort("the block is ended")
            raise

    def _served_clock(self) -> Clock:
        at = self._group.roles.loads[0]
        address = self._group.stations[at].address
        asked = order("serve_clock", address=address)
        found = json.loads(self._group.tell_one(at, asked, _ANSWER_SECONDS))

        def now() -> int:
            return int(self._group.tell_one(at, Order(do="now"), _ANSWER_SECONDS))

        return Clock(found["address"], found["port"], found["key"], now=now)


Measuring = OnOne | OnSeveral
"""A study prepared on the nodes of a group that drive the load."""


def measuring(group: NodeGroup) -> Measuring:
    return OnSeveral(group) if len(group.roles.loads) > 1 else OnOne(group)


GroupOf = Callable[[str | None], NodeGroup]
"""The nodes of a kernel, up."""


def refused_in_guests(
    study: Study, disks: list[str], group_of: GroupOf
) -> dict[str, list[FsgaugeError]]:
    """By system; {} where all can be made. Raises NodeLostError."""

    def refused(systems: Sequence[System]) -> list[FsgaugeError]:
        try:
            _prepare(group_of(systems[0].kernel), in_guest(of_some(study, systems), disks))
        except (Interrupted, NodeLostError):
            raise
        except FsgaugeError as error:
            return [error]
        return []

    for kernel in kernels_of(study):
        if refused([each for each in study.systems if each.kernel == kernel]):
            return {each.name: refused([each]) for each in study.systems}
    return {}


def filled_in(group: NodeGroup, study: Study, disks: list[str], system: System) -> float:
    """Make one system and fill it; gives the seconds that this took."""
    _prepare(group, in_guest(of_some(study, [system]), disks))
    asked = Order(do="make", system=system.name)
    return float(group.tell_one(group.roles.loads[0], asked, PREPARE_SECONDS))


def _prepare(group: NodeGroup, study: Study) -> None:
    asked = Order(do="prepare", study=study.model_dump_json(by_alias=True))
    group.tell_one(group.roles.loads[0], asked, PREPARE_SECONDS)
