"""What a guest refuses of single systems: each is made once there, as its own study would."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.errors import FsgaugeError, Interrupted
from fsgauge.rig.rig import of_some
from fsgauge.rig.vm.disks import in_guest, kernels_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.measuring import PREPARE_SECONDS
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.study.model import Study, System

GroupOf = Callable[[str | None], NodeGroup]
"""The nodes of a kernel, up."""


def refused_in_guests(
    study: Study, disks: list[str], group_of: GroupOf
) -> dict[str, list[FsgaugeError]]:
    """By system; {} where all can be made. Raises NodeLostError."""

    def refused(systems: Sequence[System]) -> list[FsgaugeError]:
        try:
            _prepare(group_of(systems[0].kernel), of_some(study, systems), disks)
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
    _prepare(group, of_some(study, [system]), disks)
    order = Order(do="make", system=system.name)
    return float(group.tell_one(group.roles.loads[0], order, PREPARE_SECONDS))


def _prepare(group: NodeGroup, study: Study, disks: list[str]) -> None:
    asked = in_guest(study, disks).model_dump_json(by_alias=True)
    order = Order(do="prepare", study=asked)
    group.tell_one(group.roles.loads[0], order, PREPARE_SECONDS)
