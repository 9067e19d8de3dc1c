"""The keys of a workload that say how its files are reached: a path, a share, a private server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field

from fsgauge.study.address import PASSWORD_VARIABLE, Target, parse_address
from fsgauge.study.conflict import conflict
from fsgauge.study.storage import AbsolutePath
from fsgauge.study.sweep import Inapplicable
from fsgauge.study.workload_keys import WorkloadKeys

Serve = Literal["none", "samba", "ganesha"]


def _as_text(value: object) -> object:
    """2.1 without quotes is a version too, not a number."""
    return str(value) if isinstance(value, float) else value


SmbDialect = Annotated[Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"], BeforeValidator(_as_text)]
_SMB_KEYS = ("smb_dialect", "smb_signing", "smb_encryption", "smb_oplocks")


class AccessKeys(WorkloadKeys):
    """A server of somebody's, or one that fsgauge starts over each system; neither by default."""

    target: Target | None = Field(
        None,
        description="A server's share: smb://user@host:port/share, or nfs://host:port/export"
        " (version 3), each client with a connection of its own. NFS clients are the user and"
        " group that run fsgauge (AUTH_SYS), 0 and 0 for root, whom a server with root_squash maps"
        " to another user or refuses. With --set it takes the place of"
        f" storage and systems. The password comes from {PASSWORD_VARIABLE} or password_file.",
    )
    serve: Serve = Field(
        "none",
        description="Start a private server over each system: samba (SMB) or ganesha (NFS version"
        " 3). It and the clients have a network of their own, so no other process can connect."
        " Clients work as an unprivileged user. Ganesha serves no folder of a file system that"
        " holds other files (storage of kind path). It is stopped and removed after each turn."
        " The option --serve says the same.",
    )
    serve_beside_path: bool = Field(
        True,
        description="With serve: in each block every system has one more turn, over its path"
        " without the server, so that the report shows the server's own share of each operation.",
    )
    smb_dialect: SmbDialect = Field("3.0.2", description="The version of SMB that clients speak.")
    smb_signing: bool = Field(
        False,
        description="Whether messages are signed: all but NEGOTIATE and SESSION_SETUP, of which"
        " only the server's last answer is. Encrypted ones have no signature besides. With serve,"
        ' a system whose server has "server signing" = "mandatory" has it in any case.',
    )
    smb_encryption: bool = Field(
        False,
        description="Whether messages are encrypted: all but NEGOTIATE and SESSION_SETUP, which"
        " log in and are clear. 3.0 and later can. With serve, a system whose server has"
        ' "server smb encrypt" = "required" has it in any case.',
    )
    smb_oplocks: bool = Field(
        False,
        description="Whether clients ask for oplocks. They never cache: each record is sent.",
    )
    nfs_mount_port: Annotated[int, Field(ge=1, le=65_535)] | None = Field(
        None,
        description="The port of an NFS server's mount service. Default: its portmapper says.",
    )
    password_file: AbsolutePath | None = Field(
        None,
        description="A file with the password of the user in `target`, readable by its owner"
        f" alone (0600). Default: the variable {PASSWORD_VARIABLE}.",
    )

    if TYPE_CHECKING:
        clients: int
        interface: str

    @property
    def network(self) -> AccessKeys:
        """These."""
        return self

    @property
    def protocol(self) -> Literal["path", "smb", "nfs"]:
        """What clients go through, where the systems do not say it themselves."""
        if self.target is not None:
            return parse_address(self.target).protocol
        return {"none": "path", "samba": "smb", "ganesha": "nfs"}[self.serve]  # type: ignore[return-value]

    def check_network(self, backup_orders: list[str], *, scan: bool) -> None:
        """Refuse what contradicts itself over a network."""
        if self.target is not None and self.serve != "none":
            raise conflict(
                "target names a server that runs already, and serve would start another",
                ["serve", "target"],
                next="leave one of them out",
            )
        if self.smb_encryption and self.smb_dialect.startswith("2"):
            raise conflict(
                f"SMB {self.smb_dialect} has no encryption",
                ["smb_encryption", "smb_dialect"],
                next='smb_dialect = "3.0.2", or without encryption',
            )
        if self.protocol == "path":
            return
        for index, order in enumerate(backup_orders):
            if order != "directory":
                raise conflict(
                    "a share does not say where files lie, so a backup reads in directory order",
                    [("backup_orders", index), "target" if self.target else "serve"],
                    next='backup_orders = ["directory"]',
                )
        if scan and self.target is not None:
            raise conflict(
                "scan would be ignored: a share does not say where files lie",
                ["scan", "target"],
            )

    def without_effect(self) -> Inapplicable:
        """Keys of this file, and of clients, that have no effect."""
        found: Inapplicable = {}
        if self.serve == "none":
            found["serve_beside_path"] = ("nothing is served", "serve")
        if self.target is not None:
            found["interface"] = ("clients use sockets", "target")
            found["extents"] = ("a share does not say where files lie", "target")
        protocol = self.protocol
        if protocol != "smb":
            reason = ("clients work on a path", "serve")
            if protocol == "nfs":
                reason = ("clients speak NFS", "target" if self.target else "serve")
            found |= dict.fromkeys(_SMB_KEYS, reason)
        if protocol != "smb" or self.target is None:
            reason = ("no server asks for a password", "target")
            if self.serve == "samba":
                reason = ("the private server has a password of its own", "serve")
            found["password_file"] = reason
        if protocol != "nfs" or self.target is None:
            found["nfs_mount_port"] = ("no NFS server is named", "target")
        return found
