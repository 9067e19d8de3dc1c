"""A Debian with nothing in it: made by mmdebstrap once, unpacked for each test, entered by chroot.

A root of another processor runs by qemu-user, registered with the kernel for the time of the tests.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.needs import need_tool
from tests.packages import ROOT

KEPT = ROOT / "target/packages/cache/roots"
MIRROR = "http://deb.debian.org/debian"
NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
_BINFMT = Path("/proc/sys/fs/binfmt_misc")
_QEMU = {"arm64": "qemu-aarch64-static", "amd64": "qemu-x86_64-static"}
_E_MACHINE = {"arm64": r"\xb7\x00", "amd64": r"\x3e\x00"}

# Namespaces of its own: whatever is mounted or left running ends with the command.
_ENTER = """
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"; mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"
mkdir -p "$root/outside"; cd "$root"; pivot_root . outside; cd /
umount -l /outside; rmdir /outside
exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/root/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
  bash -e -c "cd /srv; $1"
"""


@dataclass(frozen=True)
class CleanRoot:
    """One unpacked root; `run` fails with what the command said."""

    path: Path

    def run(self, command: str, *, network: bool = False, seconds: int = 600) -> str:
        """Standard output of a bash command in it, in /srv; without a network unless given one."""
        apart = ["--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
        done = subprocess.run(
            ["unshare", *apart, "bash", "-e", "-c", _ENTER, "-", str(self.path), command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


@contextmanager
def clean_root(suite: str, architecture: str, folder: Path) -> Iterator[CleanRoot]:
    """A root of a release of Debian in `folder`, removed at the end."""
    need_tool("mmdebstrap", "mmdebstrap")
    with _emulated(architecture):
        base = _base(suite, architecture)
        root = folder / "root"
        root.mkdir()
        subprocess.run(["tar", "-xf", base, "-C", root], check=True)
        for name in ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt"):
            if Path(name).exists():
                shutil.copy(name, root / name[1:])
        try:
            yield CleanRoot(root)
        finally:
            subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


def _base(suite: str, architecture: str) -> Path:
    """The root as a tar, made when there is none yet."""
    made = KEPT / f"{suite}-{architecture}.tar"
    if not made.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        new = made.with_suffix(f".{os.getpid()}.tar")  # several processes may make it at once
        options = ["--quiet", "--variant=minbase", "--include=ca-certificates"]
        subprocess.run(
            ["mmdebstrap", *options, f"--architectures={architecture}", suite, new, MIRROR],
            check=True,
            timeout=3600,
        )
        new.rename(made)
    return made


@contextmanager
def _emulated(architecture: str) -> Iterator[None]:
    """Programs of another processor run while this lasts, unless they did before."""
    if architecture == NATIVE:
        yield
        return
    qemu = _QEMU[architecture]
    need_tool(qemu, "qemu-user-static")
    if not (_BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", _BINFMT], check=True)
    name = qemu.removesuffix("-static")  # what mmdebstrap looks for
    ours = not (_BINFMT / name).exists()
    if ours:
        magic = r"\x7fELF\x02\x01\x01\x00" + r"\x00" * 8 + r"\x02\x00" + _E_MACHINE[architecture]
        mask = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff" + r"\xff\xff"
        rule = f":{name}:M::{magic}:{mask}:{shutil.which(qemu)}:F"
        (_BINFMT / "register").write_text(rule)
    try:
        yield
    finally:
        if ours:
            (_BINFMT / name).write_text("-1")
