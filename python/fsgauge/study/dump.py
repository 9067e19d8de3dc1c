"""The effective study as TOML: every key with its value, so that a result can be repeated.

Keys that have no value, or no effect in this study, stand as comments that say why; of systems, the
first one that it is true of has it. What is written reads back to the same study.
"""

from __future__ import annotations

import tomlkit
from pydantic import BaseModel
from tomlkit.items import InlineTable, Table

from fsgauge.study.access import SystemAccess
from fsgauge.study.model import Study, System
from fsgauge.study.modes import OF_MODES
from fsgauge.study.serving import reached, unused_of_study
from fsgauge.study.sweep import Listed
from fsgauge.study.system import ALLOCATING, UNFORMATTED, keys_without_effect
from fsgauge.study.value_type import value_type


def dump_study(study: Study) -> str:
    document = tomlkit.document()
    document.add(tomlkit.comment("The effective study, defaults included."))
    document.add("format", tomlkit.item(study.format))
    document.add("name", tomlkit.item(study.name))
    document.add("question", tomlkit.item(study.question))
    document.add("storage", _table(study.storage, {}))
    systems = tomlkit.aot()
    said: set[str] = set()
    for system in study.systems:
        systems.append(_table(system, _without_effect(system), said))
    document.add("system", systems)
    systems_reached = reached(study.access, study.systems)
    document.add("access", _table(study.access, unused_of_study(systems_reached, study.workload)))
    if study.rig is not None:
        document.add("rig", _table(study.rig, {}))
    if study.faults:
        faults = tomlkit.aot()
        for fault in study.faults:
            faults.append(_table(fault, {}))
        document.add("fault", faults)
    reasons = {key: reason for key, (reason, _) in study.workload.inapplicable().items()}
    reasons |= study.workload.unused_over([each.access for each in systems_reached])
    document.add("workload", _table(study.workload, reasons))
    if study.sweep is not None:
        document.add("sweep", _table(study.sweep, {}))
    of_others = {
        key: f'only for mode "{mode}"'
        for mode, keys in OF_MODES.items()
        for key in keys
        if mode != study.plan.mode
    }
    document.add("plan", _table(study.plan, of_others))
    return tomlkit.dumps(document)


def _without_effect(system: System) -> dict[str, str]:
    reasons = {"path": "only a mounted system has one"} if system.kind != "mounted" else {}
    if system.kind in UNFORMATTED:
        reasons |= dict.fromkeys(keys_without_effect(system.kind), UNFORMATTED[system.kind])
    if system.access is None:
        reasons["access"] = "as [access] says"
    if not system.vary:
        reasons["vary"] = "each system stands for itself here"
    if system.rig is None:
        reasons["rig"] = "the kernel of the machine"
    for key in ALLOCATING:
        if getattr(system, key) is None:
            reasons[key] = "the file system's own choice"
    if not system.server:
        reasons["server"] = "the server's own choices"
    return reasons


def _table(model: BaseModel, without_effect: dict[str, str], said: set[str] | None = None) -> Table:
    """`said` has the comments of the tables before, which are not repeated; it is added to."""
    said = set() if said is None else said
    table = tomlkit.table()
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        if key in without_effect or value is None:
            comment = f"{key}: {without_effect.get(key, 'not given')}"
            if comment not in said:
                table.add(tomlkit.comment(comment))
            said.add(comment)
        elif isinstance(value, SystemAccess):
            table.add(key, _own_words(value))
        elif isinstance(value, BaseModel):
            table.add(key, _table(value, {}))
        elif isinstance(value, list) and value and isinstance(value[0], Listed):
            tables = tomlkit.aot()
            for each in value:
                reasons = {name: reason for name, (reason, _) in each.inapplicable().items()}
                tables.append(_table(each, reasons))
            table.add(key, tables)
        else:
            table.add(key, value_type(field).item(value))
    return table


def _own_words(access: SystemAccess) -> InlineTable:
    """Of a system's access, what it says itself: the rest is that of [access]."""
    table = tomlkit.inline_table()
    fields = type(access).model_fields
    table.update({key: value_type(fields[key]).item(value) for key, value in access.own.items()})
    return table
