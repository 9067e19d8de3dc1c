"""Options of the servers that fsgauge starts: which there are, in which part of their files, and
which of them sign and encrypt messages.

Only those that change how a server works, not what it serves or to whom: these are fsgauge's own.
Samba: smb.conf(5) of 4.17, (S) in the share, (G) global. Ganesha: ganesha-export-config(8),
ganesha-core-config(8) and ganesha-cache-config(8) of version 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import conflict

_SAMBA_SHARE = """
acl map full control|aio read size|aio write size|allocation roundup size|block size|case sensitive
change notify|csc policy|default case|dos filemode|dos filetimes|durable handles|ea support
fake oplocks|hide dot files|inherit acls|inherit permissions|kernel oplocks|kernel share modes
level2 oplocks|locking|mangled names|map archive|map hidden|map readonly|map system
nt acl support|oplocks|posix locking|preserve case|short preserve case|smbd async dosmode
smbd getinfo ask sharemode|store dos attributes|strict allocate|strict locking|strict rename
strict sync|sync always|use sendfile|vfs objects
"""
_SAMBA_GLOBAL = """
aio max threads|async smb echo handler|deadtime|getwd cache|keepalive|log level|max open files
max stat cache size|server multi channel support|server signing|server smb encrypt|smb2 leases
smb2 max credits|smb2 max read|smb2 max trans|smb2 max write|socket options|stat cache|use mmap
"""
_GANESHA = {
    "EXPORT": (
        "Attr_Expiration_Time",
        "DisableReaddirPlus",
        "Disable_ACL",
        "MaxRead",
        "MaxWrite",
        "PrefRead",
        "PrefReaddir",
        "PrefWrite",
        "Trust_Readdir_Negative_Cache",
    ),
    "NFS_CORE_PARAM": ("Drop_Delay_Errors", "Drop_IO_Errors", "RPC_Ioq_ThrdMax"),
    "MDCACHE": (
        "Cache_FDs",
        "Dir_Chunk",
        "Entries_HWMark",
        "NParts",
        "Use_Getattr_Directory_Invalidation",
    ),
}


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for line in text.split("\n") for word in line.split("|") if word)


OPTIONS: dict[str, dict[str, str]] = {
    "samba": dict.fromkeys(_words(_SAMBA_SHARE), "share")
    | dict.fromkeys(_words(_SAMBA_GLOBAL), "global"),
    "ganesha": {name: part for part, names in _GANESHA.items() for name in names},
}
"""By server, each option and the part of its configuration that it stands in."""


_OWN_SAMBA = """
bind interfaces only|browseable|cache directory|disable netbios|disable spoolss|dns proxy
force group|force user|guest ok|include|interfaces|load printers|lock directory|log file
map to guest|max log size|ncalrpc dir|netbios name|passdb backend|path|pid directory|postexec
preexec|printcap name|printing|private dir|read only|restrict anonymous|root postexec|root preexec
rpc start on demand helpers|security|server max protocol|server min protocol|server role
smb ports|state directory|usershare path|valid users|workgroup|writable|writeable
"""
_OWN_GANESHA = """
Access_Type|Anonymous_gid|Anonymous_uid|Bind_addr|Clients|Enable_NLM|Enable_RQUOTA|Enable_UDP
Export_Id|Filesystem_Id|FSAL|Manage_Gids|Manage_Gids_Expiration|MNT_Port|NFS_Port|NFS_Protocols
Path|Plugins_Dir|PrivilegedPort|Protocols|Pseudo|RPC_Max_Connections|SecType|Squash|Transports
"""
_OWN = {"samba": _words(_OWN_SAMBA), "ganesha": _words(_OWN_GANESHA)}
"""What is served, where, to whom, and what is run beside: fsgauge's own, and no study's."""

MODULES = (
    *("acl_xattr", "aio_fork", "aio_pthread", "btrfs", "cacheprime", "catia", "commit", "dirsort"),
    *("fileid", "fruit", "io_uring", "linux_xfs_sgid", "preopen", "readahead", "streams_xattr"),
    "time_audit",
)
"""Of `vfs objects`: modules of Samba that stay within the share and need no file beside it."""
_OF_SAMBA = re.compile(r"[A-Za-z0-9 _=:,.+-]{1,300}")
"""No slash, and none of smb.conf's marks: a log level may name a file after an @, % is a macro."""
_OF_GANESHA = re.compile(r"[A-Za-z0-9_.+-]{1,100}")
"""One number or word."""


def unknown_option(server: str, name: str) -> str | None:
    """What helps, in words, where there is no such option; None where there is."""
    known = OPTIONS[server]
    if name in known:
        return None
    if name.lower() in (each.lower() for each in _OWN[server]):
        return "fsgauge sets that itself"
    near = nearest(name.lower(), [each.lower() for each in known])
    exact = next((each for each in known if near and each.lower() == near[0]), "")
    return did_you_mean([exact] if exact else [])


def wrong_value(server: str, name: str, value: str) -> str | None:
    """What may stand there, in words, where a value could be more than a value; None if it is one.
    A path, a macro, a second option or a module that is no file of Samba's own."""
    if server == "ganesha":
        return None if _OF_GANESHA.fullmatch(value.strip()) else "a value is one number or word"
    if not value.strip() or not _OF_SAMBA.fullmatch(value):
        return "a value has letters, digits and _ = : , . + - in it"
    if name == "vfs objects" and not set(re.split(r"[\s,]+", value.strip())) <= set(MODULES):
        return f"modules that a study may load: {', '.join(MODULES)}"
    return None


SIGNING = "server signing"
ENCRYPTION = "server smb encrypt"
# enum_smb_signing_vals and enum_smb_encryption_vals in lib/param/param_table.c of Samba 4.17.
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
