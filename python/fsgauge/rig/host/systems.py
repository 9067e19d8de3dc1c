"""Systems made afresh, one after the other, on this machine's storage, and what is done to them.

Gives prepared systems as contexts. Everything made is in the ledger before it is made and undone
when its context ends, on success, failure and interruption.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockTarget, FilesTarget, Held, LayoutResult
from fsgauge.errors import RigError
from fsgauge.machine.facts.environment import capture_machine, machine_name
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plain_files.opening import closing
from fsgauge.record.machine import Machine
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import SystemFacts
from fsgauge.rig.host.before_runs import (
    free_when_steady,
    settle_caches,
    sync_file_system,
    wear,
    write_back,
)
from fsgauge.rig.host.facts import (
    PreparedSystem,
    bare_facts,
    folder_facts,
    formatted_facts,
    notes_on,
    watch_device,
    with_pieces,
)
from fsgauge.rig.host.formatted import allocate_below, blank_of, formatted
from fsgauge.rig.host.serving import shared, with_server
from fsgauge.rig.host.shares import prepared_share
from fsgauge.rig.host.tunables import tuned_client
from fsgauge.rig.host.working_set import WorkingSet, fill, set_extent_size_hint
from fsgauge.storage import Base, attach_beside
from fsgauge.storage.base import free_bytes
from fsgauge.study.model import Study, System
from fsgauge.study.reached import access_of
from fsgauge.system import FileSystem, find_kind
from fsgauge.workload import method_of
from fsgauge.workload.folders import (
    AGED,
    OWN,
    RATE,
    AgedFiles,
    AgedFolders,
    ClientFolders,
    FileSets,
    InFolder,
    Place,
)
from fsgauge.workload.steps import FileStep


class HostSystems:
    """The systems of one study's storage, for as long as that is attached.

    `places` are the folders that are used as they are, open, by their paths in the study; none of
    them where another file system is mounted there between turns. What is attached beside it is let
    go with `attached`.
    """

    def __init__(
        self,
        base: Base,
        working_set: WorkingSet,
        ledger: Ledger,
        engine: Engine,
        places: Mapping[str, OpenFolder],
        attached: ExitStack,
    ) -> None:
        self.base, self.working_set = base, working_set
        self._ledger, self._engine, self._places = ledger, engine, places
        self._attached = attached
        self._beside: dict[int, HostSystems] = {}
        self._looked_at: set[str] = set()
        """Sources of mounts that need no other look."""

    def prepare(self, study: Study, system: System) -> AbstractContextManager[PreparedSystem]:
        kind = find_kind(system.kind)
        if isinstance(kind, FileSystem):
            return self._formatted(study, system, kind)
        if kind.placement == "bare":
            return self._bare(study, system)
        if kind.placement == "share":
            return prepared_share(study, system, self.working_set, self._ledger, self._engine)
        return self._folder(study, system)

    def beside(self, study: Study, number: int) -> HostSystems:
        """The same on storage for one more system, by its number in the block, beside others. It
        stays attached for the blocks that follow, so ask for all of a block before one is made."""
        if number not in self._beside:
            attached = attach_beside(study.storage, self._ledger, self.base, number)
            one = self._beside[number] = copy(self)
            one.base = self._attached.enter_context(attached)
        return self._beside[number]

    def settle(self, *prepared: PreparedSystem) -> list[str]:
        """Sync all and drop caches once; what was done for each. RigError where a folder moved."""
        for each in prepared:
            if each.folder is not None:
                each.folder.require_still()
        return settle_caches(*(each.pinned for each in prepared))

    def write_back(self, prepared: PreparedSystem) -> None:
        """Have on the storage all that was written to the system; OSError where it refuses."""
        if isinstance(prepared.target, BlockTarget):
            write_back(prepared.target.path)
        elif _has_folder(prepared.target):
            write_back(_folder_of(prepared))

    def watch_device(
        self, study: Study, prepared: PreparedSystem
    ) -> AbstractContextManager[Callable[[], DeviceRun | None]]:
        return watch_device(prepared, fua=method_of(study.workload).counts_fua)

    def wear(self, prepared: PreparedSystem, step: FileStep) -> int:
        if prepared.folder is not None:
            return wear(step, prepared.folder)
        with open_place(Path(_folder_of(prepared))) as folder:
            return wear(step, folder)

    def free_bytes(self, prepared: PreparedSystem) -> int:
        return free_when_steady(_folder_of(prepared))

    def layout_folder(self, prepared: PreparedSystem) -> str | None:
        target = prepared.target
        if not _has_folder(target):
            return None
        sync_file_system(_folder_of(prepared))
        return target.directory

    @property
    def machine_name(self) -> str:
        return machine_name()

    def machine(self, study: Study) -> Machine:
        kinds = [find_kind(system.kind) for system in study.systems]
        programs = [kind.mkfs for kind in kinds if isinstance(kind, FileSystem)]
        return capture_machine(programs, self.base.facts)

    @contextmanager
    def _formatted(
        self, study: Study, system: System, kind: FileSystem
    ) -> Iterator[PreparedSystem]:
        with formatted(kind, system, self.base, self._ledger) as made:
            with open_place(made.directory) as root:
                target = _files(study, system, root, self.working_set)
            layout = fill(study, target, self._engine)
            facts = formatted_facts(kind, made, str(self.base.device))
            prepared = PreparedSystem(
                facts=facts,
                target=target,
                layout=layout,
                start_state=[*made.start_state, _filled(target, self.working_set)],
                notes=[*made.notes, *_said(study, layout), *notes_on(kind, study, made.directory)],
            )
            with self._served(study, system, prepared) as served:
                yield served

    @contextmanager
    def _bare(self, study: Study, system: System) -> Iterator[PreparedSystem]:
        device, method = str(self.base.device), method_of(study.workload)
        with self.base.claim.used():
            blank, notes = blank_of(self.base)
            allocated = allocate_below(self.base.refill)
            written: list[str] = []
            size_bytes = self.base.size_bytes
            if method.lays_out:
                size_bytes = self.working_set.file_size_bytes * method.files
                written = [f"first {size_bytes} bytes of the device written with data"]
            target = BlockTarget(path=device, size_bytes=size_bytes)
            layout = fill(study, target, self._engine)
            stands_for = method.bare_stands_for()
            notes += [*_words_of(layout), *([f"{system.name}: {stands_for}"] if stands_for else [])]
            with self._held_by_us(device) if method.at_once else nullcontext():
                yield PreparedSystem(
                    facts=bare_facts(system, device),
                    target=target,
                    layout=layout,
                    start_state=[blank, *allocated, *written],
                    notes=notes,
                )

    @contextmanager
    def _held_by_us(self, device: str) -> Iterator[None]:
        """Loads at once share a claim; of a device of our making each would ask for its own."""
        if self.base.claim.held:
            yield
            return
        try:
            descriptor = os.open(device, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
        except OSError as error:
            raise RigError(
                f"{device} cannot be claimed: {error.strerror}",
                cause="another program has it open",
                next=f"lsblk {device}",
            ) from error
        held = Held(path=device, descriptor=descriptor)
        with closing(descriptor), self._engine.holding(held):
            yield

    @contextmanager
    def _folder(self, study: Study, system: System) -> Iterator[PreparedSystem]:
        path = system.path or str(self.base.directory)
        held = self._places.get(path)
        with (
            open_place(Path(path)) if held is None else nullcontext(held) as place,
            tuned_client(system, place.pinned, self._ledger) as tunables,
            self._ledger.scratch(place, f"scratch{self.base.suffix}") as folder,
            self._engine.holding(folder.held),
        ):
            target = _files(study, system, folder, self.working_set)
            facts = self._with_pieces(folder_facts(system, path, tunables), folder)
            layout = fill(study, target, self._engine)
            made = PreparedSystem(
                facts=facts,
                target=target,
                layout=layout,
                start_state=[f"{path} used as it is", _filled(target, self.working_set)],
                notes=_said(study, layout),
                folder=folder,
            )
            with self._served(study, system, made) as served:
                yield served

    @contextmanager
    def _served(
        self, study: Study, system: System, made: PreparedSystem
    ) -> Iterator[PreparedSystem]:
        """As clients reach it: through the system's server, if it has one."""
        sets = self.working_set.file_sets
        names = sets.of_clients if isinstance(sets, FileSets) else ()
        sharing = shared(study, system, made.target, made.folder, names, self._ledger)
        with sharing as (reached, server):
            facts = with_server(made.facts, server)
            yield replace(made, facts=facts, target=reached, server=server)

    def _with_pieces(self, facts: SystemFacts, folder: OpenFolder) -> SystemFacts:
        """With the pieces of free space, before the first turn on a file system."""
        if facts.mount_source in self._looked_at:
            return facts
        self._looked_at.add(facts.mount_source)
        return with_pieces(facts, folder, self._engine)


def _has_folder(target: Place) -> TypeGuard[InFolder]:
    return isinstance(target, InFolder) and target.kind != "share_folders"


def _folder_of(prepared: PreparedSystem) -> str:
    """As this process reaches it; TypeError for a bare device, which has no steps."""
    if not isinstance(prepared.pinned, InFolder):
        raise TypeError("a bare device has no files to remove and no space to fill")
    return prepared.pinned.directory


def _files(
    study: Study, system: System, folder: OpenFolder, room: WorkingSet
) -> FilesTarget | ClientFolders | AgedFolders:
    """The files that will be laid out, or empty folders for those that the load makes."""
    sets, directory = room.file_sets, str(folder.path)
    if isinstance(sets, AgedFiles):
        return _aged_folders(system, folder, sets)
    if sets is not None:
        folders = ClientFolders(
            directory=directory,
            files_per_client=sets.files_per_client,
            backup_files_per_client=sets.backup_files_per_client,
        )
        for name in sets.folders:
            os.mkdir(name, dir_fd=folder.descriptor)
        available_bytes = min(free_bytes(folder.pinned), room.size_bytes)  # all of it is not ours
        return folders.model_copy(update={"available_bytes": available_bytes})
    if access_of(study, system).server != "none":
        os.mkdir(OWN, dir_fd=folder.descriptor)
        directory = f"{directory}/{OWN}"
    return FilesTarget(
        directory=directory,
        count=method_of(study.workload).files,
        file_size_bytes=room.file_size_bytes,
    )


def _aged_folders(system: System, folder: OpenFolder, sizes: AgedFiles) -> AgedFolders:
    for name in (AGED, RATE):
        os.mkdir(name, dir_fd=folder.descriptor)
        with folder.opened(folder.path / name) as made:
            hint_bytes = set_extent_size_hint(system, made)
    return AgedFolders(
        directory=str(folder.path),
        file_size_bytes=sizes.file_size_bytes,
        rate_file_bytes=sizes.rate_file_bytes,
        allocation_chunk_bytes=system.allocation_chunk,
        extent_size_hint_bytes=hint_bytes,
        is_alone=isinstance(find_kind(system.kind), FileSystem),
    )


def _said(study: Study, layout: LayoutResult | None) -> list[str]:
    return [*_words_of(layout), *method_of(study.workload).notes()]


def _words_of(layout: LayoutResult | None) -> list[str]:
    return [note.text for note in layout.notes] if layout else []


def _filled(target: FilesTarget | ClientFolders | AgedFolders, room: WorkingSet) -> str:
    if isinstance(target, ClientFolders | AgedFolders):
        names = room.file_sets.folders if room.file_sets else ()
        return f"empty folders {' and '.join(names)}"
    files = "1 file" if target.count == 1 else f"{target.count} files"
    return f"{files} of {target.file_size_bytes} bytes written with data"
