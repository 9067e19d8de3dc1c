"""hosts.toml read and checked: every mistake is shown with its file, line and column."""

from __future__ import annotations

from pathlib import Path

from pydantic_core import ErrorDetails

from fsgauge.errors import InputError
from fsgauge.rig.fleet.model import Fleet, Host, HostKeys
from fsgauge.rig.fleet.toml_mistakes import KeyPath, TomlFile, read_text

_LAUNCHERS = ("ssh", "local")
_EXAMPLE = 'a hosts file has launcher = "ssh", then for each host: [[host]] and name = "..."'
_KEYS: dict[str, tuple[str, ...]] = {
    "": tuple(Fleet.model_fields),
    "host": tuple(Host.model_fields),
    "defaults": tuple(HostKeys.model_fields),
}


def read_hosts(path: Path) -> Fleet:
    """The fleet that a file describes; InputError with the place of the first mistake."""
    return parse_hosts(read_text(path, "the hosts file", "--hosts"), str(path))


def parse_hosts(text: str, label: str) -> Fleet:
    """The same of a text; `label` stands before line numbers."""
    file = TomlFile(text, label, keys=_keys, example=_EXAMPLE, own_words=_in_words)
    fleet = file.model(Fleet)
    if fleet.launcher not in _LAUNCHERS:
        raise InputError(
            f'hosts of a file are not started by "{fleet.launcher}"',
            location=file.place(("launcher",), " or ".join(_LAUNCHERS)),
            next=f"--{fleet.launcher}",
        )
    return fleet


def _keys(path: KeyPath) -> tuple[str, ...]:
    return _KEYS["host" if path[0] == "host" else str(path[0]) if path[1:] else ""]


def _in_words(details: ErrorDetails, file: TomlFile) -> InputError | None:
    path = tuple(details["loc"])
    match details["type"]:
        case "missing" if path[-1] == "name":
            return InputError("this host has no name", location=file.place(path), next=_EXAMPLE)
        case "missing" | "too_short":
            return InputError(
                f"{file.label} lists no hosts", location=file.place(path), next=_EXAMPLE
            )
        case "host_twice":
            context = details.get("ctx", {})
            place = ("host", int(context["index"]), str(context["key"]))
            return InputError(
                "this host is in the list already",
                location=file.place(place),
                cause="each host has a name and an address of its own",
            )
        case "string_pattern_mismatch":
            wanted = "it has letters, digits, dots and dashes, at most 60"
            return InputError(f'"{path[-1]}" is no name', location=file.place(path, wanted))
    return None
