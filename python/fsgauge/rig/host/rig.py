"""The host rig: this machine. Its storage, its engine, its ledger, its caches and its clean-up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from fsgauge import storage
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import Held
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.facts.noise import KeptNoise, file_system_at, keep_noise, kept_noise
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.ledger.ledger_folder import private_folder
from fsgauge.record.machine import StorageFacts, cached_direct_cautions
from fsgauge.rig.host.checks import (
    refused_systems,
    smallest_bytes,
)
from fsgauge.rig.host.direct import direct_in_cache, require_direct_device
from fsgauge.rig.host.preconditioning import preconditioned
from fsgauge.rig.host.prepared import AttachedStorage
from fsgauge.rig.host.rings import ring_cautions
from fsgauge.rig.host.session import HostSession
from fsgauge.rig.host.side_by_side import hindrance
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.trial import ScratchImage
from fsgauge.rig.host.used_folders import facts_of_folders, folders_seen, opened_folders
from fsgauge.rig.host.working_set import WorkingSet, working_set
from fsgauge.rig.refusing import each_once, refused_by, require_none
from fsgauge.rig.rig import FoldersSeen, Rig
from fsgauge.storage.device import Cleared
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, ShareStorage, Study
from fsgauge.study.reached import access_of

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
        """What the study says; of a device, what the machine says."""
        if isinstance(study.storage, DeviceStorage):
            device = device_at(study.storage.device)
            if device is None:
                raise InputError(f"{study.storage.device} is not a block device", next="lsblk")
            return device.size_bytes
        return study.storage.size

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """What a run would refuse here and now, all of it; a device is read for seconds only.

        Where the storage can be had, file systems are tried on a scratch image (trial.py).
        """

        def look_at_storage() -> None:
            storage.check(study.storage, destroy, smallest_bytes(study), _SHORT_LOOK_SECONDS)

        def look_at_ledgers() -> None:
            private_folder()

        def look_for_engine() -> None:
            self._with_engine()

        found = refused_by(iter([look_for_engine, look_at_ledgers]))
        of_storage = refused_by(iter([look_at_storage]))
        stands_in = isinstance(study.storage, DeviceStorage)
        with ScratchImage(study, self._engine, self._say) as trial:
            tried = trial.make if stands_in or not of_storage else None
            found += refused_systems(study, self._engine, tried)
            found += refused_by(iter([trial.look_at_image, trial.look_at_room]))
            self._tried_direct = trial.cached_direct
        return each_once([*found, *of_storage])

    def hindrance(self, study: Study) -> str:
        """Why systems cannot stand beside one another here; empty if they can."""
        return hindrance(study)

    def folders(self, study: Study) -> FoldersSeen:
        return folders_seen(study)

    def storage_cautions(self, study: Study) -> list[str]:
        return [*ring_cautions(study), *cached_direct_cautions(self._cached_direct(study))]

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise InputError, RefusedError or RigError for what cannot work; touch nothing.

        Folders are asked about direct I/O by a file without a name that is gone at once.
        """
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
        """What a run of this study last measured on its storage, else whatever measured there."""
        here = kept_noise(place_of(study))
        own = [kept for kept in here if kept.study == study.name]
        return max(own or here, key=lambda kept: kept.measured_unix_s, default=None)

    def keep_noise(self, study: Study, noise_percent: float, blocks: int, results: str) -> None:
        """Keep what a run of the study has measured, for the next plan on its storage."""
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
            stack.enter_context(engine.holding(*_held(base)))
            if base.device is not None:
                require_direct_device(study, base.device)
            places = stack.enter_context(ExitStack())
            opened = places.enter_context(opened_folders(study))
            room = working_set(study, base, ledger, engine, opened)
            if self._remounts:
                places.close()
            base = preconditioned(study, base, engine, self._say)
            attached = AttachedStorage(
                kind=study.storage.kind,
                device=base.device,
                directory=base.directory,
                size_bytes=base.size_bytes,
                file_size_bytes=room.file_size_bytes,
                facts=_facts(study, base.facts, room),
                file_sets=room.file_sets,
                places={} if self._remounts else opened,
            )
            yield HostSystems(attached, ledger, base, engine)

    def _cached_direct(self, study: Study) -> dict[str, str]:
        """Of folders here and now; of what is made, as the last trial found it."""
        if not isinstance(study.storage, PathStorage):
            return dict(self._tried_direct)
        places = {each.name: each.path or study.storage.path for each in study.systems}
        found = {name: direct_in_cache(study, place) for name, place in places.items()}
        return {name: words for name, words in found.items() if words}

    def _with_engine(self) -> Engine:
        self._engine = self._engine or Engine()
        return self._engine


def _facts(study: Study, facts: StorageFacts, room: WorkingSet) -> StorageFacts:
    """What the systems sit on, with what was found when each was made or entered."""
    found = facts_of_folders(study, facts)
    cautions = [*found.cautions, *ring_cautions(study)]
    return found.model_copy(
        update={"cautions": cautions, "cached_direct": dict(room.cached_direct)}
    )


def _held(base: storage.Base) -> list[Held]:
    """The devices that are claimed: the engine is given the claims."""
    return [held for each in (base, *base.beside) for held in each.claim.held]


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
