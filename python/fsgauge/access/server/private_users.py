"""Users that a server alone knows: files for its own mount namespace, in the place of /etc's.

A server that needs a name for its clients' user has one whose number nothing else on the machine
has. Neither the machine's users nor a directory service nor a cache of names (nscd) is asked.
"""

from __future__ import annotations

from pathlib import Path

from fsgauge.access.server.kind import Account
from fsgauge.machine.process.tool import run_tool

USER = "fsgauge"
NAMESPACE = ("--mount", "--propagation", "slave")
"""Words for unshare(1). Mounts that others undo meanwhile are undone there too."""
_FOLDER = "users"
_NOBODY = 65534
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


def users_can_be_private() -> bool:
    """Whether such mounts can be made here: not in a chroot whose root is no mount point."""
    bind = ("mount", "-n", "--bind", "/etc/passwd", "/etc/passwd")
    return run_tool(["unshare", *NAMESPACE, *bind]).exit_code == 0


def write_users(folder: Path, account: Account) -> None:
    """Root, the user that Samba takes guests for, and the clients' own."""
    place = folder / _FOLDER
    place.mkdir(mode=0o700)
    user, group = account.user_id, account.group_id
    passwd = [
        "root:x:0:0:root:/root:/bin/sh",
        f"nobody:x:{_NOBODY}:{_NOBODY}:nobody:/:/usr/sbin/nologin",
        f"{USER}:x:{user}:{group}::/:/usr/sbin/nologin",
    ]
    groups = ["root:x:0:", f"nogroup:x:{_NOBODY}:", f"{USER}:x:{group}:"]
    texts = {"passwd": _lines(passwd), "group": _lines(groups), "nsswitch.conf": _SWITCH}
    for name, text in texts.items():
        (place / name).write_text(text)
        (place / name).chmod(0o644)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
