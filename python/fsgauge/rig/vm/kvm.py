"""KVM's device: who may open it. Root's machines are another user's, who is let into its group."""

from __future__ import annotations

import os
import stat
from pathlib import Path

DEVICE = Path("/dev/kvm")
_GROUP = stat.S_IRGRP | stat.S_IWGRP
_OTHERS = stat.S_IROTH | stat.S_IWOTH


def has_kvm() -> bool:
    """Whether machines may use it."""
    if os.geteuid() != 0:
        return os.access(DEVICE, os.R_OK | os.W_OK)
    try:
        mode = DEVICE.stat().st_mode
    except OSError:
        return False
    return mode & _OTHERS == _OTHERS or (mode & _GROUP == _GROUP and bool(kvm_groups()))


def kvm_groups() -> tuple[int, ...]:
    """The group that machines of root need; never root's own."""
    try:
        group = DEVICE.stat().st_gid
    except OSError:
        return ()
    return (group,) if group else ()
