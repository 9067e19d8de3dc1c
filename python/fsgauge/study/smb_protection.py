"""Whether messages to a private Samba server are signed and encrypted, as it and the study say.

Clients follow a system's server, so that signing or encryption can be what systems differ in.
smb.conf(5) of 4.17 has the options; the spellings of their values are those of its parser, enum
enum_smb_signing_vals and enum_smb_encryption_vals in lib/param/param_table.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fsgauge.study.access import AccessKeys
from fsgauge.study.base import conflict

SIGNING = "server signing"
ENCRYPTION = "server smb encrypt"
_REQUIRED = ("required", "mandatory", "force", "forced", "enforced")
_OFF = ("no", "false", "0", "off", "disabled")
_DESIRED = "desired"


@dataclass(frozen=True, order=True)
class Protection:
    """Of the messages of a session that is set up."""

    signing: bool
    encryption: bool

    def __str__(self) -> str:
        if self.encryption:
            return "encrypted"
        return "signed" if self.signing else "not signed"


def protection_of(access: AccessKeys, options: Mapping[str, str]) -> Protection:
    """What clients of a server with these options do: what the study asks, or the server wants.
    "desired" encrypts where the dialect can: smbd encrypts the sessions of all who are able to."""
    encrypts = _is(options, ENCRYPTION, _REQUIRED)
    if _is(options, ENCRYPTION, (_DESIRED,)):
        encrypts = _can_encrypt(access)
    return Protection(
        signing=access.smb_signing or _is(options, SIGNING, _REQUIRED),
        encryption=access.smb_encryption or encrypts,
    )


def check_protection(
    index: int,
    options: Mapping[str, str],
    access: AccessKeys,
    said_at: Callable[[str], tuple[str | int, ...]],
) -> None:
    """Raise a conflict where a system's server and its clients contradict each other. `said_at`
    gives the place in the study of a key of the access."""

    def place(name: str) -> tuple[str | int, ...]:
        return ("system", index, "server", name)

    if _is(options, ENCRYPTION, _REQUIRED) and not _can_encrypt(access):
        raise conflict(
            f"the server requires encryption, but SMB {access.smb_dialect} has none",
            [place(ENCRYPTION), said_at("smb_dialect")],
            next="--set access.smb_dialect=3.0.2",
        )
    if access.smb_encryption and _is(options, ENCRYPTION, _OFF):
        raise conflict(
            "encryption is switched off on the server, but the clients are told to encrypt",
            [place(ENCRYPTION), said_at("smb_encryption")],
            next=f'leave one of them out; "{ENCRYPTION}=required" encrypts for that system alone',
        )
    if access.smb_signing and _is(options, SIGNING, _OFF):
        raise conflict(
            "smbd cannot switch off signing for SMB 2 and 3, and the clients are told to sign: "
            "the option would be ignored",
            [place(SIGNING), said_at("smb_signing")],
            next=f'leave one of them out; "{SIGNING}=mandatory" signs for that system alone',
        )


def _is(options: Mapping[str, str], name: str, values: tuple[str, ...]) -> bool:
    return options.get(name, "").strip().lower() in values


def _can_encrypt(access: AccessKeys) -> bool:
    return not access.smb_dialect.startswith("2")
