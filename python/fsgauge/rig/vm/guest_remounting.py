"""A system mounted anew in the guest before each run, by the steps that mounted it."""

from __future__ import annotations

from typing import Any

from fsgauge.machine.folder.open_folder import let_go_below
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm import guest_set_up
from fsgauge.rig.vm.arrangement.environment import FOLDER
from fsgauge.rig.vm.messages import Do


class Remounting:
    """Does nothing until it is told how."""

    def __init__(self) -> None:
        self._orders: list[tuple[Do, dict[str, Any]]] = []
        self._done = ""

    def before_each_run(self, orders: list[tuple[Do, dict[str, Any]]], done: str) -> None:
        """From now on, these, as guest_set_up has them; none: nothing. `done` says in records what
        they do."""
        self._orders, self._done = orders, done

    def told(self, happening: Happening) -> Happening:
        """The happening. As a run begins it is done, and its record says so; RigError where the
        system does not go or come back."""
        if self._orders and isinstance(happening, RunStarted):
            with let_go_below(FOLDER):
                for do, words in self._orders:
                    guest_set_up.done(do, words)
        if self._orders and isinstance(happening, RunRecord):
            caches = "; ".join(filter(None, (happening.caches, self._done)))
            return happening.model_copy(update={"caches": caches})
        return happening
