"""The answer of each kind of study, over what a study can come out as, as a person has read it.

The texts are in sentences.md next to this file, the headline first, then a sentence a line;
`python -m tests.known.test_sentences` writes it anew. Who changes a sentence reads it there, aloud,
before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.record.records import Cell
from fsgauge.report.compared import summary
from fsgauge.stats import Results
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.race.results import race_lines
from fsgauge.stats.read import naming_changes
from fsgauge.stats.wording import MOST_WORDS, in_lines, words_in
from tests.long import long_but
from tests.sittings import compare_quiet
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.idle import did
from tests.synthetic.setting import with_result
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_commands import command_run
from tests.synthetic_commits import make_commits
from tests.synthetic_connections import make_connections
from tests.synthetic_curve import Queue, make_curve
from tests.synthetic_kinds import make_metadata, make_mix, make_program
from tests.synthetic_sharing import make_sharing
from tests.synthetic_writers import LAWS, law, make_writers
from tests.unit.stats.race.test_results import gain, race

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


COMMITS = {"ext4": 550.0, "ext4 noatime": 552.0, "ext4 nobarrier": 3300.0, "xfs": 780.0}
EQUAL_COMMITS = dict.fromkeys(COMMITS, 550.0)
FASTER = {"ext4": Queue(5_000.0), "xfs": Queue(6_000.0)}
ALIKE = {"ext4": Queue(5_000.0), "xfs": Queue(5_000.0)}
TIMES = {"ext4": Queue(1 / 41), "xfs": Queue(1 / 39), "btrfs": Queue(1 / 58)}
THREE = {"ext4": "ext4", "xfs": "xfs", "btrfs": "btrfs"}


def idle() -> SyntheticStudy:
    """btrfs does nothing in every second block."""
    made = make_study(**OVERHEAD, systems=FOUR, noise=0.01, effect=of({"xfs": 0.9}))
    made.runs[:] = [did(r, 0.0) if r.system == "btrfs" and r.block % 2 else r for r in made.runs]
    return made


def program(seconds: float, looks: int, fault: EngineFault | None = None) -> SyntheticStudy:
    """git clone that takes so long on each system, was looked at so often, and never waited."""
    made = make_program(dict.fromkeys(TIMES, Queue(1 / seconds)), noise=0.003)
    done = {"command": command_run(looks, 0, 1 << 20)}
    made.runs[:] = [
        (run if fault is None else with_result(run, None, fault)).model_copy(update=done)
        for run in made.runs
    ]
    return made


FAILED = EngineFault(
    what="git ended with exit code 128: fatal: repository '/srv/x' does not exist",
    cause="it failed",
    next="try it by hand",
    code="command.failed",
)


def writes_alone(system: str, cell: Cell) -> float:
    """xfs writes faster than ext4, and reads as fast."""
    return 1.21 if system == "xfs" and "write" in cell.id else 1.0


CASES: dict[str, Callable[[], Any]] = {
    "commits, clear": lambda: make_commits(COMMITS),
    "commits, nothing differs": lambda: make_commits(EQUAL_COMMITS, noise=0.03),
    "commits, all noise": lambda: make_commits(EQUAL_COMMITS, noise=0.5),
    "commits, one system": lambda: make_commits({"ext4": 550.0}),
    "commits, too few for a p99": lambda: make_commits(COMMITS, calls=100),
    "commits, the write takes longer": lambda: make_commits(COMMITS, share=0.02),
    "commits, four writers": lambda: make_commits(COMMITS, writers=4),
    "overhead, writes alone differ": lambda: make_study(
        **OVERHEAD, systems={"ext4": "ext4", "xfs": "xfs"}, noise=0.01, effect=writes_alone
    ),
    "overhead, three file systems": lambda: make_study(
        **OVERHEAD, systems=THREE, noise=0.03, effect=of({"btrfs": 0.37})
    ),
    "overhead, at a rate": lambda: make_study(
        **OVERHEAD, systems=FOUR, noise=0.03, rate=5000.0, effect=of({"btrfs": 0.5})
    ),
    "overhead, one system": lambda: make_study(**OVERHEAD, systems={"xfs": "xfs"}, noise=0.01),
    "overhead, two blocks": lambda: make_study(**OVERHEAD, systems=FOUR, blocks=2),
    "overhead, one stalls": idle,
    "overhead, five cells": lambda: make_study(
        systems=FOUR,
        noise=0.01,
        patterns=("randread", "randwrite", "randrw"),
        block_sizes=(4096, 65536),
        queue_depths=(32,),
        duration_s=2,
        effect=of(CLEAR),
    ),
    "sharing": make_sharing,
    "sharing, all noise": lambda: make_sharing(noise=0.4),
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
    "mix, clear": lambda: make_mix(FASTER),
    "mix, all equal": lambda: make_mix(ALIKE, noise=0.003, p99_noise=0.003),
    "mix, all noise": lambda: make_mix(ALIKE, noise=0.4, p99_noise=0.4),
    "metadata, clear": lambda: make_metadata(FASTER),
    "metadata, one cell": lambda: make_metadata(
        FASTER, "workload.clients=[4]", "workload.folders=[shared]", "workload.operations=[create]"
    ),
    "metadata, small and large folders": lambda: make_metadata(
        FASTER, "workload.clients=[4]", "workload.folders=[shared]", "workload.entries=[400,20000]"
    ),
    "metadata, all equal": lambda: make_metadata(ALIKE, noise=0.003),
    "metadata, all noise": lambda: make_metadata(ALIKE, noise=0.4),
    "command, clear": lambda: make_program(TIMES),
    "command, all equal": lambda: make_program(dict.fromkeys(TIMES, Queue(1 / 41)), noise=0.003),
    "command, all noise": lambda: make_program(dict.fromkeys(TIMES, Queue(1 / 41)), noise=0.4),
    "command, too short to be looked at": lambda: program(0.05, 5),
    "command, fails in every run": lambda: program(1.0, 5, FAILED),
    "capacity, clear": make_curve,
    "capacity, all equal": lambda: make_curve(ALIKE, noise=0.003, p99_noise=0.003),
    "capacity, all noise": lambda: make_curve(ALIKE, noise=0.4, p99_noise=0.4),
    "capacity, nothing below the limit": lambda: make_curve(
        {"ext4": Queue(50_000.0), "xfs": Queue(30_000.0, 6.0)}
    ),
    "capacity, never at the limit": lambda: make_curve(
        {"ext4": Queue(50_000.0), "xfs": Queue(200_000.0, offers=60_000.0)}
    ),
}
CHOSEN: dict[str, Callable[[], list[str]]] = {
    "choose, the best": lambda: race_lines(race(ended="margin", proven=True), [gain()]),
    "choose, a budget that came first": lambda: race_lines(race(), [gain()]),
    "choose, nothing beats the baseline": lambda: race_lines(
        race(), [gain(1.01, 0.97, 1.05, verdict="undecided")]
    ),
}
INVALID = "overhead, invalid"
READS: Mapping[str, Any] = {
    "patterns": ("randread", "randwrite"),
    "block_sizes": (4096,),
    "queue_depths": (32,),
    "systems": {"ext4": "ext4"},
    "duration_s": 2,
}


def sitting(label: str, seed: int, **changes: Any) -> Side:
    return side_of(label, make_study(**{**READS, "noise": 0.01, **changes}, seed=seed))


def side_of(label: str, made: SyntheticStudy) -> Side:
    return Side(label, made.study, made.turns, made.runs, made.before, made.after)


def slower_by(made: Callable[..., SyntheticStudy], *settings: str) -> tuple[Side, Side]:
    """A tenth fewer operations of ext4 in November."""
    october = made({"ext4": Queue(5_000.0)}, *settings, seed=1)
    november = made({"ext4": Queue(4_500.0)}, *settings, seed=2)
    return side_of("october", october), side_of("november", november)


def slower_reads(system: str, cell: Cell) -> float:
    return 0.92 if "read" in cell.id else 1.0


COMPARED: dict[str, Callable[[], tuple[Side, Side]]] = {
    "compare, reads are slower": lambda: (
        sitting("october", 1, effect=equal),
        sitting("november", 2, effect=slower_reads),
    ),
    "compare, nothing differs": lambda: (
        sitting("october", 1, effect=equal, noise=0.003),
        sitting("november", 2, effect=equal, noise=0.003),
    ),
    "compare, all noise": lambda: (
        sitting("october", 1, effect=equal, noise=0.3),
        sitting("november", 2, effect=equal, noise=0.3),
    ),
    "compare, commits of a mix": lambda: slower_by(make_mix),
    "compare, files": lambda: slower_by(
        make_metadata, "workload.clients=[4]", "workload.folders=[shared]"
    ),
}
TWO_FOLDERS = "compare, reads are slower, and nothing shows how sittings differ"


@lru_cache
def results_of(case: str) -> Results:
    if case == INVALID:
        return naming_changes(results_of("overhead, clear"), ["runs of block 3"])
    return CASES[case]().results()


def lines_of(case: str) -> list[str]:
    if case in CHOSEN:
        return CHOSEN[case]()
    if case == TWO_FOLDERS:
        sides = COMPARED["compare, reads are slower"]()
        return in_lines(summary(compare_sides(*sides)), ["ext4"])
    if case in COMPARED:
        return in_lines(summary(compare_quiet(*COMPARED[case]())), ["ext4"])
    results = results_of(case)
    assert results.answer.endswith(" ".join(results.lines))
    return results.lines


def text_of(case: str) -> str:
    headline, *more = lines_of(case)
    return "\n".join([f"**{headline}**", *more])


def kept_texts() -> dict[str, str]:
    parts = TEXTS.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


ALL = [*CASES, INVALID, *COMPARED, TWO_FOLDERS, *CHOSEN]
COSTLY = ("aging", "capacity", "churn", "connections", "metadata")
"""Kinds whose records take longest to make: `make test` reads one study of each."""


def one_of_each_costly(cases: Sequence[str]) -> list[Any]:
    """For parametrize: the other studies of costly kinds are long."""
    rest = [each for each in cases if not each.startswith(COSTLY)]
    first = {each.partition(",")[0]: each for each in reversed(cases) if each.startswith(COSTLY)}
    return long_but([*rest, *first.values()], cases)


@pytest.mark.parametrize("case", ALL)
def test_the_answer_is_the_one_that_was_read(case: str) -> None:
    assert text_of(case) == kept_texts()[case]


@pytest.mark.parametrize("case", one_of_each_costly(ALL))
def test_a_headline_is_read_in_seconds(case: str) -> None:
    assert words_in(lines_of(case)[0]) <= MOST_WORDS


UNNAMED = ("overhead, ten systems", "command, fails in every run")
"""Where there are too many, and where all of them failed alike."""


@pytest.mark.parametrize(
    "case", one_of_each_costly([each for each in CASES if each not in UNNAMED])
)
def test_every_system_is_named(case: str) -> None:
    results = results_of(case)
    assert all(system in results.answer for system in results.systems), results.answer


NOISE = [case for case in CASES if case.endswith("all noise") and not case.startswith("capacity")]
QUICK_NOISE = [case for case in NOISE if not case.startswith(COSTLY)]


@pytest.mark.parametrize("case", long_but(QUICK_NOISE, NOISE))
def test_noise_has_the_effect_that_would_have_shown(case: str) -> None:
    assert "would have shown" in results_of(case).answer


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
    texts = [f"## {case}\n\n{text_of(case)}\n" for case in ALL]
    TEXTS.write_text("# What studies answer\n\n" + "\n".join(texts))


if __name__ == "__main__":
    write_texts()
