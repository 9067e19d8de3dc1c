"""The host rig: this machine. Its storage, its engine, its ledger, its caches and its clean-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fsgauge import storage
from fsgauge.engine import Engine
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.rig.host.beside import hindrance
from fsgauge.rig.host.checks import check_systems, smallest_bytes
from fsgauge.rig.host.device.block_device import device_at
from fsgauge.rig.host.device.consent import Consent
from fsgauge.rig.host.direct import require_direct_device, require_direct_files
from fsgauge.rig.host.ledger.ledger import opened_ledger
from fsgauge.rig.host.preconditioning import preconditioned
from fsgauge.rig.host.prepared import AttachedStorage
from fsgauge.rig.host.session import HostSession
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.used_folders import facts_of_folders
from fsgauge.rig.host.working_set import working_set
from fsgauge.storage.device import Cleared
from fsgauge.study.model import DeviceStorage, PathStorage, Study

_SHORT_LOOK_SECONDS = 10.0
"""A device is read for so long by `refusals`; `check` takes a minute where that reads all of it."""


class HostRig:
    """This machine. Without an engine it takes the one that is installed, when it first needs it.

    `say` is told what people have to know about a device: what is destroyed, and what stays on it.
    """

    name = "host"

    def __init__(
        self, engine: Engine | None = None, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._engine = engine
        self._say = say
        self._destroy: Consent | None = None
        self._cleared: Cleared | None = None

    def size_bytes(self, study: Study) -> int:
        """What the study says; of a device, what the machine says."""
        if isinstance(study.storage, DeviceStorage):
            device = device_at(study.storage.device)
            if device is None:
                raise InputError(f"{study.storage.device} is not a block device", next="lsblk")
            return device.size_bytes
        return study.storage.size

    def refusals(self, study: Study) -> list[FsgaugeError]:
        """What would be refused here and now, what `check` meets first before."""

        def look_at_systems() -> None:
            check_systems(study)

        def look_at_storage() -> None:
            storage.check(study.storage, None, smallest_bytes(study), _SHORT_LOOK_SECONDS)

        found: list[FsgaugeError] = []
        for look in (look_at_systems, look_at_storage):
            try:
                look()
            except FsgaugeError as error:
                found.append(error)
        return found

    def hindrance(self, study: Study) -> str:
        """Why systems cannot stand beside one another here; empty if they can."""
        return hindrance(study)

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise InputError, RefusedError or RigError for what cannot work; touch nothing.

        Folders are asked about direct I/O by a file without a name that is gone at once.
        """
        engine = self._with_engine()
        check_systems(study)
        self._cleared = storage.check(study.storage, destroy, smallest_bytes(study), say=self._say)
        if isinstance(study.storage, PathStorage):
            for system in study.systems:
                place = system.path or study.storage.path
                require_direct_files(study, system, place, engine)
        self._destroy = destroy

    @contextmanager
    def opened(self, study: Study) -> Iterator[HostSession]:
        """The storage, attached for the study's blocks."""
        with self.systems(study) as systems:
            yield HostSession(study, systems, self._with_engine())

    @contextmanager
    def systems(self, study: Study) -> Iterator[HostSystems]:
        """Attach the storage and find the file size that fits every system."""
        engine = self._with_engine()
        with (
            opened_ledger() as ledger,
            storage.attach(study.storage, ledger, self._destroy, self._cleared, self._say) as base,
        ):
            if base.device is not None:
                require_direct_device(study, base.device)
            room = working_set(study, base, ledger, engine)
            base = preconditioned(study, base, engine, self._say)
            attached = AttachedStorage(
                kind=study.storage.kind,
                device=base.device,
                directory=base.directory,
                size_bytes=base.size_bytes,
                file_size_bytes=room.file_size_bytes,
                facts=facts_of_folders(study, base.facts),
                file_sets=room.file_sets,
            )
            yield HostSystems(attached, ledger, base, engine)

    def _with_engine(self) -> Engine:
        self._engine = self._engine or Engine()
        return self._engine
