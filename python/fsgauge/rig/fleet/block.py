"""One block over all hosts: each measures its share by itself, and all begin each run together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fsgauge.record.parts import MachineStart
from fsgauge.record.records import Plan, RunRecord
from fsgauge.rig.fleet.clock import Clock, LeadTime
from fsgauge.rig.fleet.control import ANSWER_SECONDS, HostLostError, Reached, Said, understood
from fsgauge.rig.fleet.gated_engine import AGAIN, LONGEST_REST_SECONDS, RESTING, THROUGH
from fsgauge.rig.fleet.gathered import Gathered, hosts_differ, together
from fsgauge.rig.fleet.messages import HappeningMessage, Label, State
from fsgauge.rig.happenings import MOST_STARTS, LoadBegins, StartMissed, Tell
from fsgauge.units import format_duration

_REPLIES_AHEAD, _COMPARISONS_AHEAD = 10, 3
"""The start is so many of the slowest reply away, and so many comparisons of clocks, for which each
host starts a process: every host hears of it in time, also where it has much to do."""
_LEAST_LOOK_SECONDS = 0.5
_LOOKS_A_SECOND = 200
"""Questions that the coordinator asks at most, however many hosts there are."""
_LEAST_PATIENCE_SECONDS = 120.0
_PATIENCE = 5.0
"""A host may take so many times as long to prepare as the first one did."""


@dataclass
class BlockOverHosts:
    """One block, measured once. `say` is told of starts that were missed, `said` what hosts say."""

    hosts: Reached
    clock: Clock
    plan: Plan
    block: int
    tell: Tell
    say: Callable[[str], None]
    said: Said
    lead: LeadTime
    _states: dict[str, State] = field(default_factory=dict)
    _gathered: Gathered = field(init=False)
    _starts_missed: int = 0
    """Of the run that goes on."""
    _start_ns: int = 0
    _since: float = 0.0
    _first_after: float | None = None

    def __post_init__(self) -> None:
        self._gathered = Gathered(self.plan, self.block, self.hosts.names)

    def measure(self) -> None:
        """All of it; raises HostLostError for a host that is gone, InputError for what one refuses,
        and what `tell` raises."""
        names, gathered = self.hosts.names, self._gathered
        plan = self.plan.model_dump_json()
        self.hosts.answers(names, "measure", ANSWER_SECONDS, plan=plan, block=self.block)
        self._begin_waiting()
        while True:
            self._look()
            resting = self._resting()
            for told in gathered.ready():
                self._put_together(told)
            for step in gathered.steps():
                self.tell(step)
            phases = {state.phase for name, state in self._states.items() if name not in resting}
            if len(self._states) == len(names) and phases == {"idle"}:
                break
            if len(self._states) == len(names) and phases == {"armed"}:
                self._start([name for name in names if name not in resting])
            elif phases >= {"armed", "idle"}:
                raise hosts_differ(
                    "some hosts have ended the block, and others wait for a run of it"
                )
            else:
                self._require_patience([name for name in names if name not in resting])
        if not gathered.is_complete:
            raise hosts_differ("some hosts told more of the block than others")

    def _look(self) -> None:
        asked = time.monotonic()
        names = self.hosts.names
        seconds = max(_LEAST_LOOK_SECONDS, len(names) / _LOOKS_A_SECOND)
        words = {
            name: {
                "known": self._states[name].serial if name in self._states else -1,
                "seconds": 0.0 if self._is_settled(name) else seconds,
            }
            for name in names
        }
        patience_seconds = max(ANSWER_SECONDS, 2 * seconds)
        for name, answer in self.hosts.answers_each(words, "look", patience_seconds).items():
            state = understood(name, answer, State)
            self._states[name] = state
            self._gathered.add(name, state.told)
            self.said.of(name, state.said)
            if state.fault is not None and state.fault.is_refusal:
                raise state.fault.raised(name)
            if state.fault is not None:
                next_step = state.fault.next and f"on {name}: {state.fault.next}"
                raise HostLostError(name, state.fault.what, next=next_step)
            if state.phase in ("failed", "closed"):
                raise HostLostError(name, "it ended the study by itself")
        pace(asked)

    def _is_settled(self, name: str) -> bool:
        state = self._states.get(name)
        return state is not None and state.phase in ("armed", "idle")

    def _put_together(self, told: dict[str, HappeningMessage]) -> None:
        begun = self._gathered.begun(told)
        if begun is not None:
            self.tell(begun)
            return
        records = self._gathered.records(told)
        runs = {name: each for name, each in records.items() if isinstance(each, RunRecord)}
        for happening in together(records, self._starts(runs) if runs else ()):
            self.tell(happening)
        if runs:
            self._begin_waiting()

    def _start(self, names: Sequence[str]) -> None:
        """All that take part are armed: give them one moment, each by its own clock."""
        labels = {name: self._states[name].armed for name in names}
        label = labels[names[0]]
        if label is None or any(each != label for each in labels.values()):
            raise hosts_differ(
                "the hosts wait for different runs",
                *(f"{name}: {each or 'nothing'}" for name, each in labels.items()),
            )
        self._gathered.require_due(names[0], label)
        if label.meeting == THROUGH:
            self._conclude(label, names)
            return
        if label.meeting:
            self._meet(label, names, self._states[names[0]].offer)
            return
        self._start_ns = self._moment_for(names)
        words = {
            name: {
                **label.model_dump(include={"block", "turn", "cell"}),
                "start_at_ns": self.clock.of_host(name, self._start_ns),
            }
            for name in names
        }
        for name, answer in self.hosts.answers_each(words, "arm", ANSWER_SECONDS).items():
            if answer is not True:
                raise HostLostError(name, f"it missed the start of {label}")
            del self._states[name]
        self.tell(LoadBegins((self._start_ns - self.clock.now()) / 1e9))

    def _moment_for(self, names: Sequence[str]) -> int:
        asked = time.monotonic()
        self.hosts.answers(names, "attend", ANSWER_SECONDS)
        heard = time.monotonic()
        self.clock.compare(self.hosts.cluster, names)
        now = time.monotonic()
        lead = max(_REPLIES_AHEAD * (heard - asked), _COMPARISONS_AHEAD * (now - heard))
        return self.clock.now() + int(max(self.lead.seconds, lead) * 1e9)

    def _conclude(self, label: Label, names: Sequence[str]) -> None:
        """These hosts are through with a run. Where one missed the start, it begins again for all,
        also for those that rest; HostLostError where that has happened too often."""
        missed = {name: self._states[name].offer for name in names if self._states[name].offer}
        if not missed:
            self._starts_missed = 0
            self.lead.kept()
            self._meet(label, names, "")
            return
        self._starts_missed += 1
        self.lead.missed()
        host, why = next(iter(missed.items()))
        if self._starts_missed == MOST_STARTS:
            raise HostLostError(host, f"{why}, for the {MOST_STARTS}th time in {label}")
        turn = next(t for t in self.plan.turns if (t.block, t.turn) == (label.block, label.turn))
        cell = next(cell for cell in self.plan.cells if cell.id == label.cell)
        self.say(f"{host}: {why}; the run begins again, {self.lead.seconds:.3g} s after it is told")
        self.tell(StartMissed(turn, cell, f"{host}: {why}"))
        for name in self._states.keys() - set(names):
            resting = self._states[name].armed
            assert resting is not None  # noqa: S101 - all others are at the meeting
            self._meet(resting, [name], AGAIN)
        self._meet(label, names, AGAIN)

    def _meet(self, label: Label, names: Sequence[str], offer: str) -> None:
        answers = self.hosts.answers(
            names, "pass_meeting", ANSWER_SECONDS, label=label.model_dump(), offer=offer
        )
        for name, passed in answers.items():
            if passed is not True:
                raise HostLostError(name, f"it did not come to {label}")
            del self._states[name]
        self._begin_waiting()

    def _resting(self) -> set[str]:
        """Hosts that take no part in the run that goes on; those whose rest is over go on."""
        labels = {
            name: state.armed
            for name, state in self._states.items()
            if state.armed is not None and state.armed.meeting == RESTING
        }
        others = [name for name in self.hosts.names if name not in labels]
        through = min((self._gathered.told_by(name) for name in others), default=0)
        for name, label in labels.items():
            if self._gathered.told_by(name) < through:
                self._meet(label, [name], "")
        return {name for name in labels if name in self._states}

    def _starts(self, runs: dict[str, RunRecord]) -> list[MachineStart]:
        """When each host began and ended, by this machine's clock; none of a run that failed."""
        found = {}
        for name, run in runs.items():
            own = run.parts[0].slices[0].result.common_start if run.parts else None
            if own is None:
                return []
            found[name] = own
        moments = {
            name: [own.started_at_ns, own.last_started_at_ns, own.ended_at_ns]
            for name, own in found.items()
        }
        here = self.clock.here(self.hosts.cluster, moments)
        return [
            MachineStart(
                machine=name,
                late_ns=first.peer_ns - planned_ns,
                last_late_ns=last.peer_ns - planned_ns,
                ended_ns=ended.peer_ns - planned_ns,
                bound_ns=max(each.bound_ns for each in here[name]),
                round_trip_ns=self.clock.readings[name].round_trip_ns,
                real_time=found[name].real_time,
                spun=found[name].spun,
            )
            for name in found
            for first, last, ended in [here[name]]
            for planned_ns in [self._start_ns + _begins_after_ns(runs[name])]
        ]

    def _begin_waiting(self) -> None:
        self._since, self._first_after = time.monotonic(), None

    def _require_patience(self, names: Sequence[str]) -> None:
        """Raise HostLostError where some of these hosts have waited for another for too long."""
        waiting = [name for name in names if self._is_settled(name)]
        took = time.monotonic() - self._since
        if not waiting:
            if took > LONGEST_REST_SECONDS:
                raise HostLostError(
                    names[0],
                    f"it has been at work for {format_duration(int(took * 1e9))}",
                    self.hosts.by_hand(names[0]),
                )
            return
        if self._first_after is None:
            self._first_after = took
        armed = self._states[waiting[0]].armed
        longest = max(_LEAST_PATIENCE_SECONDS, _PATIENCE * self._first_after)
        longest += armed.patience_seconds if armed is not None else 0.0
        if took > self._first_after + longest:
            late = next(name for name in names if name not in waiting)
            waited = format_duration(int((took - self._first_after) * 1e9))
            raise HostLostError(
                late,
                f"it is not ready, and {waiting[0]} has waited {waited} for it",
                self.hosts.by_hand(late),
            )


def _begins_after_ns(run: RunRecord) -> int:
    """How long after the others a group of a mix begins."""
    return run.load.start_after_ns if run.load is not None else 0


def pace(asked: float) -> None:
    """Wait before the hosts are asked again where that was just now, by the monotonic clock: one
    that answers at once, for ever, keeps no processor busy."""
    time.sleep(max(0.0, 1 / _LOOKS_A_SECOND - (time.monotonic() - asked)))
