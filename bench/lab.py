"""The lab against its limits.

These have no peer: the ratio is what was measured over the limit, so below 1 meets it. Each bench
gives its name, limit, unit and values.
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ratio import ratio_of
from side_by_side import Failed

Rows = Iterator[tuple[str, float, str, list[float]]]
"""A row's name, limit, unit and values."""

TIMES = 5
SLOW_TIMES = 3
"""Of what takes half a minute each time."""
PARTNERS_SECONDS = 120.0


WAITS = {
    "help": (0.3, ["--help"], 0),
    "run-help": (0.3, ["run", "--help"], 0),
    "mistyped": (0.4, ["run", "overheadd"], 2),
    "explain": (0.4, ["explain"], 0),
    "study-list": (0.6, ["study", "list"], 0),
    "plan": (1.2, ["plan", "writers"], 0),
}
"""What a user waits for: seconds on a quiet machine, the command, its exit code."""


def waits(name: str) -> Callable[[], Rows]:
    """How soon a command has answered."""

    def measured() -> Rows:
        limit, words, code = WAITS[name]
        command = [str(Path(sys.executable).with_name("fsgauge")), *words]
        yield f"wait-{name}", limit, "s", [_seconds(command, code) for _ in range(TIMES)]

    return measured


def report_of_a_demo() -> Rows:
    """How soon the report of the demo is made anew, and how much of the demo's time, whose cells
    are short, no load ran."""
    fsgauge = str(Path(sys.executable).with_name("fsgauge"))
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as scratch:
        made = subprocess.run(
            [fsgauge, "demo", "--results", scratch], capture_output=True, text=True, check=False
        )
        folders = [path for path in Path(scratch).iterdir() if (path / "journal.ndjson").exists()]
        if not folders:
            raise Failed(f"fsgauge demo ended with {made.returncode}: {made.stderr[-300:]}")
        command = [fsgauge, "report", str(folders[0])]
        yield "wait-report", 2.5, "s", [_seconds(command) for _ in range(TIMES)]
        sureness = json.loads((folders[0] / "report.json").read_text())["sureness"]
        without = 100.0 - sureness["under_load_percent"]
        yield "wait-report-without-load", 20.0, "% of the demo's time", [without] * 2


def _seconds(command: list[str], code: int = 0) -> float:
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.monotonic() - begin
    if done.returncode != code:
        raise Failed(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-300:]}")
    return took


def report_of_ten_million_rows() -> Rows:
    """Time and memory of the report of a large study."""
    from ten_million_rows import make, report

    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as scratch:
        folder, rows = make(Path(scratch))
        print(f"a study of {rows:,} rows is made; reporting it {TIMES} times", flush=True)
        measured = [report(folder) for _ in range(TIMES)]
    yield "report-ten-million-rows-time", 10.0, "s", [wall for wall, _, _ in measured]
    yield "report-ten-million-rows-memory", 1000.0, "MB", [memory for _, _, memory in measured]


def width_of_partners() -> Rows:
    """Intervals side by side over those one by one, in equal wall time."""
    from partners import width_ratios

    ratios = list(width_ratios(TIMES, PARTNERS_SECONDS, ("raw", "ext4", "xfs")))
    yield "partners-width", 0.5, "of the width one by one", ratios


def fleet_starts() -> Rows:
    """How far apart eight hosts of this machine can have begun a run."""
    from local_fleet import skew_bounds_ms

    yield "fleet-skew", 1.0, "ms", skew_bounds_ms(hosts=8, blocks=3)


def fleet_registers() -> Rows:
    """Three hundred hosts without engines: until they are there, and what they cost at rest."""
    from stub_fleet import registered_and_idle

    measured = [registered_and_idle() for _ in range(SLOW_TIMES)]
    yield "fleet-register-300", 60.0, "s", [took for took, _ in measured]
    yield "fleet-register-300-idle", 0.1, "of a core", [idle for _, idle in measured]


def fleet_losses() -> Rows:
    """How soon a host is known to be lost; nothing may be left of it."""
    from local_fleet import seconds_until_seen

    yield "fleet-loss-closed", 1.0, "s", seconds_until_seen(signal.SIGKILL, TIMES)
    yield "fleet-loss-hung", 15.0, "s", seconds_until_seen(signal.SIGSTOP, 2)


def fleet_clients() -> Rows:
    """590 clients by four hosts of this machine, against one engine: how far the sum is off."""
    from local_fleet import clients_ratios

    ratios = clients_ratios(TIMES)
    found = ratio_of(ratios, [1.0] * len(ratios))
    print(
        f"    four hosts over one engine: {found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"
    )
    within = math.log(found.high / found.low) / 2
    yield "fleet-clients-590", 1.0, "of the interval", [abs(math.log(found.ratio)) / within] * 2


def rig_nodes() -> Rows:
    """How soon two virtual machines are up, emulated or not."""
    from virtual_nodes import seconds_until_up

    yield "rig-two-nodes", 20.0, "s", seconds_until_up(nodes=2, times=SLOW_TIMES)


def gate_runs() -> Rows:
    """Runs of equal builds and of builds with a loss of 10 %, before a gate that has learnt."""
    from gate_runs import CHECKED, gate_of_real_runs

    found = gate_of_real_runs()
    print(f"    exit codes: equal {found.equal}, loss of 10 % {found.planted}")
    # A share of 1 is the best there is: the runs that each right one takes are limited.
    for name, right, share in (("equal", found.passed, 0.97), ("loss", found.failed, 0.90)):
        runs = CHECKED / max(right, 0.5)
        yield f"gate-runs-{name}", 1 / share, "runs a right one", [runs] * 2


BENCHES: dict[str, Callable[[], Rows]] = {
    **{f"wait-{name}": waits(name) for name in WAITS},
    "wait-report": report_of_a_demo,
    "report-ten-million-rows": report_of_ten_million_rows,
    "partners-width": width_of_partners,
    "fleet-skew": fleet_starts,
    "fleet-register-300": fleet_registers,
    "fleet-loss": fleet_losses,
    "fleet-clients-590": fleet_clients,
    "rig-two-nodes": rig_nodes,
    "gate-runs": gate_runs,
}
