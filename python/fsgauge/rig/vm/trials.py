"""Systems that stand on nodes one after the other: tried by `fsgauge rig test`, and for two nodes
that share files, and a server.

`rig test` tries each file system of one node, and those over several nodes, which are the
`[[trial]]` tables of systems/: each of `kinds` on each number of nodes in `loads`, which drive the
load; a server is one more. `proof` is bash for the last of them, which fails where the system does
not do what it is there for, and prints a sentence where it does. `known` is why it does not work on
the distribution's usual kernel. Each is written on one node and read on another.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError, quoted
from fsgauge.kinds import DEFAULT
from fsgauge.rig.vm.arrangement.roles import arrangement_of, needs_server, roles_of
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.rig.vm.recipe import SYSTEMS, read_tables, recipe
from fsgauge.rig.vm.refusing import require_machines, require_memory
from fsgauge.rig.vm.rig import VmRig
from fsgauge.rig.vm.session import VmSession
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import RigKeys, Role, SystemRig

_SHARING = Path(__file__).with_name("sharing_nodes.toml")


@cache
def sharing_systems() -> dict[str, System]:
    found = tomllib.loads(_SHARING.read_text(encoding="utf-8"))
    return {name: System.model_validate({"name": name, **keys}) for name, keys in found.items()}


def chosen_sharing(names: Sequence[str]) -> list[System]:
    """Those that are named; all without names. InputError for one that is not there."""
    known = sharing_systems()
    for name in names:
        if name not in known:
            raise InputError(
                f'"{name}" is not among the systems that two nodes share here',
                details=(f"they are: {', '.join(known)}",),
                next="fsgauge rig coherence FOLDER FOLDER tests what is mounted",
            )
    return [known[name] for name in dict.fromkeys(names or known)]


def study_over(systems: Sequence[System], rig: RigKeys) -> Study:
    base = load_study(DEFAULT, [], [], "loop:320MiB", 0)
    return base.model_copy(update={"systems": list(systems), "rig": rig})


def study_of(systems: Sequence[System]) -> Study:
    """A study that is never measured: it says which nodes there are, and what stands on them."""
    study = study_over(systems, RigKeys(nodes=2))
    if roles_of(study).server is None:
        return study
    return study.model_copy(update={"rig": RigKeys(nodes=3)})


def has_server(system: System) -> bool:
    return roles_of(study_of([system])).server is not None


def node_returns(system: System) -> bool:
    above = arrangement_of(study_of([system]), system).reached_by
    return above is None or above.returns


@contextmanager
def nodes_for(
    systems: Sequence[System],
    kernel: str | None,
    say: Callable[[str], None],
    *,
    keep_logs: bool = False,
) -> Iterator[VmSession]:
    """Nodes on which each of the systems may stand; started when the first one does. `keep_logs`
    is for disks that are to lose what was not flushed.

    InputError, RigError for what cannot be, before anything is started.
    """
    study, rig = study_of(systems), VmRig(say, kernel)
    rig.check(study, None)
    with rig.started(study) as session:
        session.has_logs = keep_logs
        yield session


@dataclass(frozen=True)
class RigTest:
    kind: str
    volume: str | None = None
    reached_by: str | None = None
    loads: int = 1
    mount: str = ""
    proof: str = ""
    known: str = ""

    @property
    def name(self) -> str:
        """As in: nfs4 over xfs; gfs2 on iscsi-lvm, 3 nodes."""
        found = f"{self.reached_by} over {self.kind}" if self.reached_by else self.kind
        found += f" on {self.volume}" if self.volume else ""
        found += f" ({self.mount})" if self.mount else ""
        return found + (f", {self.loads} nodes" if self.loads > 1 else "")

    @property
    def words(self) -> set[str]:
        """By each of them people may ask for it."""
        return {self.kind, self.volume or "", self.reached_by or "", self.name} - {""}

    @property
    def has_server(self) -> bool:
        return needs_server(self.volume, self.reached_by)

    @property
    def nodes(self) -> int:
        return self.loads + self.has_server

    @property
    def is_plain(self) -> bool:
        arranged = self.volume or self.reached_by or self.loads > 1
        return not arranged and self.kind in recipe().kinds


@cache
def trials() -> tuple[RigTest, ...]:
    """All of them: file systems of one node first, then by the number of nodes."""
    found = [RigTest(kind) for kind in recipe().kinds]
    for part in (each for table in read_tables(SYSTEMS) for each in table.get("trial", [])):
        numbers, kinds = part.pop("loads", [1]), part.pop("kinds")
        found += [RigTest(kind, loads=loads, **part) for loads in numbers for kind in kinds]
    return tuple(sorted(found, key=lambda each: (not each.is_plain, each.nodes, each.has_server)))


def chosen(words: Sequence[str]) -> list[RigTest]:
    """Those that people ask for, each once; all without words. InputError for a word of none."""
    for word in words:
        if not any(word in each.words for each in trials()):
            known = sorted({name for each in trials() for name in each.words if " " not in name})
            raise InputError(
                f'"{word}" is not in the guest of the virtual rig',
                details=(f"in it: {', '.join(known)}",),
                next="docs/adding-a-virtual-system.md says how a file system is added",
            )
    return [each for each in trials() if not words or each.words & set(words)]


def alike(found: Iterable[RigTest]) -> list[list[RigTest]]:
    """In groups that the same nodes can try, one after the other."""
    groups: dict[tuple[int, bool], list[RigTest]] = {}
    for each in found:
        groups.setdefault((each.nodes, each.has_server), []).append(each)
    return list(groups.values())


_SECONDS = 120.0
_WRITE = """
head -c 3000000 /dev/urandom > "$FOLDER/one"
sync
sha256sum < "$FOLDER/one"
"""
_READ_ANEW = 'echo 3 > /proc/sys/vm/drop_caches; sha256sum < "$FOLDER/one"'
# A union has it in one of its branches.
_READ_BELOW = (
    'for at in "$BELOW/one" "$BELOW"/*/one; do [ -f "$at" ] && exec sha256sum < "$at"; done'
)


@dataclass(frozen=True)
class RigTestResult:
    """What came of a trial: empty `fault` where it works, else why it does not."""

    trial: RigTest
    seconds: float
    said: str = ""
    fault: str = ""


def outcomes(
    wanted: Iterable[RigTest], kernel: str | None, say: Callable[[str], None]
) -> Iterator[RigTestResult]:
    """Of each trial as it ends. One that loses its nodes is tried once more, on new ones. Raises
    what keeps every machine from starting."""
    require_machines()
    lost: set[RigTest] = set()
    for group in alike(wanted):
        left = group
        try:
            require_memory(group[0].nodes)
        except RigError as error:
            yield from (RigTestResult(each, 0.0, fault=error.what) for each in group)
            continue
        while left:
            study = _study(left)
            with VmRig(say, kernel).started(study) as session:
                for trial, system in zip(left, study.systems, strict=True):
                    try:
                        yield _tried(session, trial, system)
                    except NotUpError:
                        raise
                    except NodeLostError as error:
                        if trial in lost:
                            yield RigTestResult(trial, 0.0, fault=error.with_last_words)
                            left = left[1:]
                        lost.add(trial)
                        say(f"{trial.name}: {error.with_last_words}")
                        break
                    left = left[1:]


def _study(group: list[RigTest]) -> Study:
    systems = [
        System(
            name=each.name,
            kind=each.kind,
            mount=each.mount,
            rig=SystemRig(volume=each.volume, reached_by=each.reached_by),
        )
        for each in group
    ]
    first = group[0]
    server: list[Role] = ["server"] * first.has_server
    loads: list[Role] = ["load"] * first.loads
    rig = RigKeys(nodes=first.nodes, roles=[*server, *loads])
    return study_over(systems, rig)


def _tried(session: VmSession, trial: RigTest, system: System) -> RigTestResult:
    began = time.monotonic()
    try:
        if trial.is_plain:
            return RigTestResult(trial, session.try_out(system), "made, mounted and filled")
        with session.standing(system) as stood:
            said = _proved(stood, trial)
            seconds = time.monotonic() - began
    except (Interrupted, NodeLostError):
        raise
    except FsgaugeError as error:
        return RigTestResult(trial, time.monotonic() - began, fault=error.with_last_words)
    return RigTestResult(trial, seconds, said)


def _proved(stood: SystemOverNodes, trial: RigTest) -> str:
    """Raises RigError where what one node wrote is not what another one reads."""
    shared, reached = stood.found.file_system, stood.found.reached_by
    if shared is not None and shared.read_only:
        return "made, mounted and read"
    roles = stood.group.roles
    first, last = roles.loads[0], roles.loads[-1]
    written = stood.run(first, _WRITE, _SECONDS).strip()
    readers = [(last, _READ_ANEW)]
    said = "written and read"
    if reached is not None and reached.below == "server" and roles.server is not None:
        readers.append((roles.server, _READ_BELOW))
        said = "written on one node, read on another"
    elif first != last:
        said = "written on one node, read on another"
    for at, text in readers:
        read = stood.run(at, text, _SECONDS).strip()
        if read != written:
            node = stood.group.stations[at].name
            raise FsgaugeError(
                f"{node} reads other bytes than were written",
                cause="the system does not keep its nodes coherent, or its server cached old bytes",
                next=f"fsgauge rig shell; fsgauge rig test {quoted(trial.name)} repeats it",
            )
    proof = stood.run(last, trial.proof, _SECONDS).strip() if trial.proof else ""
    return "; ".join(filter(None, (said, proof)))
