"""The sentence of each kind of study, over what a study can come out as, as a person has read it.

The texts are in sentences.md beside this file; `python -m tests.known.test_sentences` writes it
anew. Who changes a sentence reads it there before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from fsgauge.record.records import Cell
from fsgauge.stats import Results, read_study
from fsgauge.stats.read import naming_changes
from tests.synthetic import make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import make_connections
from tests.synthetic_writers import LAWS, law, make_writers

TEXTS = Path(__file__).parent / "sentences.md"
FOUR = {name: name for name in ("raw", "ext4", "xfs", "btrfs")}
TEN = {"raw": "raw"} | {f"ext4-{at}": "ext4" for at in range(1, 10)}
OVERHEAD: Mapping[str, Any] = {
    "patterns": ("randread", "randwrite"),
    "block_sizes": (4096,),
    "queue_depths": (32,),
    "duration_s": 2,
}
CLEAR = {"ext4": 0.94, "xfs": 0.9, "btrfs": 0.37}
OF_TEN = {f"ext4-{at}": 1 - 0.08 * at for at in range(1, 10)}


def equal(system: str, cell: Cell) -> float:
    return 1.0


def of(values: Mapping[str, float]) -> Callable[[str, Cell], float]:
    return lambda system, cell: values.get(system, 1.0)


def same_law(system: str, writers: int) -> float:
    return law(*LAWS["ext4"], writers)


def no_change(*_: object) -> float:
    return 1.0


CASES: dict[str, Callable[[], Any]] = {
    "overhead, clear": lambda: make_study(**OVERHEAD, systems=FOUR, noise=0.01, effect=of(CLEAR)),
    "overhead, all equal": lambda: make_study(**OVERHEAD, systems=FOUR, noise=0.005, effect=equal),
    "overhead, all noise": lambda: make_study(
        **OVERHEAD, systems=FOUR, noise=0.3, seed=2, effect=equal
    ),
    "overhead, mixed": lambda: make_study(
        **OVERHEAD, systems=FOUR, noise=0.12, seed=2, effect=of({"btrfs": 0.37})
    ),
    "overhead, two systems": lambda: make_study(
        **OVERHEAD, systems={"ext4": "ext4", "xfs": "xfs"}, noise=0.01, effect=of(CLEAR)
    ),
    "overhead, ten systems": lambda: make_study(
        **OVERHEAD, systems=TEN, noise=0.02, effect=of(OF_TEN)
    ),
    "writers, clear": lambda: make_writers(blocks=6),
    "writers, all equal": lambda: make_writers(blocks=6, rate=same_law, noise=0.003),
    "writers, all noise": lambda: make_writers(blocks=6, rate=same_law, noise=0.4),
    "writers, mixed": lambda: make_writers(blocks=6, noise=0.1),
    "writers, two systems": lambda: make_writers(blocks=6, systems={"ext4": "ext4", "xfs": "xfs"}),
    "connections, clear": lambda: make_connections(blocks=6),
    "connections, all equal": lambda: make_connections(blocks=6, gain=equal, noise=0.003),
    "connections, all noise": lambda: make_connections(blocks=6, gain=equal, noise=0.4),
    "connections, mixed": lambda: make_connections(blocks=6, noise=0.15),
    "aging, clear": lambda: make_aging(levels=(5, 50, 100), blocks=5),
    "aging, all equal": lambda: make_aging(
        levels=(5, 50, 100), blocks=5, kept=no_change, noise=0.003
    ),
    "aging, all noise": lambda: make_aging(
        levels=(5, 50, 100), blocks=5, kept=no_change, noise=0.4
    ),
    "churn, clear": lambda: make_churn(blocks=5, fills=(80, 95)),
    "churn, all equal": lambda: make_churn(blocks=5, fills=(80, 95), kept=equal, noise=0.003),
    "churn, all noise": lambda: make_churn(blocks=5, fills=(80, 95), kept=equal, noise=0.4),
}
INVALID = "overhead, invalid"


@lru_cache
def results_of(case: str) -> Results:
    if case == INVALID:
        return naming_changes(results_of("overhead, clear"), ["runs of block 3"])
    made = CASES[case]()
    scans, steps = getattr(made, "scans", ()), getattr(made, "steps", ())
    return read_study(
        made.turns, made.runs, made.study, made.before, made.after, scans=scans, steps=steps
    )


def kept_texts() -> dict[str, str]:
    parts = TEXTS.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


@pytest.mark.parametrize("case", [*CASES, INVALID])
def test_the_sentence_is_the_one_that_was_read(case: str) -> None:
    answer = results_of(case).answer
    assert answer == kept_texts()[case]
    assert len(answer.split()) <= 60


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("overhead")])
def test_an_undecided_system_is_never_said_to_keep_a_share(case: str) -> None:
    results = results_of(case)
    for cell in results.primary_cells:
        for system in results.systems[1:]:
            entry = results.comparison(cell, system, results.primary_metrics[cell])
            if entry is not None and entry.verdict == "undecided":
                share = f"{100 * entry.ratio:.0f} %"
                assert f"{system} keeps {share}" not in results.answer
                assert f"{system} has {share}" not in results.answer


def write_texts() -> None:
    texts = [f"## {case}\n\n{results_of(case).answer}\n" for case in [*CASES, INVALID]]
    TEXTS.write_text("# What studies answer\n\n" + "\n".join(texts))


if __name__ == "__main__":
    write_texts()
