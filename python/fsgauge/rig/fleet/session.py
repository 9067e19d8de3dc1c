"""A study over hosts whose storage is attached: blocks measured, hosts that are lost replaced."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.record.factors import most_hosts
from fsgauge.record.machine import LOAD, ONE_MACHINE, Machine
from fsgauge.record.records import Plan
from fsgauge.rig.fleet import control
from fsgauge.rig.fleet.block import BlockOverHosts, pace
from fsgauge.rig.fleet.clock import Clock, LeadTime
from fsgauge.rig.fleet.messages import Allowed, Described, State
from fsgauge.rig.happenings import MOST_REPEATS, BlockVoid, StudyVoid, Tell
from fsgauge.rig.session import Description, Session
from fsgauge.study.model import Study
from fsgauge.study.storage import is_preconditioned
from fsgauge.study.workload import cells_of

if TYPE_CHECKING:
    from fsgauge.rig.fleet.hosts import Hosts

StudyOf = Callable[[str], Study]
"""The study as a host measures it: with that host's folder or device."""
ConsentOf = Callable[[str], Consent | None]
"""What may be destroyed on a host."""

_PREPARE_SECONDS = 4 * 3600.0
"""Attaching storage makes every file system once."""
_PRECONDITION_SECONDS = 48 * 3600.0
"""A flash device may be written twice, whole, as well."""
_SETTLE_SECONDS = 180.0
_LOOK_SECONDS = 1.0
_WORD_SECONDS = 1.0
"""For a word to a host that is lost, and may not hear it."""


class PreparedHosts:
    def __init__(
        self,
        hosts: control.Reached,
        study_of: StudyOf,
        say: Callable[[str], None],
        lead: LeadTime,
        consent_of: ConsentOf,
    ) -> None:
        self._hosts = hosts
        self._clock: Clock
        self._lead = lead
        self._study_of = study_of
        self._say = say
        self._said = control.Said(say)
        self._consent_of = consent_of
        self._left_out: list[str] = []

    def describe(self) -> Description:
        names = self._hosts.names
        self._hosts.answers(names, "describe", control.ANSWER_SECONDS)
        self._settle(names, control.ANSWER_SECONDS + _SETTLE_SECONDS)
        answers = self._hosts.answers(names, "described", control.ANSWER_SECONDS)
        found = {
            name: control.all_understood(name, each, Described) for name, each in answers.items()
        }
        return Description(
            size_bytes=min(each.size_bytes for each in found.values()),
            engine=next(iter(found.values())).engine,
            machines=_machines(
                {name: each.machines[0] for name, each in found.items()},
                one_machine=self._hosts.is_one_machine,
            ),
            left_out=tuple(self._left_out),
        )

    def close(self, because: str) -> list[str]:
        """End the study everywhere; hosts on which something may be left."""
        names = self._hosts.names
        answers = self._hosts.cluster.ask(
            names,
            "close",
            _SETTLE_SECONDS + control.ANSWER_SECONDS,
            because=because,
            seconds=_SETTLE_SECONDS,
        )
        return [name for name, answer in answers.items() if answer is not True]

    def _measure(self, plan: Plan, block: int, tell: Tell) -> None:
        BlockOverHosts(
            self._hosts, self._clock, plan, block, tell, self._say, self._said, self._lead
        ).measure()

    def _prepare(self, names: Sequence[str]) -> None:
        run, count = secrets.token_hex(8), len(self._hosts.names)  # each host takes a run once
        words: dict[str, dict[str, object]] = {
            name: {
                "study": self._study_of(name).model_dump_json(by_alias=True),
                "number": self._hosts.names.index(name),
                "hosts": count,
                "run": run,
                "destroy": Allowed.dump_python(self._consent_of(name), mode="json"),
            }
            for name in names
        }
        answers = self._hosts.answers_each(words, "prepare", control.ANSWER_SECONDS)
        busy = [name for name, answer in answers.items() if answer != "ok"]
        if busy:
            raise control.HostLostError(busy[0], "it has not ended an earlier study yet")

    @property
    def _prepare_seconds(self) -> float:
        storage = self._study_of(self._hosts.names[0]).storage
        return _PRECONDITION_SECONDS if is_preconditioned(storage) else _PREPARE_SECONDS

    def _settle(self, names: Sequence[str], seconds: float) -> None:
        """Wait until hosts are idle; raises what one refuses, or HostLostError."""
        ends, known = time.monotonic() + seconds, dict.fromkeys(names, -1)
        waiting = list(names)
        while waiting:
            asked = time.monotonic()
            words: dict[str, dict[str, object]] = {
                name: {"known": known[name], "seconds": _LOOK_SECONDS} for name in waiting
            }
            answers = self._hosts.answers_each(
                words, "look", _LOOK_SECONDS + control.ANSWER_SECONDS
            )
            for name, answer in answers.items():
                state = control.understood(name, answer, State)
                known[name] = state.serial
                self._said.of(name, state.said)
                if state.phase == "failed" and state.fault is not None:
                    raise state.fault.raised(name)
                if state.phase == "idle":
                    waiting.remove(name)
            pace(asked)
            if waiting and time.monotonic() > ends:
                raise control.HostLostError(
                    waiting[0],
                    f"it was not ready within {seconds:.0f} s",
                    self._hosts.by_hand(waiting[0]),
                )

    def _abort(self, because: str, *, but: str = "") -> None:
        """End the block on every host that still answers, and wait until each has cleaned up. One
        that is lost, `but`, is told and not waited for: it is ended and started again."""
        others = [name for name in self._hosts.names if name != but]
        answers = self._hosts.cluster.ask(others, "abort", control.ANSWER_SECONDS, because=because)
        if but:
            self._hosts.cluster.ask([but], "abort", _WORD_SECONDS, because=because)
        ends = time.monotonic() + _SETTLE_SECONDS
        waiting = [name for name, answer in answers.items() if not isinstance(answer, control.Lost)]
        while waiting and time.monotonic() < ends:
            found = self._hosts.cluster.ask(
                waiting, "look", control.ANSWER_SECONDS, known=-1, seconds=0.0
            )
            waiting = [name for name, answer in found.items() if _is_at_work(name, answer)]
            if waiting:
                time.sleep(0.1)


class FleetSession(PreparedHosts, Session):
    def __init__(
        self,
        hosts: Hosts,
        clock: Clock,
        study_of: StudyOf,
        say: Callable[[str], None],
        least_lead_seconds: float,
        consent_of: ConsentOf = lambda _: None,
    ) -> None:
        super().__init__(hosts, study_of, say, LeadTime(least_lead_seconds), consent_of)
        self._hosts: Hosts = hosts
        self._clock = clock

    def prepare(self) -> None:
        """Have every host check and attach its storage; raises what the first one refuses. A host
        that is lost meanwhile is started again, at most twice; then it is left out."""
        losses: Counter[str] = Counter()
        waiting = self._hosts.names
        while waiting:
            try:
                self._prepare(waiting)
                self._settle(self._hosts.names, self._prepare_seconds)
                return
            except control.HostLostError as error:
                self._say(f"while the study was prepared: {error.what}")
                losses[error.host] += 1
                if losses[error.host] <= MOST_REPEATS and self._is_there_again(error.host):
                    waiting = [error.host]
                else:
                    waiting = self._left_with(error)

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """A block with the same hosts for all its systems. Where a host is lost it is void, and
        measured again with all of them, at most twice. Raises StudyVoid once a host is left out:
        then no block has the hosts that the others had."""
        for repeats in range(MOST_REPEATS + 1):
            try:
                self._measure(plan, block, tell)
                return
            except control.HostLostError as error:
                self._say(f"block {block + 1}: {error.what}")
                self._abort(error.what, but=error.host)
                tell(BlockVoid(block, error.what))
                if repeats == MOST_REPEATS or not self._restored(error.host):
                    raise self._without(error) from error
            except BaseException:
                self._abort("the study is ended")
                raise

    def _restored(self, name: str) -> bool:
        if not self._is_there_again(name):
            return False
        try:
            self._prepare([name])
            self._settle([name], self._prepare_seconds)
        except FsgaugeError as error:
            self._say(error.what)
            return False
        return True

    def _is_there_again(self, name: str) -> bool:
        """Start a host that was lost once more; False where it cannot be, or is another machine."""
        before = self._hosts.identities[name]
        try:
            self._hosts.again(name)
        except FsgaugeError as error:
            self._say(error.what)
            return False
        if self._hosts.identities[name].machine != before.machine:
            self._say(f"{name} is another machine now")
            return False
        return True

    def _left_with(self, error: control.HostLostError) -> list[str]:
        """The hosts without one that is left out of the whole study; nothing stands on them."""
        self._left_out.append(error.what)
        left = len(self._hosts.names) - 1
        needed = most_hosts(cells_of(self._study_of(error.host).workload))
        if left < needed:
            what = "no host is left to measure with"
            if left:
                what = f"the study has a cell with {needed} hosts, and {left} are left"
            lost = tuple(self._left_out)
            raise RigError(what, details=lost, cause=error.cause, next=error.next) from error
        self._hosts.leave_out(error.host)
        self.close("a host is left out of the study")
        return self._hosts.names

    def _without(self, error: control.HostLostError) -> FsgaugeError:
        self._left_with(error)
        try:
            self.prepare()
        except FsgaugeError as second:
            what = f"the study cannot go on without {error.host}: {second.what}"
            return second.told_as(RigError, what)
        return StudyVoid(
            f"{error.host} is left out of the whole study: {error.why}",
            cause="it was lost in one block three times, or could not be started again",
            next=error.next,
        )


def _is_at_work(name: str, answer: control.Answer) -> bool:
    """Whether a host says that its block goes on; one that makes no sense is not waited for."""
    try:
        return control.understood(name, answer, State).phase in ("working", "armed")
    except control.HostLostError:
        return False


def _machines(found: dict[str, Machine], *, one_machine: bool) -> list[Machine]:
    machines = [
        machine.model_copy(update={"name": name, "role": LOAD if at == 0 else f"{LOAD} {at + 1}"})
        for at, (name, machine) in enumerate(found.items())
    ]
    facts = machines[0].storage
    if facts is None or len(machines) == 1:
        return machines
    cautions = [*facts.cautions, *([ONE_MACHINE] if one_machine else [])]
    sentence = f"{facts.sentence}; the same on each of {len(machines)} hosts"
    update = {"storage": facts.model_copy(update={"sentence": sentence, "cautions": cautions})}
    return [machines[0].model_copy(update=update), *machines[1:]]
