"""The keys of a study file as data: sections, their models, descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fsgauge import kinds
from fsgauge.study.access import SMB_KEYS, AccessKeys, SystemAccess
from fsgauge.study.base import StudyModel
from fsgauge.study.fault_keys import FaultKeys
from fsgauge.study.locate import Path
from fsgauge.study.model import (
    DeviceStorage,
    LoopStorage,
    PathStorage,
    PlanSettings,
    RamStorage,
    ShareStorage,
    SimulatedStorage,
    Study,
    System,
)
from fsgauge.study.rig_keys import NetworkKeys, RigKeys, SystemRig
from fsgauge.study.sweep_keys import SweepKeys
from fsgauge.study.value_type import ValueType, value_type
from fsgauge.study.workload import keys_of

LISTED = ("system", "fault")
"""Sections of which a file has several."""


@dataclass(frozen=True)
class Section:
    """A table of the file; `variant` is the kind that it applies to, where there are several."""

    name: str
    model: type[BaseModel]
    variant: str = ""

    @property
    def header(self) -> str:
        """The section as a person writes it; the top of the file has none."""
        if not self.name:
            return ""
        return f"[[{self.name}]]" if self.name in LISTED else f"[{self.name}]"

    @property
    def fields(self) -> Mapping[str, FieldInfo]:
        """Every key of the section, by the word that stands in the file."""
        fields = self.model.model_fields
        return {field.alias or name: field for name, field in fields.items()}

    def dotted(self, key: str) -> str:
        """The key's full name: workload.block_sizes."""
        return f"{self.name}.{key}" if self.name else key


def _of_kind(kind: str) -> list[Section]:
    """[workload] as one kind has it, with the tables inside it."""
    model = keys_of(kind)
    inside = [
        Section(f"workload.{name}", field.annotation)
        for name, field in model.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, StudyModel)
    ]
    return [Section("workload", model, kind), *inside]


SECTIONS = (
    Section("", Study),
    Section("storage", LoopStorage, "loop"),
    Section("storage", RamStorage, "ram"),
    Section("storage", DeviceStorage, "device"),
    Section("storage", PathStorage, "path"),
    Section("storage", ShareStorage, "share"),
    Section("storage", SimulatedStorage, "simulated"),
    Section("system", System),
    Section("system.access", SystemAccess),
    Section("system.rig", SystemRig),
    Section("system.rig.network", NetworkKeys),
    Section("access", AccessKeys),
    *(section for kind in kinds.names() for section in _of_kind(kind)),
    Section("rig", RigKeys),
    Section("rig.network", NetworkKeys),
    Section("fault", FaultKeys),
    Section("sweep", SweepKeys),
    Section("plan", PlanSettings),
)


MOVED = {
    "workload.target": "access.share",
    "workload.share": "access.share",
    "workload.serve": "access.server",
    "workload.serve_beside_path": "access.beside_path",
    **{
        f"workload.{key}": f"access.{key}" for key in (*SMB_KEYS, "nfs_mount_port", "password_file")
    },
    "system.target": "system.access",
}
"""Where keys are that once stood elsewhere, for whoever writes them from memory."""


def sections(name: str, variant: str = "") -> list[Section]:
    """The sections of that name; only the one of that kind, if it is known."""
    named = [section for section in SECTIONS if section.name == name]
    exact = [section for section in named if section.variant == variant]
    return exact or named


def valid_keys(name: str, variant: str = "") -> list[str]:
    """Keys that may stand in a section."""
    found = dict.fromkeys(key for section in sections(name, variant) for key in section.fields)
    return list(found)


def dotted(path: Path) -> str:
    """A path without its positions: ("system", 1, "mount") is "system.mount"."""
    return ".".join(str(step) for step in path if isinstance(step, str))


def all_dotted() -> dict[str, list[Section]]:
    """Every key's full name, with the sections that have it."""
    found: dict[str, list[Section]] = {}
    for section in SECTIONS:
        for key in section.fields:
            found.setdefault(section.dotted(key), []).append(section)
    return found


def value_types(path: Path, variant: str = "") -> list[ValueType]:
    """What may stand at a path of the file, ("workload", "block_sizes", 0): one a kind that has it.

    Empty where there is no such key; only the one of that kind, if it is known.
    """
    steps = (path[0], *path[2:]) if path[:1] and path[0] in LISTED and len(path) > 1 else path
    found = []
    for section in sections(_section_around(steps), variant):
        depth = len(section.name.split(".")) if section.name else 0
        field = section.fields.get(str(steps[depth])) if len(steps) > depth else None
        takes = value_type(field) if field is not None else None
        for _ in steps[depth + 1 :]:
            takes = takes.entry if takes is not None else None
        if takes is not None:
            found.append(takes)
    return found


def _section_around(steps: Path) -> str:
    """The innermost section whose name begins a path, and is not all of it."""
    names = [dotted(steps[:length]) for length in range(len(steps) - 1, 0, -1)]
    return next((name for name in names if sections(name)), "")
