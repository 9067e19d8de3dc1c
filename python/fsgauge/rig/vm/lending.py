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
from typing import Any, get_args

from pydantic import TypeAdapter

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.session import LentSystem, Session
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Do, LendDo, order
from fsgauge.study.model import Study, System
from fsgauge.workload.folders import Place

_MAKE_SECONDS = 1800.0
_LOAD_SECONDS = 3600.0
_BESIDE_SECONDS = 60.0
_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
_LOADS: TypeAdapter[list[LoadJob]] = TypeAdapter(list[LoadJob])
_RESULTS: TypeAdapter[list[LoadResult]] = TypeAdapter(list[LoadResult])


@contextmanager
def lent_by(group: NodeGroup, system: System) -> Iterator[GuestLent]:
    lent = GuestLent(group, system.name)
    try:
        yield lent
    except BaseException:
        with suppress(FsgaugeError):  # the first error is the one to tell
            lent.give_back()
        raise
    lent.give_back()


class GuestLent:
    """See LentSystem: on the node that drives the load."""

    is_root = True

    def __init__(self, group: NodeGroup, system: str) -> None:
        self._group = group
        self.target: Place = _PLACE.validate_python(self._told("lend", system=system))
        self.pinned = self.target

    def settle(self) -> str:
        return str(self._told("settle"))

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        found = self._told("load", _LOAD_SECONDS, job=job.model_dump(mode="json"))
        return LoadResult.model_validate(found)

    def load_at_once(self, loads: Sequence[LoadJob], *, lay_out: bool = False) -> list[LoadResult]:
        jobs = [load.model_dump(mode="json") for load in loads]
        found = self._told("load_at_once", _LOAD_SECONDS, loads=jobs, lay_out=lay_out)
        return _RESULTS.validate_python(found)

    def program(self, name: str, file: Path | None) -> str | None:
        data = base64.b64encode(file.read_bytes()).decode() if file else ""
        found = self._told("program", _BESIDE_SECONDS, name=name, data=data)
        return None if found is None else str(found)

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        words = {"command": list(command), "what": what, "seconds": seconds}
        return str(self._told("say", seconds + _BESIDE_SECONDS, **words))

    def words(self, command: Sequence[str]) -> str:
        return str(self._told("words", command=list(command)))

    def remove(self, names: Sequence[str]) -> None:
        self._told("remove", names=list(names))

    def give_back(self) -> None:
        self._told("give_back")

    def _told(self, do: Do, within: float = _MAKE_SECONDS, /, **words: object) -> object:
        at = self._group.roles.loads[0]
        return json.loads(self._group.tell_one(at, order(do, **words), within))


_BROUGHT = Path("/run/brought")
_JOB: TypeAdapter[LoadJob | ClientsJob] = TypeAdapter(LoadJob | ClientsJob)
ORDERS: tuple[Do, ...] = get_args(LendDo)


class Lending:
    def __init__(self) -> None:
        self._open = ExitStack()
        self._lent: LentSystem | None = None

    def done(
        self, do: Do, words: dict[str, Any], study: Study | None, session: Session | None
    ) -> str:
        if do == "lend":
            return self._lend(words["system"], study, session)
        if do == "give_back":
            self.give_back()
            return "null"
        if self._lent is None:
            raise nothing_prepared("the guest lends no system")
        match do:
            case "load":
                job = _JOB.validate_python(words["job"])
                return self._lent.load(job).model_dump_json()
            case "load_at_once":
                loads = _LOADS.validate_python(words["loads"])
                found = self._lent.load_at_once(loads, lay_out=words["lay_out"])
                return _RESULTS.dump_json(found).decode()
            case "program":
                return json.dumps(_found(self._lent, words["name"], words["data"]))
            case "say":
                return json.dumps(self._lent.said(**words))
            case _:
                return json.dumps(getattr(self._lent, do)(**words))

    def give_back(self) -> None:
        self._lent = None
        self._open.close()

    def _lend(self, name: str, study: Study | None, session: Session | None) -> str:
        self.give_back()
        if study is None or session is None:
            raise nothing_prepared()
        system = next(each for each in study.systems if each.name == name)
        self._lent = self._open.enter_context(session.lent(system))
        return _PLACE.dump_json(self._lent.target).decode()


def _found(lent: LentSystem, name: str, data: str) -> str | None:
    if not data:
        return lent.program(name, None)
    _BROUGHT.mkdir(exist_ok=True)
    file = _BROUGHT / name
    file.write_bytes(base64.b64decode(data))
    file.chmod(0o755)
    return lent.program(name, file)


def nothing_prepared(what: str = "no study is prepared in the guest") -> RigError:
    return RigError(
        what,
        cause="the machine was started again meanwhile",
        next="fsgauge resume goes on with the study",
    )
