"""The host rig: this machine, its storage attached, blocks measured turn by turn, systems lent."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from fsgauge import storage
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult, ProbeJob
from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.facts.noise import KeptNoise, file_system_at, keep_noise, kept_noise
from fsgauge.machine.folder.marked_folder import remove_in
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.ledger.ledger_folder import private_folder
from fsgauge.machine.process.tool import find_tool, must_run, run_tool
from fsgauge.plain_files.opening import closing, names_in
from fsgauge.plan.cost import require_files_fit
from fsgauge.record.machine import StorageFacts, cached_direct_cautions
from fsgauge.record.records import Plan
from fsgauge.rig.happenings import Tell
from fsgauge.rig.host.checks import refused_systems, smallest_bytes
from fsgauge.rig.host.command_faults import require_program
from fsgauge.rig.host.direct import direct_in_cache, require_direct_device, without_direct
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.process_limits import ring_cautions
from fsgauge.rig.host.side_by_side import hindrance, measure_side_by_side
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.trial import ScratchImage
from fsgauge.rig.host.turn import measure_turn, preconditioned
from fsgauge.rig.host.turn_steps import Work
from fsgauge.rig.host.used_folders import facts_of_folders, folders_seen, opened_folders
from fsgauge.rig.host.working_set import WorkingSet, working_set
from fsgauge.rig.refusing import each_once, refused_by, require_none
from fsgauge.rig.rig import Change, FoldersSeen, Rig
from fsgauge.rig.session import Description, Session
from fsgauge.storage.base import typed
from fsgauge.storage.device import Cleared
from fsgauge.storage.path import fitting_bytes
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, ShareStorage, Study, System
from fsgauge.study.reached import access_of
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.folders import Place

_PROPOSED = re.compile(r"--set (?P<override>(?P<key>workload\.\w+)=[^\s,']+)")


def changes_for_folders(study: Study, engine: Callable[[], Engine]) -> list[Change]:
    """What gives way to the folders that a person named: the size, a number of the load that does
    not fit into it, direct I/O; none for what is refused in any case.

    A shipped study has a size for a disk with room, and most are about direct I/O. Folders without
    them are measured all the same, in a way that all of them have, and it is said.
    """
    if not isinstance(study.storage, PathStorage):
        return []
    places = list(dict.fromkeys(system.path or study.storage.path for system in study.systems))
    smaller, size_bytes = _smaller(places, study.storage.size)
    return [*smaller, *_fewer(study, size_bytes), *_buffered(study, places, engine)]


def _smaller(places: list[str], size_bytes: int) -> tuple[list[Change], int]:
    rooms: dict[str, int] = {}
    for place in places:
        with suppress(OSError):  # no folder, which is refused
            rooms[place] = fitting_bytes(place, size_bytes)
    least = min(rooms, key=rooms.__getitem__, default="")
    if not least or rooms[least] == size_bytes:
        return [], size_bytes
    fits, wanted = format_size(rooms[least]), format_size(size_bytes)
    why = f"{least} has no room for {wanted}, so {fits} of each folder is used"
    return [Change("storage.size", f"storage.size={typed(rooms[least])}", why)], rooms[least]


def _fewer(study: Study, size_bytes: int) -> list[Change]:
    """What the refusal of a load that is too large for so much space proposes, where that is a
    number of the load: fewer clients, fewer files."""
    try:
        require_files_fit(study, size_bytes)
    except InputError as error:
        proposed = _PROPOSED.search(error.next)
        if proposed is not None:
            why = f"{error.what}, more than {format_size(size_bytes)}"
            return [Change(proposed["key"], proposed["override"], why)]
    return []


def _buffered(study: Study, places: list[str], engine: Callable[[], Engine]) -> list[Change]:
    method = method_of(study.workload)
    options = shlex.split(method.buffered_instead())
    if not method.direct_sizes_bytes() or set(options[::2]) != {"--set"}:
        return []
    for place in places:
        with suppress(FsgaugeError):  # no engine, or no folder: refused
            reason, _ = without_direct(place, engine())
            if reason:
                kind = reason.partition(",")[0]
                why = (
                    f"{place} ({kind}) has no direct I/O, so all folders go through the page cache"
                )
                return [Change(each.partition("=")[0], each, why) for each in options[1::2]]
    return []


_SHORT_LOOK_SECONDS = 10.0
"""A device is read for so long by `refusals`; `check` takes a minute where that reads all of it."""


class HostRig(Rig):
    """This machine. Without an engine it takes the one that is installed, when it first needs it.

    `say` is told what people have to know about a device: what is destroyed, and what stays on it.
    """

    name = "host"
    keeps_noise = True

    def __init__(
        self,
        engine: Engine | None = None,
        say: Callable[[str], None] = lambda _: None,
        *,
        remounts: bool = False,
    ) -> None:
        """`remounts`: between two turns a rig above mounts another file system at a used folder."""
        self._engine = engine
        self._remounts = remounts
        self._say = say
        self._destroy: Consent | None = None
        self._tried_direct: Mapping[str, str] = {}
        self._cleared: list[Cleared] = []

    def size_bytes(self, study: Study) -> int:
        if isinstance(study.storage, DeviceStorage):
            device = device_at(study.storage.device)
            if device is None:
                raise InputError(
                    f"{study.storage.device} is not a block device",
                    cause="the name is mistyped, or the device was unplugged",
                    next="lsblk",
                )
            return device.size_bytes
        return study.storage.size

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """What a run would refuse here and now, all of it; a device is read for seconds only. Where
        the storage can be had, file systems are tried on a scratch image (trial.py)."""
        found = refused_by([self._with_engine, private_folder])
        of_storage = refused_by(
            [
                lambda: storage.check(
                    study.storage, destroy, smallest_bytes(study), _SHORT_LOOK_SECONDS
                )
            ]
        )
        stands_in = isinstance(study.storage, DeviceStorage)
        with ScratchImage(study, self._engine, self._say) as trial:
            tried = trial.make if stands_in or not of_storage else None
            found += refused_systems(study, self._engine, tried)
            found += refused_by([trial.look_at_image, trial.look_at_room])
            self._tried_direct = trial.cached_direct
        return each_once([*found, *of_storage])

    def refused_alone(
        self, study: Study, destroy: Consent | None = None
    ) -> dict[str, list[FsgaugeError]]:
        """Where the program of the load is not there, no file system is made."""
        missing = refused_by([lambda: require_program(study)])
        if missing:
            return {each.name: missing for each in study.systems}
        return super().refused_alone(study, destroy)

    def hindrance(self, study: Study) -> str:
        return hindrance(study)

    def changes(self, study: Study) -> list[Change]:
        return changes_for_folders(study, self._with_engine)

    def folders(self, study: Study) -> FoldersSeen:
        return folders_seen(study)

    def storage_cautions(self, study: Study) -> list[str]:
        return [*ring_cautions(study), *cached_direct_cautions(self._cached_direct(study))]

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise InputError, RefusedError or RigError for what cannot work; touch nothing. Folders
        are asked about direct I/O by a file without a name that is gone at once."""
        cleared: list[Cleared] = []

        def look_at_storage() -> None:
            smallest = smallest_bytes(study)
            cleared.extend(storage.check(study.storage, destroy, smallest, say=self._say))

        refused = refused_systems(study, self._with_engine())
        if not (refused and isinstance(study.storage, DeviceStorage)):  # a minute of reading
            refused += refused_by([look_at_storage])
        require_none(each_once(refused))
        self._cleared, self._destroy = cleared, destroy

    def last_noise(self, study: Study) -> KeptNoise | None:
        here = kept_noise(place_of(study))
        own = [kept for kept in here if kept.study == study.name]
        return max(own or here, key=lambda kept: kept.measured_unix_s, default=None)

    def keep_noise(self, study: Study, noise_percent: float, blocks: int, results: str) -> None:
        kept = KeptNoise(noise_percent, study.name, blocks, results, time.time())
        keep_noise(place_of(study), kept)

    @contextmanager
    def opened(self, study: Study) -> Iterator[HostSession]:
        with self.systems(study) as systems:
            yield HostSession(study, systems, self._with_engine())

    @contextmanager
    def systems(self, study: Study) -> Iterator[HostSystems]:
        """Attach the storage and find the file size that fits every system."""
        engine = self._with_engine()
        with ExitStack() as stack:
            ledger = stack.enter_context(opened_ledger())
            base = stack.enter_context(
                storage.attach(study.storage, ledger, self._destroy, self._cleared, self._say)
            )
            claimed = [held for each in (base, *base.beside) for held in each.claim.held]
            stack.enter_context(engine.holding(*claimed))
            if base.device is not None:
                require_direct_device(study, base.device)
            places = stack.enter_context(ExitStack())
            opened = places.enter_context(opened_folders(study))
            room = working_set(study, base, ledger, engine, opened)
            if self._remounts:
                places.close()
                room = replace(room, cached_direct={})  # the folders become the systems' later
            base = preconditioned(study, base, engine, self._say)
            base = replace(base, facts=_facts(study, base.facts, room))
            places_used = {} if self._remounts else opened
            yield HostSystems(base, room, ledger, engine, places_used, stack)

    def _cached_direct(self, study: Study) -> dict[str, str]:
        """Of folders here and now; of what is made, as the last trial found it."""
        if not isinstance(study.storage, PathStorage):
            return dict(self._tried_direct)
        if self._remounts:
            return {}
        places = {each.name: each.path or study.storage.path for each in study.systems}
        found = {name: direct_in_cache(study, place) for name, place in places.items()}
        return {name: words for name, words in found.items() if words}

    def _with_engine(self) -> Engine:
        self._engine = self._engine or Engine()
        return self._engine


def _facts(study: Study, facts: StorageFacts, room: WorkingSet) -> StorageFacts:
    found = facts_of_folders(study, facts)
    cautions = [*found.cautions, *ring_cautions(study)]
    return found.model_copy(
        update={"cautions": cautions, "cached_direct": dict(room.cached_direct)}
    )


def place_of(study: Study) -> str:
    """What tells the storage of one study from another's: the file system or device below it."""
    storage = study.storage
    if isinstance(storage, LoopStorage):
        return file_system_at(storage.directory)
    if isinstance(storage, PathStorage):
        return file_system_at(study.systems[0].path or storage.path)
    if isinstance(storage, DeviceStorage):
        return f"device {' '.join(sorted(map(os.path.realpath, storage.devices)))}"
    if isinstance(storage, ShareStorage):
        return f"share {access_of(study, study.systems[0]).share}"
    return "memory"


@dataclass
class HostLent:
    """A system of this machine, lent; see LentSystem."""

    target: Place
    _prepared: PreparedSystem

    _systems: HostSystems
    _engine: Engine

    @property
    def pinned(self) -> Place:
        return self._prepared.pinned

    def settle(self) -> str:
        return self._systems.settle(self._prepared)[0]

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        return self._engine.load(job)

    def load_at_once(self, loads: Sequence[LoadJob], *, lay_out: bool = False) -> list[LoadResult]:
        return self._engine.mix(loads, lay_out=lay_out)

    @property
    def is_root(self) -> bool:
        return os.geteuid() == 0

    def program(self, name: str, file: Path | None) -> str | None:
        return find_tool(str(file) if file else name)

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        return must_run(list(command), what=what, seconds=seconds).output

    def words(self, command: Sequence[str]) -> str:
        return run_tool(list(command)).words

    def remove(self, names: Sequence[str]) -> None:
        if not isinstance(self.pinned, FilesTarget):
            return
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        with closing(os.open(self.pinned.directory, flags)) as folder:
            for left in names_in(folder):
                if any(fnmatchcase(left, name) for name in names):
                    remove_in(folder, left)


class HostSession(Session):
    lends = lends_here = True

    def __init__(self, study: Study, systems: HostSystems, engine: Engine) -> None:
        self._study = study
        self._systems = systems
        self._engine = engine

    def describe(self) -> Description:
        machines = [self._systems.machine(self._study)]
        return Description(self._systems.working_set.size_bytes, self._build, machines)

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        work = Work(self._study, plan, self._systems, self._engine, tell)
        turns = [turn for turn in plan.turns if turn.block == block]
        if plan.side_by_side:
            measure_side_by_side(work, turns)
            return
        for turn in turns:
            measure_turn(work, turn)

    @contextmanager
    def lent(self, system: System) -> Iterator[HostLent]:
        with self._systems.prepare(self._study, system) as prepared:
            yield HostLent(prepared.target, prepared, self._systems, self._engine)

    @cached_property
    def _build(self) -> EngineBuild:
        return self._engine.probe(ProbeJob(without_costs=True)).engine
