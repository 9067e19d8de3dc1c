"""The keys of a study file as data: sections, their models, descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fsgauge import kinds
from fsgauge.devices import device_named, device_names
from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.access import SMB_KEYS, AccessKeys, SystemAccess
from fsgauge.study.base import StudyModel
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
from fsgauge.study.policies import POLICIES
from fsgauge.study.rig_keys import FaultKeys, NetworkKeys, RigKeys, SystemRig
from fsgauge.study.settings import SweepKeys
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
    is_listed: bool = False

    @property
    def header(self) -> str:
        """The section as a person writes it; the top of the file has none."""
        if not self.name:
            return ""
        is_listed = self.is_listed or self.name in LISTED
        return f"[[{self.name}]]" if is_listed else f"[{self.name}]"

    @property
    def fields(self) -> Mapping[str, FieldInfo]:
        """Every key of the section, by the word that stands in the file."""
        fields = self.model.model_fields
        return {field.alias or name: field for name, field in fields.items()}

    def dotted(self, key: str) -> str:
        """The key's full name: workload.block_sizes."""
        return f"{self.name}.{key}" if self.name else key


def _of_kind(kind: str) -> list[Section]:
    model = keys_of(kind)
    inside = []
    for name, field in model.model_fields.items():
        is_listed = get_origin(field.annotation) is list
        table = get_args(field.annotation)[0] if is_listed else field.annotation
        if isinstance(table, type) and issubclass(table, StudyModel):
            inside.append(Section(f"workload.{name}", table, is_listed=is_listed))
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
    "workload.backups": "workload.meanwhile",
}
"""Where keys are that once stood elsewhere, for whoever writes them from memory."""


def sections(name: str, variant: str = "") -> list[Section]:
    """The sections of that name; only the one of that kind, if it is known."""
    named = [section for section in SECTIONS if section.name == name]
    exact = [section for section in named if section.variant == variant]
    return exact or named


def valid_keys(name: str, variant: str = "") -> list[str]:
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
    Empty where there is no such key; only the one of that kind, if it is known."""
    steps = _without_numbers(path)
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


def may_be_none(path: Path) -> bool:
    """Whether a path is that of an optional number, whose default the reference calls none."""
    steps = _without_numbers(path)
    around = _section_around(steps)
    key = dotted(steps).removeprefix(f"{around}.")
    fields = (each.fields.get(key) for each in sections(around))
    return any(
        field.default is None and (takes.quantity is not None or takes.base in (int, float))
        for field in fields
        if field is not None and not (takes := value_type(field)).choices
    )


def listed_sections() -> list[Section]:
    """Tables inside [workload] of which a file has several."""
    return [section for section in SECTIONS if section.is_listed]


def _without_numbers(path: Path) -> Path:
    """A path without the places of tables of which a file has several."""
    listed = {*LISTED, *(section.name for section in listed_sections())}
    return tuple(
        step
        for at, step in enumerate(path)
        if not (isinstance(step, int) and dotted(path[:at]) in listed)
    )


def _section_around(steps: Path) -> str:
    """The innermost section whose name begins a path, and is not all of it."""
    names = [dotted(steps[:length]) for length in range(len(steps) - 1, 0, -1)]
    return next((name for name in names if sections(name)), "")


def where_meant(name: str, data: Mapping[str, Any]) -> tuple[str, str]:
    """The key to explain, and a hint for beside the mistake; both "" where nothing is near. Keys
    that this study has come before those of other kinds, and those of the same last word before
    those that are spelt alike."""
    *around, word = name.split(".")
    keys = {key: owners for key, owners in all_dotted().items() if not key.startswith("fault")}
    same = [key for key in keys if key.rpartition(".")[2] == word]
    own_keys = [key for key, owners in keys.items() if _has(data, key, owners)]
    own = own_called(word, data)
    in_a_table = _in_a_table(data, around, word)
    is_said = around[-1:] in (["settings"], ["parameters"])
    if in_a_table and (not own or is_said):
        return in_a_table, f"write {_as_written(in_a_table)}=VALUE"
    if own:
        return own[0], did_you_mean([_as_written(own[0])])
    if same:
        return same[0], only_of_kind(keys[same[0]])
    near = _nearest(name, own_keys) or _nearest(name, list(keys))
    return (near, did_you_mean([_as_written(near)])) if near else ("", "")


def own_called(word: str, data: Mapping[str, Any]) -> list[str]:
    """The keys of this study whose last word that is: "blocks" is plan.blocks."""
    return [
        key
        for key, owners in all_dotted().items()
        if key.rpartition(".")[2] == word
        and not key.startswith("fault")
        and _has(data, key, owners)
    ]


def _nearest(name: str, keys: list[str]) -> str:
    """The key that is spelt nearly alike, as a whole or in its last word; "" for none."""
    whole = nearest(name, keys, least=0.6)
    by_word = {key.rpartition(".")[2]: key for key in reversed(keys)}
    word = nearest(name.rpartition(".")[2], by_word, least=0.7)
    return next(iter([*whole, *(by_word[each] for each in word)]), "")


def _has(data: Mapping[str, Any], key: str, owners: list[Section]) -> bool:
    """Whether a study of these kinds has the section of a key; models have no network."""
    first, *inside = owners[0].name.split(".")
    if first != "system" and inside:
        owners = all_dotted().get(owners[0].name, owners)
    if kind_of(data, "storage") == "simulated" and "rig" in key.split("."):
        return False
    return any(not owner.variant or owner.variant == kind_of(data, first) for owner in owners)


def kind_of(data: Mapping[str, Any], section: str) -> str:
    """The kind of a section that has kinds, as it is written or by default; "" for none."""
    table = data.get(section)
    usual = kinds.DEFAULT if section == "workload" else ""
    kind = table.get("kind", usual) if isinstance(table, dict) else usual
    return kind if isinstance(kind, str) else ""


def only_of_kind(owners: list[Section]) -> str:
    """That a key is of some kinds of its section alone."""
    named = " or ".join(f'"{owner.variant}"' for owner in owners)
    return f"only {owners[0].name} of kind {named} has it"


def _in_a_table(data: Mapping[str, Any], around: list[str], word: str) -> str:
    """The key of a policy's setting or of a device's number, whose names are in no section."""
    systems = data.get("system")
    tables = systems if isinstance(systems, list) else []
    kinds_here = {each.get("kind", each.get("name")) for each in tables if isinstance(each, dict)}
    having = {kind for kind, policy in POLICIES.items() if word in policy.settings}
    models = map(device_named, device_names())
    is_number = any(word == number.name for model in models for number in model.parameters)
    is_of_storage = around[:1] == ["storage"]
    if is_number and (is_of_storage or not having & kinds_here):
        return f"storage.parameters.{word}"
    return f"system.settings.{word}" if having and not is_of_storage else ""


def _as_written(key: str) -> str:
    """A key as --set takes it: those of systems have the system's name."""
    first, dot, rest = key.partition(".")
    return f"system.NAME.{rest}" if dot and first == "system" else key
