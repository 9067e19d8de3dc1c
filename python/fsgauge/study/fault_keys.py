"""What a study does to the machines of its rig on purpose: [[fault]]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fsgauge.record.records import Cell
from fsgauge.record.strikes import StrikeKind
from fsgauge.study.base import OneLine, StudyModel
from fsgauge.study.conflict import conflict
from fsgauge.study.rig_keys import MOST_NODES
from fsgauge.units import DurationNs, RateOperationsPerSecond

MOST_FAULTS = 20
LONGEST_NS = 600 * 10**9


class FaultKeys(StudyModel):
    """A fault of a node of the virtual rig, in runs that are compared with nothing."""

    kind: StrikeKind = Field(
        description="power_off: the node's QEMU is killed, and started again on the same disks."
        " link_cut: nothing passes its link. disk_error: its disks answer reads and writes with an"
        " error. slow_disk: they do `iops`."
    )
    node: Annotated[int, Field(ge=1, le=MOST_NODES)] = Field(
        1, description="Which node, counted from 1: 2 is node2."
    )
    cell: OneLine = Field(
        description="The cell whose run it strikes, by its name or id, as `fsgauge plan` prints"
        " them. All systems are measured in it once more, newly made, and that run is struck."
    )
    at: Annotated[DurationNs, Field(le=LONGEST_NS)] = Field(
        10**9, description="When it begins, after the beginning of the run, warm-up included."
    )
    lasts: Annotated[DurationNs, Field(ge=10**8, le=LONGEST_NS)] = Field(
        2 * 10**9,
        description="How long it lasts; a node without power is started again after it.",
    )
    iops: RateOperationsPerSecond | None = Field(
        None,
        description="For kind slow_disk, what each of the node's disks does meanwhile. Default: a"
        " tenth of its limit.",
        exclude_if=lambda value: value is None,
    )
    loses: Literal["memory", "unflushed"] = Field(
        "memory",
        description="For kind power_off, what is lost. memory: what the node had not written to"
        " its disks, which survive. unflushed: also what its disks were not told to flush, as of a"
        " volatile write cache.",
    )

    @model_validator(mode="after")
    def _only_what_has_an_effect(self) -> Self:
        if self.iops is not None and self.kind != "slow_disk":
            raise conflict(
                f"iops would be ignored: it is for slow_disk, and this is {self.kind}",
                ["iops", "kind"],
                next='kind = "slow_disk", or leave iops out',
            )
        if self.loses != "memory" and self.kind != "power_off":
            raise conflict(
                f"loses would be ignored: it is for power_off, and this is {self.kind}",
                ["loses", "kind"],
                next='kind = "power_off", or leave loses out',
            )
        return self


def check_faults(faults: Sequence[FaultKeys], nodes: int, cells: Sequence[Cell]) -> None:
    """Raise a conflict, its keys below the study, for the first that cannot be."""
    known = {text for cell in cells for text in (cell.id, cell.name)}
    for index, fault in enumerate(faults):
        place = ("fault", index)
        if fault.node > nodes:
            has = "one node" if nodes == 1 else f"{nodes} nodes"
            raise conflict(
                f"the fault strikes node {fault.node}, and the study has {has}",
                [(*place, "node")],
                next=f"--set rig.nodes={fault.node}",
            )
        if fault.kind == "link_cut" and nodes == 1:
            raise conflict(
                "a node alone has no link that could be cut",
                [(*place, "kind")],
                next="--set rig.nodes=2",
            )
        if fault.cell not in known:
            raise conflict(
                f'"{fault.cell}" is not a cell of this study',
                [(*place, "cell")],
                next="fsgauge plan lists the cells of a study",
            )
