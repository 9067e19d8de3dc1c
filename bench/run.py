#!/usr/bin/env python3
"""The engine against its peers, and the lab against its limits: `bench/run.py [--only NAME ...]`.

Rows are printed and kept as they come: target/bench.json, target/bench.html. A tool that is missing
or fails costs its own rows. What each row means is in bench/README.md.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import age
import allocate
import clients
import command
import commits
import depth_1
import kept
import lab
import loop_depth_32
import mix
import names as of_names
import null_depth
import page
import scan
import shares
import sharing
import simulate
import sparse_file_depth_32
import writers
from ratio import Ratio, ratio_of
from scratch import Scratch
from side_by_side import Comparison, Failed, Sample, Skipped
from verdict import UNDECIDED, pairs_to_decide, verdict_of
from whole import BENCH_SECONDS, LIMIT_MINUTES, Allowance, oldest_first

REPOSITORY = Path(__file__).resolve().parent.parent
PYTHON = REPOSITORY / ".venv" / "bin" / "python"
MINIMUM_PAIRS = 5
MOST_PAIRS = 10_000
SLOW_PAIRS = 3
"""So many are enough of what takes long."""

BENCHES: dict[str, Callable[[Scratch], Comparison]] = {
    "null-depth-32": null_depth.depth_32,
    "null-depth-1": null_depth.depth_1,
    "sparse-file-depth-32-fio": sparse_file_depth_32.against_fio,
    "sparse-file-depth-32-t-io-uring": sparse_file_depth_32.against_t_io_uring,
    "loop-depth-32": loop_depth_32.against_fio,
    "depth-1-sparse": depth_1.on_sparse_file,
    "depth-1-filled": depth_1.on_filled_file,
    "depth-1-memory": depth_1.in_memory,
    "depth-1-plain-loop": depth_1.in_memory_plain,
    **{
        f"writers-{name}-{count}": writers.against_fio(way, count)
        for name, way in writers.WAYS.items()
        for count in (1, 2, 4, 8)
    },
    "writers-plain-psync-8": writers.plain(writers.PSYNC, 8),
    "writers-plain-loop-1": writers.plain(writers.IO_URING_ON_LOOP, 1),
    "writers-plain-loop-8": writers.plain(writers.IO_URING_ON_LOOP, 8),
    "writers-256-fair": writers.crowd,
    "mix-operation": mix.drawn_operation,
    "mix-8-nothing": mix.on_nothing,
    "mix-8-memory": mix.in_memory,
    "mix-plain-8-memory": mix.over_a_plain_loop,
    "scan-one-processor": scan.one_processor,
    "scan-two-processors": scan.two_processors,
    "scan-memory": scan.memory,
    "scan-xfs-free-space": scan.xfs_free_space,
    "scan-btrfs-trees": scan.btrfs_trees,
    "clients-tmpfs-fio": clients.against_fio(clients.tmpfs),
    "clients-ext4-fio": clients.against_fio(clients.ext4),
    "clients-tmpfs-fs-mark": clients.against_fs_mark(clients.tmpfs),
    "clients-ext4-fs-mark": clients.against_fs_mark(clients.ext4),
    "clients-ext4-plain-turns": clients.against_plain(clients.ext4, "turns"),
    "clients-ext4-plain-files": clients.against_plain(clients.ext4, "files"),
    "clients-tmpfs-elbencho": clients.against_elbencho(clients.tmpfs),
    "clients-ext4-elbencho": clients.against_elbencho(clients.ext4),
    "clients-null-590": clients.flat(590),
    "clients-null-10000": clients.flat(10_000),
    "clients-memory": clients.many,
    **{f"smb-{count}-dbench": shares.smb_against_dbench(count) for count in (10, 100, 590)},
    **{f"smb-{count}-nbench": shares.smb_against_nbench(count) for count in (10, 100, 590)},
    **{f"smb-{count}-plain": shares.smb_against_plain(count) for count in (10, 100, 590)},
    **{f"nfs-{count}-dbench": shares.nfs_against_dbench(count) for count in (10, 100, 590)},
    **{
        f"metadata-{at}-{folders}-plain": of_names.against_plain(place, folders)
        for at, place in (("tmpfs", clients.tmpfs), ("ext4", clients.ext4))
        for folders in ("own", "shared")
    },
    **{
        f"metadata-{at}-{folders}-mdtest": of_names.against_mdtest(place, folders)
        for at, place in (("tmpfs", clients.tmpfs), ("ext4", clients.ext4))
        for folders in ("own", "shared")
    },
    "metadata-tmpfs-own-elbencho": of_names.against_elbencho(clients.tmpfs),
    "metadata-ext4-own-elbencho": of_names.against_elbencho(clients.ext4),
    "commits-ext4-pg-test-fsync": commits.against_pg_test_fsync(commits.memory),
    "commits-disk-pg-test-fsync": commits.against_pg_test_fsync(commits.disk),
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
    "command-hyperfine": command.hyperfine,
}


LIMITS = lab.BENCHES
LONG = ("gate-runs", "partners-width", "fleet-clients-590", "report-ten-million-rows")
"""Half an hour, or minutes of preparation: run where they are asked for by name."""


def main() -> int:
    """Run the benches that were asked for; 1 where a tool failed, else 0."""
    if find_spec("fsgauge") is None and PYTHON.exists():
        os.execv(PYTHON, [str(PYTHON), *sys.argv])  # noqa: S606 - the interpreter that has it
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    names = named(options.only)
    allowance = None
    if options.only is None and options.pairs is None:
        names = oldest_first(names, kept.read())
        allowance = Allowance(len(names))
    failed, unreached = [], []
    begin = time.monotonic()
    with Scratch(REPOSITORY / "target" / "bench-scratch") as scratch:
        for name in names:
            seconds = BENCH_SECONDS if allowance is None else allowance.for_next()
            if not seconds:
                unreached.append(name)
                continue
            rows = bench(name, scratch, options.pairs, seconds)
            kept.keep(rows, [name])
            page.write(kept.read())
            failed += [str(row["name"]) for row in rows if "failed" in row]
    minutes = (time.monotonic() - begin) / 60
    done = len(names) - len(unreached)
    print(f"\n{done} benches, {minutes:.1f} min: {kept.LAST} and {page.PAGE.name}")
    if unreached:
        late = ", ".join(unreached)
        print(f"not begun after {LIMIT_MINUTES:.0f} min, first the next time: {late}")
    if failed:
        print(f"failed, for the reasons above: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The fsgauge engine and lab against their peers.")
    parser.add_argument(
        "--only",
        metavar="NAME",
        nargs="+",
        help="these benches, or all that begin so: writers, smb-100; long ones too",
    )
    parser.add_argument(
        "--pairs",
        type=int,
        help=f"runs of each tool; without it {MINIMUM_PAIRS}, more for up to {BENCH_SECONDS:.0f} s"
        f" where the interval decides nothing yet, {SLOW_PAIRS} where they take longer than that",
    )
    options = parser.parse_args()
    for name in options.only or []:
        if not named([name]):
            known = ", ".join([*BENCHES, *LIMITS])
            parser.error(f"no bench is called {name}; there are: {known}")
    if options.pairs is not None and not MINIMUM_PAIRS <= options.pairs <= MOST_PAIRS:
        parser.error(f"--pairs {options.pairs}: {MINIMUM_PAIRS} to {MOST_PAIRS}")
    return options


def named(only: list[str] | None) -> list[str]:
    """The benches of these names: "smb-100" is smb-100-dbench and the like."""
    every = [*BENCHES, *LIMITS]
    if not only:
        return [name for name in every if name not in LONG]
    return [name for name in every if any(f"{name}-".startswith(f"{each}-") for each in only)]


def bench(
    name: str, scratch: Scratch, pairs: int | None, most_seconds: float = BENCH_SECONDS
) -> list[kept.Row]:
    """Run one bench; give its rows, and print them."""
    about: kept.Row = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    about["load"] = round(os.getloadavg()[0], 1)
    begin = time.monotonic()
    try:
        rows = limits(name) if name in LIMITS else comparisons(name, scratch, pairs, most_seconds)
    except Skipped as reason:
        rows = [{"name": name, "skipped": str(reason)}]
    except Failed as reason:
        rows = [{"name": name, "failed": str(reason)}]
    except Exception as error:  # whatever a peer's output leads to costs this bench alone
        rows = [{"name": name, "failed": f"{type(error).__name__}: {error}"}]
    about["seconds"] = round(time.monotonic() - begin, 1)
    for row in rows:
        row.update(about)
        show(row)
    return rows


def comparisons(
    name: str, scratch: Scratch, pairs: int | None, most_seconds: float
) -> list[kept.Row]:
    """The rows of a bench with a peer, one for each measure."""
    comparison = BENCHES[name](scratch)
    samples: list[tuple[Sample, Sample]] = []
    begin = time.monotonic()
    for pair in in_turns(comparison):
        samples.append(pair)
        if len(samples) < SLOW_PAIRS:
            continue
        rows = rows_of(name, comparison, samples)
        if is_enough(rows, len(samples), time.monotonic() - begin > most_seconds, pairs):
            break
    remark = comparison.remark([mine for mine, _ in samples])
    if remark:
        rows[-1]["remark"] = remark
    return rows


def is_enough(rows: list[kept.Row], done: int, is_over: bool, pairs: int | None) -> bool:
    """Whether no further pair is needed; with `pairs`, after so many."""
    if pairs is not None:
        return done >= pairs
    is_decided = all(row["verdict"] != UNDECIDED for row in rows)
    return is_over or (done >= MINIMUM_PAIRS and is_decided)


def rows_of(
    name: str, comparison: Comparison, samples: list[tuple[Sample, Sample]]
) -> list[kept.Row]:
    """What the pairs so far say."""
    mine_all = [mine for mine, _ in samples]
    rows = []
    for measure in comparison.measures:

        def meets(ratio: float, judge: Callable[..., bool] = measure.meets) -> bool:
            return judge(ratio, mine_all)

        rows.append(
            row_of(
                name if len(comparison.measures) == 1 else f"{name}-{measure.short}",
                comparison.peer if measure.limit is None else "limit",
                [mine.values[measure.key] for mine, _ in samples],
                [measure.limit or other.values[measure.key] for _, other in samples],
                (measure.goal, measure.unit),
                meets,
            )
        )
    return rows


def limits(name: str) -> list[kept.Row]:
    """The rows of a bench without a peer: what was measured, over its limit."""
    return [
        row_of(full, "limit", values, [limit] * len(values), ("< 1", unit), lambda ratio: ratio < 1)
        for full, limit, unit, values in LIMITS[name]()
    ]


def row_of(
    name: str,
    peer: str,
    ours: list[float],
    theirs: list[float],
    words: tuple[str, str],
    meets: Callable[[float], bool],
) -> kept.Row:
    """One row; `words` are its goal and unit."""
    ratio = ratio_of(ours, theirs)
    verdict = verdict_of(ratio, meets)
    row: kept.Row = {
        "name": name,
        "peer": peer,
        "ratio": ratio.ratio,
        "low": ratio.low,
        "high": ratio.high,
        "goal": words[0],
        "verdict": verdict,
        "unit": words[1],
        "engine": ours,
        "peer_values": theirs,
    }
    if verdict == UNDECIDED:
        row["pairs_to_decide"] = pairs_to_decide(ratio, len(ours), meets)
    return row


def in_turns(comparison: Comparison) -> Iterator[tuple[Sample, Sample]]:
    """Run both tools in turns, a random one first."""
    engine_first = random.random() < 0.5
    while True:
        if engine_first:
            mine = comparison.engine()
            other = comparison.other()
        else:
            other = comparison.other()
            mine = comparison.engine()
        yield mine, other


def show(row: kept.Row) -> None:
    """Print one row of the table."""
    for why in ("skipped", "failed"):
        if why in row:
            print(f"{row['name']}: {why}: {row[why]}", flush=True)
            return
    ratio = Ratio(row["ratio"], row["low"], row["high"])  # type: ignore[arg-type]
    interval = f"{ratio.ratio:6.3f}  ({ratio.low:.3f} to {ratio.high:.3f})"
    mine, other = page.middle(row["engine"]), page.middle(row["peer_values"])
    print(
        f"{row['name']:32} {interval:26} {row['verdict']:9} goal {row['goal']:14} "
        f"{page.figure(mine)}, {row['peer']} {page.figure(other)} {row['unit']}"
        f"{page.pairs_words(row)}",
        flush=True,
    )
    if "remark" in row:
        print(f"    {row['remark']}")


if __name__ == "__main__":
    sys.exit(main())
