"""A system that stands in a virtual machine, lent: the engine and programs of others run there."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import TypeAdapter

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.errors import FsgaugeError
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Do, Order
from fsgauge.study.model import System
from fsgauge.workload.folders import Place

_MAKE_SECONDS = 1800.0
_LOAD_SECONDS = 3600.0
_BESIDE_SECONDS = 60.0
_PLACE: TypeAdapter[Place] = TypeAdapter(Place)


@contextmanager
def lent_by(group: NodeGroup, system: System) -> Iterator[GuestLent]:
    """A system of the study that the guest is prepared for, until the context ends."""
    lent = GuestLent(group, system.name)
    try:
        yield lent
    except BaseException:
        with suppress(FsgaugeError):  # the first error is the one to tell
            lent.give_back()
        raise
    lent.give_back()


class GuestLent:
    """See fsgauge.rig.lending.LentMachine: on the node that drives the load."""

    is_root = True

    def __init__(self, group: NodeGroup, system: str) -> None:
        self._group = group
        answer = self._told("lend", _MAKE_SECONDS, {"system": system})
        self.target: Place = _PLACE.validate_json(answer)
        self.pinned = self.target

    def settle(self) -> str:
        """Sync and drop caches there; gives what was done."""
        return str(json.loads(self._told("settle", _MAKE_SECONDS, {})))

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        """Run a job with the engine that is there."""
        answer = self._told("load", _LOAD_SECONDS, {"job": job.model_dump(mode="json")})
        return LoadResult.model_validate_json(answer)

    def program(self, name: str, file: Path | None) -> str | None:
        """The guest's own, or a copy of a file of this machine."""
        data = base64.b64encode(file.read_bytes()).decode() if file else ""
        found = json.loads(self._told("program", _BESIDE_SECONDS, {"name": name, "data": data}))
        return None if found is None else str(found)

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        """Its output."""
        beside = seconds + _BESIDE_SECONDS
        words = {"command": list(command), "what": what, "seconds": seconds}
        return str(json.loads(self._told("say", beside, words)))

    def words(self, command: Sequence[str]) -> str:
        """Its output, or its errors."""
        return str(json.loads(self._told("words", _MAKE_SECONDS, {"command": list(command)})))

    def remove(self, names: Sequence[str]) -> None:
        """Remove what matches in the system's folder."""
        self._told("remove", _MAKE_SECONDS, {"names": list(names)})

    def give_back(self) -> None:
        """The guest undoes what it made for it."""
        self._told("give_back", _MAKE_SECONDS, {})

    def _told(self, do: Do, seconds: float, words: dict[str, object]) -> str:
        order = Order(do=do, words=words)
        return self._group.tell_one(self._group.roles.loads[0], order, seconds)
