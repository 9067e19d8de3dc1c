"""hosts.toml read and checked: every mistake is shown with its file, line and column."""

from __future__ import annotations

import difflib
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fsgauge.errors import InputError, SourceLocation
from fsgauge.rig.fleet.model import Fleet, Host, HostKeys
from fsgauge.study.document import Document, source_location
from fsgauge.study.toml_text import NotTomlError, document_of

_LARGEST_BYTES = 4 << 20
_LAUNCHERS = ("ssh", "local")
_EXAMPLE = 'launcher = "ssh", then for each host: [[host]] and name = "..."'
_KEYS: dict[str, tuple[str, ...]] = {
    "": tuple(Fleet.model_fields),
    "host": tuple(Host.model_fields),
    "defaults": tuple(HostKeys.model_fields),
}


def read_hosts(path: Path) -> Fleet:
    """The fleet that a file describes; InputError with the place of the first mistake."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"the hosts file {path} cannot be read: {error.strerror}", next="--hosts FILE"
        ) from None
    if len(raw) > _LARGEST_BYTES:
        raise InputError(f"{path} is larger than {_LARGEST_BYTES >> 20} MiB, so it lists no hosts")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text: {error.reason} at byte {error.start}") from None
    return parse_hosts(text, str(path))


def parse_hosts(text: str, label: str) -> Fleet:
    """The same of a text; `label` stands before line numbers."""
    document = _document(text, label)
    try:
        fleet = Fleet.model_validate(document.data)
    except ValidationError as error:
        raise _explained(error, document, label) from None
    if fleet.launcher not in _LAUNCHERS:
        origin = document.origin(("launcher",))
        raise InputError(
            f'hosts of a file are not started by "{fleet.launcher}"',
            location=origin.value(" or ".join(_LAUNCHERS)) if origin else None,
            next=f"--{fleet.launcher}",
        )
    return fleet


def _document(text: str, label: str) -> Document:
    try:
        return document_of(text, label)
    except NotTomlError as mistake:
        raise InputError(
            mistake.what,
            location=source_location(label, text, mistake.span),
            next=f"a hosts file has {_EXAMPLE}",
        ) from None


def _explained(error: ValidationError, document: Document, label: str) -> InputError:
    """The first mistake in the order of the file, and how many more there are."""
    mistakes = sorted(
        error.errors(include_url=False), key=lambda each: _line(_place(each, document))
    )
    found = _in_words(mistakes[0], document, label)
    if len(mistakes) > 1:
        more = len(mistakes) - 1
        found.details += (f"{more} more mistake{'s' if more > 1 else ''} after this one",)
    return found


def _line(place: SourceLocation | None) -> tuple[int, int]:
    return (place.line, place.column) if place else (1 << 30, 0)


def _path(details: ErrorDetails) -> tuple[str | int, ...]:
    if details["type"] == "host_twice":
        context = details.get("ctx", {})
        return ("host", int(context["index"]), str(context["key"]))
    return tuple(details["loc"])


def _place(details: ErrorDetails, document: Document, hint: str = "") -> SourceLocation | None:
    origin = document.origin(_path(details))
    if origin is None:
        return None
    return origin.key(hint) if details["type"] == "extra_forbidden" else origin.value(hint)


def _in_words(details: ErrorDetails, document: Document, label: str) -> InputError:
    path = _path(details)
    key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
    match details["type"]:
        case "extra_forbidden":
            known = _KEYS["host" if path[0] == "host" else str(path[0]) if path[1:] else ""]
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f'did you mean "{near[0]}"?' if near else ""
            return InputError(
                f'unknown key "{key}"',
                location=_place(details, document, hint),
                details=() if near else (f"valid here: {', '.join(known)}",),
            )
        case "missing":
            where = "this host has no name" if key == "name" else f"{label} lists no hosts"
            return InputError(
                where, location=_place(details, document), next=f"a hosts file has {_EXAMPLE}"
            )
        case "too_short":
            return InputError(
                f"{label} lists no hosts",
                location=_place(details, document),
                next=f"a hosts file has {_EXAMPLE}",
            )
        case "host_twice":
            return InputError(
                "this host is in the list already",
                location=_place(details, document),
                cause="each host has a name and an address of its own",
            )
        case "string_pattern_mismatch":
            wanted = "it has letters, digits, dots and dashes, at most 60"
            return InputError(f'"{key}" is no name', location=_place(details, document, wanted))
    message = details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return InputError(f'"{key}" is not valid', location=_place(details, document, message))
