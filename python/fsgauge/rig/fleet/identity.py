"""What a host is: which machine, since which boot, with which fsgauge and which engine."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fsgauge import __version__
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.facts.environment import kernel_name, machine_name, processor_name
from fsgauge.machine.process.processes import boot_id
from fsgauge.programs import find_engine
from fsgauge.rig.fleet.messages import Words

_MACHINE_ID = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_PIECE_BYTES = 1 << 20


class HostIdentity(BaseModel):
    """What a host said of itself. `process` tells processes of one machine apart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    machine: Words
    boot: Words
    host_name: Words
    user: Words
    process: int
    python: Words
    fsgauge: Words
    engine_sha256: Words | None
    engine_missing: Words | None
    monotonic_ns: int
    kernel: Words
    architecture: Words
    processor: Words
    processor_count: int


def own_identity() -> HostIdentity:
    """This machine's."""
    digest, missing = None, None
    try:
        digest = _digest(find_engine())
    except (FsgaugeError, OSError) as error:
        missing = error.what if isinstance(error, RigError) else str(error)
    return HostIdentity(
        machine=_machine_id(),
        boot=boot_id(),
        host_name=machine_name(),
        user=str(os.geteuid()),
        process=os.getpid(),
        python=platform.python_version(),
        fsgauge=__version__,
        engine_sha256=digest,
        engine_missing=missing,
        monotonic_ns=time.monotonic_ns(),
        kernel=kernel_name(),
        architecture=platform.machine(),
        processor=processor_name(),
        processor_count=len(os.sched_getaffinity(0)),
    )


def _machine_id() -> str:
    """Of the installation; "" in an image that has none, where the boot has to do."""
    for path in _MACHINE_ID:
        try:
            return path.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            continue
    return ""


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE_BYTES):
            found.update(piece)
    return found.hexdigest()
