"""A study on the virtual rig: its machines, and blocks that they measure.

A machine that is lost makes its block void; it is started anew, with those that were together with
it, and the block is measured again, at most twice. Then its missing runs have failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial

from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.plan.estimate import block_seconds
from fsgauge.plan.space import times_held
from fsgauge.record.records import Plan, Turn, TurnRecord
from fsgauge.rig.happenings import MOST_REPEATS, BlockGivenUp, BlockVoid, NotRemoved, Tell
from fsgauge.rig.session import Description, Session
from fsgauge.rig.vm.arrangement.roles import FOLDER, arrangement_of, arrangements, is_arranged
from fsgauge.rig.vm.arrangement.standing import Remains, SystemOverNodes, TeardownError, standing
from fsgauge.rig.vm.disks import in_folder, in_guest, kernels_of, limits_of, storage_of
from fsgauge.rig.vm.facts import Telling, described, machine_below
from fsgauge.rig.vm.faults.failed_runs import (
    RecordedTurns,
    StruckTurn,
    failed_runs,
    fault_of,
    is_of_system,
)
from fsgauge.rig.vm.faults.injection import Injection
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.lending import GuestLent, lent_by
from fsgauge.rig.vm.measuring import Prepared, filled_in, measuring, refused_in_guests
from fsgauge.rig.vm.network import shape_of
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.study.model import Study, System
from fsgauge.workload import method_of

_PATIENCE = 30.0
"""A block may take so many times as long as is expected, and no less than an hour."""
_LEAST_SECONDS = 3600.0
_LEAST_OF_FAILING_SECONDS = 900.0
"""The same of one turn where a system that hangs is a result."""
_USED_PERCENT = 97


class _Over(NodeLostError):
    """A struck turn has what it can have, and its nodes are not what they were."""

    def __init__(self) -> None:
        super().__init__("the nodes were struck")


class VmSession(Session):
    """The study prepared on its nodes, or on as many for each kernel that its systems ask for.

    `start` makes new nodes of a kernel, up and with empty disks, which keep logs of what is written
    to them where that is asked for.
    """

    lends = True

    def __init__(
        self,
        study: Study,
        disks: list[str],
        start: Callable[[str | None, bool], NodeGroup],
        say: Callable[[str], None],
    ) -> None:
        self._study, self._disks = study, disks
        self._limits, self._start, self._say = limits_of(study), start, say
        self._is_arranged = is_arranged(study)
        self._has_device = any(each.is_device for each in arrangements(study))
        self._by_kernel: dict[str | None, Prepared] = {}
        self._room_bytes = 0
        self._failed: set[str] = set()
        """Systems that could not be set up when they were tried."""
        self.has_logs = False
        """Whether disks of nodes that are started keep logs of what is written to them."""
        self._made: dict[str, TurnRecord] = {}
        self._gave_up = False
        """Whether the block before was given up."""

    def prepare(self) -> None:
        """Start the machines that are missing, attach the storage in each, limit its disks.

        Raises what a guest refuses."""
        try:
            self._prepare_all()
        except TeardownError as error:
            self._say(error.with_last_words)
            self._end_lost()
            self._prepare_all()

    def _prepare_all(self) -> None:
        for kernel in kernels_of(self._study):
            self._group(kernel)
        if self._is_arranged and not self._has_device and not self._room_bytes:
            self._room_bytes = self._least_room()
            for kernel in kernels_of(self._study):
                self._group(kernel)
        for kernel, prepared in self._by_kernel.items():
            if not prepared.is_ready:
                self._attach(kernel, prepared)

    def try_out(self, system: System) -> float:
        """Make one system and fill it, in a study of its own; gives the seconds that this took."""
        return filled_in(self._group(kernels_of(self._study)[0]), self._study, self._disks, system)

    def refused_alone(self) -> dict[str, list[FsgaugeError]]:
        """What a guest refuses of each system by itself; {} where all can be made."""
        return refused_in_guests(self._study, self._disks, self._group)

    def standing(
        self, system: System, remains: Remains = lambda _: None
    ) -> AbstractContextManager[SystemOverNodes]:
        """A system set up on its nodes, not measured; on new ones if the last was not removed."""
        self._end_lost()
        found, size_bytes = arrangement_of(self._study, system), storage_of(self._study).size
        return standing(self._group(system.kernel), found, size_bytes, remains)

    @contextmanager
    def lent(self, system: System) -> Iterator[GuestLent]:
        prepared = self._by_kernel[system.kernel]
        try:
            with self._stood(system) as stood:
                self._shape(prepared.group, system)
                if stood is not None:
                    stood.count()  # nothing of the system before is counted
                with lent_by(prepared.group, system) as lent:
                    yield lent
                if stood is not None:
                    stood.require_held()
        except TeardownError as error:
            self._say(error.with_last_words)
            self._renew()

    def describe(self) -> Description:
        found = [
            (each.group, each.measuring.describe(), each.group.bystanders())
            for each in self._by_kernel.values()
        ]
        machines = described(self._study, found, self._limits)
        machines.append(machine_below({each.name for each in machines}))
        return Description(
            size_bytes=min(each.size_bytes for _, each, _ in found),
            engine=found[0][1].engine,
            machines=machines,
        )

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """One block; where a machine is lost it is void, and measured again; where the kind of
        study outlives that, the turn has failed, and the next one begins.

        Lost for the third time, the block keeps what it has and the rest of it has failed. If the
        next one is lost as well, the study ends.
        """
        repeats = 0 if self._gave_up else MOST_REPEATS
        for left in range(repeats, -1, -1):
            heard = RecordedTurns(tell, self._made)
            try:
                self._measure_block(plan, block, heard)
                self._gave_up = False
                return
            except NodeLostError as error:
                self._say(error.in_short)
                if left and not isinstance(error, NotUpError):
                    tell(BlockVoid(block, error.what, error.details))
                    self._renew()
                    continue
                self._give_up(plan, block, heard, tell, error)
                self._renew()
                return

    def _measure_block(self, plan: Plan, block: int, tell: Tell) -> None:
        struck = [turn for turn in plan.struck if turn.block == block]
        for turn in struck:
            self._strike(plan, turn, tell)
        if struck:
            self._keep_logs(wanted=False)
            return
        measure = self._measure_or_fail if self._outlives_faults else self._measure
        for prepared, system, part in self._parts(plan, block):
            measure(prepared, system, part, block, tell)

    def _give_up(
        self, plan: Plan, block: int, heard: RecordedTurns, tell: Tell, error: NodeLostError
    ) -> None:
        """What the block lacks has failed; raises the error where the study has to end."""
        tell(BlockGivenUp(block, error.what, error.details))
        turns = [turn for turn in plan.turns if turn.block == block]
        if self._gave_up or not turns or not self._made:
            raise error
        self._gave_up = True
        for record in failed_runs(self._study, plan, turns, heard, fault_of(error)):
            tell(record)

    @property
    def _outlives_faults(self) -> bool:
        return self._is_arranged and method_of(self._study.workload).outlives_faults

    def _measure_or_fail(
        self, prepared: Prepared, system: System | None, plan: Plan, block: int, tell: Tell
    ) -> None:
        heard = RecordedTurns(tell, self._made)
        try:
            self._measure(prepared, system, plan, block, heard)
            return
        except FsgaugeError as error:
            if isinstance(error, NotUpError) or not is_of_system(error, heard):
                raise
            fault = fault_of(error)
            self._say(fault.what)
        for record in failed_runs(self._study, plan, plan.turns, heard, fault):
            tell(record)
        if prepared.group.is_lost:
            self._renew()

    def _parts(self, plan: Plan, block: int) -> Iterator[tuple[Prepared, System | None, Plan]]:
        """Which machines measure what of a block: all of it, or a turn at a time, with the system
        that is set up for it."""
        is_shaped_apart = any(each.rig and each.rig.network for each in self._study.systems)
        if len(self._by_kernel) == 1 and not self._is_arranged and not is_shaped_apart:
            yield next(iter(self._by_kernel.values())), None, plan
            return
        systems = {system.name: system for system in self._study.systems}
        for turn in plan.turns:
            if turn.block == block:
                system = systems[turn.system]
                part = plan.model_copy(update={"turns": [turn]})
                yield self._by_kernel[system.kernel], system, part

    def _strike(self, plan: Plan, turn: Turn, tell: Tell) -> None:
        """One turn whose last run is struck; nodes that it costs are started anew before the next
        one."""
        self._keep_logs(wanted=any(strike.loses_unflushed for strike in turn.strikes))
        system = next(each for each in self._study.systems if each.name == turn.system)
        prepared = self._by_kernel[system.kernel]
        part = plan.of_turn(turn)
        told: StruckTurn | None = None
        try:
            with self._stood(system, partial(self._not_removed, [turn], tell)) as stood:
                injection = Injection(prepared.group, turn.strikes, system, stood)
                telling = Telling(prepared.group, stood, tell)
                told = StruckTurn(self._study, part, turn, injection, telling)
                try:
                    self._measure_on(prepared, system, stood, part, turn.block, told)
                except (Interrupted, InputError):
                    raise
                except FsgaugeError as error:
                    if not told.cut_short(error):
                        raise
                    self._say(f"{system.name}: {error.what}")
                    prepared.group.give_up()
                    raise _Over from error
                if any(each.fault or each.back_ns is not None for each in told.struck):
                    prepared.group.give_up()
                    raise _Over
        except TeardownError as error:
            self._not_removed([turn], tell, error)
        except NodeLostError as error:
            if told is None or not told.is_told:
                raise
            prepared.group.give_up()
            if not isinstance(error, _Over):
                self._say(error.what)

    def _not_removed(self, turns: Sequence[Turn], tell: Tell, error: TeardownError) -> None:
        """What is left of a system after its turns is a finding, whatever became of them."""
        self._say(error.with_last_words)
        for turn in turns:
            tell(NotRemoved(turn, error.with_last_words))

    @contextmanager
    def _stood(
        self, system: System | None, remains: Remains = lambda _: None
    ) -> Iterator[SystemOverNodes | None]:
        if system is None or not self._is_arranged:
            yield None
            return
        if (volume := self._by_kernel[system.kernel].volume) is not None:
            yield replace(volume, found=arrangement_of(self._study, system))
            return
        with self.standing(system, remains) as stood:
            yield stood

    def _keep_logs(self, *, wanted: bool) -> None:
        self.has_logs = wanted
        for prepared in self._by_kernel.values():
            if prepared.has_logs or wanted:
                prepared.group.give_up()
        self._renew()

    def _renew(self) -> None:
        self._end_lost()
        self.prepare()

    def _end_lost(self) -> None:
        for kernel, prepared in list(self._by_kernel.items()):
            if prepared.group.is_lost:
                prepared.group.end()
                del self._by_kernel[kernel]

    def _group(self, kernel: str | None) -> NodeGroup:
        if kernel not in self._by_kernel:
            group = self._start(kernel, self.has_logs)
            self._by_kernel[kernel] = Prepared(group, measuring(group), self.has_logs)
            group.join(self._limits.latency_ns)
        return self._by_kernel[kernel].group

    def _attach(self, kernel: str | None, prepared: Prepared) -> None:
        if not self._is_arranged:
            prepared.take(in_guest(self._study, self._disks), self._limits)
        elif self._has_device:
            prepared.take(prepared.on_volume(self._study), self._limits)
        else:
            with self.standing(self._first_of(kernel)):
                prepared.take(in_folder(self._study, FOLDER, self._room_bytes), self._limits)

    def _first_of(self, kernel: str | None) -> System:
        of_kernel = [each for each in self._study.systems if each.kernel == kernel]
        return next((each for each in of_kernel if each.name not in self._failed), of_kernel[0])

    def _least_room(self) -> int:
        """The room of the system that has least. One that cannot be set up has none, where the
        study goes on without it; RigError where that is every one."""
        rooms = []
        for system in self._study.systems:
            try:
                rooms.append(self._room_of(system))
            except FsgaugeError as error:
                last = len(self._failed) == len(self._study.systems) - 1
                if last or not self._outlives_faults or isinstance(error, Interrupted | NotUpError):
                    raise
                self._failed.add(system.name)
                self._say(f'"{system.name}" fails: {fault_of(error).what}')
                self._end_lost()
        return min(rooms)

    def _room_of(self, system: System) -> int:
        """What a system has for its files, tried once; a little stays free."""
        room_bytes = 0
        try:
            with self.standing(system) as stood:
                room_bytes = stood.room_bytes()
        except TeardownError as error:
            self._say(error.with_last_words)
            self._end_lost()
        return room_bytes // times_held(self._study, system) * _USED_PERCENT // 100 >> 20 << 20

    def _measure(
        self, prepared: Prepared, system: System | None, plan: Plan, block: int, tell: Tell
    ) -> None:
        turns = [turn for turn in plan.turns if turn.block == block]
        try:
            with self._stood(system, partial(self._not_removed, turns, tell)) as stood:
                telling = Telling(prepared.group, stood, tell)
                self._measure_on(prepared, system, stood, plan, block, telling)
        except TeardownError as error:
            self._not_removed(turns, tell, error)
            self._renew()

    def _measure_on(
        self,
        prepared: Prepared,
        system: System | None,
        stood: SystemOverNodes | None,
        plan: Plan,
        block: int,
        tell: Tell,
    ) -> None:
        group, size_bytes = prepared.group, storage_of(self._study).size
        expected = block_seconds(self._study, size_bytes, side_by_side=plan.side_by_side)
        least = _LEAST_OF_FAILING_SECONDS if self._outlives_faults else _LEAST_SECONDS
        seconds = max(least, _PATIENCE * expected)
        self._shape(group, system)
        if stood is not None:
            if any(turn.strikes for turn in plan.turns):
                stood.let_go()
            stood.count()
            stood.read_parameters()
            if self._study.rig is not None:
                stood.before_runs(self._study.rig)
        prepared.measuring.measure(plan, block, tell, seconds)

    def _shape(self, group: NodeGroup, system: System | None) -> None:
        if group.switch is not None:
            group.switch.shape(shape_of(self._study, system))
