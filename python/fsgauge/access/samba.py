"""Samba: smbd in the foreground, one process a session.

Every folder that smbd may write is named (private, state, cache, lock, pid, ncalrpc), or it would
touch those of the machine's own server. `rpc start on demand helpers = no` keeps it from starting
samba-dcerpcd, `--no-process-group` leaves its processes in the group that fsgauge gave it.

smbd has to begin as root to become the user of a session. It changes users all the time, whereupon
the kernel forgets that it is to die with its parent: so all of it lives in a namespace of process
ids whose first process is a shell that changes nothing.

The user of its sessions owns nothing else on this machine. Its name is in files that the server
alone sees, in its own mount namespace in the place of /etc's: neither the machine's users nor a
directory service nor a cache of names (nscd) is asked. Where a process cannot have mounts of its
own, it is `nobody`.
"""

from __future__ import annotations

import pwd
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fsgauge.access import kind
from fsgauge.engine.wire import FilePassword, SmbTarget
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.process.own_network import unused_user_id
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.programs import run_to_end
from fsgauge.study.access import AccessKeys
from fsgauge.study.server_options import OPTIONS, protection_of

USER = "fsgauge"
NAMESPACE = ("--mount", "--propagation", "slave")
"""Words for unshare(1). Mounts that others undo meanwhile are undone there too."""
_FOLDER = "users"
_NOBODYS_NUMBER = 65534
_SWITCH = "passwd: files\ngroup: files\nshadow: files\nhosts: files myhostname dns\n"
IN_PLACE = f"""\
set -e
own=$1
shift
while read -r _ _ _ _ place _; do
  case $place in /run/fsgauge/*) umount -n -l "$place" ;; esac
done </proc/self/mountinfo
for name in passwd group nsswitch.conf; do
  [ ! -e "/etc/$name" ] || mount -n --bind "$own/{_FOLDER}/$name" "/etc/$name"
done
[ ! -d /var/run/nscd ] || mount -n -t tmpfs tmpfs /var/run/nscd
set +e
"""
"""For a shell in that namespace; its first argument is the server's folder, and goes.

Other systems under test are let go at once, or their devices would be busy as long as it lives.
"""

SHARE = "fsgauge"
_FOLDERS = ("private", "state", "cache", "lock", "pid", "ncalrpc")
_SECONDS = 30.0
_NOBODY = "nobody"
"""Samba's users have to have a name; this one is on every system, and processes may have it."""
_CAPABILITIES = (
    *("chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid"),
    "lease",
)
"""To become a session's user, to look after its files as root, and for kernel oplocks."""
_ADD_USER = f"""\
{IN_PLACE}
exec "$@"
"""
_START = """\
hostname localhost
"$@"
exit $?
"""
_START_PRIVATE = f"{IN_PLACE}{_START}"
_PANIC = re.compile(r"PANIC \(pid \d+\): (.+?)(?: in \d\S*)?$")
_COMPLAINTS = (
    "Unknown parameter",
    "Invalid",
    "Ignoring",
    "is not a valid",
    "is not boolean",
    "ERROR",
)


class Samba(kind.ServerKind):
    name = "samba"
    title = "Samba"
    daemon = "smbd"
    where_it_aborts = "--serve ganesha, or one connection to each file"
    protocol = "SMB"
    programs = ("smbd", "smbpasswd", "testparm", "unshare", "mount", "hostname", "setpriv")
    install = "apt-get install samba"
    processes_for_a_client = 1
    sockets_for_a_client = 1
    memory_for_a_client_bytes = 768 << 10
    ports = (kind.PORT,)
    shares_by_a_mount_of_its_own = True

    def account(self) -> kind.Account:
        if users_can_be_private():
            number = unused_user_id()
            return kind.Account(number, number, "an unprivileged user", USER)
        try:
            user = pwd.getpwnam(_NOBODY)
        except KeyError:
            raise RigError(
                f"this system has no user {_NOBODY} to serve files as",
                cause="a small container image leaves it out",
                next=f"adduser --system --no-create-home {_NOBODY}",
            ) from None
        return kind.Account(user.pw_uid, user.pw_gid, _NOBODY, _NOBODY)

    def version(self) -> str:
        said = run_tool(["smbd", "--version"])
        return said.output.strip().removeprefix("Version ") if said.exit_code == 0 else ""

    def check_options(self, access: AccessKeys, options: dict[str, str]) -> None:
        """As testparm says, on the very text that smbd would read."""
        if not options or find_tool("testparm") is None:
            return
        with TemporaryDirectory(prefix="fsgauge-") as name:
            folder = Path(name)
            clients, account = kind.Clients(access, 1), self.account()
            serving = kind.Serving(folder, folder, clients, account, options)
            self._write_configuration(serving)
            given = ", ".join(f"{key} = {value}" for key, value in options.items())
            _require_accepted(serving, f"a system's server: {given}", InputError)

    def configure(self, serving: kind.Serving) -> None:
        self._write_configuration(serving)
        _require_accepted(serving, "this system's server", RigError)
        password = kind.new_password()
        kind.write_private(serving.folder / kind.PASSWORD_FILE, password)
        if _is_private(serving):
            write_users(serving.folder, serving.account)
        self._add_user(serving, password)

    def command(self, serving: kind.Serving) -> list[str]:
        """In the foreground, its log in its own folder. Each session asks for the address of the
        host's name, which takes seconds where no resolver knows it: so the server sees the name
        localhost."""
        folder = serving.folder
        kept = ",".join(f"+{name}" for name in _CAPABILITIES)
        start = ["sh", "-c", _START, "sh"]
        if _is_private(serving):
            start = [*NAMESPACE, "sh", "-c", _START_PRIVATE, "sh", str(folder)]
        return [
            *("unshare", "--uts", "--pid", "--fork", "--kill-child", *start),
            *("setpriv", "--no-new-privs", "--bounding-set", f"-all,{kept}"),
            *("smbd", "-F", "--no-process-group", "-s", f"{folder}/smb.conf", "-l", str(folder)),
        ]

    def target(self, serving: kind.Serving) -> kind.Target:
        """A session of the private user, signed and encrypted as server and study want it."""
        access = serving.clients.access
        protection = protection_of(access, serving.options)
        return SmbTarget(
            host=kind.LOOPBACK,
            port=kind.PORT,
            share=SHARE,
            directory="",
            user=serving.account.name,
            password=FilePassword(path=str(serving.folder / kind.PASSWORD_FILE)),
            dialect=access.smb_dialect,
            signing=protection.signing,
            encryption=protection.encryption,
            oplocks=access.smb_oplocks,
        )

    def aborts(self, said: Sequence[str]) -> list[str]:
        """As smb_panic_log of lib/util/fault.c says it: "PANIC (pid 15): lock order violation"."""
        found = [_PANIC.search(line) for line in said]
        return [match.group(1).strip() for match in found if match is not None]

    def _write_configuration(self, serving: kind.Serving) -> None:
        for name in _FOLDERS:
            (serving.folder / name).mkdir(mode=0o755 if name == "ncalrpc" else 0o700)
        kind.write_private(serving.folder / "smb.conf", configuration(serving))

    def _add_user(self, serving: kind.Serving, password: str) -> None:
        """The password goes over standard input: it is on no command line."""
        program, name = find_tool("smbpasswd") or "smbpasswd", serving.account.name
        words = [program, "-c", f"{serving.folder}/smb.conf", "-s", "-a", name]
        if _is_private(serving):
            shell = ("sh", "-c", _ADD_USER, "sh", str(serving.folder))
            words = [find_tool("unshare") or "unshare", *NAMESPACE, *shell, *words]
        done = run_to_end(words, f"{password}\n{password}\n".encode(), seconds=_SECONDS)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").replace(password, "...")
            raise RigError(
                "smbpasswd could not make the private user",
                details=tuple(said.splitlines()[-3:]),
                cause="its tools are of several versions, or a policy closes the folder",
                next="fsgauge doctor --systems names the package; --rig vm brings a server",
            )


def _is_private(serving: kind.Serving) -> bool:
    """Whether the sessions' user is one that this server alone knows."""
    return serving.account.name == USER


def users_can_be_private() -> bool:
    """Whether such mounts can be made here: not in a chroot whose root is no mount point."""
    bind = ("mount", "-n", "--bind", "/etc/passwd", "/etc/passwd")
    return run_tool(["unshare", *NAMESPACE, *bind]).exit_code == 0


def write_users(folder: Path, account: kind.Account) -> None:
    """Root, the user that Samba takes guests for, and the clients' own."""
    place = folder / _FOLDER
    place.mkdir(mode=0o700)
    user, group = account.user_id, account.group_id
    passwd = [
        "root:x:0:0:root:/root:/bin/sh",
        f"nobody:x:{_NOBODYS_NUMBER}:{_NOBODYS_NUMBER}:nobody:/:/usr/sbin/nologin",
        f"{USER}:x:{user}:{group}::/:/usr/sbin/nologin",
    ]
    groups = ["root:x:0:", f"nogroup:x:{_NOBODYS_NUMBER}:", f"{USER}:x:{group}:"]
    texts = {"passwd": _lines(passwd), "group": _lines(groups), "nsswitch.conf": _SWITCH}
    for name, text in texts.items():
        (place / name).write_text(text)
        (place / name).chmod(0o644)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _require_accepted(serving: kind.Serving, whose: str, error: type[FsgaugeError]) -> None:
    """smbd ignores a value that it does not understand; testparm names it."""
    said = run_tool(["testparm", "-s", f"{serving.folder}/smb.conf"])
    wrong = tuple(
        line.strip().replace("set_variable_helper(", "(")
        for line in said.error.splitlines()
        if any(mark in line for mark in _COMPLAINTS)
    )
    if said.exit_code != 0:
        wrong = wrong or tuple(said.words.splitlines()[-3:])
    if wrong:
        raise error(
            f"Samba does not accept the options of {whose}",
            details=wrong,
            cause="the installed Samba does not know them, or not with these values",
            next="man 5 smb.conf; fsgauge explain system.server",
        )


def configuration(serving: kind.Serving) -> str:
    """The text of smb.conf: Samba's own choices but for places, and the study's options."""
    folder = serving.folder
    own = {name: {} for name in ("global", "share")}  # type: dict[str, dict[str, str]]
    for name, value in serving.options.items():
        own[OPTIONS["samba"][name]][name] = value
    general = {
        "workgroup": "FSGAUGE",
        "netbios name": "FSGAUGE",
        "server role": "standalone server",
        "security": "user",
        "map to guest": "Never",
        "restrict anonymous": "2",
        "passdb backend": f"smbpasswd:{folder}/private/smbpasswd",
        "private dir": f"{folder}/private",
        "state directory": f"{folder}/state",
        "cache directory": f"{folder}/cache",
        "lock directory": f"{folder}/lock",
        "pid directory": f"{folder}/pid",
        "ncalrpc dir": f"{folder}/ncalrpc",
        "usershare path": "",
        "log file": f"{folder}/log.smbd",
        "max log size": "1000",
        "interfaces": kind.LOOPBACK,
        "bind interfaces only": "yes",
        "smb ports": str(kind.PORT),
        "disable netbios": "yes",
        "disable spoolss": "yes",
        "load printers": "no",
        "printing": "bsd",
        "printcap name": "/dev/null",
        "rpc start on demand helpers": "no",
        "dns proxy": "no",
        "server min protocol": "SMB2_02",
    }
    share = {
        "path": str(serving.shared),
        "valid users": serving.account.name,
        "read only": "no",
        "browseable": "no",
    }
    return "\n".join(
        [
            "[global]",
            *(f"{name} = {value}" for name, value in {**general, **own["global"]}.items()),
            f"[{SHARE}]",
            *(f"{name} = {value}" for name, value in {**share, **own["share"]}.items()),
            "",
        ]
    )


SAMBA = Samba()
