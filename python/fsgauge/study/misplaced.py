"""Where a key of --set that there is none of was meant to stand: in this study, or in which one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge import kinds
from fsgauge.devices import device_named, device_names
from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.keys import Section, all_dotted
from fsgauge.study.policies import POLICIES


def where_meant(name: str, data: Mapping[str, Any]) -> tuple[str, str]:
    """The key to explain, and a hint for beside the mistake; both "" where nothing is near.

    Keys that this study has come before those of other kinds, and those of the same last word
    before those that are spelt alike.
    """
    *around, word = name.split(".")
    keys = {key: owners for key, owners in all_dotted().items() if not key.startswith("fault")}
    same = [key for key in keys if key.rpartition(".")[2] == word]
    own_keys = [key for key, owners in keys.items() if _has(data, key, owners)]
    own = [key for key in same if key in own_keys]
    in_a_table = _in_a_table(data, around, word)
    if in_a_table and (not own or _is_table(around)):
        return in_a_table, f"write {_as_written(in_a_table)}=VALUE"
    if own:
        return own[0], did_you_mean([_as_written(own[0])])
    if same:
        return same[0], _only(keys[same[0]])
    near = _nearest(name, own_keys) or _nearest(name, list(keys))
    return (near, did_you_mean([_as_written(near)])) if near else ("", "")


def _nearest(name: str, keys: list[str]) -> str:
    """The key that is spelt nearly alike, as a whole or in its last word; "" for none."""
    whole = nearest(name, keys, least=0.6)
    by_word = {key.rpartition(".")[2]: key for key in reversed(keys)}
    word = nearest(name.rpartition(".")[2], by_word, least=0.7)
    far = nearest(name, keys)
    return next(iter([*whole, *(by_word[each] for each in word), *far]), "")


def _is_table(around: list[str]) -> bool:
    """Whether the words before the last one say that a table's entry is meant."""
    return bool(around) and around[-1] in ("settings", "parameters")


def _has(data: Mapping[str, Any], key: str, owners: list[Section]) -> bool:
    """Whether a study of these kinds has the section of a key; models have no network."""
    first, *inside = owners[0].name.split(".")
    table = data.get(first)
    usual = kinds.DEFAULT if first == "workload" else ""
    kind = table.get("kind", usual) if isinstance(table, dict) else usual
    if first != "system" and inside:
        owners = all_dotted().get(owners[0].name, owners)
    storage = data.get("storage")
    is_simulated = isinstance(storage, dict) and storage.get("kind") == "simulated"
    if is_simulated and "rig" in key.split("."):
        return False
    return any(not owner.variant or owner.variant == kind for owner in owners)


def _only(owners: list[Section]) -> str:
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
