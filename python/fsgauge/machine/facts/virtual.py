"""Whether this is a virtual machine, and whose: rates measured in one say less."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.process.tool import find_tool, run_tool

_VENDOR = Path("/sys/class/dmi/id/sys_vendor")
_XEN = Path("/sys/hypervisor/type")
_CPU = Path("/proc/cpuinfo")
_SECONDS = 10.0


def virtual_machine() -> str | None:
    """The hypervisor's name, "unknown hypervisor" when only its mark is there, None on metal."""
    named = _as_systemd_says() or _as_the_hypervisor_says()
    if named:
        return named
    return "unknown hypervisor" if _has_hypervisor_flag() else None


def _as_systemd_says() -> str | None:
    if find_tool("systemd-detect-virt") is None:
        return None
    said = run_tool(["systemd-detect-virt", "--vm"], seconds=_SECONDS).output.strip()
    return said if said and said != "none" else None


def _as_the_hypervisor_says() -> str | None:
    try:
        return _XEN.read_text().strip() or None
    except OSError:
        pass
    try:
        vendor = _VENDOR.read_text().strip()
    except OSError:
        return None
    return vendor if vendor in ("QEMU", "VMware, Inc.", "Xen", "innotek GmbH", "Bochs") else None


def _has_hypervisor_flag() -> bool:
    try:
        text = _CPU.read_text()
    except OSError:
        return False
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return "hypervisor" in flags.split()
