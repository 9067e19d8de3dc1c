"""What makes a system what its name says, as one of its nodes sees it.

It is asked once the system stands, and after each run.

A run in which some of it was lost has failed, with a class of its own: what was measured then was
another system. What cannot be asked in time says nothing of the system.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from fsgauge.engine.wire import EngineFault
from fsgauge.errors import RigError
from fsgauge.machine.process.tool import run_tool
from fsgauge.record.parts import Traffic
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm.recipe import Counter, InForce

CODE = "system.not_in_force"
TEST_ALONE = "fsgauge rig test NAME sets a system up alone, and says what of it is missing"


class NotInForceError(RigError):
    """A system that has been set up, and is not what its name says."""


SHELL = """
alive() {
  local gone=""
  for name in "$@"; do
    grep -qsE "^[0-9]+ \\($name\\) [^ZX]" /proc/[0-9]*/stat || gone="$gone, $name is not running"
  done
  [ -z "$gone" ] || { echo "${gone#, }"; return 1; }
}
asked() {
  local line options=${REACHED_MOUNT-}
  read -r line; echo "$line"
  for option in ${options//,/ }; do
    [[ $option != *=* || ",${line// /,}," == *",$option,"* ]] && continue
    echo "$option is not in force"; return 1
  done
}
"""
SECONDS = 30.0
_END = re.compile(r"^==held== ([0-9]+)\n", re.MULTILINE)


def shell(text: str, environment: dict[str, str], *options: str) -> list[str]:
    pairs = [f"{name}={value}" for name, value in environment.items()]
    return ["env", *pairs, "bash", *options, "-c", text]


class Held:
    def __init__(self) -> None:
        self._held: list[InForce] = []
        self._environment: dict[str, str] = {}
        self._first: list[str] = []

    def begin(self, held: list[InForce], environment: dict[str, str]) -> list[str]:
        """From now on these; what of them is lost already, in words. RigError where they do not
        answer in time."""
        self._held, self._environment, self._first = held, environment, []
        said = self._said()
        self._first = [text for _, text in said]
        return self._lost(said)

    def lost(self) -> list[str]:
        """What is lost now. RigError as above."""
        return self._lost(self._said())

    def told(self, happening: Happening) -> Happening:
        if not self._held or not isinstance(happening, RunRecord):
            return happening
        try:
            lost = self.lost()
        except RigError as error:
            return not_read(happening, f"whether the system is in force: {error.what}")
        still = self._still(happening.traffic) if _only_reads(happening) else []
        return failed(happening, [*lost, *still])

    def _said(self) -> list[tuple[bool, str]]:
        if not self._held:
            return []
        asked = [
            f"( set -eu -o pipefail\n{each.read.strip()}\n)\nprintf '\\n==held== %s\\n' $?"
            for each in self._held
        ]
        command = shell("\n".join([SHELL, *asked]), self._environment)
        parts = _END.split(run_tool(command, seconds=SECONDS, name="the shell").output)
        codes, texts = parts[1::2], parts[0::2]
        if len(codes) != len(self._held):
            raise RigError(
                "what is in force was not said to its end",
                cause="a command that asks for it ended the shell",
                next=TEST_ALONE,
            )
        return [(code == "0", text.strip()) for code, text in zip(codes, texts, strict=False)]

    def _lost(self, said: Sequence[tuple[bool, str]]) -> list[str]:
        first = self._first or [text for _, text in said]
        found = []
        for each, (is_there, text), was in zip(self._held, said, first, strict=True):
            if is_there and not (each.steady and text != was):
                continue
            last = f": {text.splitlines()[-1]}" if text else ""
            found.append(f"{self._environment.get('NODE', 'the node')}: {each.lost}{last}")
        return found

    def _still(self, traffic: Sequence[Traffic]) -> list[str]:
        moved: dict[str, int] = {}
        for each in traffic:
            moved |= {part: number for part, number in each.parts.items() if number}
        counts = {each.name: each.count for each in traffic}
        found = []
        for entry in self._held:
            if entry.grows is None:
                continue
            counter, part = entry.grows
            if moved.get(part, 0) and counts.get(counter) == 0:
                node = self._environment.get("NODE", "the node")
                found.append(f"{node}: {entry.lost}: {moved[part]} {part} passed it by")
        return found


def _only_reads(record: RunRecord) -> bool:
    """A file that is open for writing is in no cache."""
    result = record.result
    return result is not None and result.read is not None and result.write is None


def failed(record: RunRecord, lost: Sequence[str]) -> RunRecord:
    """The record without what was measured, which was another system; as it is if nothing is
    lost."""
    if not lost:
        return record
    return record.model_copy(update={"parts": [], "fault": fault_of_loss(record.system, lost)})


def fault_of_loss(system: str, lost: Sequence[str]) -> EngineFault:
    return EngineFault(
        what=f'"{system}" was not what its name says: {"; ".join(lost)}',
        cause="a service of it has ended, or was never there: what was measured is another system",
        next=TEST_ALONE,
        code=CODE,
    )


def not_read(record: RunRecord, what: str) -> RunRecord:
    """The record with what could not be read beside it in time."""
    return record.model_copy(update={"not_read": [*record.not_read, what]})


_COUNTER_MARK = "==counter=="
Counts = list[dict[str, int]]
C = TypeVar("C")


class CountedRuns(ABC, Generic[C]):
    """Told what happens, in its order. Counts that are late cost a run these counts alone."""

    def __init__(self) -> None:
        self._before: C | None = None
        self.late = ""

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with what was counted since it began."""
        if isinstance(happening, RunStarted):
            self.late = ""
            self._before = self.now()
        if not isinstance(happening, RunRecord):
            return happening
        before, self._before = self._before, None
        if happening.struck:
            return happening  # a node that was started again counts from nothing
        now = self.now() if before is not None else None
        if before is None or now is None:
            return not_read(happening, self.late) if self.late else happening
        traffic = [*happening.traffic, *self.between(before, now)]
        return happening.model_copy(update={"traffic": traffic})

    @abstractmethod
    def now(self) -> C | None:
        """What is counted so far; None, with why in `late`, where that is not said in time."""

    @abstractmethod
    def between(self, before: C, after: C) -> list[Traffic]: ...


class Counting(CountedRuns[Counts]):
    """Counts nothing until it is told what."""

    def __init__(self) -> None:
        super().__init__()
        self._counters: list[Counter] = []
        self._environment: dict[str, str] = {}

    def count(self, counters: list[Counter], environment: dict[str, str]) -> None:
        self._counters, self._environment, self._before = counters, environment, None

    def between(self, before: Counts, after: Counts) -> list[Traffic]:
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

    def now(self) -> Counts | None:
        """All of them by one shell, which an emulated machine starts slowly."""
        if not self._counters:
            return None
        text = "\n".join(
            f"( {each.read.strip()}\n) || true\necho {_COUNTER_MARK}" for each in self._counters
        )
        command = shell(text, self._environment)
        try:
            said = run_tool(command, seconds=SECONDS, name="the shell")
        except RigError as error:
            self.late = f"what its layers count: {error.what}"
            return None
        pieces = said.output.split(_COUNTER_MARK)[: len(self._counters)]
        return list(map(counts_in, pieces)) if len(pieces) == len(self._counters) else None


def counts_in(text: str) -> dict[str, int]:
    """Lines of a word and a number; other lines say nothing. Equal words add up."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        match line.split():
            case [word, number] if number.isascii() and number.isdecimal():
                found[word] = found.get(word, 0) + int(number)
    return found
