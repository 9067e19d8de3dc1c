"""The effective study as TOML: every key with its value, so that a result can be repeated.

Keys that have no value, or no effect in this study, stand as comments that say why. What is
written reads back to the same study.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tomlkit
from pydantic import BaseModel
from tomlkit.items import Item, Table

from fsgauge.study.model import Study, System
from fsgauge.study.system import ALLOCATING, UNFORMATTED
from fsgauge.units import (
    exact_bandwidth,
    exact_duration,
    exact_percent,
    exact_rate,
    exact_size,
)

_TEXT_WITH_UNIT: dict[str, Callable[[Any], str]] = {
    "size": exact_size,
    "block_sizes": exact_size,
    "stride": exact_size,
    "reader_block_size": exact_size,
    "log_block_size": exact_size,
    "record_size": exact_size,
    "file_sizes": exact_size,
    "median_size": exact_size,
    "smallest_size": exact_size,
    "largest_size": exact_size,
    "backup_file_size": exact_size,
    "backup_block_size": exact_size,
    "read_percent": exact_percent,
    "fill": exact_percent,
    "backup_fill": exact_percent,
    "fills": exact_percent,
    "tail_percent": exact_percent,
    "rewrite_percent": exact_percent,
    "write_fill": exact_percent,
    "tail_from": exact_size,
    "sync_after": exact_size,
    "read_block_size": exact_size,
    "new_file_size": exact_size,
    "median_lifetime": exact_duration,
    "age_time_limit": exact_duration,
    "equivalence_percent": exact_percent,
    "noise_percent": exact_percent,
    "rate": exact_rate,
    "budget": exact_duration,
    "levels": exact_percent,
    "rate_fill": exact_percent,
    "allocation_chunk": exact_size,
    "extent_size_hint": exact_size,
    "warm_up": exact_duration,
    "duration": exact_duration,
    "ramp": exact_duration,
    "think": exact_duration,
    "mix_duration": exact_duration,
    "time_limit": exact_duration,
    "outer_rate": exact_bandwidth,
    "inner_rate": exact_bandwidth,
    "path_rate": exact_bandwidth,
    "position": exact_percent,
    "rotational_wait": exact_percent,
    "cylinder_size": exact_size,
    "request_size": exact_size,
    "seek_single": exact_duration,
    "seek_average": exact_duration,
    "seek_full": exact_duration,
    "overhead": exact_duration,
}
"""How the number behind a key becomes text again."""


def dump_study(study: Study) -> str:
    """The study's TOML, every key; `load_study` reads it back to an equal study."""
    document = tomlkit.document()
    document.add(tomlkit.comment("The effective study, defaults included."))
    document.add("format", tomlkit.item(study.format))
    document.add("name", tomlkit.item(study.name))
    document.add("question", tomlkit.item(study.question))
    document.add("storage", _table(study.storage, {}))
    systems = tomlkit.aot()
    for system in study.systems:
        systems.append(_table(system, _without_effect(system)))
    document.add("system", systems)
    reasons = {key: reason for key, (reason, _) in study.workload.inapplicable().items()}
    document.add("workload", _table(study.workload, reasons))
    document.add("plan", _table(study.plan, {}))
    return tomlkit.dumps(document)


def _without_effect(system: System) -> dict[str, str]:
    reasons = {"path": "only a mounted system has one"} if system.kind != "mounted" else {}
    if system.kind in UNFORMATTED:
        reasons |= dict.fromkeys(("mkfs", "mount", "tunables"), UNFORMATTED[system.kind])
    if system.kind != "share":
        reasons["target"] = "only a share has one"
    for key in ALLOCATING:
        if getattr(system, key) is None:
            reasons[key] = "the file system's own choice"
    if not system.server:
        reasons["server"] = "the server's own choices"
    return reasons


def _table(model: BaseModel, without_effect: dict[str, str]) -> Table:
    table = tomlkit.table()
    for key in type(model).model_fields:
        value = getattr(model, key)
        if key in without_effect:
            table.add(tomlkit.comment(f"{key}: {without_effect[key]}"))
        elif value is None:
            table.add(tomlkit.comment(f"{key}: not given"))
        elif isinstance(value, BaseModel):
            table.add(key, _table(value, {}))
        else:
            table.add(key, _value(key, value))
    return table


def written_value(key: str, value: object) -> str:
    """A key's value as it stands in a file: "4 KiB" in quotes, true, [1, 32]."""
    return _value(key, value).as_string()


def _value(key: str, value: object) -> Item:
    write = _TEXT_WITH_UNIT.get(key)
    if write is not None:
        value = [write(entry) for entry in value] if isinstance(value, list) else write(value)
    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    return tomlkit.item(value)
