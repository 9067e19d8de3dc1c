"""A private nfs-ganesha, NFS version 3, in a network of its own; gone with its block.

dbench's library asks the portmapper for the ports, and ganesha does not start version 3 without
one. It listens on port 111 of every address, so server and clients live in a network namespace that
has nothing but a loopback. https://github.com/nfs-ganesha/nfs-ganesha
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Skipped
from smb_server import PLACES, START_SECONDS, lines, stop_group

PORT, MOUNT_PORT = 2049, 2050
NEEDS = {
    "ganesha.nfsd": "nfs-ganesha nfs-ganesha-vfs",
    "rpcbind": "rpcbind",
    "nsenter": "util-linux",
    "ip": "iproute2",
}

CONFIGURATION = """NFS_CORE_PARAM {{
    Protocols = 3; NFS_Port = {port}; MNT_Port = {mount_port};
    Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; RPC_Max_Connections = 4096;
}}
NFSV4 {{ Graceless = true; RecoveryBackend = fs; }}
NFS_KRB5 {{ Active_krb5 = false; }}
EXPORT {{
    Export_Id = 1; Path = "{path}"; Pseudo = /bench; Protocols = 3; Access_Type = RW;
    Squash = None; SecType = sys; FSAL {{ Name = VFS; }}
}}
LOG {{ Default_Log_Level = EVENT; }}
"""
# Its folders in /run and /var/lib/nfs are in memory of its own, seen by nobody else.
START = """set -e
own=$1
ip link set lo up
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/ganesha /run/rpcbind
mount -t tmpfs -o mode=755 tmpfs /var/lib/nfs
mkdir /var/lib/nfs/ganesha
rpcbind -f &
tries=50
until [ -S /run/rpcbind.sock ]; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || exit 1
    sleep 0.05
done
exec ganesha.nfsd -F -L "$own/log" -f "$own/conf" -p /run/ganesha.pid -N NIV_EVENT
"""


@dataclass(frozen=True)
class NfsExport:
    """A folder that is being exported."""

    path: Path
    """The folder, and its name as an export."""
    inside: list[str]
    """What a command begins with to run in the server's network."""


@contextmanager
def ganesha(own: Path, path: Path) -> Iterator[NfsExport]:
    """Export a folder; `own` is for the server's own files, and is removed in the end."""
    for name, packages in NEEDS.items():
        if shutil.which(name, path=PLACES) is None:
            raise Skipped(f"{name} is missing: apt-get install {packages}")
    own.mkdir()
    server = None
    try:
        path.chmod(0o777)
        (own / "conf").write_text(CONFIGURATION.format(port=PORT, mount_port=MOUNT_PORT, path=path))
        start = str(own / "start.sh")
        Path(start).write_text(START)
        # Whatever ends the bench ends the first process of the namespace, and that all others.
        first = ["setpriv", "--pdeathsig", "KILL"]
        first += ["unshare", "--net", "--mount", "--propagation", "private"]
        server = subprocess.Popen(
            [*first, "--pid", "--fork", "--kill-child", "--mount-proc", "sh", start, str(own)],
            env={"PATH": PLACES},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        inside = ["nsenter", f"--net=/proc/{server.pid}/ns/net"]
        wait_until_exported(server, inside, own / "log")
        yield NfsExport(path, inside)
    finally:
        if server is not None:
            stop_group(server)
        shutil.rmtree(own, ignore_errors=True)


def wait_until_exported(server: subprocess.Popen[bytes], inside: list[str], log: Path) -> None:
    """Wait until the server listens on both ports."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        listing = [*inside, "ss", "--no-header", "--listening", "--tcp", "--numeric"]
        done = subprocess.run(listing, capture_output=True, text=True, check=False)
        if all(f":{port} " in done.stdout for port in (PORT, MOUNT_PORT)):
            return
        time.sleep(0.05)
    words = lines(log)[-3:] if log.exists() else []
    raise Skipped("nfs-ganesha does not take connections: " + " ".join(words))
