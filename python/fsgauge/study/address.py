"""Where a server is: smb://user@host:port/share or nfs://host:port/export, checked and taken apart.
A password does not belong in an address: command lines and study files are read by others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from fsgauge.errors import InputError
from fsgauge.study.base import OneLine

PASSWORD_VARIABLE = "FSGAUGE_SMB_PASSWORD"  # noqa: S105 - the variable's name, not a password
"""Where a password is looked for when the study names no file."""
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
