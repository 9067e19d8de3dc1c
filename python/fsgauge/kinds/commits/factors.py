"""The factors of a cell of commits: what makes it durable, its size, how many commit, which log."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fsgauge.record.factors import COMMITS, CellFactors, Factor
from fsgauge.units import format_size

Sync = Literal["fdatasync", "fsync", "open_datasync", "rwf_dsync", "sync_file_range"]
"""As pg_test_fsync and wal_sync_method have them; rwf_dsync is pwritev2 with RWF_DSYNC, and
sync_file_range promises nothing."""
Log = Literal["overwrite", "append", "preallocated"]
Meanwhile = Literal["nothing", "log", "checkpoint", "backup"]
"""What is written meanwhile on the same system."""
NO_PROMISE = "sync_file_range"
ALONE: tuple[Sync, ...] = ("open_datasync", "rwf_dsync")
"""They make each write durable on its own; the others are calls behind it."""


class CommitsFactors(CellFactors):
    """Committers on one log, one commit at a time each; `together` of them share one sync."""

    KIND: ClassVar = "commits"

    sync: Annotated[Sync, Factor("sync", role="pattern", key="syncs", column="commit_sync")]
    size_bytes: Annotated[int, Factor("size of a commit", role="size", key="sizes")]
    committers: Annotated[int, Factor("committers", role="jobs", one="committer", key="committers")]
    log: Annotated[Log, Factor("log", key="logs", column="commit_log")]
    together: Annotated[int, Factor("commits a sync", key="together", column="commits_a_sync")]
    meanwhile: Annotated[Meanwhile, Factor("meanwhile", key="meanwhile")] = "nothing"

    @property
    def place(self) -> str:
        """ "8 KiB with fdatasync, appended, while a checkpoint is written"."""
        return f"{self._what}{self.meanwhile_words}"

    @property
    def _what(self) -> str:
        ways = {"overwrite": "", "append": ", appended", "preallocated": ", preallocated"}
        shared = f", {self.together} to a sync" if self.together > 1 else ""
        return f"{format_size(self.size_bytes)} with {self.sync}{ways[self.log]}{shared}"

    @property
    def meanwhile_words(self) -> str:
        """ ", while a checkpoint is written"."""
        called = {"log": "another log", "checkpoint": "a checkpoint", "backup": "a backup"}
        return f", while {called[self.meanwhile]} is written" if self.meanwhile in called else ""

    @property
    def work(self) -> str:
        return "commits"

    @property
    def noun(self) -> str:
        """ "commits of 8 KiB with fdatasync by 4 committers"."""
        several = f" by {self.at_once_words}" if self.committers > 1 else ""
        return f"commits of {self._what}{several}{self.meanwhile_words}"

    @property
    def waited_for(self) -> str:
        """A write that is durable on its own, or one with the call behind it."""
        return "write" if self.sync in ALONE else "commit"

    @property
    def rate_unit(self) -> str:
        return COMMITS

    @property
    def makes_files_anew(self) -> bool:
        return self.log != "overwrite"

    @property
    def can_begin_again(self) -> bool:
        return not self.makes_files_anew

    @property
    def may_end_by_time(self) -> bool:
        """A log that grows is filled once, or as far as the time goes."""
        return self.makes_files_anew


FACTORS = CommitsFactors
