"""A prepared system of this machine, lent, with what runs programs beside the engine on it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult
from fsgauge.machine.folder.marked_folder import remove_in
from fsgauge.machine.process.tool import find_tool, must_run, run_tool
from fsgauge.plain_files.opening import names_in
from fsgauge.rig.host.prepared import PreparedSystem
from fsgauge.rig.host.systems import HostSystems
from fsgauge.workload.folders import Place


@dataclass
class HostLent:
    """See fsgauge.rig.lending.LentMachine."""

    target: Place
    _prepared: PreparedSystem

    _systems: HostSystems
    _engine: Engine

    @property
    def pinned(self) -> Place:
        """The target as programs are told it: no rename leads them elsewhere."""
        return self._prepared.pinned

    def settle(self) -> str:
        """Sync and drop caches; gives what was done."""
        return self._systems.settle(self._prepared)

    def load(self, job: LoadJob | ClientsJob) -> LoadResult:
        """Run a job on it."""
        return self._engine.load(job)

    @property
    def is_root(self) -> bool:
        """Whether this process is."""
        return os.geteuid() == 0

    def program(self, name: str, file: Path | None) -> str | None:
        """The file itself, or the installed program."""
        return find_tool(str(file) if file else name)

    def said(self, command: Sequence[str], what: str, seconds: float) -> str:
        """Its output."""
        return must_run(list(command), what=what, seconds=seconds).output

    def words(self, command: Sequence[str]) -> str:
        """Its output, or its errors."""
        return run_tool(list(command)).words

    def remove(self, names: Sequence[str]) -> None:
        """Files, and folders of files."""
        if not isinstance(self.pinned, FilesTarget):
            return
        folder = os.open(self.pinned.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for left in _matching(folder, names):
                remove_in(folder, left)
        finally:
            os.close(folder)


def _matching(folder: int, names: Sequence[str]) -> list[str]:
    """What lies in an open folder under one of the names, which have wildcards."""
    there = names_in(folder)
    return [left for left in there if any(fnmatchcase(left, name) for name in names)]
