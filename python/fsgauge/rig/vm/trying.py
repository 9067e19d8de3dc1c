"""`fsgauge rig test`: each system is set up on nodes, written on one and read on another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.kinds import DEFAULT
from fsgauge.rig.vm.arrangement.standing import Standing
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.rig.vm.refusing import require_machines, require_memory
from fsgauge.rig.vm.rig import VmRig
from fsgauge.rig.vm.session import VmSession
from fsgauge.rig.vm.trials import Trial, alike
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import RigKeys, Role, SystemRig

_SIZE = "320MiB"
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
class Outcome:
    """What came of a trial: empty `fault` where it works, else why it does not."""

    trial: Trial
    seconds: float
    said: str = ""
    fault: str = ""


def outcomes(
    wanted: Iterable[Trial], kernel: str | None, say: Callable[[str], None]
) -> Iterator[Outcome]:
    """Of each trial as it ends. One that loses its nodes is tried once more, on new ones.

    Raises what keeps every machine from starting.
    """
    require_machines()
    lost: set[Trial] = set()
    for group in alike(wanted):
        left = group
        try:
            require_memory(group[0].nodes)
        except RigError as error:
            yield from (Outcome(each, 0.0, fault=error.what) for each in group)
            continue
        while left:
            study = _study(left)
            with VmRig(say, kernel).started(study) as session:
                for trial, system in zip(left, study.systems, strict=True):
                    try:
                        yield _tried(session, trial, system)
                    except NodeLostError as error:
                        if "is not up" in error.what:
                            raise
                        if trial in lost:
                            yield Outcome(trial, 0.0, fault=error.with_last_words)
                            left = left[1:]
                        lost.add(trial)
                        say(f"{trial.name}: {error.with_last_words}")
                        break
                    left = left[1:]


def _study(group: list[Trial]) -> Study:
    """With a system for each of them, on their nodes."""
    base = load_study(DEFAULT, [], [], f"loop:{_SIZE}", 0)
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
    return base.model_copy(update={"systems": systems, "rig": rig})


def _tried(session: VmSession, trial: Trial, system: System) -> Outcome:
    began = time.monotonic()
    try:
        if trial.is_plain:
            return Outcome(trial, session.try_out(system), "made, mounted and filled")
        with session.standing(system) as stood:
            said = _proved(stood, trial)
            seconds = time.monotonic() - began
    except (Interrupted, NodeLostError):
        raise
    except FsgaugeError as error:
        return Outcome(trial, time.monotonic() - began, fault=error.with_last_words)
    return Outcome(trial, seconds, said)


def _proved(stood: Standing, trial: Trial) -> str:
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
            raise OtherBytesError(stood.group.stations[at].name)
    proof = stood.run(last, trial.proof, _SECONDS).strip() if trial.proof else ""
    return "; ".join(filter(None, (said, proof)))


class OtherBytesError(FsgaugeError):
    """A node read other bytes than were written."""

    def __init__(self, node: str) -> None:
        super().__init__(f"{node} reads other bytes than were written")
