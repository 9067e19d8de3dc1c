"""What can be compared on this machine, what is missing, and the command that brings it. Facts for
`fsgauge doctor --systems` and `fsgauge doctor`; printing them is the command line's work."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Literal

from fsgauge.access import SERVERS, ServerKind
from fsgauge.engine.wire import ProbeJob, ProbeResult
from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.loop_devices import loops_available
from fsgauge.machine.facts.noise import (
    HostNoise,
    KeptNoise,
    RunJob,
    file_system_at,
    keep_noise,
    measured_noise,
)
from fsgauge.plain_files.kept import Kept
from fsgauge.rig.host.direct import cached_direct
from fsgauge.rig.host.process_limits import require_descriptors_of_lab
from fsgauge.rig.host.serving import install_of, lack_of, require_surroundings
from fsgauge.rig.refusing import refused_by
from fsgauge.system import FileSystem, SystemKind, support_of, system_kinds


class SystemStanding(Kept):
    """One kind of system here; `reason` says what is missing, `next` the command that adds it."""

    name: str
    summary: str
    standing: Literal["works", "modelled", "needs", "impossible"]
    reason: str = ""
    next: str = ""


class Diagnosis(Kept):
    """This machine as a laboratory.

    `noise_percent` is how far two equal short runs differ, one right after the other;
    `noise_apart_percent` the same of runs four to ten seconds apart.
    """

    root: bool
    loop_devices: str | None
    systems: list[SystemStanding]
    servers: list[SystemStanding]
    engine: ProbeResult | None
    noise_percent: float | None
    noise_apart_percent: float | None
    noise_directory: str
    problems: list[str]
    direct_in_cache: str = ""
    """Which pages of direct I/O there were seen in the page cache; "" where it is direct."""


def system_standings() -> list[SystemStanding]:
    return [_standing(kind) for kind in system_kinds().values()]


def server_standings() -> list[SystemStanding]:
    return [_server_standing(kind) for kind in SERVERS.values()]


def diagnose(run: RunJob, directory: Path) -> Diagnosis:
    """Look at kernel, tools and engine, and measure noise in `directory`; about twelve seconds."""
    problems: list[str] = []
    problems += [f"{each.what}; {each.next}" for each in refused_by([require_descriptors_of_lab])]
    probe = _probe(run, directory, problems)
    cached = cached_direct(str(directory)) if probe is not None and probe.direct else None
    noise = _noise(run, directory, probe, problems)
    return Diagnosis(
        root=os.geteuid() == 0,
        loop_devices=loops_available(),
        systems=system_standings(),
        servers=server_standings(),
        engine=probe,
        noise_percent=noise.next_percent if noise else None,
        noise_apart_percent=noise.apart_percent if noise else None,
        noise_directory=str(directory),
        problems=problems,
        direct_in_cache=cached.words if cached is not None else "",
    )


def _standing(kind: SystemKind) -> SystemStanding:
    stands = partial(SystemStanding, name=kind.name, summary=kind.summary)
    if kind.placement == "modelled":
        return stands(standing="modelled")
    if kind.placement in ("folder", "share"):
        return stands(standing="works")
    if isinstance(kind, FileSystem):
        support = support_of(kind, load_module=False)
        if not support.driver:
            return stands(standing="impossible", reason=f"this kernel has no {kind.driver}")
        if not support.mkfs:
            reason = f"{kind.mkfs} is not installed"
            return stands(standing="needs", reason=reason, next=support.install)
    if os.geteuid() != 0:
        reason = "making and mounting needs root"
        return stands(standing="needs", reason=reason, next="sudo fsgauge ...")
    return stands(standing="works")


def _server_standing(kind: ServerKind) -> SystemStanding:
    stands = partial(SystemStanding, name=kind.name)
    lack = lack_of(kind)
    if lack:
        return stands(summary=kind.title, standing="needs", reason=lack, next=install_of(kind))
    summary = f"{kind.title} {kind.version()}, {kind.protocol}"
    if os.geteuid() != 0:
        reason = "a server for several users needs root"
        return stands(summary=summary, standing="needs", reason=reason, next="sudo fsgauge ...")
    try:
        require_surroundings(kind)
    except FsgaugeError as error:
        reason = f"{error.what}: {error.cause}"
        return stands(summary=kind.title, standing="impossible", reason=reason, next=error.next)
    return stands(summary=summary, standing="works")


def _probe(run: RunJob, directory: Path, problems: list[str]) -> ProbeResult | None:
    try:
        result = run(ProbeJob(directory=str(directory)), None)
    except FsgaugeError as error:
        problems.append(f"engine: {error.what}" + (f"; {error.next}" if error.next else ""))
        return None
    return result if isinstance(result, ProbeResult) else None


def _noise(
    run: RunJob, directory: Path, probe: ProbeResult | None, problems: list[str]
) -> HostNoise | None:
    if probe is None:
        return None
    try:
        measured = measured_noise(run, directory, direct=bool(probe.direct))
        near, apart = measured.next_percent, measured.apart_percent
        kept = KeptNoise(near, "", 0, str(directory), time.time(), max(near, apart))
        keep_noise(file_system_at(directory), kept)
        return measured
    except (FsgaugeError, OSError) as error:
        what = error.what if isinstance(error, FsgaugeError) else str(error)
        problems.append(f"noise could not be measured in {directory}: {what}")
        return None
