"""The engine against its peers, side by side: `python3 bench/run.py [--only NAME] [--pairs N]`.

Takes nothing but this machine. Prints a table of ratios with 95 % intervals and writes
target/bench.json; with a name, the lines of that one anew.
Plain Python 3.11, standard library only. What each line means is in bench/README.md.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import age
import allocate
import clients
import depth_1
import loop_depth_32
import null_depth
import scan
import shares
import sharing
import simulate
import sparse_file_depth_32
import writers
from ratio import Ratio, ratio_of
from report import REPORT, replace_lines, write_lines
from scratch import Scratch
from side_by_side import Comparison, Sample, Skipped

REPOSITORY = Path(__file__).resolve().parent.parent
MINIMUM_PAIRS = 5

BENCHES: dict[str, Callable[[Scratch], Comparison]] = {
    "null-depth-32": null_depth.depth_32,
    "null-depth-1": null_depth.depth_1,
    "sparse-file-depth-32-fio": sparse_file_depth_32.against_fio,
    "sparse-file-depth-32-t-io-uring": sparse_file_depth_32.against_t_io_uring,
    "loop-depth-32": loop_depth_32.against_fio,
    "depth-1-sparse": depth_1.on_sparse_file,
    "depth-1-filled": depth_1.on_filled_file,
    "depth-1-memory": depth_1.in_memory,
    "depth-1-memory-plain": depth_1.in_memory_plain,
    **{f"writers-psync-{count}": writers.psync(count) for count in (1, 2, 4, 8)},
    **{f"writers-io-uring-{count}": writers.io_uring(count) for count in (1, 2, 4, 8)},
    **{f"writers-loop-{count}": writers.io_uring_on_loop(count) for count in (1, 2, 4, 8)},
    "writers-256-fair": writers.crowd,
    "scan-one-processor": scan.one_processor,
    "scan-two-processors": scan.two_processors,
    "scan-memory": scan.memory,
    "clients-tmpfs-fio": clients.against_fio(clients.tmpfs),
    "clients-ext4-fio": clients.against_fio(clients.ext4),
    "clients-tmpfs-fs-mark": clients.against_fs_mark(clients.tmpfs),
    "clients-ext4-fs-mark": clients.against_fs_mark(clients.ext4),
    "clients-tmpfs-elbencho": clients.against_elbencho(clients.tmpfs),
    "clients-ext4-elbencho": clients.against_elbencho(clients.ext4),
    "clients-null-590": clients.flat(590),
    "clients-null-10000": clients.flat(10_000),
    "clients-memory": clients.many,
    **{f"smb-{count}-dbench": shares.smb_against_dbench(count) for count in (10, 100, 590)},
    **{f"smb-{count}-nbench": shares.smb_against_nbench(count) for count in (10, 100, 590)},
    **{f"smb-{count}-plain": shares.smb_against_plain(count) for count in (10, 100, 590)},
    **{f"nfs-{count}-dbench": shares.nfs_against_dbench(count) for count in (10, 100, 590)},
    "sharing-characters": sharing.characters,
    "sharing-bonnie-file": sharing.BonnieFile(clients.tmpfs, sharing.ON_FILE, sharing.TMPFS_MIB),
    "sharing-bonnie-writes-ext4": sharing.BonnieFile(
        clients.ext4, sharing.WRITES, sharing.EXT4_MIB
    ),
    "sharing-bonnie-folder": sharing.bonnie_folder(clients.tmpfs),
    "sharing-iozone-tmpfs": sharing.iozone(clients.tmpfs),
    "sharing-iozone-ext4": sharing.iozone(clients.ext4),
    "age-churn-python": age.against_python,
    "age-churn-c": age.against_c,
    "age-churn-geriatrix": age.against_geriatrix,
    "age-layout-python": age.published_layout,
    "allocate-python": allocate.against_python,
    "allocate-1-tib": allocate.rate("mballoc", 1 << 40, 3e6),
    "allocate-20-tib": allocate.rate("mballoc", 20 << 40, 1e6),
    "allocate-petabyte": allocate.petabyte,
    "simulate-geriatrix": simulate.against_geriatrix,
    "simulate-published": simulate.published,
}


def main() -> int:
    """Run the benches that were asked for, print and write what they found."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    names = named(options.only)
    lines: list[dict[str, object]] = []
    with Scratch(REPOSITORY / "target" / "bench-scratch") as scratch:
        for name in names:
            lines += bench(name, scratch, options.pairs)
    if options.only is None:
        write_lines(lines)
    else:
        replace_lines(lines, names)
    print(f"\nwritten: {REPORT.relative_to(REPOSITORY)}")
    return 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The fsgauge engine against its peers.")
    parser.add_argument("--only", metavar="NAME", help="run one bench, or all that begin so")
    parser.add_argument("--pairs", type=int, default=6, help="runs of each tool (default 6)")
    options = parser.parse_args()
    if not named(options.only):
        parser.error(f"no bench is called {options.only}; there are: {', '.join(BENCHES)}")
    if options.pairs < MINIMUM_PAIRS:
        parser.error(
            f"--pairs {options.pairs} is too few for an interval: at least {MINIMUM_PAIRS}"
        )
    return options


def named(only: str | None) -> list[str]:
    """Give the benches of a name: "smb-100" is smb-100-dbench and the like."""
    return [name for name in BENCHES if only in (None, name) or name.startswith(f"{only}-")]


def bench(name: str, scratch: Scratch, pairs: int) -> list[dict[str, object]]:
    """Run one bench; give its lines for bench.json, and print them."""
    try:
        comparison = BENCHES[name](scratch)
    except Skipped as reason:
        print(f"{name}: skipped: {reason}", flush=True)
        return [{"name": name, "skipped": str(reason)}]
    samples = in_turns(comparison, pairs)
    mine_all = [mine for mine, _ in samples]
    remark = comparison.remark(mine_all)
    lines: list[dict[str, object]] = []
    for measure in comparison.measures:
        ours = [mine.values[measure.key] for mine, _ in samples]
        peer = comparison.peer if measure.limit is None else "limit"
        theirs = [measure.limit or other.values[measure.key] for _, other in samples]
        ratio = ratio_of(ours, theirs)
        meets = measure.meets(ratio.ratio, mine_all)
        full_name = name if len(comparison.measures) == 1 else f"{name}-{measure.short}"
        show(full_name, peer, ratio, measure.goal, meets, ours, theirs, measure.unit)
        lines.append(
            {
                "name": full_name,
                "peer": peer,
                "ratio": ratio.ratio,
                "low": ratio.low,
                "high": ratio.high,
                "goal": measure.goal,
                "meets": meets,
                "unit": measure.unit,
                "engine": ours,
                "peer_values": theirs,
                "remark": remark,
            }
        )
    if remark:
        print(f"    {remark}")
    return lines


def in_turns(comparison: Comparison, pairs: int) -> list[tuple[Sample, Sample]]:
    """Run both tools in turns, a random one first."""
    engine_first = random.random() < 0.5
    samples = []
    for _ in range(pairs):
        if engine_first:
            mine = comparison.engine()
            other = comparison.other()
        else:
            other = comparison.other()
            mine = comparison.engine()
        samples.append((mine, other))
    return samples


def show(
    name: str,
    peer: str,
    ratio: Ratio,
    goal: str,
    meets: bool,
    ours: list[float],
    theirs: list[float],
    unit: str,
) -> None:
    """Print one line of the table."""
    mine, other = sorted(ours)[len(ours) // 2], sorted(theirs)[len(theirs) // 2]
    interval = f"{ratio.ratio:6.3f}  ({ratio.low:.3f} to {ratio.high:.3f})"
    verdict = "meets" if meets else "misses"
    print(
        f"{name:32} {interval:26} {verdict:6} goal {goal:14} "
        f"engine {figure(mine)}, {peer} {figure(other)} {unit}",
        flush=True,
    )


def figure(value: float) -> str:
    """A number as a person reads it."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())
