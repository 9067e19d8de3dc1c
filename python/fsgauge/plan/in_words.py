"""A plan in words: cells, storage, partners of a ratio, folders as they are mounted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fsgauge.durability import SystemOptions
from fsgauge.plan.estimate import block_seconds, turns_of_block
from fsgauge.record.factors import Factor, factors_of
from fsgauge.record.records import Cell, FactorValue, Plan, SystemFacts
from fsgauge.study.model import Study
from fsgauge.units import exact_size, format_duration, format_size, some_of
from fsgauge.workload import method_of

LONGEST_OPTION = 48
"""The layers of an overlay can be longer than a screen."""
NAMED = 8
"""So many cells are named one by one."""
_LISTED = 6
"""So many numbers of a factor are listed; of more, the ends."""
_PLACES = 4
Values = dict[str, tuple[FactorValue, ...]]


def cells_in_words(cells: Sequence[Cell]) -> list[str]:
    """A line of their ids; of many a line for each group of what is done with the same values."""
    if len(cells) <= NAMED:
        return [", ".join(cell.id for cell in cells)]
    groups: list[tuple[list[FactorValue], Values]] = []
    for done, own in _by_pattern(cells).items():
        values = _values(own)
        same = next((each for each in groups if each[1] == values), None)
        if same is None:
            groups.append(([done], values))
        else:
            same[0].append(done)
    declared = factors_of(cells[0]).DECLARED
    return [
        f"{len(cells)} cells (--order names them)",
        *(_line(done, values, declared) for done, values in groups),
    ]


def _by_pattern(cells: Sequence[Cell]) -> dict[FactorValue, list[Cell]]:
    found: dict[FactorValue, list[Cell]] = {}
    for cell in cells:
        in_role = factors_of(cell).in_role("pattern")
        found.setdefault(cell.factors[in_role[0]] if in_role else "", []).append(cell)
    return found


def _values(cells: Iterable[Cell]) -> Values:
    """Of each factor but what is done; those that are yes or no are in the cells' names."""
    found: dict[str, set[FactorValue]] = {}
    for cell in cells:
        in_role = factors_of(cell).in_role("pattern")
        for name, value in cell.factors.items():
            if not isinstance(value, bool) and (in_role is None or name != in_role[0]):
                found.setdefault(name, set()).add(value)
    return {name: tuple(sorted(values, key=_in_order)) for name, values in found.items()}


def _in_order(value: FactorValue) -> tuple[float, str]:
    return (0, value) if isinstance(value, str) else (value, "")


def _line(done: Sequence[FactorValue], values: Values, declared: Mapping[str, Factor]) -> str:
    """ "write, read: record size 64 KiB to 16 MiB (9); file size 2 GiB"."""
    factors = "; ".join(
        f"{declared[name].label} {_listed(name, each)}" for name, each in values.items()
    )
    named = ", ".join(str(each) for each in done if each)
    return ": ".join(each for each in (named, factors) if each)


def _listed(name: str, values: Sequence[FactorValue]) -> str:
    if len(values) > _LISTED and not isinstance(values[0], str):
        return f"{_one(name, values[0])} to {_one(name, values[-1])} ({len(values)})"
    return ", ".join(_one(name, each) for each in values)


def _one(name: str, value: FactorValue) -> str:
    if name.endswith("_bytes") and isinstance(value, int):
        return exact_size(value)
    return f"{value} %" if name.endswith("_percent") else str(value)


def storage_words(study: Study, *, is_simulated: bool = False) -> str:
    """The storage as the study asks for it: "a scratch file of 8 GiB in /var/tmp"."""
    storage = study.storage
    if is_simulated and storage.kind in ("loop", "ram"):
        return f"{exact_size(storage.size)} in a model"
    if storage.kind == "loop":
        return f"a scratch file of {exact_size(storage.size)} in {storage.directory}"
    if storage.kind == "ram":
        return f"memory, {exact_size(storage.size)}"
    if storage.kind == "device":
        return f"device{'s' if storage.more_devices else ''} {', '.join(storage.devices)}"
    if storage.kind == "share":
        return f"shares of running servers, up to {exact_size(storage.size)} each"
    if storage.kind == "simulated":
        end = f", its {storage.times} times" if storage.times else ""
        return f"{exact_size(storage.size)} in a model ({storage.model}{end})"
    places = list(dict.fromkeys(system.path or storage.path for system in study.systems))
    if places == [system.name for system in study.systems]:
        return f"up to {exact_size(storage.size)} in each"
    each = " each" if len(places) > 1 else ""
    return f"up to {exact_size(storage.size)}{each} in {some_of(places, _PLACES)}"


def mounted_words(facts: SystemFacts) -> str:
    """ "ext4 from /dev/sda1, mounted rw,relatime"."""
    kind = _file_system(facts)
    source = "" if facts.mount_source in ("none", kind) else f" from {facts.mount_source}"
    options = ",".join(map(_short, _options(facts)))
    return f"{kind}{source}" + (f", mounted {options}" if options else "")


def differently_mounted(mounted: Mapping[str, SystemFacts]) -> list[str]:
    """The types, and the options that not all of them have; a line each where they differ."""
    if len(mounted) < 2:
        return []
    found = unlike("file system", {name: _file_system(each) for name, each in mounted.items()})
    options = {name: _options(facts) for name, facts in mounted.items()}
    shared = set.intersection(*map(set, options.values()))
    own = {
        name: ",".join(_short(option) for option in each if option not in shared)
        for name, each in options.items()
    }
    if any(own.values()):  # of two that are too long to be shown, too
        found.append(_of_each("mounted", {name: each or "without" for name, each in own.items()}))
    return found


def made_as_mounted(facts: SystemFacts) -> SystemOptions:
    """What durability depends on of a folder: its file system, its options, an export's."""
    return SystemOptions(
        kind=_file_system(facts),
        mount=facts.mount_options,
        export=facts.details.get("export options", ""),
    )


def unlike(what: str, values: Mapping[str, object]) -> list[str]:
    """A line with each one's value, where they are not all the same."""
    return [_of_each(what, values)] if len(set(map(str, values.values()))) > 1 else []


def _of_each(what: str, values: Mapping[str, object]) -> str:
    return f"{what} ({'; '.join(f'{name}: {value}' for name, value in values.items())})"


def _file_system(facts: SystemFacts) -> str:
    return facts.details.get("file system", facts.kind)


def _options(facts: SystemFacts) -> list[str]:
    return [option for option in facts.mount_options.split(",") if option]


def _short(option: str) -> str:
    name, equals, value = option.partition("=")
    return f"{name}=..." if equals and len(value) > LONGEST_OPTION else option


def partners(plan: Plan, study: Study, size_bytes: int, because: str) -> list[str]:
    """The design of a plan; `because` says why systems go one by one against the study's will."""
    if plan.side_by_side:
        return [_room(plan, study, size_bytes), _slices(plan, study)]
    if not because:
        return []
    turn_ns = int(block_seconds(study, size_bytes) / turns_of_block(study) * 1e9)
    return [
        f"systems run one after another: {because}",
        f"compared runs are at least {format_duration(turn_ns)} apart; a shared machine's noise"
        " grows with that",
    ]


def _room(plan: Plan, study: Study, size_bytes: int) -> str:
    turns = turns_of_block(study)
    if study.storage.kind == "device":
        return (
            f"side by side: the {turns} systems of a block are made and filled once, each on a"
            f" device of its own, another one in the next block{_in_whole_rounds(plan, turns)}"
        )
    return (
        f"side by side: the {turns} systems of a block are made and filled once, and stand at"
        f" once; room: {turns} x {exact_size(size_bytes)} = {format_size(turns * size_bytes)}"
    )


def _in_whole_rounds(plan: Plan, turns: int) -> str:
    """What to say where some system is on one device more often than on another."""
    blocks = len({turn.block for turn in plan.turns})
    if blocks % turns == 0:
        return ""
    return f"; only in a multiple of {turns} blocks does each system have each device equally often"


def _synced(number: int, of: int) -> str:
    if not number:
        return ""
    return f" and a sync each{f' in {number} of them' if number < of else ''}"


def _slices(plan: Plan, study: Study) -> str:
    method, found, synced = method_of(study.workload), Counter[str](), Counter[str]()
    for cell in plan.cells:
        slicing = method.slicing(cell)
        if slicing.is_whole:
            found["in one go"] += 1
            continue
        slices = f"{slicing.count} slice{'s' if slicing.count > 1 else ''}"
        words = f"in {slices} of {format_duration(slicing.slice_ns)}"
        found[words] += 1
        synced[words] += slicing.charges_sync
    parts = [
        f"{count} cell{'s' if count > 1 else ''} {words}{_synced(synced[words], count)}"
        for words, count in found.items()
    ]
    return f"{', '.join(parts)}; by turns, forwards and backwards"
