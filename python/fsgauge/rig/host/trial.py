"""What mkfs and the kernel refuse of a study's systems, found before the study begins.

Each system is made once on a scratch image, mounted, asked what its load needs, and removed. A run
does the same before it measures (working_set.py), so both find the same. Storage in a file or in
memory is that of the study; for a device a sparse file stands in, since nothing may touch a device
before its consent. An ordinary user cannot mount, so there mkfs is tried alone. All that is made is
in a ledger first, and all trials together end in time (`TRIAL_SECONDS`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from fsgauge import storage
from fsgauge.engine.client import Engine
from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.ledger.ledger import Ledger, opened_ledger
from fsgauge.machine.process.tool import NotInTime
from fsgauge.rig.host.checks import known_kind
from fsgauge.rig.host.direct import direct_in_cache, require_direct_device
from fsgauge.rig.host.formatted import formatted, make
from fsgauge.rig.host.working_set import fitting, room_of
from fsgauge.storage import Base, loop
from fsgauge.storage.base import free_bytes
from fsgauge.study.model import DeviceStorage, LoopStorage, RamStorage, Study, System
from fsgauge.study.tunable_places import DEVICE, place_of
from fsgauge.system import FileSystem
from fsgauge.units import format_size, some_of
from fsgauge.workload.assumed import Room

TRIAL_SECONDS = 20.0
"""Of up to `PER_SYSTEMS` systems; of more, as a race has, longer by as much."""
PER_SYSTEMS = 20
_NAMED = 4
"""Systems that were not tried, by name; of more it says the number."""
_LARGEST_STAND_IN_BYTES = 64 << 30
_SMALLEST_STAND_IN_BYTES = 1 << 30
_SHARE_OF_ROOM = 0.5
_ROUND_BYTES = 1 << 20


class ScratchImage:
    """The scratch image of one study's trials, made when the first system is tried. `say` is told
    what could not be tried, and what could not be undone."""

    def __init__(self, study: Study, engine: Engine | None, say: Callable[[str], None]) -> None:
        self._study, self._engine, self._say = study, engine, say
        self._stack = ExitStack()
        self._begun = time.monotonic()
        self._seconds = TRIAL_SECONDS * max(1.0, len(study.systems) / PER_SYSTEMS)
        self._image: Callable[[System, FileSystem], None] | None = None
        self._no_image: FsgaugeError | None = None
        self._untried: list[str] = []
        self._rooms: list[Room] = []
        self.cached_direct: dict[str, str] = {}
        self._size_bytes = 0
        self._stands_in = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._stack.__exit__(kind, error, trace)
        except FsgaugeError as left:
            if error is not None:
                raise
            self._say(f"warning: {left.what}")
        if self._untried:
            names = some_of([f'"{name}"' for name in self._untried], _NAMED)
            self._say(f"not tried in {self._seconds:g} s, so mkfs or mount may refuse it: {names}")

    def make(self, system: System, kind: FileSystem) -> None:
        """Raise what mkfs, the kernel or the load refuses of a system; it is gone afterwards."""
        if self._no_image is not None:
            return
        try:
            self._image = self._image or self._attached()
        except FsgaugeError as error:  # no fault of this system
            self._no_image = error
            return
        try:
            self._image(system, kind)
        except NotInTime:
            self._untried.append(system.name)
        except FsgaugeError as error:
            error.details += (self._stands_in,) if self._stands_in else ()
            raise

    def look_at_image(self) -> None:
        """Raise why there is no image, where a run would have none either."""
        if self._no_image is None:
            return
        if os.geteuid() == 0 and not self._stands_in:
            raise self._no_image
        self._say(f"mkfs and mount are not tried: {self._no_image.what}")

    def look_at_room(self) -> None:
        """Raise what does not fit, once every file system was made and its room is known."""
        made = [
            each
            for each in self._study.systems
            if isinstance(known_kind(self._study, each), FileSystem)
        ]
        if made and len(self._rooms) == len(made) and not self._stands_in:
            fitting(self._study, self._rooms, self._size_bytes)

    def _attached(self) -> Callable[[System, FileSystem], None]:
        ledger = self._stack.enter_context(opened_ledger())
        chosen, self._stands_in = _image_of(self._study)
        if os.geteuid() != 0:
            place = Path(LoopStorage().directory)
            file = self._stack.enter_context(ledger.folder(place, "trial")) / "image"
            return lambda system, kind: self._make_only(system, kind, file, chosen.size)
        base = self._stack.enter_context(storage.attach(chosen, ledger, None))
        if base.device is not None and not self._stands_in:
            require_direct_device(self._study, base.device)
        self._size_bytes = base.size_bytes
        return lambda system, kind: self._make_and_mount(system, kind, base, ledger)

    def _make_only(self, system: System, kind: FileSystem, file: Path, size_bytes: int) -> None:
        loop.make_file(file, size_bytes, preallocate=False)
        try:
            make(kind, system, str(file), seconds=self._seconds_left())
        finally:
            file.unlink()

    def _make_and_mount(self, system: System, kind: FileSystem, base: Base, ledger: Ledger) -> None:
        tried = system.model_copy(update={"tunables": self._tried_tunables(system)})
        with formatted(kind, tried, base, ledger, self._seconds_left()) as made:
            self._rooms.append(room_of(self._study, system, made.directory, self._engine))
            if words := direct_in_cache(self._study, str(made.directory)):
                self.cached_direct[system.name] = words

    def _tried_tunables(self, system: System) -> dict[str, str]:
        """Those of the image's own device: a trial changes nothing of the machine."""
        return {
            key: value
            for key, value in system.tunables.items()
            if not self._stands_in and (place := place_of(key)) and place.device == DEVICE
        }

    def _seconds_left(self) -> float:
        left = self._begun + self._seconds - time.monotonic()
        if left < 1:
            raise NotInTime(
                "the trials took all their time",
                cause="this machine is busy",
                next="fsgauge plan, again when it is quieter",
            )
        return left


def _image_of(study: Study) -> tuple[LoopStorage | RamStorage, str]:
    given = study.storage
    if isinstance(given, LoopStorage):
        return given.model_copy(update={"preallocate": False}), ""
    if isinstance(given, RamStorage) and os.geteuid() == 0:
        return given, ""
    image = LoopStorage()
    if not isinstance(given, DeviceStorage):
        return image.model_copy(update={"size": given.size}), ""
    device = device_at(given.device)
    fits = int(free_bytes(image.directory) * _SHARE_OF_ROOM)
    whole = device.size_bytes if device else _SMALLEST_STAND_IN_BYTES
    size_bytes = min(whole, _LARGEST_STAND_IN_BYTES, max(fits, _SMALLEST_STAND_IN_BYTES))
    size_bytes -= size_bytes % _ROUND_BYTES
    words = (
        f"tried on a sparse file of {format_size(size_bytes)} in {image.directory}, which stands in"
        f" for {given.device}: nothing touches a device before a run"
    )
    return image.model_copy(update={"size": size_bytes}), words
