"""The guest lends a system of the study that it is prepared for: what is done with it comes order
by order, until the system is given back."""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from fsgauge.engine.wire import ClientsJob, LoadJob
from fsgauge.errors import RigError
from fsgauge.rig.lending import LendsMachines, LentMachine
from fsgauge.rig.vm.messages import Do
from fsgauge.study.model import Study
from fsgauge.workload.folders import Place

_BROUGHT = Path("/run/brought")
_PLACE: TypeAdapter[Place] = TypeAdapter(Place)
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
