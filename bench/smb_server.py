"""A private Samba server: own folders, own passwords, loopback only; gone with its block.

It speaks SMB1 too, as nbench has nothing newer. Everything else is as a Samba share comes, so every
tool finds the same server. https://www.samba.org
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Skipped

# Debian keeps smbd where only root's PATH leads.
PLACES = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
START_SECONDS = 10
STOP_SECONDS = 10
# Every Debian has this account, and it owns nothing.
USER = "daemon"
SHARE = "bench"

CONFIGURATION = """[global]
    server role = standalone server
    server min protocol = NT1
    disable netbios = yes
    smb ports = {port}
    interfaces = lo
    bind interfaces only = yes
    private dir = {own}/private
    state directory = {own}/state
    cache directory = {own}/cache
    lock directory = {own}/lock
    pid directory = {own}/pid
    ncalrpc dir = {own}/ncalrpc
    log file = {own}/log/log.%m
    rpc start on demand helpers = no
    load printers = no
    disable spoolss = yes
    map to guest = never
[{share}]
    path = {path}
    read only = no
"""


@dataclass(frozen=True)
class SmbShare:
    """A share that is being served."""

    path: Path
    """The folder behind it."""
    port: int
    password: str
    password_file: Path

    @property
    def address(self) -> str:
        """What it is called by Samba's own clients."""
        return f"//127.0.0.1/{SHARE}"


@contextmanager
def samba(own: Path, path: Path) -> Iterator[SmbShare]:
    """Serve a folder; `own` is for the server's own files, and is removed in the end."""
    smbd = shutil.which("smbd", path=PLACES)
    smbpasswd = shutil.which("smbpasswd", path=PLACES)
    if smbd is None or smbpasswd is None:
        raise Skipped("smbd is missing: apt-get install samba")
    own.mkdir()
    share = SmbShare(path, free_port(), secrets.token_hex(8), own / "password")
    server = None
    try:
        path.chmod(0o777)
        configuration = prepare(own, share)
        add = [smbpasswd, "-c", str(configuration), "-s", "-a", USER]
        twice = f"{share.password}\n{share.password}\n"
        done = subprocess.run(add, input=twice, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skipped(f"smbpasswd adds no user: {done.stderr.strip()}")
        # The server dies with the bench, and its processes with it: a group of their own. Not a
        # session: by autogroup (sched(7)) client and server would then take turns at every answer.
        first = ["setpriv", "--pdeathsig", "KILL", smbd, "--foreground", "--no-process-group"]
        server = subprocess.Popen(
            [*first, "--configfile", str(configuration), f"--log-basename={own}/log"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        wait_for_port(server, share.port, "smbd", own / "log")
        yield share
    finally:
        if server is not None:
            stop_group(server)
        shutil.rmtree(own, ignore_errors=True)


def prepare(own: Path, share: SmbShare) -> Path:
    """Make the server's folders and configuration."""
    for name in ("private", "state", "cache", "lock", "pid", "ncalrpc", "log"):
        (own / name).mkdir(mode=0o755)
    share.password_file.touch(mode=0o600)
    share.password_file.write_text(share.password)
    configuration = own / "smb.conf"
    configuration.write_text(
        CONFIGURATION.format(port=share.port, own=own, share=SHARE, path=share.path)
    )
    return configuration


def free_port() -> int:
    """Give a port above 1024 that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for_port(server: subprocess.Popen[bytes], port: int, name: str, log: Path) -> None:
    """Wait until a server takes connections."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    words = [line for file in sorted(log.rglob("*")) if file.is_file() for line in lines(file)]
    raise Skipped(f"{name} does not take connections: " + " ".join(words[-3:]))


def lines(file: Path) -> list[str]:
    """Give the lines of a log."""
    return file.read_text(errors="replace").splitlines()


def stop_group(server: subprocess.Popen[bytes]) -> None:
    """End a server and all that it started, all in its own process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, number)
            server.wait(STOP_SECONDS)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
