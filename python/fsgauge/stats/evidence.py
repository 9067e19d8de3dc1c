"""What findings and answers are made from, and how a finding is put into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fsgauge.record import records
from fsgauge.stats import results
from fsgauge.stats.advice import Situation
from fsgauge.stats.noise import Noise
from fsgauge.stats.result_model import NoiseFloor
from fsgauge.stats.rig_limits import RigLimit
from fsgauge.stats.samples import Placed, Samples
from fsgauge.units import count as count

WHERE_LIMIT = 10


@dataclass(frozen=True)
class Evidence:
    """Everything that findings are drawn from; `few_operations` and `next_step` as in
    stats/sentence.py. `path_runs` are no samples: over paths beside a server, or of a curve those
    that no other stands for."""

    study: records.StudyRecord
    turns: Sequence[records.TurnRecord]
    runs: Sequence[records.RunRecord]
    before: records.EnvironmentRecord
    after: records.EnvironmentRecord | None
    samples: Samples
    comparisons: Sequence[results.Comparison]
    noise: dict[str, Noise]
    situation: Situation
    primary_metric: str
    few_operations: str
    next_step: str
    blocks_complete: int
    stopped: bool
    layouts: results.Layouts | None = None
    own: results.OwnResults | None = None
    limits: Mapping[tuple[str, str], RigLimit] = field(default_factory=dict)
    scans: Sequence[records.ScanRecord] = ()
    steps: Sequence[records.StepRecord] = ()
    path_runs: Sequence[records.RunRecord] = ()
    lost: Sequence[records.LostBlock] = ()
    not_removed: Sequence[records.NotRemovedTurn] = ()
    ended_by: str = ""
    resumed: bool = False


def finding(
    code: str, level: results.Level, sentence: str, advice: str, where: Sequence[str] = ()
) -> results.Finding:
    """A finding; `where` names every place, of which the first ten are kept."""
    return results.Finding(
        code=code,
        level=level,
        sentence=sentence,
        advice=advice,
        count=len(where) or 1,
        where=list(where[:WHERE_LIMIT]),
    )


def name_of(run: records.RunRecord) -> str:
    """A run in words: block 3, xfs, randread 4 KiB, depth 32."""
    return f"{turn_name(run)}, {run.cell.name}"


def turn_name(made: Placed) -> str:
    """What was made in a turn, in words: block 3, xfs (second turn)."""
    return f"block {made.block + 1}, {made.system}" + (" (second turn)" if made.again else "")


def continued(sentence: str, names: Sequence[str]) -> str:
    """A sentence behind a colon: its first letter is small, unless one of `names` begins it."""
    for name in names:
        if sentence.startswith(name) and not sentence[len(name) :][:1].isalnum():
            return sentence
    return sentence[:1].lower() + sentence[1:]


def part_of(part: int, whole: int, noun: str) -> str:
    """ "3 of 8 runs", "the only run"."""
    if part == whole == 1:
        return f"the only {noun}"
    return f"{part:,} of {count(whole, noun)}"


@dataclass(frozen=True)
class Question:
    """What the answer is about."""

    baseline: str
    baseline_is_raw: bool
    others: list[str]
    cells: list[records.Cell]
    primary: list[records.Cell]
    metrics: dict[str, str]
    comparisons: list[results.Comparison]
    noise: NoiseFloor | None
    blocks_complete: int
    few_operations: str
    next_step: str
    invalid_reason: str
    margin_percent: float
    own: results.OwnResults | None
    measurements: Sequence[results.Measurement] = ()
    commits: Mapping[str, str] = field(default_factory=dict)
    """By the id of a cell whose operations are commits, the metric of their p99."""
    paces: Mapping[str, float] = field(default_factory=dict)
    """By the id of a cell with a pace, the operations a second that each machine was offered."""
    limited: Sequence[results.Comparison] = ()
    """Comparisons that the rig sets; they are not among `comparisons`."""
    nothing: bool = False
    """Whether a system has no number in a primary cell, since it did nothing there."""
    failing: Sequence[str] = ()
    """Systems of which every run failed."""
    failed: str = ""
    """ "all 6 runs failed: false ended with exit code 1"; "" where one did not."""
    idle: str = ""
    """ "xfs did nothing in 3 of 24 runs."; "" where all did their work."""
    served: str = ""
    """ "Measured ext4 through Samba"; "" over paths."""
    server_aborts: str = ""
    """ "smbd aborted in 1 of 3 runs"; "" where none did."""
    durability: results.Durability = results.NOTHING_WEAK
    over_hosts: str = ""
    """ "Four hosts do 3.12 times the random reads of one on ext4 (2.95 to 3.30)."; "" where the
    study does not vary them."""
