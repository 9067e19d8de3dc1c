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
from fsgauge.machine.facts.mounts import mounts
from fsgauge.machine.process.tool import run_tool
from fsgauge.record.parts import Traffic
from fsgauge.record.records import RunRecord, SystemFacts, TurnRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm.arrangement.roles import services_of
from fsgauge.rig.vm.recipe import Counter, InForce
from fsgauge.study.model import System

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
  local line option options=${1-${REACHED_MOUNT-}}
  read -r line; echo "$line"
  for option in ${options//,/ }; do
    case $option in
      retry=* | ac*=* | port=* | mount*=* | clientaddr=* | user*=* | pass*=*) continue ;;
      lookupcache=all | nconnect=1 | minorversion=*) continue ;;
      tcp | udp | rdma) option=proto=$option ;;
      nfsvers=*) option=vers=${option#*=} ;;
      *=*) [ -z "${2-}" ] || continue ;;
      ro | sync | dirsync | noatime | nodiratime | nodev | noexec | nosuid) ;;
      hard | soft | softerr | softreval | fsc | nosharecache | noresvport) ;;
      noac | noacl | nocto | nolock | nordirplus) ;;
      *) continue ;;
    esac
    [[ ",${line// /,}," == *",$option,"* ]] || { echo "$option is not in force"; return 1; }
  done
}
"""
"""`asked` takes a line of /proc/mounts and fails for an option of the mount, or of what is named
first, that is not in it: of those that the kernel lists as they were asked for. With a second word
it looks at flags alone, as a file system lists no value that is its default."""
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


class MadeHere:
    """Of systems that the node makes on its own disks, with no step beside: each has to be mounted
    as it was when it was made, with the services that it has. One that an error made read-only
    still answers who reads."""

    def __init__(self) -> None:
        self._asked: dict[str, System] = {}
        self._made: dict[int, SystemFacts] = {}

    def begin(self, systems: Sequence[System]) -> None:
        """Those of a study that is prepared."""
        self._asked, self._made = {each.name: each for each in systems}, {}

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with a fault where its system was not as it was made."""
        if isinstance(happening, TurnRecord):
            self._made[happening.turn] = happening.facts
        if not isinstance(happening, RunRecord):
            return happening
        facts = self._made.get(happening.turn)
        if facts is None or not facts.mkfs_command or not facts.mount_options:
            return happening
        now = [each.all_options for each in mounts() if each.source == facts.mount_source]
        if facts.mount_options in now:
            return self._served(happening)
        seen = f"it is {now[-1]} and was" if now else "it is mounted no more, and was"
        return failed(happening, [f"{seen} {facts.mount_options} when the system was set up"])

    def _served(self, record: RunRecord) -> RunRecord:
        system = self._asked.get(record.system)
        services = services_of(system) if system is not None else ()
        if system is None or not services:
            return record
        try:
            return failed(record, Held().begin(list(services), {"MOUNT": f",{system.mount}"}))
        except RigError as error:
            return not_read(record, f"whether the system is in force: {error.what}")


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
