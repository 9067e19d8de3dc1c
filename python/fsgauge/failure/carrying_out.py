"""Which failures are carried out, and each of them, on nodes of its own.

Two nodes append and sync while one of them, or their server, is struck. After each record a node
reads the end of the other's file, so that it needs what the other may have locked.
Each record is a step of its own, so what a node was told is synced is known here, on a machine that
is not struck. Every wait is bounded: a node that never answers again is a result.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from fsgauge.agents.agents import folder_name
from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError
from fsgauge.failure.log import TITLES, Failed, Struck, Survived
from fsgauge.record import strikes
from fsgauge.rig.happenings import LoadBegins
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.faults.injection import Injection
from fsgauge.rig.vm.messages import Order, order
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.rig.vm.trials import has_server, node_returns, nodes_for
from fsgauge.study.model import System

AFTER_SECONDS = 240.0
"""A node that has not gone on so long after all is back does not go on."""
_UNDONE_SECONDS = 600.0
_RECORDS_AFTER = 10
_STEP_SECONDS = 60.0
_SETTLE_SECONDS = 20.0
_PAUSE_SECONDS = 0.02
_RETRY_SECONDS = 0.5
_LOOK_SECONDS = 0.02
_ANSWER_SECONDS = 2 * AFTER_SECONDS + _UNDONE_SECONDS
"""Longer than all other waits together: a step that takes so long is waited for no more."""


@dataclass
class Appended:
    """What one node was told: when each of its records was synced, and the errors, in seconds since
    the records began. `is_stuck` where its last step is not answered; `lost` is by reader how many
    records are not there that were synced."""

    name: str
    is_struck: bool
    synced: list[tuple[int, float]] = field(default_factory=list)
    errors: list[tuple[str, float]] = field(default_factory=list)
    is_stuck: bool = False
    fault: str = ""
    lost: dict[str, int] = field(default_factory=dict)
    torn: dict[str, int] = field(default_factory=dict)


class Surviving:
    """One strike. `carried_out` does it all; `nodes` and `struck` are what came of it."""

    def __init__(self, stood: SystemOverNodes, strike: strikes.Strike, folder: str) -> None:
        self._stood, self._group, self._folder = stood, stood.group, f"{FOLDER}/{folder}"
        self._injection = Injection(stood.group, [strike], stood.found.system, stood)
        self._zero = time.monotonic()
        self._slowness = stood.group.slowness
        self.nodes = {
            at: Appended(self._group.nodes[at].spec.name, at == strike.number - 1)
            for at in self._group.roles.loads
        }
        self._next = dict.fromkeys(self.nodes, 0.0)
        self._waiting: set[int] = set()
        self.struck: strikes.Struck | None = None

    def carried_out(self) -> None:
        """Until both nodes have gone on, or do not. Raises where the folder cannot be made."""
        first = next(iter(self.nodes))
        make = self._order({"do": "make"})
        made = json.loads(self._group.tell_one(first, make, _STEP_SECONDS))
        if "error" in made:
            raise RigError(
                f"no folder can be made on the system: {made['error']}",
                cause="it is mounted read-only, or its server refuses this node",
                next="fsgauge rig test",
            )
        self._zero = time.monotonic()
        self._injection.begin()
        self._injection.hear(LoadBegins(0.0))
        self._append()
        self.struck = self._injection.finish()[0]
        self._read_back()

    def _order(self, step: dict[str, Any]) -> Order:
        return order("agent", folder=self._folder, step=step)

    def _append(self) -> None:
        over: float | None = None
        after_seconds = AFTER_SECONDS * self._slowness
        ends = time.monotonic() + _UNDONE_SECONDS * self._slowness + after_seconds
        while time.monotonic() < ends:
            now = time.monotonic()
            for at in self.nodes:
                self._turn(at, now)
            if over is None and self._injection.is_over:
                over = now - self._zero
            if over is None:
                continue
            if self._all_went_on(over) or now - self._zero - over > after_seconds:
                break
        settled = time.monotonic() + _SETTLE_SECONDS * self._slowness
        while self._waiting and time.monotonic() < settled:
            for at in list(self._waiting):
                self._hear(at)
        for at in self._waiting:
            self.nodes[at].is_stuck = True

    def _turn(self, at: int, now: float) -> None:
        node = self._group.nodes[at]
        if node.is_away:
            self._waiting.discard(at)
        elif self.nodes[at].fault:
            return
        elif at in self._waiting:
            self._hear(at)
        elif now >= self._next[at]:
            number = len(self.nodes[at].synced)
            step = {"do": "append", "name": f"log-{at}", "node": at, "first": number, "count": 1}
            other = next(each for each in self.nodes if each != at)
            step |= {"sync": True, "beside": f"log-{other}"}
            try:
                node.send(self._order(step), _ANSWER_SECONDS)
                self._waiting.add(at)
            except NodeLostError as error:
                self._lose(at, error)

    def _hear(self, at: int) -> None:
        try:
            answer = self._group.nodes[at].look(self._group.hear, _LOOK_SECONDS)
        except NodeLostError as error:
            self._lose(at, error)
            return
        if answer is None:
            return
        self._waiting.discard(at)
        now, told, here = time.monotonic(), json.loads(answer), self.nodes[at]
        self._next[at] = now + _PAUSE_SECONDS
        if "error" in told:
            here.errors.append((told["error"], now - self._zero))
            self._next[at] = now + _RETRY_SECONDS
        elif told["whole"]:
            here.synced.append((len(here.synced), now - self._zero))

    def _lose(self, at: int, error: NodeLostError) -> None:
        """One that was struck may have gone in this very moment; any other is lost."""
        self._waiting.discard(at)
        if not self._group.nodes[at].is_away:
            self.nodes[at].fault = error.with_last_words

    def _all_went_on(self, over: float) -> bool:
        return all(
            self._went_on(at, over)
            for at, here in self.nodes.items()
            if not here.fault and not self._group.nodes[at].is_away
        )

    def _went_on(self, at: int, over: float) -> bool:
        synced = self.nodes[at].synced
        return len(synced) >= _RECORDS_AFTER and synced[-_RECORDS_AFTER][1] > over

    def _read_back(self) -> None:
        for reader, here in self.nodes.items():
            if here.is_stuck or here.fault or self._group.nodes[reader].is_away:
                continue
            for at, found in self._logs(reader):
                if found is None:
                    here.is_stuck = True
                    break
                there = {tuple(each) for each in found.get("records", [])}
                written = self.nodes[at]
                wanted = {(at, number) for number, _ in written.synced}
                written.lost[here.name] = len(wanted - there)
                written.torn[here.name] = int(found.get("torn", 0))

    def _logs(self, reader: int) -> Iterator[tuple[int, dict[str, Any] | None]]:
        node = self._group.nodes[reader]
        for at in self.nodes:
            for step in ({"do": "release"}, {"do": "records", "name": f"log-{at}"}):
                try:
                    found = json.loads(node.ask(self._order(step), _STEP_SECONDS))
                except NodeLostError:
                    yield at, None
                    return
            yield at, found


def why_not(system: System, struck: Struck) -> str:
    """Why that cannot fail of a system; empty where it can."""
    if struck == "server" and not has_server(system):
        return "it has no server: its nodes share one disk, or each of them holds a copy"
    if struck == "node" and not node_returns(system):
        return "a node could not come back: in these machines its power takes the cluster's state"
    return ""


def possible(system: System) -> list[Struck]:
    return [struck for struck in TITLES if not why_not(system, struck)]


def chosen_failures(
    systems: Sequence[System], struck: Sequence[str], *, are_named: bool, say: Callable[[str], None]
) -> list[tuple[System, Struck]]:
    """Each failure of each system, in order; all that are possible where `struck` is empty.
    InputError for one that is asked for of a system that is named, and is not possible there. Of
    the usual systems it is left out, and `say` is told why."""
    wanted: list[Struck] = [each for each in TITLES if not struck or each in struck]
    asked = [(system, each) for system in systems for each in wanted]
    cannot = [(system, each) for system, each in asked if struck and why_not(system, each)]
    if cannot and are_named:
        raise _refused(systems, cannot)
    for system, each in cannot:
        say(f"{system.name}, {TITLES[each]}: left out, {why_not(system, each)}")
    return [(system, each) for system, each in asked if not why_not(system, each)]


def _refused(systems: Sequence[System], cannot: Sequence[tuple[System, Struck]]) -> InputError:
    (system, struck), *_ = cannot
    others = [each.name for each in systems if each not in [lacking for lacking, _ in cannot]]
    able = (
        f"--system {others[0]} --fault {struck}"
        if others
        else (f"--system {system.name} --fault {possible(system)[0]}")
    )
    return InputError(
        f"a {struck} of {system.name} cannot fail here",
        details=tuple(f"{each.name}: {', '.join(possible(each))} can fail" for each in systems),
        cause=why_not(system, struck),
        next=f"fsgauge rig failure {able}",
    )


AT_NS = 5 * 10**9


def carry_out(
    system: System,
    struck: Struck,
    *,
    lasts_ns: int,
    loses_unflushed: bool,
    kernel: str | None,
    say: Callable[[str], None],
) -> Failed:
    """One failure, on new nodes that end with it. Raises what keeps nodes from starting."""
    loses_unflushed = loses_unflushed and struck != "link"
    with nodes_for([system], kernel, say, keep_logs=loses_unflushed) as session:
        told: Failed | None = None
        try:
            with session.standing(system) as stood:
                roles = stood.group.roles
                at = roles.server if struck == "server" else None
                strike = strikes.Strike(
                    kind="link_cut" if struck == "link" else "power_off",
                    number=1 + (roles.loads[-1] if at is None else at),
                    at_ns=AT_NS,
                    for_ns=lasts_ns,
                    loses_unflushed=loses_unflushed,
                )
                told = _survived(stood, system, struck, strike)
                stood.group.give_up()  # its nodes are not what they were
        except (Interrupted, NotUpError):
            raise
        except FsgaugeError as error:
            fault = error.with_last_words
            told = told or Failed(system=system.name, struck=struck, fault=fault)
        return told


def _survived(
    stood: SystemOverNodes, system: System, struck: Struck, strike: strikes.Strike
) -> Failed:
    surviving = Surviving(stood, strike, folder_name())
    surviving.carried_out()
    done = surviving.struck
    assert done is not None  # noqa: S101 - it was carried out
    return Failed(
        system=system.name,
        is_made_of=stood.found.words,
        struck=struck,
        began_ns=done.began_ns,
        ended_ns=done.ended_ns,
        back_ns=done.back_ns,
        words=done.words,
        nodes=[_of(each, (done.began_ns or 0) / 1e9) for each in surviving.nodes.values()],
        fault=done.fault,
    )


def _of(here: Appended, began: float) -> Survived:
    pause = longest_pause(here.synced, began)
    went_on = pause is not None and not (here.is_stuck or here.fault)
    return Survived(
        name=here.name,
        is_struck=here.is_struck,
        synced=len(here.synced),
        longest_pause_ns=round(pause * 1e9) if went_on and pause is not None else None,
        errors=dict(Counter(name for name, _ in here.errors)),
        lost=here.lost,
        torn=here.torn,
        fault=here.fault or ("its last step was never answered" if here.is_stuck else ""),
    )


def longest_pause(synced: Sequence[tuple[int, float]], began: float) -> float | None:
    """Between two records, of which the later one came after the failure had begun; None where
    none came after."""
    times = [moment for _, moment in synced]
    pauses = [later - earlier for earlier, later in pairwise(times) if later > began]
    return max(pauses, default=None)
