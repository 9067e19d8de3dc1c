"""The guest as one of several nodes that drive the load: it holds its host rig as a host of a fleet
does, and answers the same questions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from fsgauge.engine.client import Engine
from fsgauge.errors import RigError
from fsgauge.record.records import Plan
from fsgauge.rig.fleet.clock import exchanged, served_clock
from fsgauge.rig.fleet.control import Question
from fsgauge.rig.fleet.gate import Label
from fsgauge.rig.fleet.held import HeldRig, abandon
from fsgauge.rig.fleet.messages import consent_in
from fsgauge.rig.happenings import Happening
from fsgauge.study.model import Study
from fsgauge.workload.dealing import Share


class OneOfSeveral:
    """The rig of one study at most; `told` adds to what happens what only a guest knows."""

    def __init__(self, told: Callable[[Happening], Happening]) -> None:
        self._with_traffic = told
        self._held: HeldRig | None = None
        self._clock = ExitStack()

    def asked(self, question: Question, words: dict[str, Any]) -> object:
        """The answer to a question."""
        answers: dict[Question, Callable[..., Any]] = {
            "prepare": self._prepare,
            "look": self._look,
            "describe": self._describe,
            "described": self._described,
            "measure": self._measure,
            "attend": self._attend,
            "arm": self._arm,
            "pass_meeting": self._pass_meeting,
            "compare_clock": exchanged,
            "abort": self._abort,
            "close": self._close,
        }
        return answers[question](**words)

    def serve_clock(self, address: str) -> dict[str, Any]:
        """Tell this machine's clock to the others, from now on."""
        self._clock.close()
        clock = self._clock.enter_context(served_clock(address, Engine()))
        return {"address": clock.address, "port": clock.port, "key": clock.key}

    def _prepare(
        self,
        study: str,
        number: int,
        hosts: int,
        run: str,  # noqa: ARG002 - each order comes once
        destroy: dict[str, Any] | None = None,
    ) -> str:
        if not abandon(self._held, "another study begins"):
            return "busy"
        consent = consent_in(destroy)
        self._held = HeldRig(
            Study.model_validate_json(study), Share(number, hosts), consent, self._with_traffic
        )
        self._held.begin()
        return "ok"

    def _rig(self) -> HeldRig:
        if self._held is None:
            raise RigError("no study is prepared in the guest")
        return self._held

    def _look(self, known: int, seconds: float) -> str:
        return self._rig().state(known, seconds).model_dump_json()

    def _describe(self) -> str:
        self._rig().describe()
        return "ok"

    def _described(self) -> str:
        found = self._rig().described
        return found.model_dump_json() if found is not None else "null"

    def _measure(self, plan: str, block: int) -> str:
        self._rig().block(Plan.model_validate_json(plan), block)
        return "ok"

    def _attend(self) -> str:
        """It hears, which is all that is asked."""
        return "ok"

    def _arm(self, block: int, turn: int, cell: str, start_at_ns: int) -> bool:
        """A start that has passed is given as well: the engine says by how much."""
        return self._rig().start(Label(block, turn, cell), start_at_ns)

    def _pass_meeting(self, label: dict[str, Any], offer: str) -> bool:
        return self._rig().let_pass(Label(**label), offer)

    def _abort(self, because: str) -> str:
        if self._held is not None:
            self._held.abort(because)
        return "ok"

    def _close(self, because: str, seconds: float) -> bool:
        held, self._held = self._held, None
        return held is None or held.close(because, seconds)
