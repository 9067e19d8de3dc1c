"""What guests tell of a turn, with what they do not know: how the system was set up over the nodes,
what other nodes' disks were asked for, and that their caches were empty when a run began."""

from __future__ import annotations

from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import FromMachine, Happening, RunStarted, Tell
from fsgauge.rig.vm.arrangement.standing import Standing
from fsgauge.rig.vm.disk_counting import DiskCounting
from fsgauge.rig.vm.facts import as_made
from fsgauge.rig.vm.group import NodeGroup


class Telling:
    """Told what happens on a group's nodes, of the system that stands, if one takes steps; tells
    it on. A run goes on when it has returned."""

    def __init__(self, group: NodeGroup, stood: Standing | None, tell: Tell) -> None:
        self._group, self._stood, self._tell = group, stood, tell
        self._disks = DiskCounting(group)
        self._dropped = ""

    def __call__(self, happening: Happening) -> None:
        """Raises what setting the other nodes' caches back, or the telling, raises."""
        if isinstance(happening, FromMachine):
            record = as_made(happening.record, self._group, self._stood)
            self._tell(FromMachine(happening.machine, record))
            return
        if self._stood is not None:
            happening = self._beside(self._stood, happening)
        self._tell(as_made(happening, self._group, self._stood))

    def _beside(self, stood: Standing, happening: Happening) -> Happening:
        """With what the nodes that drive no load have to do with a run."""
        if isinstance(happening, RunStarted):
            self._dropped = stood.drop_caches()
        happening = self._disks.told(happening)
        if not isinstance(happening, RunRecord) or not self._dropped:
            return happening
        caches = "; ".join(filter(None, (happening.caches, self._dropped)))
        return happening.model_copy(update={"caches": caches})
