"""What a study file says, checked: a question, storage, systems, a workload, a plan.

Quantities arrive as text with a unit ("4 KiB", "10 s") and stand here as raw integers.
Defaults are the ones that `fsgauge plan` prints. Each key is described where it is defined, and
`fsgauge explain workload.block_sizes` and docs/reference/study-file.md are made from that.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationInfo, model_validator

from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import OneLine, StudyModel, conflict, is_written
from fsgauge.study.modes import check_mode
from fsgauge.study.placement import refuse_misplaced, refuse_missing_groups
from fsgauge.study.rig_keys import MOST_FAULTS, FaultKeys, RigKeys, check_faults
from fsgauge.study.serving import check_access, check_places, reached, refuse_unused
from fsgauge.study.settings import LAYOUT, PlanSettings, SweepKeys
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
        own = self.workload.rewrites
        keys = set(type(self.workload).model_fields) - {"kind", own}
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
                if name == own:
                    what, hint = f"{own} would be ignored: it is what years set", ""
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
