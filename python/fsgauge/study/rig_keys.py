"""What a study says about its rig: [rig], and what a system has of it for itself: [system.rig]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fsgauge.record.records import Cell
from fsgauge.record.strikes import StrikeKind
from fsgauge.study.base import OneLine, StudyModel, conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent, RateOperationsPerSecond

MOST_NODES = 32
Role = Literal["server", "load"]
Dropped = Literal["server", "disk"]


class NetworkKeys(StudyModel):
    """The private network between the nodes of the virtual rig."""

    bandwidth: BytesPerSecond | None = Field(
        None,
        description='What each node\'s link carries: "125 MB/s". Default: as much as there is.',
    )
    delay: Annotated[DurationNs, Field(le=10 * 10**9)] = Field(
        0, description='How long a frame takes from one node to another, at least: "1 ms".'
    )
    loss: Annotated[Percent, Field(lt=100)] = Field(
        0.0, description='The share of frames that never arrive: "0.1 %".'
    )


class RigKeys(StudyModel):
    """The nodes of the virtual rig, the same for all systems."""

    nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = Field(
        1,
        description="With --rig vm: how many virtual machines, on a private network. What drives"
        " the load begins together on all of them.",
    )
    roles: Annotated[list[Role], Field(max_length=MOST_NODES)] = Field(
        [],
        description='What each node does: ["server", "load", "load"]. Default: the first one is'
        " the server where a system needs one, and all others drive the load.",
    )
    network: NetworkKeys | None = Field(
        None,
        description="The network between the nodes: rig.network.delay and others. Default: as fast"
        " as this machine passes frames on.",
        exclude_if=lambda value: value is None,
    )

    remount: bool = Field(
        False,
        description="With --rig vm: before each run, unmount each system on the nodes that drive"
        " the load, and mount it again; for systems that are set up over nodes. What a mount keeps"
        " in memory is then gone as well. Default: caches are dropped, and mounts stay.",
        exclude_if=lambda value: not value,
    )

    drop_caches: Annotated[list[Dropped], Field(max_length=2)] = Field(
        ["server"],
        description="With --rig vm, of systems that are set up over nodes: what is emptied before"
        " each run, as well as the memory of the nodes that drive the load. server: the"
        " memory of the nodes that drive none. disk: a cache that a client keeps on its disk"
        " (FS-Cache); the system is then unmounted and mounted again. [] leaves the server warm.",
        exclude_if=lambda value: value == ["server"],
    )

    @property
    def emptied_words(self) -> str:
        """What becomes of caches on other nodes than those that drive the load, in a sentence."""
        server = "dropped before each run as well" if "server" in self.drop_caches else "left warm"
        disk = "emptied before each run" if "disk" in self.drop_caches else "kept for the turn"
        return f"caches: of a server, {server}; of a client on its disk (FS-Cache), {disk}"

    @model_validator(mode="after")
    def _each_node_has_a_role(self) -> Self:
        if self.roles and len(self.roles) != self.nodes:
            raise conflict(
                f"{len(self.roles)} roles are given for {self.nodes} nodes",
                ["roles", "nodes"],
                next=f"rig.nodes = {len(self.roles)}",
            )
        if self.roles and "load" not in self.roles:
            raise conflict("no node drives the load", ["roles"], next='one with the role "load"')
        return self


class SystemRig(StudyModel):
    """What the rig has for one system alone."""

    kernel: OneLine | None = Field(
        None,
        description="On the virtual rig, the kernel under this system: a package that"
        " `fsgauge rig build --kernel` has built, linux-image-6.1.0-47-amd64. Each kernel is a"
        " machine of its own. Default: the newest kernel that is built.",
    )
    volume: OneLine | None = Field(
        None,
        description="On the virtual rig, what the file system is made on: disk (each node's own),"
        " shared (one disk of all nodes), or a volume of the guest. Default: disk, or what the file"
        " system needs.",
        exclude_if=lambda value: value is None,
    )
    reached_by: OneLine | None = Field(
        None,
        description="On the virtual rig, how the nodes that drive the load reach the file system,"
        " where it is not their own: nfs3 or nfs4. Default: it is mounted on them.",
        exclude_if=lambda value: value is None,
    )
    mount: Annotated[OneLine, Field(pattern=r"^[a-z0-9_.=]+(,[a-z0-9_.=]+)*$")] | None = Field(
        None,
        description="On the virtual rig, options of the mount by which the nodes that drive the"
        ' load reach the file system: "tcp,timeo=300,rsize=32768". Each of the form name=value has'
        " to be in force. Default: those of the way it is reached.",
        exclude_if=lambda value: value is None,
    )
    network: NetworkKeys | None = Field(
        None,
        description="The network while this system is measured. Default: that of [rig].",
        exclude_if=lambda value: value is None,
    )


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
        description="The cell whose run it strikes, by its name or id, as `fsgauge plan --order`"
        " prints them. All systems are measured in it once more, newly made, and that run is"
        " struck."
    )
    at: Annotated[DurationNs, Field(le=LONGEST_NS)] = Field(
        10**9, description="When it begins, after the beginning of the run, warm-up included."
    )
    lasts: Annotated[DurationNs, Field(ge=10**8, le=LONGEST_NS)] = Field(
        2 * 10**9, description="How long it lasts; a node without power is started again after it."
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
                next="fsgauge plan STUDY --order lists the cells of a study",
            )
