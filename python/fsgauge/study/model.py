"""What a study file says, checked: a question, storage, systems, a workload, a plan.

Quantities arrive as text with a unit ("4 KiB", "10 s") and stand here as raw integers.
Defaults are the ones that `fsgauge plan` prints. Each key is described where it is defined, and
`fsgauge explain workload.block_sizes` and docs/reference/study-file.md are made from that.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import OneLine, StudyModel, conflict, is_written
from fsgauge.study.modes import check_mode
from fsgauge.study.policies import AG_COUNT, BLOCK_BYTES, GROUP_BLOCKS, LAST_GROUP, POLICIES
from fsgauge.study.rig_keys import MOST_FAULTS, FaultKeys, RigKeys, check_faults
from fsgauge.study.serving import check_access, check_places, reached, refuse_unused
from fsgauge.study.settings import PlanSettings, SweepKeys
from fsgauge.study.storage import (
    DeviceStorage,
    LoopStorage,
    PathStorage,
    RamStorage,
    ShareStorage,
    SimulatedStorage,
    Storage,
)
from fsgauge.study.system import MOST_SYSTEMS, System
from fsgauge.study.workload import Workload, cells_of
from fsgauge.units import format_size

__all__ = [
    "DeviceStorage",
    "LoopStorage",
    "PathStorage",
    "PlanSettings",
    "RamStorage",
    "ShareStorage",
    "SimulatedStorage",
    "Storage",
    "Study",
    "System",
    "Workload",
]


LAYOUT = "layout"
"""In `plan.primary`: the layout after the last run, beside cells."""


class Study(StudyModel):
    """A question with its method."""

    model_config = ConfigDict(populate_by_name=True)

    format: Literal[1] = Field(description="The version of this file's format: 1.")
    name: Annotated[OneLine, Field(max_length=80)] = Field(
        description="Names the results folder. Default: the file's name without .toml."
    )
    question: OneLine = Field(
        description="The study's question, in one sentence; it heads the report."
    )
    storage: Storage = Field(
        description="The storage under the systems, which use it one after another."
    )
    systems: list[System] = Field(
        alias="system",
        description="The systems to compare. The first is the baseline; it has two turns in each "
        "block, and the difference between them is noise.",
        min_length=1,
        max_length=MOST_SYSTEMS,
    )
    access: AccessKeys = Field(
        default_factory=AccessKeys,
        description="How systems are reached, unless they set it themselves.",
    )
    rig: RigKeys | None = Field(
        None,
        description="The nodes that the study is measured on, with --rig vm. Default: one.",
        exclude_if=lambda value: value is None,
    )
    faults: list[FaultKeys] = Field(
        [],
        alias="fault",
        description="What is done to nodes on purpose, with --rig vm, in runs of their own.",
        max_length=MOST_FAULTS,
        exclude_if=lambda value: not value,
    )
    workload: Workload = Field(description="The load.")
    sweep: SweepKeys | None = Field(
        None,
        description="Years and profiles that the study is simulated for, with --rig simulator."
        " Default: the one life that the workload says.",
        exclude_if=lambda value: value is None,
    )
    plan: PlanSettings = Field(
        default_factory=PlanSettings, description="How many blocks, in what order, for how long."
    )

    @property
    def is_simulated(self) -> bool:
        return isinstance(self.storage, SimulatedStorage)

    @model_validator(mode="after")
    def _systems_have_their_own_names(self) -> Study:
        first: dict[str, int] = {}
        for index, system in enumerate(self.systems):
            if system.name in first:
                raise conflict(
                    f'two systems are called "{system.name}"',
                    [("system", index, "name"), ("system", first[system.name], "name")],
                    next="give one of them another name",
                )
            first[system.name] = index
        return self

    @model_validator(mode="after")
    def _systems_fit_the_storage(self) -> Study:
        check_places(self.storage, reached(self.access, self.systems))
        if self.storage.kind == "share":
            return self
        refuse_misplaced(self.storage, self.systems)
        refuse_missing_groups(self.storage, self.systems)
        return self

    @model_validator(mode="after")
    def _systems_fit_the_workload(self) -> Study:
        needs = self.workload.needs_files()
        raw = [index for index, system in enumerate(self.systems) if system.kind == "raw"]
        if needs is not None and raw:
            key, reason, way_out = needs
            what = f"a study of kind {self.workload.kind}" if key == "kind" else key
            raise conflict(
                f'{what} needs files, and "{self.systems[raw[0]].name}" is a bare device: {reason}',
                [("workload", key), ("system", raw[0], "name")],
                next=f"leave the raw system out, or {way_out}",
            )
        return self

    @model_validator(mode="after")
    def _systems_can_be_reached(self, info: ValidationInfo) -> Study:
        systems = reached(self.access, self.systems)
        check_access(systems, self.workload)
        if is_written(info):
            refuse_unused(self.access, systems, self.workload)
        return self

    @model_validator(mode="after")
    def _space_is_given_as_systems_say(self) -> Study:
        self.workload.check_systems(self.systems)
        return self

    @model_validator(mode="after")
    def _a_scan_has_something_to_scan(self) -> Study:
        if self.workload.scan and all(system.kind == "raw" for system in self.systems):
            raise conflict(
                "scan would be ignored: all systems are bare devices, which have no layout",
                [("workload", "scan"), ("system", 0, "name")],
                next="add a file system, or leave scan out",
            )
        return self

    @model_validator(mode="after")
    def _faults_can_be(self) -> Study:
        nodes = self.rig.nodes if self.rig is not None else 1
        check_faults(self.faults, nodes, cells_of(self.workload))
        return self

    @model_validator(mode="after")
    def _plan_has_a_mode(self, info: ValidationInfo) -> Study:
        check_mode(
            self.plan, self.workload, len(self.systems), has_faults=bool(self.faults), info=info
        )
        return self

    @model_validator(mode="after")
    def _years_can_be_simulated(self) -> Study:
        if self.sweep is None:
            return self
        if not self.workload.rewrites:
            raise conflict(
                f"a study of kind {self.workload.kind} has no years: no files come and go in it",
                [("sweep",), ("workload", "kind")],
                next='kind = "churn", or leave [sweep] out',
            )
        if not self.is_simulated:
            raise conflict(
                "years are simulated, and the study's storage is none of a model",
                [("sweep",), ("storage", "kind")],
                next='[storage] kind = "simulated" (--storage simulated:20TiB)',
            )
        self._profiles_have_keys(self.sweep)
        return self

    def _profiles_have_keys(self, sweep: SweepKeys) -> None:
        keys = set(type(self.workload).model_fields) - {"kind"}
        for index, profile in enumerate(sweep.profiles):
            unknown = sweep.unknown_pair(profile, keys)
            if unknown:
                name = unknown.partition("=")[0].strip()
                near = nearest(name, keys)
                what = f'the workload has no such key: "{unknown}"'
                what += "" if near else f"; there are: {', '.join(sorted(keys))}"
                hint = did_you_mean(near)
                if unknown in keys:
                    what, hint = f'"{unknown}" has no value', ""
                raise conflict(
                    what,
                    [("sweep", "profiles", index)],
                    hint=hint,
                    next='profiles = ["median_size=64 KiB; size_sigma=2"]',
                )

    @model_validator(mode="after")
    def _primary_cells_exist(self) -> Study:
        cells = cells_of(self.workload)
        named = [entry for entry in self.plan.primary if entry != LAYOUT]
        if len(named) < len(self.plan.primary) - 1:
            index = [*self.plan.primary, LAYOUT].index(LAYOUT)
            raise conflict("the layout is listed twice", [("plan", "primary", index)])
        known = {text: cell.id for cell in cells for text in (cell.id, cell.name)}
        for index, entry in enumerate(self.plan.primary):
            if entry == LAYOUT:
                if not self.workload.scan:
                    raise conflict(
                        "the layout is primary, but no scan measures it",
                        [("plan", "primary", index)],
                        next="--set workload.scan=true",
                    )
                continue
            if entry not in known:
                near = nearest(entry, known)
                raise conflict(
                    f'"{entry}" is not a cell of this study',
                    [("plan", "primary", index)],
                    hint=did_you_mean(near),
                    next="fsgauge plan STUDY --order lists the cells of a study",
                )
        ids = [known[entry] for entry in named]
        for index, cell_id in enumerate(ids):
            if cell_id in ids[:index]:
                place = self.plan.primary.index(named[index])
                raise conflict("the same cell is listed twice", [("plan", "primary", place)])
        return self


_ANOTHER = "/another/folder"


def refuse_misplaced(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first system that cannot sit on the storage: folders are measured as
    they are, all else is made on a device."""
    for index, system in enumerate(systems):
        mounted = system.kind == "mounted"
        if isinstance(storage, PathStorage):
            if not mounted:
                raise _needs_device(storage, systems, index)
        elif mounted:
            raise _is_in_place(storage, systems, index)


def _needs_device(storage: PathStorage, systems: Sequence[System], index: int) -> Exception:
    system = systems[index]
    what = "is a bare device" if system.kind == "raw" else "needs a device of its own"
    here = f"--set {shlex.quote(f'storage.directory={storage.path}')}"
    return conflict(
        f'"{system.name}" {what}, and the storage is a folder: {storage.path}',
        [("storage", "kind"), ("system", index)],
        next=f"to compare folders as they are: {_options(systems, storage.path)};"
        f" to make file systems in a file there, as root: --storage loop:8GiB {here}",
    )


def _is_in_place(storage: Storage, systems: Sequence[System], index: int) -> Exception:
    system = systems[index]
    others = [other for other in systems if other.kind != "mounted"]
    made = [other.name for other in others if other.kind != "raw"] or [each.name for each in others]
    if system.path is None:
        return conflict(
            f'"{system.name}" names no folder: a mounted system is used where it is',
            [("system", index)],
            next=f"name each one to compare: --system /mounted/folder --system {_ANOTHER}",
        )
    on = {"device": "a device", "ram": "memory"}.get(storage.kind, "a loop file")
    is_there = os.path.isdir(system.path)  # noqa: PTH112 - one that cannot be looked at is none
    is_folder = "is a folder and" if is_there else "is no folder here, and a folder"
    what = f'"{system.name}" {is_folder} is measured where it is, not on {on}'
    if made:
        what += f' as "{made[0]}" is'
    return conflict(
        what,
        [("system", index), ("storage", "kind")],
        next=f"folders alone, which need no storage: {_options(systems)}"
        + ("; or leave the folders out" if made else ""),
    )


def _folder_called(kind: str) -> str | None:
    return f"./{kind}" if os.path.isdir(kind) else None  # noqa: PTH112 - one that cannot be looked at is none


def _options(systems: Sequence[System], first: str | None = None) -> str:
    """Options that compare the folders at hand; another one where there is only one."""
    paths = [first] if first is not None else []
    found = [system.path or _folder_called(system.kind) for system in systems]
    paths += [path for path in found if path is not None]
    paths = [*dict.fromkeys(paths)]
    if len(paths) < 2:
        paths.append(_ANOTHER)
    return " ".join(f"--system {shlex.quote(path)}" for path in paths)


_GROUP_BYTES = GROUP_BLOCKS * BLOCK_BYTES
_LEAST_XFS_GROUP_BYTES, _MOST_XFS_GROUP_BYTES = 16 << 20, 1 << 40
"""Of an allocation group of XFS, as mkfs.xfs makes them."""


def refuse_missing_groups(storage: Storage, systems: Sequence[System]) -> None:
    """Raise a conflict for the first setting that names groups that the device cannot have."""
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        return
    devices = storage.devices if isinstance(storage, SimulatedStorage) else 1
    each_bytes = storage.size // devices
    for index, system in enumerate(systems):
        policy = POLICIES.get(system.kind)
        for name, refused in _CHECKS.items():
            if policy is None or name not in system.settings:
                continue
            value = policy.value(system.settings, name)
            if isinstance(value, int) and (what := refused(value, each_bytes)):
                raise _beyond(index, name, what, is_simulated=isinstance(storage, SimulatedStorage))


def _last_group(group: int, each_bytes: int) -> str:
    groups = -(-each_bytes // _GROUP_BYTES)
    if group < groups:
        return ""
    return (
        f"there is no group {group}: a device of {format_size(each_bytes)} has groups 0 to"
        f" {groups - 1}"
    )


def _group_count(count: int, each_bytes: int) -> str:
    if count == 0 or _LEAST_XFS_GROUP_BYTES <= each_bytes / count <= _MOST_XFS_GROUP_BYTES:
        return ""
    return (
        f"{count} allocation groups on {format_size(each_bytes)} have"
        f" {format_size(each_bytes / count)} each: from {format_size(_LEAST_XFS_GROUP_BYTES)} to"
        f" {format_size(_MOST_XFS_GROUP_BYTES)} are possible"
    )


_CHECKS: dict[str, Callable[[int, int], str]] = {LAST_GROUP: _last_group, AG_COUNT: _group_count}


def _beyond(index: int, name: str, what: str, *, is_simulated: bool) -> PydanticCustomError:
    keys = [("system", index, "settings", name), ("storage", "size")]
    if is_simulated:
        keys.append(("storage", "devices"))
    return conflict(what, keys, next="another number, or a storage.size that has it")
