"""Studies whose pages are looked at: of each kind a usual, a small and a broken one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fsgauge.report import write_report
from tests.synthetic import ONE_CELL, make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import BASELINE, OTHER, make_connections
from tests.writers_example import Planted, write_example

FOUR = {name: name for name in ("raw", "ext4", "xfs", "btrfs")}
OF_CLIENTS: dict[str, Any] = {"clients": 60, "blocks": 6}
FOUR_OF_CLIENTS = {BASELINE: "ext4", OTHER: "ext4", "xfs": "xfs", "btrfs": "btrfs"}

Written = Callable[[Path], Path]


def of(make: Callable[..., Any], **ingredients: Any) -> Written:
    return lambda folder: write_report(make(**ingredients).write(folder))


def of_writers(**planted: Any) -> Written:
    return lambda folder: write_example(folder, Planted(**planted))


USUAL: dict[str, Written] = {
    "typical": of(make_study, systems=FOUR),
    "one-cell": of(make_study, **ONE_CELL),
    "interrupted": of(make_study, paused_after_runs=2),
}
UNSURE: dict[str, Written] = {
    "two-blocks": of(make_study, blocks=2, patterns=("randrw",), systems=FOUR),
    "noisy": of(
        make_study,
        blocks=4,
        noise=1.2,
        patterns=("randread",),
        systems=FOUR,
        wobble=lambda system, cell: 0.8,
    ),
}
WRITERS: dict[str, Written] = {
    "writers": of_writers(),
    "writers-one-count": of_writers(writers=(4,)),
    "writers-grouped": of_writers(
        writers=(1, 2, 4, 8), groups=("shared, direct", "shared, buffered")
    ),
}
OTHERS: dict[str, Written] = {
    "churn": of(make_churn, blocks=5),
    "churn-one": of(make_churn, blocks=3, systems={"ext4": "ext4"}, fills=[80], tests=["write"]),
    "churn-broken": of(
        make_churn,
        blocks=3,
        refused=lambda turn, cell: 1234 if turn.system == "btrfs" else 0,
        lost=lambda turn, cell: (4, 1) if turn.system == "btrfs" else (0, 0),
        scan_faults=lambda turn: turn.system == "xfs",
        noise=0.3,
    ),
    "connections": of(make_connections, **OF_CLIENTS),
    "connections-many": of(
        make_connections,
        systems=FOUR_OF_CLIENTS,
        tests=("write", "read", "stat", "mix", "backup"),
        **OF_CLIENTS,
    ),
    "connections-broken": of(
        make_connections,
        errors=lambda turn, cell: [("write", "no_space", 4)] if turn.system == OTHER else (),
        lost=lambda turn, cell: (20, 2) if turn.system == OTHER else (0, 0),
        bad=lambda turn, cell: int(cell.id == "read"),
        **OF_CLIENTS,
    ),
    "aging": of(make_aging, levels=(5, 25, 50, 75, 100), blocks=6),
}
FIGURES = {
    "typical": ("forest", "overhead", "depth", "latency", "cpu", "series"),
    "connections": ("tests", "clients", "latency", "cpu", "extents", "series"),
    "aging": ("kept", "rates", "predicted", "lengths", "free"),
}
"""Of some, the pictures that their pages have."""
STUDIES = USUAL | UNSURE | WRITERS | OTHERS
