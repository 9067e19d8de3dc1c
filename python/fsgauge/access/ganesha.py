"""NFS-Ganesha: one process with the VFS module, NFS version 3.

It does not start without a port mapper. Its own listens on no port: it sees an /etc/netconfig of
local transports alone, and both see a /run of their own, in a mount namespace that ends with them
(`unshare --kill-child`: when the child of fsgauge dies, all of it dies). Mounts that others undo
meanwhile are undone there too (it is a slave of this machine's), and other systems under test are
let go at once, or their devices would stay busy as long as the server lives.

NFS has no passwords, and a file handle names any inode of the file system, in the share or not
(VFS opens it with open_by_handle_at). So every client is one unprivileged user, and the server
itself is no more than that user: of root's rights it keeps CAP_DAC_READ_SEARCH, without which no
handle can be opened.
"""

from __future__ import annotations

from pathlib import Path

from fsgauge.access import kind
from fsgauge.engine.wire import NfsTarget
from fsgauge.errors import RigError
from fsgauge.machine.process.own_network import unused_user_id
from fsgauge.machine.process.tool import run_tool
from fsgauge.study.server_options import OPTIONS

_INSIDE = "/run/fsgauge-export"
"""Where the server sees what it shares, and what clients call the export."""
_NETCONFIG = "local tpi_cots_ord - loopback - - -\nunix tpi_cots_ord - loopback - - -\n"
_MODULE = "ganesha/libfsalvfs.so"
_START = """\
set -e
own=$1
shared=$2
user=$3
mkdir -p "$own/run"
mount -t tmpfs -o mode=755 tmpfs "$own/run"
chgrp "$user" "$own"
chmod 710 "$own"
(cd "$own/run" && mkdir -p ganesha rpcbind mount fsgauge-export own)
mount --bind "$shared" "$own/run/fsgauge-export"
mount --bind "$own" "$own/run/own"
while read -r _ _ _ _ place _; do
  case $place in /run/fsgauge/*) umount -n -l "$place" ;; esac
done </proc/self/mountinfo
mount -n --move "$own/run" /run
mount -t tmpfs -o mode=755 tmpfs /var/lib/nfs
mkdir -p /var/lib/nfs/ganesha
chgrp "$user" /run/own/ganesha.conf
chmod 640 /run/own/ganesha.conf
touch /run/ganesha.pid
chown "$user" /run/ganesha /run/ganesha.pid /var/lib/nfs/ganesha
unshare --mount --propagation slave sh -c \\
  'mount --bind /run/own/netconfig /etc/netconfig; exec rpcbind -f' &
tries=100
until [ -S /run/rpcbind.sock ]; do
  tries=$((tries-1)); [ $tries -gt 0 ] || exit 1; sleep 0.05
done
setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \\
  --bounding-set -all,+dac_read_search --inh-caps -all,+dac_read_search \\
  --ambient-caps -all,+dac_read_search \\
  ganesha.nfsd -F -L STDERR -f /run/own/ganesha.conf -p /run/ganesha.pid -N NIV_EVENT
exit $?
"""


class Ganesha(kind.ServerKind):
    name = "ganesha"
    title = "NFS-Ganesha"
    daemon = "ganesha.nfsd"
    protocol = "NFS version 3"
    programs = ("ganesha.nfsd", "rpcbind", "unshare", "mount", "setpriv")
    install = "apt-get install nfs-ganesha nfs-ganesha-vfs rpcbind"
    processes_for_a_client = 0
    sockets_for_a_client = 2
    memory_for_a_client_bytes = 256 << 10
    ports = (kind.PORT, kind.SECOND_PORT)
    shares_by_a_mount_of_its_own = False
    reaches_whole_file_systems = True

    def account(self) -> kind.Account:
        """One that owns nothing on this machine: handles reach more than the share."""
        number = unused_user_id()
        return kind.Account(number, number, "an unprivileged user")

    def version(self) -> str:
        """As "NFS-Ganesha Release = V4.3" says it."""
        said = run_tool(["ganesha.nfsd", "-v"])
        line = next((each for each in said.output.splitlines() if "Release" in each), "")
        return line.partition("=")[2].strip().removeprefix("V")

    def lacks(self) -> str:
        places = (Path("/usr/lib"), Path("/usr/lib64"), Path("/usr/local/lib"))
        found = any(
            next(place.glob(pattern), None) is not None
            for place in places
            for pattern in (_MODULE, f"*/{_MODULE}")
        )
        return "" if found else "its module for local file systems (VFS)"

    def require_possible(self) -> None:
        """RigError where it cannot have mounts of its own."""
        words = ["unshare", "--mount", "--propagation", "slave", "true"]
        if run_tool(words).exit_code != 0:
            raise RigError(
                f"{self.title} cannot have private mounts here",
                cause="the root is not a mount point (a chroot), or a container without "
                "CAP_SYS_ADMIN",
                next="run it outside of the chroot or container, or use --serve samba",
            )

    def configure(self, serving: kind.Serving) -> None:
        kind.write_private(serving.folder / "ganesha.conf", configuration(serving))
        kind.write_private(serving.folder / "netconfig", _NETCONFIG)
        kind.write_private(serving.folder / "start.sh", _START)
        (serving.folder / "netconfig").chmod(0o644)

    def command(self, serving: kind.Serving) -> list[str]:
        """Namespaces first; everything in them ends with this process."""
        return [
            *("unshare", "--mount", "--propagation", "slave", "--pid", "--fork"),
            *("--kill-child", "--mount-proc"),
            *("sh", f"{serving.folder}/start.sh", str(serving.folder), str(serving.shared)),
            str(serving.account.user_id),
        ]

    def target(self, serving: kind.Serving) -> kind.Target:
        return NfsTarget(
            host=kind.LOOPBACK,
            port=kind.PORT,
            mount_port=kind.SECOND_PORT,
            export=_INSIDE,
            directory="",
            user_id=serving.account.user_id,
            group_id=serving.account.group_id,
        )

    def complaints(self, serving: kind.Serving) -> list[str]:
        """It starts without an export where it did not accept its options."""
        try:
            lines = (serving.folder / kind.START_LOG).read_text(errors="replace").splitlines()
        except OSError:
            return []
        return [line.rpartition(" :")[2] for line in lines if ":CONFIG :CRIT :" in line]


def configuration(serving: kind.Serving) -> str:
    """The text of ganesha.conf: its own choices but for places, and the study's options."""
    own: dict[str, list[str]] = {"EXPORT": [], "NFS_CORE_PARAM": [], "MDCACHE": []}
    for name, value in serving.options.items():
        own[OPTIONS["ganesha"][name]].append(f"  {name} = {value};")
    connections = 2 * serving.clients.count + 64
    return "\n".join(
        [
            "NFS_CORE_PARAM {",
            "  Protocols = 3;",
            f"  NFS_Port = {kind.PORT};",
            f"  MNT_Port = {kind.SECOND_PORT};",
            "  Enable_NLM = false;",
            "  Enable_RQUOTA = false;",
            "  Enable_UDP = false;",
            f"  RPC_Max_Connections = {max(connections, 1024)};",
            *own["NFS_CORE_PARAM"],
            "}",
            "NFSV4 { Graceless = true; RecoveryBackend = fs; }",
            "NFS_KRB5 { Active_krb5 = false; }",
            "MDCACHE {",
            *own["MDCACHE"],
            "}",
            "VFS { only_one_user = true; }",
            "EXPORT {",
            "  Export_Id = 1;",
            f'  Path = "{_INSIDE}";',
            "  Pseudo = /fsgauge;",
            "  Protocols = 3;",
            "  Access_Type = RW;",
            "  Squash = All_Squash;",
            f"  Anonymous_Uid = {serving.account.user_id};",
            f"  Anonymous_Gid = {serving.account.group_id};",
            "  SecType = sys;",
            "  FSAL { Name = VFS; }",
            *own["EXPORT"],
            "}",
            "LOG { Default_Log_Level = EVENT; }",
            "",
        ]
    )


GANESHA = Ganesha()
