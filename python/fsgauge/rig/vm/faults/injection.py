"""The faults of a run, carried out while it goes on: each by a thread of its own, and bounded.

Times count from the beginning of the load. Where that is not told, they count from the run's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from fsgauge.engine.wire import IntervalEvent
from fsgauge.errors import FsgaugeError
from fsgauge.record.strikes import Strike, Struck
from fsgauge.rig.happenings import Happening, LoadBegins
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.faults.power import power_on, stands_again
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.node import BOOT_SECONDS, BOOT_TIMES
from fsgauge.study.model import System

_NOT_TOLD_SECONDS = 20.0
"""A load that has not told its beginning by then began with its run."""
_UNDO_SECONDS = 600.0


@dataclass
class _Injected:
    strike: Strike
    began: float | None = None
    ended: float | None = None
    back: float | None = None
    words: list[str] = field(default_factory=list)
    fault: str = ""
    is_over: threading.Event = field(default_factory=threading.Event)


class Injection:
    """The strikes of one run. `begin` starts them, `finish` undoes what is left and tells them."""

    def __init__(
        self,
        group: NodeGroup,
        strikes: Sequence[Strike],
        system: System,
        stood: SystemOverNodes | None,
    ) -> None:
        self._group, self._system, self._stood = group, system, stood
        self._injected = [_Injected(strike) for strike in strikes]
        self._over = threading.Event()
        self._told = threading.Event()
        self._begun = self._zero = 0.0
        self._threads = [
            threading.Thread(target=self._carry_out, args=(one,), name="strike", daemon=True)
            for one in self._injected
        ]

    def begin(self) -> None:
        self._begun = self._zero = time.monotonic()
        for thread in self._threads:
            thread.start()

    def hear(self, happening: Happening) -> None:
        """What is told while the run goes on: when its load began."""
        now = time.monotonic()
        if self._told.is_set():
            return
        if isinstance(happening, LoadBegins):
            self._zero = now + happening.ahead_seconds
            self._told.set()
        elif isinstance(happening, IntervalEvent):
            self._zero = now - (happening.start_ns + happening.elapsed_ns) / 1e9
            self._told.set()

    @property
    def is_over(self) -> bool:
        """Whether all of it has been carried out and undone, or could not be."""
        return all(each.is_over.is_set() for each in self._injected)

    def finish(self) -> list[Struck]:
        """The run has ended: what goes on is undone now."""
        self._over.set()
        boot_seconds = BOOT_TIMES * max(BOOT_SECONDS.values())
        ends = time.monotonic() + _UNDO_SECONDS * self._group.slowness + boot_seconds
        if self._begun:
            for one in self._injected:
                one.is_over.wait(max(0.0, ends - time.monotonic()))
        return [self._as_it_was(one) for one in self._injected]

    def _as_it_was(self, one: _Injected) -> Struck:
        def since(moment: float | None) -> int | None:
            return None if moment is None else round((moment - self._zero) * 1e9)

        return Struck(
            strike=one.strike,
            began_ns=since(one.began),
            ended_ns=since(one.ended),
            back_ns=since(one.back),
            words=one.words,
            fault=one.fault,
        )

    def _carry_out(self, one: _Injected) -> None:
        """By a thread that lives as long as the nodes: what it has started dies with it."""
        try:
            self._all_of(one)
        finally:
            one.is_over.set()
        if one.back is not None:
            self._group.ended.wait()

    def _all_of(self, one: _Injected) -> None:
        try:
            if not self._wait_for_begin(one.strike.at_ns / 1e9):
                return
            one.began = time.monotonic()
            self._strike(one.strike)
            if one.strike.kind == "power_off":
                time.sleep(one.strike.for_ns / 1e9)  # a run that it ended is no reason to hurry
            else:
                self._over.wait(one.strike.for_ns / 1e9)
            one.ended = time.monotonic()
            self._undo(one)
        except FsgaugeError as error:
            one.fault = error.with_last_words
        except OSError as error:
            one.fault = str(error)
        except Exception as error:  # a thread's traceback would reach the user
            one.fault = f"fsgauge itself failed: {type(error).__name__}: {error}"

    def _wait_for_begin(self, seconds: float) -> bool:
        """Until so long after the load's beginning; False where the run has ended before."""
        ends = time.monotonic() + _NOT_TOLD_SECONDS
        while not self._told.is_set() and time.monotonic() < ends and not self._over.is_set():
            self._told.wait(0.1)
        return not self._over.wait(max(0.0, self._zero + seconds - time.monotonic()))

    def _strike(self, strike: Strike) -> None:
        at = strike.number - 1
        node = self._group.nodes[at]
        match strike.kind:
            case "power_off":
                node.power_off()
            case "link_cut":
                self._cut(at, is_cut=True)
            case "disk_error":
                for disk in node.spec.disks:
                    node.monitor.spoil_disk(disk)
            case "slow_disk":
                self._group.limit_node(at, self._group.slowed(strike.operations_per_second))

    def _undo(self, one: _Injected) -> None:
        at = one.strike.number - 1
        node = self._group.nodes[at]
        match one.strike.kind:
            case "power_off":
                one.words += power_on(self._group, at)
                said = stands_again(self._group, at, self._system, self._stood)
                one.words += [said] if said else []
                node.has_returned()
                one.back = time.monotonic()
            case "link_cut":
                self._cut(at, is_cut=False)
            case "disk_error":
                for disk in node.spec.disks:
                    node.monitor.mend_disk(disk)
            case "slow_disk":
                self._group.limit_node(at)

    def _cut(self, at: int, *, is_cut: bool) -> None:
        if self._group.switch is not None:
            self._group.switch.cut(at, is_cut=is_cut)
