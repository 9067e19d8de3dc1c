"""The folder of a cross-check: every run, as the tool reported it.

DIR/study.toml                        the effective study, every key
DIR/crosscheck.json                   CrosscheckRecord: command line, versions, pairs
DIR/environment.json                  the machine (record.EnvironmentRecord)
DIR/runs/SYSTEM/CELL-PP-P-TOOL.json   CrosscheckRun: pair, place in the pair, tool, result
DIR/agreement.ndjson                  CellAgreement, one line a cell, as they are done
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from fsgauge.engine.wire import LoadJob, LoadResult
from fsgauge.errors import RigError
from fsgauge.plain_files import PlainFolder, cannot_write, write_whole
from fsgauge.record.records import Cell, EnvironmentRecord, Record
from fsgauge.store.files import slug

Tool = Literal["engine", "fio", "fio-by-itself"]
"""The last one is fio with its default submission; "fio" submits like the engine."""


class CrosscheckRecord(Record):
    """Written before the first run."""

    fsgauge_version: str
    fio_version: str
    command: list[str]
    study: dict[str, Any]
    seed: int
    pairs: int
    started_unix_ns: int


class CrosscheckRun(Record):
    """One run of one tool. `result` is the engine's, `fio` is fio's document, whole."""

    system: str
    cell: Cell
    pair: int
    position: int
    tool: Tool
    job: LoadJob
    command: list[str]
    caches: str
    started_unix_ns: int
    result: LoadResult | None
    fio: dict[str, Any] | None


class CrosscheckFolder:
    """PARENT/crosscheck-STUDY-DATE-TIME; raises RigError where it cannot be made or written."""

    def __init__(self, parent: Path, study_name: str) -> None:
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S-%f")
        self.directory = parent / f"crosscheck-{slug(study_name)}-{stamp}"
        self._lines: list[str] = []
        self._make(self.directory)

    def write_start(self, record: Record, environment: EnvironmentRecord, study_toml: str) -> None:
        """What is to be done, on what."""
        write_whole(self.directory / "study.toml", study_toml)
        write_whole(self.directory / "environment.json", environment.model_dump_json(indent=1))
        write_whole(self.directory / "crosscheck.json", record.model_dump_json(indent=1))

    def write(self, run: Record, system: str, name: str) -> None:
        """One run, at once."""
        folder = self.directory / "runs" / slug(system)
        self._make(folder)
        write_whole(folder / f"{name}.json", run.model_dump_json())

    def write_agreement(self, cell: BaseModel) -> None:
        """One more line."""
        self._lines.append(cell.model_dump_json() + "\n")
        write_whole(self.directory / "agreement.ndjson", "".join(self._lines))

    def kept(self) -> str:
        """What is kept of one that ended early; the folder is removed if nothing was measured."""
        if (self.directory / "runs").is_dir():
            return f"the runs so far are kept in {self.directory}"
        shutil.rmtree(self.directory, ignore_errors=True)
        return "nothing was measured, so nothing is kept"

    def _make(self, folder: Path) -> None:
        try:
            with PlainFolder.made(folder, as_owner=False):
                pass
        except OSError as error:
            refused = cannot_write(folder, error)
            raise RigError(refused.what, cause=refused.cause, next="--results DIR") from error
