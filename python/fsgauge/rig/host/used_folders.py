"""The folders of a study that are used as they are: what each is on, and what they share."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from fsgauge.machine.device.device_chain import chain_of_path, devices_of
from fsgauge.machine.facts.mounts import MEMORY_FILE_SYSTEMS
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.record.machine import StorageFacts
from fsgauge.rig.host.facts import folder_facts
from fsgauge.rig.rig import FoldersSeen
from fsgauge.study.model import PathStorage, Study
from fsgauge.units import format_size, listed

_MOST_NAMED = 6
_WITHOUT_ROOT = (
    "this is an ordinary user, who cannot drop the kernel's caches; before each run the kernel is"
    " asked to forget the pages of the run's files instead (posix_fadvise), and direct I/O goes"
    " past them. Directory entries and inodes stay in memory"
)


@dataclass(frozen=True)
class UsedFolder:
    system: str
    path: str
    chain: list[dict[str, Any]]

    @property
    def file_system(self) -> str:
        """Its type, as the kernel names it: ext4, nfs4, fuse.sshfs."""
        return str(self.chain[0].get("file_system", "a file system whose mount is not visible"))

    @property
    def device(self) -> str:
        """The node of the device that it is mounted from; empty where there is none."""
        below = self.chain[1:]
        return str(below[0]["path"]) if below and below[0]["kind"] == "device" else ""

    @property
    def disk(self) -> str:
        """The node of the last device, on which it ends up."""
        last = self.chain[-1]
        return str(last["path"]) if last["kind"] == "device" else ""

    @property
    def cached_loop(self) -> str:
        """The node of a loop device below it whose file, on a disk, goes through the page cache:
        direct I/O above it does not reach the disk; empty where there is none."""
        for link, below in itertools.pairwise(self.chain):
            if (
                link.get("direct_io") is False
                and below.get("file_system") not in MEMORY_FILE_SYSTEMS
            ):
                return str(link["path"])
        return ""

    @property
    def in_memory(self) -> bool:
        return self.file_system in MEMORY_FILE_SYSTEMS

    @property
    def words(self) -> str:
        """ "nfs: /mnt/nfs (nfs4 from server:/export)"."""
        name = "" if self.system == self.path else f"{self.system}: "
        return f"{name}{self.path} ({self.file_system}{self._source})"

    @property
    def _source(self) -> str:
        source = str(self.chain[0].get("source", ""))
        if self.in_memory:
            return ", memory"
        if len(self.chain) > 1 and self.chain[1]["kind"] == "file_system":
            return f" over {self.chain[1].get('file_system', 'a file system')}{self._devices}"
        if self.device:
            return self._devices
        return f" from {source}" if source not in ("", "none", self.file_system) else ""

    @property
    def _devices(self) -> str:
        devices = devices_of(self.chain)
        return f" on {devices}" if devices else ""


def used_folders(study: Study) -> list[UsedFolder]:
    storage = study.storage
    if not isinstance(storage, PathStorage):
        return []
    places = {system.name: system.path or storage.path for system in study.systems}
    return [UsedFolder(name, path, chain_of_path(path)) for name, path in places.items()]


@contextmanager
def opened_folders(study: Study) -> Iterator[dict[str, OpenFolder]]:
    """Each of them by its path, open while the body runs; see open_place for what is raised."""
    with ExitStack() as stack:
        paths = dict.fromkeys(folder.path for folder in used_folders(study))
        yield {path: stack.enter_context(open_place(Path(path))) for path in paths}


def folders_seen(study: Study) -> FoldersSeen:
    """How those that are there are mounted; one that is not is refused elsewhere."""
    there = [folder for folder in used_folders(study) if os.path.isdir(folder.path)]  # noqa: PTH112 - none if closed
    systems = {system.name: system for system in study.systems}
    facts = {each.system: folder_facts(systems[each.system], each.path) for each in there}
    cautions = list(_cautions(there)) if there else []
    return FoldersSeen(facts, cautions, list(_shared(there)))


def facts_of_folders(study: Study, facts: StorageFacts) -> StorageFacts:
    """The storage's facts with every folder in them; unchanged for storage of another kind."""
    folders = used_folders(study)
    if not folders:
        return facts
    size = format_size(facts.size_bytes)
    each_folder = "; ".join(folder.words for folder in folders[:_MOST_NAMED])
    if len(folders) > _MOST_NAMED:
        each_folder += f"; and {len(folders) - _MOST_NAMED} more"
    where = "of each folder, used as they are" if len(folders) > 1 else "of a folder, used as it is"
    chains = {folder.path: folder.chain for folder in folders}
    return facts.model_copy(
        update={
            "sentence": f"up to {size} {where}: {each_folder}",
            "device_chain": [link for chain in chains.values() for link in chain],
            "cautions": list(_cautions(folders)),
        }
    )


def _cautions(folders: Sequence[UsedFolder]) -> Iterator[str]:
    old = [folder.system for folder in folders if not folder.in_memory]
    if old:
        what = "file systems are" if len(old) > 1 else "file system is"
        if len(old) < len(folders):
            what = f"file system{'s' * (len(old) > 1)} of {listed(old)} {what.split()[-1]}"
        whose = "their" if len(old) > 1 else "its"
        yield f"the {what} not newly made: {whose} age and fill level affect the result"
    yield from _shared(folders)
    yield from _own(folders)
    if os.geteuid() != 0:
        yield _WITHOUT_ROOT


def _shared(folders: Sequence[UsedFolder]) -> Iterator[str]:
    for group in _several(_grouped(folders, _file_system_of)):
        where = f"{group[0].file_system} mounted at {group[0].chain[0].get('mount_point', '/')}"
        yield (
            f"{_names(group)} are on one file system, {where}: they share its disk, its journal and"
            " its free space, so little but noise can differ between them"
        )
    firsts = {_file_system_of(folder): folder for folder in folders}.values()
    on_disks = [folder for folder in firsts if folder.disk]
    for group in _several(_grouped(on_disks, attrgetter("disk"))):
        yield (
            f"{_names(group)} are different file systems on one disk, {group[0].disk}: what one"
            " leaves unwritten, or is about to discard, slows the other"
        )


def _own(folders: Sequence[UsedFolder]) -> Iterator[str]:
    memory = [folder for folder in folders if folder.in_memory]
    for file_system, group in _grouped(memory, attrgetter("file_system")).items():
        are, them = ("are", "them") if len(group) > 1 else ("is", "it")
        yield (
            f"{_names(group)} {are} in memory ({file_system}): no disk takes part, and syncing"
            f" {them} does nothing"
        )
    cached = [folder for folder in folders if folder.cached_loop]
    for loop, group in _grouped(cached, attrgetter("cached_loop")).items():
        are = "are" if len(group) > 1 else "is"
        yield (
            f"{_names(group)} {are} on {loop}, whose file goes through the page cache (losetup"
            " shows DIO 0): direct I/O does not reach the disk. As root: losetup --direct-io=on"
            f" {loop}"
        )
    unseen = [
        folder
        for folder in folders
        if not folder.in_memory and not folder.device and folder.file_system != "overlay"
    ]
    for file_system, group in _grouped(unseen, attrgetter("file_system")).items():
        yield (
            f"the storage below {_names(group)} is not visible here ({file_system}):"
            " caches of a server, or of a program that serves it, are not dropped, and its other"
            " users are not known"
        )


def _grouped(
    folders: Iterable[UsedFolder], key: Callable[[UsedFolder], str]
) -> dict[str, list[UsedFolder]]:
    found: dict[str, list[UsedFolder]] = {}
    for folder in folders:
        found.setdefault(key(folder), []).append(folder)
    return found


def _several(groups: dict[str, list[UsedFolder]]) -> list[list[UsedFolder]]:
    return [group for group in groups.values() if len(group) > 1]


def _file_system_of(folder: UsedFolder) -> str:
    """The same for all subvolumes and bind mounts of one file system."""
    if folder.device:
        return folder.device
    try:
        return str(Path(folder.path).stat().st_dev)
    except OSError:
        return folder.path


def _names(group: Sequence[UsedFolder]) -> str:
    names, more = [folder.system for folder in group[:_MOST_NAMED]], len(group) - _MOST_NAMED
    return listed([*names, *([f"{more} more"] if more > 0 else [])])
