"""The lab against its limits: `.venv/bin/python bench/lab.py [--only NAME]`.

These have no peer: the ratio is what was measured over the limit, so below 1 meets it. A noisy
machine can miss it for no fault of the lab; the values are in target/bench.json.
"""

from __future__ import annotations

import argparse
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


BENCHES: dict[str, Callable[[], Iterator[tuple[str, float, str, list[float]]]]] = {
    "help": help_page,
    "report-ten-million-rows": report_of_ten_million_rows,
    "partners-width": width_of_partners,
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
