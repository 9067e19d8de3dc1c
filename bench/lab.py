"""The lab against its limits: `.venv/bin/python bench/lab.py [--only NAME]`.

These have no peer: the ratio is what was measured over the limit, so below 1 meets it. A noisy
machine can miss it for no fault of the lab; the values are in target/bench.json.
"""

from __future__ import annotations

import argparse
import math
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ratio import ratio_of
from report import replace_lines

TIMES = 5
PARTNERS_SECONDS = 120.0


def help_page() -> Iterator[tuple[str, float, str, list[float]]]:
    """How soon `fsgauge --help` has answered."""
    command = [str(Path(sys.executable).with_name("fsgauge")), "--help"]
    seconds = []
    for _ in range(TIMES):
        begin = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.monotonic() - begin)
    yield "help", 0.3, "s", seconds


def report_of_ten_million_rows() -> Iterator[tuple[str, float, str, list[float]]]:
    """Time and memory of the report of a large study."""
    from ten_million_rows import make, report

    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-") as scratch:
        folder, rows = make(Path(scratch))
        print(f"a study of {rows:,} rows is made; reporting it {TIMES} times", flush=True)
        measured = [report(folder) for _ in range(TIMES)]
    yield "report-ten-million-rows-time", 10.0, "s", [wall for wall, _, _ in measured]
    yield "report-ten-million-rows-memory", 1000.0, "MB", [memory for _, _, memory in measured]


def width_of_partners() -> Iterator[tuple[str, float, str, list[float]]]:
    """Intervals side by side over those one by one, in equal wall time."""
    from partners import width_ratios

    ratios = list(width_ratios(TIMES, PARTNERS_SECONDS, ("raw", "ext4", "xfs")))
    yield "partners-width", 0.5, "of the width one by one", ratios


def fleet_starts() -> Iterator[tuple[str, float, str, list[float]]]:
    """How far apart eight hosts of this machine can have begun a run."""
    from local_fleet import skew_bounds_ms

    yield "fleet-skew", 1.0, "ms", skew_bounds_ms(hosts=8, blocks=3)


def fleet_registers() -> Iterator[tuple[str, float, str, list[float]]]:
    """Three hundred hosts without engines: until they are there, and what they cost at rest."""
    from stub_fleet import registered_and_idle

    measured = [registered_and_idle() for _ in range(TIMES)]
    yield "fleet-register-300", 60.0, "s", [took for took, _ in measured]
    yield "fleet-register-300-idle", 0.1, "of a core", [idle for _, idle in measured]


def fleet_losses() -> Iterator[tuple[str, float, str, list[float]]]:
    """How soon a host is known to be lost; nothing may be left of it."""
    from local_fleet import seconds_until_seen

    yield "fleet-loss-closed", 1.0, "s", seconds_until_seen(signal.SIGKILL, TIMES)
    yield "fleet-loss-hung", 15.0, "s", seconds_until_seen(signal.SIGSTOP, 2)


def fleet_clients() -> Iterator[tuple[str, float, str, list[float]]]:
    """590 clients by four hosts of this machine, against one engine: how far the sum is off."""
    from local_fleet import clients_ratios

    ratios = clients_ratios(TIMES)
    found = ratio_of(ratios, [1.0] * len(ratios))
    print(
        f"    four hosts over one engine: {found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"
    )
    within = math.log(found.high / found.low) / 2
    yield "fleet-clients-590", 1.0, "of the interval", [abs(math.log(found.ratio)) / within] * 2


def rig_nodes() -> Iterator[tuple[str, float, str, list[float]]]:
    """How soon two virtual machines are up, emulated or not."""
    from virtual_nodes import seconds_until_up

    yield "rig-two-nodes", 20.0, "s", seconds_until_up(nodes=2, times=TIMES)


def gate_runs() -> Iterator[tuple[str, float, str, list[float]]]:
    """Runs of equal builds and of builds with a loss of 10 %, before a gate that has learnt."""
    from gate_runs import CHECKED, gate_of_real_runs

    found = gate_of_real_runs()
    print(f"    exit codes: equal {found.equal}, loss of 10 % {found.planted}")
    # A share of 1 is the best there is: the runs that each right one takes are limited.
    for name, right, share in (("equal", found.passed, 0.97), ("loss", found.failed, 0.90)):
        runs = CHECKED / max(right, 0.5)
        yield f"gate-runs-{name}", 1 / share, "runs a right one", [runs] * 2


BENCHES: dict[str, Callable[[], Iterator[tuple[str, float, str, list[float]]]]] = {
    "help": help_page,
    "report-ten-million-rows": report_of_ten_million_rows,
    "partners-width": width_of_partners,
    "fleet-skew": fleet_starts,
    "fleet-register-300": fleet_registers,
    "fleet-loss": fleet_losses,
    "fleet-clients-590": fleet_clients,
    "rig-two-nodes": rig_nodes,
    "gate-runs": gate_runs,
}


def main() -> None:
    """Measure, print, and add to target/bench.json."""
    parser = argparse.ArgumentParser(description="The fsgauge lab against its limits.")
    parser.add_argument("--only", choices=list(BENCHES), help="one of them")
    only = parser.parse_args().only
    names = [name for name in BENCHES if only in (None, name)]
    replace_lines([line(*each) for name in names for each in BENCHES[name]()], names)


def line(name: str, limit: float, unit: str, values: list[float]) -> dict[str, object]:
    """One entry of bench.json, printed as well."""
    ratio = ratio_of(values, [limit] * len(values))
    meets = ratio.ratio < 1
    interval = f"{ratio.ratio:6.3f}  ({ratio.low:.3f} to {ratio.high:.3f})"
    middle = sorted(values)[len(values) // 2]
    verdict = "meets" if meets else "misses"
    print(f"{name:32} {interval:26} {verdict:6} goal < 1          {middle:.2f} of {limit:g} {unit}")
    return {
        "name": name,
        "peer": "limit",
        "ratio": ratio.ratio,
        "low": ratio.low,
        "high": ratio.high,
        "goal": "< 1",
        "meets": meets,
        "unit": unit,
        "values": values,
        "limit": limit,
    }


if __name__ == "__main__":
    main()
