"""What a guest does around each run: a system mounted anew, its counters read.

A run is between two happenings: it begins, and its record is there. The second is told with what
was counted in it.
"""

from __future__ import annotations

from typing import Any

from fsgauge.errors import RigError
from fsgauge.machine.folder.open_folder import let_go_below
from fsgauge.machine.process.tool import run_tool
from fsgauge.record.parts import Traffic
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm import guest_set_up
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.recipe import Counter
from fsgauge.rig.vm.in_force import SECONDS, not_read, shell
from fsgauge.rig.vm.messages import Do

_MARK = "==counter=="
Counts = list[dict[str, int]]


class Counting:
    """Counts nothing until it is told what. Counters that are late cost a run its counts, and
    nothing else."""

    def __init__(self) -> None:
        self._counters: list[Counter] = []
        self._environment: dict[str, str] = {}
        self._before: Counts | None = None
        self._late = ""

    def count(self, counters: list[Counter], environment: dict[str, str]) -> None:
        self._counters, self._environment, self._before = counters, environment, None

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with what was counted since it began."""
        if not self._counters:
            return happening
        if isinstance(happening, RunStarted):
            self._late = ""
            self._before = self._read()
        if not isinstance(happening, RunRecord):
            return happening
        before, self._before = self._before, None
        after = self._read()
        if before is None or after is None:
            return not_read(happening, self._late) if self._late else happening
        return happening.model_copy(update={"traffic": self._between(before, after)})

    def _between(self, before: Counts, after: Counts) -> list[Traffic]:
        return [
            Traffic(
                name=counter.name,
                title=counter.title,
                unit=counter.unit,
                parts={
                    part: number - earlier.get(part, 0)
                    for part, number in later.items()
                    if number >= earlier.get(part, 0)
                },
            )
            for counter, earlier, later in zip(self._counters, before, after, strict=True)
            if later
        ]

    def _read(self) -> Counts | None:
        """All of them by one shell, which an emulated machine starts slowly; None where they do not
        answer in time."""
        text = "\n".join(
            f"( {each.read.strip()}\n) || true\necho {_MARK}" for each in self._counters
        )
        command = shell(text, self._environment)
        try:
            said = run_tool(command, seconds=SECONDS, name="the shell")
        except RigError as error:
            self._late = f"what its layers count: {error.what}"
            return None
        pieces = said.output.split(_MARK)[: len(self._counters)]
        return list(map(counts_in, pieces)) if len(pieces) == len(self._counters) else None


def counts_in(text: str) -> dict[str, int]:
    """Lines of a word and a number; other lines say nothing. Equal words add up."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        match line.split():
            case [word, number] if number.isascii() and number.isdecimal():
                found[word] = found.get(word, 0) + int(number)
    return found


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
