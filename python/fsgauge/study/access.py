"""The keys that say how files are reached: a path, a private server, a running server's share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.programs import PASSWORD_VARIABLE
from fsgauge.study.base import OneLine, StudyModel, conflict
from fsgauge.study.storage import AbsolutePath

_FORM = re.compile(
    r"(?P<protocol>smb|nfs)://(?:(?P<user>[^@/:]*)@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/(?P<path>[^?#]*)"
)
_PORTS = {"smb": 445, "nfs": 2049}
_WITH_PASSWORD = re.compile(r"(?:smb|nfs|cifs)://[^@/\s\"':]*:[^/\s\"']*@")
_FORMS = "smb://user@host/share or nfs://host/export, with :PORT after the host unless it is the "
"default"


@dataclass(frozen=True)
class Address:
    """A share or an export. `path` is the share's name, or the export's path with its slash."""

    protocol: Literal["smb", "nfs"]
    user: str
    host: str
    port: int
    path: str

    @property
    def server(self) -> str:
        return f"{self.host}:{self.port}"

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{self.protocol}://{user}{self.server}/{self.path.lstrip('/')}"


def parse_address(text: str) -> Address:
    """The parts of an address; ValueError with a sentence that never repeats a password."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"it is not the address of a server: {_FORMS}")
    user = found["user"] or ""
    smb = found["protocol"] == "smb"
    path = found["path"].strip("/") if smb else f"/{found['path'].strip('/')}"
    port = int(found["port"]) if found["port"] else _PORTS[found["protocol"]]
    if not 1 <= port <= 65_535:
        raise ValueError(f"there is no port {port}")
    if smb and (not path or "/" in path):
        raise ValueError("an SMB address ends with the name of the share: smb://user@host/share")
    if smb and not user:
        raise ValueError("an SMB address names its user: smb://user@host/share")
    if not smb and user:
        raise ValueError("an NFS version 3 address has no user: nfs://host/export")
    return Address("smb" if smb else "nfs", user, found["host"].strip("[]"), port, path)


def refuse_passwords(texts: Sequence[str]) -> None:
    """InputError where a password stands in an address; it shows no line that holds one."""
    for text in texts:
        if _WITH_PASSWORD.search(text):
            raise InputError(
                "a password does not belong in the address of a server",
                cause="others can read study files, records and command lines",
                next=f"leave :PASSWORD out, and put it into {PASSWORD_VARIABLE}, or into a file"
                " that access.password_file names",
            )


def _checked(text: str) -> str:
    try:
        parse_address(text)
    except ValueError as error:
        raise PydanticCustomError("address", "{what}", {"what": str(error)}) from None
    return text


ShareAddress = Annotated[OneLine, AfterValidator(_checked), Field(max_length=300)]
"""An address as a study writes it."""


Server = Literal["none", "samba", "ganesha"]
Protocol = Literal["path", "smb", "nfs"]
_PROTOCOLS: dict[Server, Protocol] = {"none": "path", "samba": "smb", "ganesha": "nfs"}


def _as_text(value: object) -> object:
    """2.1 without quotes is a version too, not a number."""
    return str(value) if isinstance(value, float) else value


SmbDialect = Annotated[Literal["2.0.2", "2.1", "3.0", "3.0.2", "3.1.1"], BeforeValidator(_as_text)]
Port = Annotated[int, Field(ge=1, le=65_535)]
SMB_KEYS = ("smb_dialect", "smb_signing", "smb_encryption", "smb_oplocks")
WHERE_KEYS = ("server", "share")
_PATH = {"server": "none", "share": None}


class AccessKeys(StudyModel):
    """How all systems are reached that do not say it themselves; over their paths by default."""

    server: Server = Field(
        "none",
        description="Start a private server over each system: samba (SMB) or ganesha (NFS version"
        " 3). Server and clients share a private network, so no other process can connect. "
        "Clients run as an unprivileged user. A bare device gets no server. Ganesha serves no"
        " folder of a file system that holds other files (storage of kind path). The server is "
        "stopped and removed after each turn. Same as --serve on the command line.",
    )
    share: ShareAddress | None = Field(
        None,
        description="A share of a running server: smb://user@host:port/share or "
        "nfs://host:port/export (version 3). Each client has its own connection. NFS clients use "
        "the user and group that run fsgauge (AUTH_SYS): 0 and 0 for root, which a server with "
        "root_squash maps to another user or refuses. Given with --set, it replaces storage and "
        f"systems. The password comes from {PASSWORD_VARIABLE} or password_file.",
    )
    beside_path: bool = Field(
        True,
        description="For kinds that report the server's share of each operation (connections): in "
        "each block, every system behind a private server gets one more turn, over its path.",
    )
    smb_dialect: SmbDialect = Field("3.0.2", description="The SMB version that clients use.")
    smb_signing: bool = Field(
        False,
        description="Whether messages are signed. Of NEGOTIATE and SESSION_SETUP, only the "
        "server's last answer is. Encrypted messages carry no signature. A private"
        ' server with "server signing" = "mandatory" signs in any case.',
    )
    smb_encryption: bool = Field(
        False,
        description="Whether messages are encrypted. NEGOTIATE and SESSION_SETUP are always in "
        "the clear. Needs SMB 3.0 or later. A private server with"
        ' "server smb encrypt" = "required" encrypts in any case.',
    )
    smb_oplocks: bool = Field(
        False,
        description="Whether clients request oplocks. They never cache: every record is sent.",
    )
    nfs_mount_port: Port | None = Field(
        None,
        description="The port of a running NFS server's mount service. Default: ask its "
        "portmapper.",
    )
    password_file: AbsolutePath | None = Field(
        None,
        description="A file with the password of the user in `share`, readable by its owner"
        f" alone (0600). Default: the variable {PASSWORD_VARIABLE}.",
    )

    @property
    def protocol(self) -> Protocol:
        if self.share is not None:
            return parse_address(self.share).protocol
        return _PROTOCOLS[self.server]

    @property
    def sockets_for_a_client(self) -> int:
        """NFS has one more for its mount service."""
        return {"path": 0, "smb": 1, "nfs": 2}[self.protocol]

    def unused(self) -> Iterator[tuple[str, str, str]]:
        """Keys that have no effect for a system reached like this: why, and what makes it so."""
        where = "share" if self.share is not None else "server"
        protocol = self.protocol
        if self.server == "none":
            yield "beside_path", "no private server is started", where
        if protocol != "smb":
            reason = "clients work on a path"
            if protocol == "nfs":
                reason = "clients speak NFS version 3, which has no dialects, signing, encryption"
                reason += " or oplocks of SMB"
            for key in SMB_KEYS:
                yield key, reason, where
        if protocol != "smb" or self.share is None:
            reason = "no server asks for a password"
            if self.server == "samba":
                reason = "the private server has its own password"
            yield "password_file", reason, where
        if protocol != "nfs" or self.share is None:
            yield "nfs_mount_port", "no running NFS server is named", where


def _else_of_all(what: str) -> Any:  # noqa: ANN401 - as pydantic declares it
    """A key of one system that has that of all where it is not given."""
    return Field(None, description=f"{what} Default: that of [access].")


class SystemAccess(StudyModel):
    """How one system is reached: "path", "samba", "ganesha", an address, or these keys.

    What it does not say is said by [access]. With `server` or `share`, neither of those of
    [access] counts.
    """

    server: Server | None = _else_of_all("A private server over this system; none: use its path.")
    share: ShareAddress | None = _else_of_all(
        "For kind share: its address, smb://user@host/share or nfs://host/export."
    )
    beside_path: bool | None = _else_of_all("Whether this system has one more turn over its path.")
    smb_dialect: SmbDialect | None = _else_of_all("The SMB version.")
    smb_signing: bool | None = _else_of_all("Whether messages are signed.")
    smb_encryption: bool | None = _else_of_all("Whether messages are encrypted.")
    smb_oplocks: bool | None = _else_of_all("Whether clients ask for oplocks.")
    nfs_mount_port: Port | None = _else_of_all("The port of this NFS server's mount service.")
    password_file: AbsolutePath | None = _else_of_all("A file with this share's password.")

    @property
    def own(self) -> dict[str, object]:
        return {key: value for key, value in self if value is not None}

    @property
    def says_where(self) -> bool:
        """Whether it names a server, a share or the path itself."""
        return any(key in self.own for key in WHERE_KEYS)


def full_access(written: object) -> object:
    """What a study says of a system's access as a table; a conflict for a word that is none."""
    servers = [name for name in _PROTOCOLS if name != "none"]
    if isinstance(written, str) and "://" not in written and written not in ("path", *servers):
        near = nearest(written, ["path", *servers])
        raise conflict(
            f'"{written}" is not a way to reach a system',
            [()],
            hint=did_you_mean(near),
            next=f"path, {', '.join(servers)}, smb://user@host/share or nfs://host/export, a table",
        )
    return in_full(written)


def in_full(short: object) -> object:
    """The table that a short form stands for: "path", a server's name, or an address."""
    if short == "path":
        return {"server": "none"}
    if isinstance(short, str):
        return {"share" if "://" in short else "server": short}
    return short


def merged(study: AccessKeys, own: SystemAccess | None, *, is_bare: bool) -> AccessKeys:
    """How a system is reached: its own words, and those of the study for the rest. A bare device
    has no files to serve: it stays what it is, the limit below."""
    words = {} if own is None else own.own
    elsewhere = is_bare or (own is not None and own.says_where)
    return study.model_copy(update={**(_PATH if elsewhere else {}), **words})


def unused_interface(accesses: Sequence[AccessKeys]) -> dict[str, str]:
    """The key `interface`, and why it has no effect where no system is reached over its path."""
    if any(access.protocol == "path" for access in accesses):
        return {}
    return {"interface": "a server is reached through sockets"}
