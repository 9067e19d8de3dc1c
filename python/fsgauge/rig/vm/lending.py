"""A system that stands in a virtual machine, lent: the engine and programs of others run there.

Both ends: what is asked here, and the guest that does it, order by order, until the system is given
back.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.lending import LendsMachines, LentMachine
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Do, Order
from fsgauge.study.model import Study, System
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


_BROUGHT = Path("/run/brought")
_JOB: TypeAdapter[LoadJob | ClientsJob] = TypeAdapter(LoadJob | ClientsJob)
ORDERS: tuple[Do, ...] = (
    "lend", "settle", "load", "program", "say", "words", "remove", "give_back",
)  # fmt: skip


class Lending:
    """One system at most."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._lent: LentMachine | None = None

    def done(self, do: Do, words: dict[str, Any], study: Study | None, session: object) -> str:
        """Carry an order out; gives its answer as JSON."""
        match do:
            case "lend":
                return self._lend(words["system"], study, session)
            case "give_back":
                self.give_back()
                return "null"
        lent = self._held()
        match do:
            case "settle":
                return json.dumps(lent.settle())
            case "load":
                return lent.load(_JOB.validate_python(words["job"])).model_dump_json()
            case "program":
                return json.dumps(_found(lent, words["name"], words["data"]))
            case "say":
                return json.dumps(lent.said(words["command"], words["what"], words["seconds"]))
            case "words":
                return json.dumps(lent.words(words["command"]))
            case _:
                lent.remove(words["names"])
                return "null"

    def give_back(self) -> None:
        """Undo what was made for it."""
        self._lent = None
        self._open.close()

    def _lend(self, name: str, study: Study | None, session: object) -> str:
        self.give_back()
        if study is None or not isinstance(session, LendsMachines):
            raise RigError("no study is prepared in the guest")
        system = next(each for each in study.systems if each.name == name)
        self._lent = self._open.enter_context(session.lent_machine(system))
        return _PLACE.dump_json(self._lent.target).decode()

    def _held(self) -> LentMachine:
        if self._lent is None:
            raise RigError("the guest lends no system")
        return self._lent


def _found(lent: LentMachine, name: str, data: str) -> str | None:
    """An installed program, or one whose bytes came with the order."""
    if not data:
        return lent.program(name, None)
    _BROUGHT.mkdir(exist_ok=True)
    file = _BROUGHT / name
    file.write_bytes(base64.b64decode(data))
    file.chmod(0o755)
    return lent.program(name, file)
