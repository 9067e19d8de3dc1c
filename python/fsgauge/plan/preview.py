"""What a plan would do, as data for `fsgauge plan`: nothing is measured and nothing is touched.
Takes a plan and its study; gives the facts in the order in which a person asks for them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from pydantic import Field

from fsgauge.durability import MEMORY, SystemOptions, Weak, made_by, weakened
from fsgauge.plain_files.kept import Kept
from fsgauge.plan.around import HERE, Around
from fsgauge.plan.cost import written_bytes
from fsgauge.plan.curve import curve_of, curve_words, too_short
from fsgauge.plan.estimate import RUN_SECONDS, endurance, plan_seconds, under_load_share
from fsgauge.plan.in_words import (
    differently_mounted,
    made_as_mounted,
    mounted_words,
    partners,
    storage_words,
    unlike,
)
from fsgauge.plan.levels import corrected
from fsgauge.plan.power import blocks_needed, paired_percent, planned_percent
from fsgauge.plan.race import blocks_within, measured_blocks, race_words, rested_on
from fsgauge.plan.space import held_twice, layout_bytes, planned_room, speed_on
from fsgauge.plan.struck import fault_lines
from fsgauge.record.records import Plan, SystemFacts, Turn
from fsgauge.study.model import Study, System
from fsgauge.study.reached import accesses_of, is_served, protection_in, way, ways
from fsgauge.study.system import ALLOCATING, keys_without_effect
from fsgauge.units import exact_size, format_bandwidth, format_duration, format_rate, format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import EXPECTED, FASTEST, SLOWEST
from fsgauge.workload.method import Method

EFFECTS_PERCENT = (5.0, 2.0, 1.0)
SUPPOSED_NOISE_PERCENT = (2.0, 5.0, 10.0)


class Sensitivity(Kept):
    """What the plan can show if two equal runs in a block differ by `noise_percent`.

    `noise_percent` is the standard deviation of their log ratio, times 100. `blocks_needed` is by
    effect in percent; None means more than 10,000. Power 80 %, for one effect among `comparisons`
    that are corrected for their number.
    """

    noise_percent: float
    comparisons: int
    detectable_percent: float
    blocks_needed: dict[float, int | None]


class PlanDescription(Kept):
    """All that `fsgauge plan` prints, in this order."""

    question: str
    systems: list[System]
    mounted: dict[str, str] = Field({})
    """Of each system that is a folder: its file system and mount options, in words."""
    baseline: str
    starts: list[str] = Field([])
    """Programs and lines for a shell that the study itself names."""
    held_equal: list[str]
    different: list[str]
    cannot_tell: list[str]
    partners: list[str]
    """How close what is compared stands in time; empty where the study does not ask."""
    cautions: list[str] = Field([])
    less_safe: list[str] = Field([])
    """What single systems give up of durability, or the storage does not have."""
    weak: list[str] = Field([])
    """The names of those systems."""
    turns: list[Turn]
    curve: str = ""
    race: str = ""
    """How many runs are expected and at worst, and what ends it."""
    faults: list[str] = Field([])
    """What is done to machines on purpose, a line each, in blocks after all others."""
    blocks: int
    blocks_asked: int
    runs: int
    expected_seconds: float
    shortest_seconds: float
    longest_seconds: float | None
    how: str = ""
    instead: tuple[float, str] | None = None
    """How machines run then, if that is not known; the seconds of the other way, and its `how`."""
    under_load_share: float
    """Of that time, how much the load runs; the rest is set-up, syncs and engine starts."""
    simulated: bool = False
    """Bytes are those of the model: no device works or is written to."""
    time_basis: str = ""
    """Where the time comes from, if not from the speed that is assumed of storage."""
    written_bytes_estimate: int
    written_bytes_at_worst: int = 0
    endurance: str = ""
    """Hours and drive writes where a device is preconditioned."""
    estimate_basis: str
    sensitivity_known: bool
    """Whether the noise was stated or measured; if not, `sensitivity` supposes several."""
    sensitivity: list[Sensitivity]
    storage: str
    overwritten: str


def describe(
    plan: Plan,
    study: Study,
    noise_percent: float | None = None,
    *,
    size_bytes: int,
    measured: tuple[float, float, float] | None = None,
    one_by_one_because: str = "",
    folders: Mapping[str, SystemFacts] = MappingProxyType({}),
    cautions: Sequence[str] = (),
    storage: str = "",
    around: Around = HERE,
) -> PlanDescription:
    """Describe a plan on storage of `size_bytes`.

    `noise_percent` is of a pilot (its A/A ratio); without it the study's own is used, and
    without that, several are supposed and marked so. `measured` are the seconds that a block of
    this very work took in a pilot: mean, shortest, longest.
    `one_by_one_because` says why systems are not measured side by side where the study would.
    `folders` are the systems that are folders, as they are mounted, and `cautions` come of them.
    `storage` is what the rig makes of the study's, in words, where that is something else.
    `around` is what the plan was made with.
    """
    noise = noise_percent if noise_percent is not None else study.plan.noise_percent
    blocks = plan.turns[-1].block + 1
    supposed = SUPPOSED_NOISE_PERCENT if noise is None else (noise,)
    mean, shortest, longest = _block_times(plan, study, size_bytes, measured, around)
    is_simulated = around.block is not None or study.is_simulated
    most, expected, fewest = measured_blocks(study, blocks)
    of = partial(written_bytes, study, size_bytes, around=around)
    times = (expected, mean), (most, shortest)
    written, at_worst = (of(blocks_within(study, *each)) for each in times)
    within = plan.race.within if plan.race is not None else float
    weak = _weak(study, folders)
    return PlanDescription(
        question=study.question,
        systems=study.systems,
        mounted={name: mounted_words(facts) for name, facts in folders.items()},
        baseline=plan.baseline,
        starts=_method(study, size_bytes).starts(),
        held_equal=_held_equal(study, size_bytes, is_simulated=is_simulated),
        different=[
            *_different(study.systems),
            *differently_mounted(folders),
            *_reached(study),
            *_bare_instead(study),
        ],
        cannot_tell=[text for text in (_method(study, size_bytes).cannot_tell(),) if text],
        partners=[] if is_simulated else partners(plan, study, size_bytes, one_by_one_because),
        cautions=[*_method(study, size_bytes).cautions(), *too_short(study, plan), *cautions],
        less_safe=[
            *(f"{name}: {each.loses} ({each.option}; {each.source})" for name, each in weak),
            *([MEMORY] if study.storage.kind == "ram" else []),
        ],
        weak=list(dict.fromkeys(name for name, _ in weak)),
        turns=plan.turns,
        curve=curve_words(plan),
        race=race_words(study),
        faults=fault_lines(plan),
        blocks=blocks,
        blocks_asked=study.plan.blocks,
        runs=round(sum(len(turn.cells) for turn in plan.turns) * most / blocks),
        expected_seconds=within(expected * mean),
        shortest_seconds=within(fewest * shortest),
        longest_seconds=within(most * longest) if longest is not None else None,
        how=around.how,
        instead=None
        if around.instead is None
        else (_seconds_with(plan, study, size_bytes, around.instead), around.instead.how),
        under_load_share=under_load_share(
            study, size_bytes, side_by_side=plan.side_by_side, around=around
        ),
        simulated=is_simulated,
        time_basis=around.block.words if around.block is not None else "",
        written_bytes_estimate=written,
        written_bytes_at_worst=at_worst if plan.race is not None else 0,
        endurance=endurance(study, size_bytes, at_worst, expected * mean, most * (longest or mean)),
        estimate_basis=_estimate_basis(
            study, around, by_pilot=measured is not None, is_served=is_served(study)
        ),
        sensitivity_known=noise is not None,
        sensitivity=[_sensitivity(*rested_on(plan), percent) for percent in supposed],
        storage=storage or storage_words(study, is_simulated=is_simulated),
        overwritten=_overwritten(study, is_simulated=is_simulated),
    )


def _weak(study: Study, folders: Mapping[str, SystemFacts]) -> list[tuple[str, Weak]]:
    """What systems give up, by their names: as asked for, and of a folder as in force."""
    made = ((system.name, _made(system, folders.get(system.name))) for system in study.systems)
    return [(name, weak) for name, each in made for weak in weakened(each)]


def _made(system: System, folder: SystemFacts | None) -> SystemOptions:
    if folder is not None:
        return replace(made_as_mounted(folder), server=system.server)
    return made_by(system.model_dump())


def _block_times(
    plan: Plan,
    study: Study,
    size_bytes: int,
    measured: tuple[float, float, float] | None,
    around: Around,
) -> tuple[float, float, float | None]:
    """Seconds of a block: expected, shortest, longest."""
    blocks, _, _ = measured_blocks(study, plan.turns[-1].block + 1)
    if measured is None and (tried := around.block) is not None:
        return tried.seconds, tried.shortest_seconds, tried.longest_seconds
    if measured is None:
        of_plan = partial(plan_seconds, study, size_bytes, blocks, plan.side_by_side, around)
        shortest, longest = (of_plan(speed) / blocks for speed in (FASTEST, SLOWEST))
        of_race = plan.race is not None
        return (of_plan() if of_race else plan.expected_seconds) / blocks, shortest, longest
    runs = sum(len(turn.cells) for turn in plan.turns if turn.block == 0)
    beside = runs * (RUN_SECONDS + around.run_seconds)
    mean, shortest, longest = (each + beside for each in measured)
    return mean, shortest, longest


def _seconds_with(plan: Plan, study: Study, size_bytes: int, around: Around) -> float:
    blocks, _, _ = measured_blocks(study, plan.turns[-1].block + 1)
    return plan_seconds(study, size_bytes, blocks, plan.side_by_side, around)


def _sensitivity(blocks: int, comparisons: int, noise_percent: float) -> Sensitivity:
    spread, level = paired_percent(noise_percent), corrected(comparisons)
    return Sensitivity(
        noise_percent=noise_percent,
        comparisons=comparisons,
        detectable_percent=planned_percent(blocks, spread, level),
        blocks_needed={effect: blocks_needed(effect, spread, level) for effect in EFFECTS_PERCENT},
    )


def _held_equal(study: Study, size_bytes: int, *, is_simulated: bool) -> list[str]:
    space = format_size(layout_bytes(study, size_bytes))
    has_raw = any(system.kind == "raw" for system in study.systems)
    first, *lines = _method(study, size_bytes, is_simulated=is_simulated).held_equal(space, has_raw)
    pace = ", unpaced" if curve_of(study) is None else ", paced"
    return [
        first + _half(study),
        *(line.replace(", unpaced", pace) for line in lines[:-1]),
        f"state: {_state(study)}",
        lines[-1],
        *_emptied(study),
    ]


def _emptied(study: Study) -> list[str]:
    """What becomes of caches that are not on the nodes which drive the load."""
    beyond = [each.rig for each in study.systems if each.rig is not None]
    if study.rig is None or not any(each.reached_by or each.volume for each in beyond):
        return []
    return [study.rig.emptied_words]


def _method(study: Study, size_bytes: int, *, is_simulated: bool = False) -> Method:
    """The study's method, which knows the sizes of its files."""
    method = method_of(study.workload).reached_by(accesses_of(study))
    return method.in_room(replace(planned_room(study, size_bytes), in_model=is_simulated))


def _reached(study: Study) -> list[str]:
    accesses = accesses_of(study)
    of = dict(zip((each.name for each in study.systems), accesses, strict=True))
    shares = unlike("share", {name: each.share or "" for name, each in of.items()})
    if len(ways(accesses)) == 1:
        messages = {name: str(protection_in(each)) for name, each in of.items()}
        return shares + unlike("messages", messages)
    return unlike("access", {name: way(each) for name, each in of.items()}) + shares


def _half(study: Study) -> str:
    names = held_twice(study)
    if not names:
        return ""
    keep = "keeps" if len(names) == 1 else "keep"
    return (
        f"; {', '.join(names)} {keep} old extents until fully overwritten, so half the space is"
        " used on all systems"
    )


def _state(study: Study) -> str:
    if not method_of(study.workload).lays_out:
        made = (
            "a new folder"
            if study.storage.kind in ("path", "share")
            else "every system is newly made"
        )
        return f"{made} for each turn; the load creates its files there"
    if study.storage.kind == "path":
        return "nothing is formatted; the files are created and filled again for each turn"
    return "every system is newly made and filled for each turn"


_OPTIONS = ("kind", "mkfs", "mount", "path", "tunables", "server", "settings", "kernel")


def _different(systems: list[System]) -> list[str]:
    found = []
    for key in (*_OPTIONS, *ALLOCATING):
        found += unlike(key, {each.name: _value(each, key) for each in systems if _has(each, key)})
    return found


def _value(system: System, key: str) -> object:
    value = getattr(system, key)
    if isinstance(value, dict):
        value = ", ".join(f"{name} = {each}" for name, each in value.items())
    return (exact_size(value) if key in ALLOCATING and value is not None else value) or "default"


def _bare_instead(study: Study) -> list[str]:
    stands_for = method_of(study.workload).bare_stands_for()
    raw = [system.name for system in study.systems if system.kind == "raw"]
    return [f"{name}: {stands_for}" for name in raw if stands_for]


def _has(system: System, key: str) -> bool:
    """Whether the property exists for such a system: the raw device has no mount options."""
    if key in ("mkfs", "mount", "tunables"):
        return key not in keys_without_effect(system.kind)
    of_all = ("kind", "server", "settings", "kernel", *ALLOCATING)
    return key in of_all or system.kind == "mounted"


def _estimate_basis(study: Study, around: Around, *, by_pilot: bool, is_served: bool) -> str:
    speeds = [around.limited(speed_on(study, each)) for each in (EXPECTED, FASTEST, SLOWEST)]
    expected, fastest, slowest = (format_bandwidth(each.bytes_per_second) for each in speeds)
    latency = format_duration(speeds[0].latency_seconds * 1e9)
    basis = f"estimated for storage that writes {expected} and answers in {latency}"
    if speeds[0].operations_per_second < math.inf:
        basis += f", {format_rate(speeds[0].operations_per_second)} at most"
    if is_served:
        served = format_duration(EXPECTED.served_seconds * 1e9)
        basis += f", and a server that takes {served} per operation"
    if by_pilot:
        return f"{basis}; the time is the pilot's"
    if fastest == slowest:
        return f"{basis}; an emulated processor takes longer"
    return f"{basis}; work that ends by bytes rather than by time takes {fastest} to {slowest}"


def _overwritten(study: Study, *, is_simulated: bool) -> str:
    if study.storage.kind == "device":
        return (
            f"everything on {', '.join(study.storage.devices)} (must be empty; confirm with"
            " --destroy)"
        )
    if study.storage.kind == "share":
        return "nothing: the run makes its own folders on each share and removes them"
    if is_simulated:
        return "nothing: no disk takes part"
    return "nothing: a scratch file or folder is made and removed"
