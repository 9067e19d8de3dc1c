"""This machine as it is: processor, memory, kernel, tools, and the storage below the systems.

Works as an ordinary user, in a chroot and in a container; what cannot be read is null, with the
reason in `missing`.
"""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from fsgauge.machine.device.device_chain import Link, chain_of_device, chain_of_path
from fsgauge.machine.facts.limits import capture_limits, reclaimer, total_memory_bytes
from fsgauge.machine.facts.pseudo_files import fields_of, text_of
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.record.machine import Machine, StorageFacts

T = TypeVar("T")

_CPU = Path("/sys/devices/system/cpu")
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_VERSION_FLAG = {
    f"mkfs.{name}": "-V"
    for name in ("ext2", "ext3", "ext4", "xfs", "f2fs", "gfs2", "nilfs2", "ocfs2")
}
_VERSION_SECONDS = 10.0


def machine_name() -> str:
    return socket.gethostname()


def kernel_name() -> str:
    return f"{platform.system()} {platform.release()} {platform.version()}"


def processor_name() -> str:
    return _known({}, "processor", _processor) or platform.machine()


def capture_machine(programs: list[str], facts: StorageFacts) -> Machine:
    """The machine now. `programs` are the tools whose versions matter beside mount and fio."""
    missing: dict[str, str] = {}
    return Machine(
        name=machine_name(),
        role="load",
        captured_unix_ns=time.time_ns(),
        kernel=kernel_name(),
        architecture=platform.machine(),
        distribution=_distribution(),
        processor=_known(missing, "processor", _processor) or platform.machine(),
        processor_count=len(os.sched_getaffinity(0)),
        governor=_known(missing, "governor", _governor),
        throttle_events=_known(missing, "throttle_events", _throttle_events),
        frequency_limit_hz=_known(
            missing, "frequency_limit_hz", lambda: _frequency_hz("scaling_max_freq")
        ),
        frequency_maximum_hz=_known(
            missing, "frequency_maximum_hz", lambda: _frequency_hz("cpuinfo_max_freq")
        ),
        memory_bytes=_memory(missing),
        limits=capture_limits(missing),
        reclaimer=reclaimer(),
        virtual_machine=virtual_machine(),
        load_average=os.getloadavg()[0],
        clock_source=_known(missing, "clock_source", lambda: _CLOCK.read_text().strip()),
        storage=facts.model_copy(update={"device_chain": _chain_now(facts)}),
        tool_versions=_versions(programs, missing),
        missing=missing,
    )


def tool_version(program: str) -> str | None:
    """The first line with which a program names its version, or None when it is not installed."""
    if find_tool(program) is None:
        return None
    said = run_tool([program, _VERSION_FLAG.get(program, "--version")], seconds=_VERSION_SECONDS)
    lines = (said.output + said.error).strip().splitlines()
    return lines[0].strip() if lines else None


def _known(missing: dict[str, str], key: str, read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (OSError, LookupError, ValueError) as error:
        missing[key] = str(error)
        return None


def _of_processors(name: str, lacking: str) -> list[str]:
    """What the file of that name says of each processor; LookupError where none has it."""
    files = sorted(_CPU.glob(f"cpu[0-9]*/{name}"))
    if not files:
        raise LookupError(lacking)
    return [file.read_text().strip() for file in files]


def _throttle_events() -> int:
    """Of cores and packages together; a package counts once for each of its processors. Source:
    drivers/thermal/intel/therm_throt.c, Linux 6.12."""
    lacking = "the processor or virtual machine has no thermal counters"
    return sum(map(int, _of_processors("thermal_throttle/*_throttle_count", lacking)))


def _frequency_hz(name: str) -> int:
    """A limit of cpufreq, kHz in its file, of the processor where it is lowest."""
    lacking = "no cpufreq driver: this machine does not report the frequency"
    return 1000 * min(map(int, _of_processors(f"cpufreq/{name}", lacking)))


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "cpu model", "Processor", "Hardware"):
            return value.strip()
    raise LookupError("/proc/cpuinfo names no model")


def _governor() -> str:
    lacking = "no cpufreq driver: this machine does not set the frequency"
    return ", ".join(sorted(set(_of_processors("cpufreq/scaling_governor", lacking))))


def _memory(missing: dict[str, str]) -> int:
    total = total_memory_bytes()
    if total is None:
        missing["memory_bytes"] = "/proc/meminfo cannot be read"
    return total or 0


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _chain_now(facts: StorageFacts) -> list[Link]:
    """The device chain as it stands now: queue settings may have changed since the start. Of
    several folders, the chains follow one another: what is not of the last one begins the next."""
    fresh: list[Link] = []
    seen: set[tuple[str, str]] = set()
    for link in facts.device_chain:
        if _place(link) in seen:
            continue
        chain = (chain_of_device if link["kind"] == "device" else chain_of_path)(link["path"])
        seen |= {_place(link), *map(_place, chain)}
        fresh += chain
    return fresh


def _place(link: Link) -> tuple[str, str]:
    return link["kind"], link["path"]


def _versions(programs: list[str], missing: dict[str, str]) -> dict[str, str]:
    found = {}
    for program in dict.fromkeys([*programs, "mount", "losetup", "fio"]):
        version = tool_version(program)
        if version is None:
            missing[f"tool_versions.{program}"] = "not installed"
        else:
            found[program] = version
    return found


_VENDOR = Path("/sys/class/dmi/id/sys_vendor")
_XEN = Path("/sys/hypervisor/type")
_SECONDS = 10.0


def virtual_machine() -> str | None:
    """The hypervisor's name, "unknown hypervisor" when only its mark is there, None on metal."""
    if named := _as_systemd_says() or _as_the_hypervisor_says():
        return named
    flags = fields_of("/proc/cpuinfo").get("flags", "").split()
    return "unknown hypervisor" if "hypervisor" in flags else None


def _as_systemd_says() -> str | None:
    if find_tool("systemd-detect-virt") is None:
        return None
    said = run_tool(["systemd-detect-virt", "--vm"], seconds=_SECONDS).output.strip()
    return said if said and said != "none" else None


def _as_the_hypervisor_says() -> str | None:
    if (xen := text_of(_XEN)) is not None:
        return xen or None
    vendor = text_of(_VENDOR)
    return vendor if vendor in ("QEMU", "VMware, Inc.", "Xen", "innotek GmbH", "Bochs") else None
