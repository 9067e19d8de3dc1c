"""What a study says about its rig: [rig], and what a system has of it for itself: [system.rig]."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fsgauge.study.base import OneLine, StudyModel
from fsgauge.study.conflict import conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent

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
    network: NetworkKeys | None = Field(
        None,
        description="The network while this system is measured. Default: that of [rig].",
        exclude_if=lambda value: value is None,
    )
