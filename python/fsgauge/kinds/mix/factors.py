"""The factors of a cell of a mix: the group that it is, and what that group's load is."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fsgauge.record.factors import COMMITS, CellFactors, Factor


class MixFactors(CellFactors):
    """One group; the queue is of each of its jobs. `judged_by` is the metric that it is
    compared by, `judged_as` the study's words for what it does, `timed` what counts under a pace:
    what it does most, a commit where that is a write with its sync."""

    KIND: ClassVar = "mix"

    group: Annotated[str, Factor("group", role="pattern", column="mix_group")]
    block_size_bytes: Annotated[int, Factor("mean block size", role="size")]
    queue_depth: Annotated[int, Factor("queue depth", role="depth")]
    jobs: Annotated[int, Factor("jobs", role="jobs", one="job")]
    read_percent: Annotated[int, Factor("share of reads")]
    interface: Annotated[Literal["io_uring", "psync", "libaio"], Factor("interface")]
    judged_by: Annotated[str, Factor("judged by")] = "iops"
    judged_as: Annotated[str, Factor("judged as")] = "operations"
    timed: Annotated[str, Factor("timed")] = ""

    @property
    def can_begin_again(self) -> bool:
        return True

    @property
    def place(self) -> str:
        return f'group "{self.group}"'

    @property
    def work(self) -> str:
        return self.judged_as

    @property
    def asked(self) -> str:
        """As `primary` has it: "commits of log", "append p99 of mail"."""
        operation, _, part = self.judged_by.partition(".")
        return f"{f'{operation} {part}' if part else self.judged_as} of {self.group}"

    @property
    def waited_for(self) -> str:
        """What it is judged by the latency of, or else does most."""
        judged, _, part = self.judged_by.rpartition(".")
        if part and judged:
            return "commit" if judged == "sync" else judged
        return self.timed or super().waited_for

    @property
    def judged_at_pace(self) -> str:
        return self.judged_by

    @property
    def rate_unit(self) -> str:
        return COMMITS if self.judged_as == "commits" else super().rate_unit

    @property
    def more_space(self) -> str:
        return f'larger storage, or smaller file_sizes of group "{self.group}"'

    @property
    def panel(self) -> str:
        return self.group


FACTORS = MixFactors
