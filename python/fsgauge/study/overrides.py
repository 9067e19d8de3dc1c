"""Changes of the command line to a study: --storage, --system, --baseline, --set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.study import folders, keys
from fsgauge.study.access import in_full
from fsgauge.study.document import Chosen, Document, Origin
from fsgauge.study.locate import Path, Spans
from fsgauge.study.other_tools import numbers_called
from fsgauge.study.shipped import is_shipped
from fsgauge.study.specs import from_here, option_origin, storage_table, system_table
from fsgauge.study.understanding import is_said_without_value, is_word, path_of_word
from fsgauge.study.value_type import typed_value


def change_storage(document: Document, spec: str) -> None:
    """Put the storage of --storage in the study's place; keys of the same kind stay."""
    table = storage_table(spec)
    origin = option_origin("--storage", spec)
    before = document.data.get("storage")
    if isinstance(before, dict) and before.get("kind") == table["kind"]:
        for key, value in table.items():
            document.put(("storage", key), value, origin)
    else:
        document.put(("storage",), table, origin)


def give_way(document: Document, overrides: list[str], specs: list[str]) -> None:
    """`--set access.share=...` is the only difference: shares take the study's place.

    Storage and systems of other kinds are local, and would be refused beside a target. The same
    where --system names a share. Only what a shipped study chose gives way: InputError for systems
    that a person asked for, in a file or by option.
    """
    named = [text for text in overrides if text.partition("=")[0].strip() == "access.share"]
    own = document.tables("system")
    shares = [(index, table) for index, table in enumerate(own) if folders.is_kind(table, "share")]
    of_option = [index for index, _ in shares if _is_of_option(document, index)]
    if not named and not of_option:
        return
    origin = (
        option_origin("--set", named[-1]) if named else document.origin(("system", of_option[0]))
    )
    assert origin is not None  # noqa: S101 - the option's own text is its origin
    asked_for = [
        index
        for index, table in enumerate(own)
        if not folders.is_kind(table, "share")
        and (
            _is_of_option(document, index)
            or table.get("name") in specs
            or (named and not is_shipped(document.label))
        )
    ]
    if asked_for:
        raise _would_be_dropped(document, own, asked_for[0])
    storage = document.data.get("storage")
    if not isinstance(storage, dict) or storage.get("kind") != "share":
        _refuse_storage_of_option(document)
        document.put(("storage",), {"kind": "share"}, origin)
    if not shares:
        document.put(("system",), [{"name": "share", "kind": "share"}], origin)
    elif len(shares) < len(own):
        document.put_tables(
            "system", [(table, document.origin(("system", index)), -1) for index, table in shares]
        )


def _refuse_storage_of_option(document: Document) -> None:
    """InputError where --storage says on what, which a share's server decides."""
    place = folders.given_by_option(document, "storage")
    if place is not None:
        raise InputError(
            "the storage would be ignored: the share of a running server is measured where it is",
            location=place.value(),
            next="leave --storage out; --set storage.size=8GiB limits how far a share is filled",
        )


def _would_be_dropped(document: Document, own: list[dict[str, Any]], index: int) -> InputError:
    name = own[index].get("name", "this system")
    return InputError(
        f'"{name}" cannot be measured alongside a share: access.share replaces the systems',
        location=document.key(("system", index)),
        cause="a study measures either shares or file systems that it makes itself",
        next="leave that system out; or leave out access.share: --serve samba measures the system "
        "through a private server",
    )


def _is_of_option(document: Document, index: int) -> bool:
    origin = document.origin(("system", index))
    return origin is not None and not origin.numbered


def change_serving(document: Document, server: str) -> None:
    document.put(("access", "server"), server, option_origin("--serve", server))


def change_systems(document: Document, specs: list[str], baseline: str | None = None) -> None:
    """Compare the systems of --system with the study's baseline, or with that of --baseline.

    A system that the study has under that name keeps the options it has there. The study's first
    system stays the baseline, unless it cannot sit on the storage (--storage may be another one);
    then the first that is given is the baseline. Folders replace storage that is no folder.
    """
    own = document.tables("system")
    by_name = {table.get("name"): index for index, table in enumerate(own)}
    chosen: list[Chosen] = []
    for spec in specs:
        if spec in by_name:
            chosen.append((own[by_name[spec]], None, by_name[spec]))
        else:
            chosen.append((system_table(spec), option_origin("--system", spec), -1))
    folders.make_way_for_folders(document, chosen)
    if not specs:
        chosen = [(table, None, index) for index, table in enumerate(own)]
    names = [table.get("name") for table, _, _ in chosen]
    if baseline is not None:
        chosen = _with_baseline(own, chosen, baseline)
    elif own and own[0].get("name") in names:
        chosen.insert(0, chosen.pop(names.index(own[0]["name"])))
    elif own and _fits(own[0], document.data.get("storage")):
        chosen.insert(0, (own[0], None, 0))
    else:
        chosen = folders.with_folder_of_storage(document, chosen)
    document.put_tables("system", folders.named_by_difference(chosen))


def _with_baseline(own: list[dict[str, Any]], chosen: list[Chosen], baseline: str) -> list[Chosen]:
    """The one of that name, or in that folder, first; InputError where the study has none."""
    known = [*chosen, *((table, None, index) for index, table in enumerate(own))]
    for entry in known:
        if baseline in (entry[0].get("name"), entry[0].get("path")):
            return [entry, *(each for each in chosen if each[0] is not entry[0])]
    names = list(dict.fromkeys(str(table.get("name")) for table, _, _ in known))
    hint = did_you_mean(nearest(baseline, names))
    raise InputError(
        f'"{baseline}" is not a system of this study',
        location=option_origin("--baseline", baseline).value(hint),
        details=(f"systems: {', '.join(names) or 'none'}",),
        next="--baseline with the name of a system, as above or as --system gives it",
    )


def leave_out(document: Document, names: Sequence[str]) -> None:
    """--without NAME: the study as if it did not have these systems."""
    own = document.tables("system")
    known = [str(table.get("name", table.get("kind"))) for table in own]
    for name in names:
        if name not in known:
            hint = did_you_mean(nearest(name, known))
            raise InputError(
                f'there is no system "{name}" to leave out',
                location=option_origin("--without", name).key(hint),
                details=(f"systems: {', '.join(known) or 'none'}",),
                next="fsgauge plan STUDY lists them",
            )
    kept = [index for index, name in enumerate(known) if name not in names]
    if names and not kept:
        raise InputError(
            "nothing is left to measure: every system is left out",
            location=option_origin("--without", names[-1]).key(),
            next="keep at least one system",
        )
    if names:
        document.put_tables("system", [(own[index], None, index) for index in kept])


def _fits(system: dict[str, Any], storage: object) -> bool:
    """Folders hold systems that are mounted, all other storage holds the others."""
    is_folder = isinstance(storage, dict) and storage.get("kind") == "path"
    return is_folder == folders.is_mounted(system)


_FOLDERS = ("path", "directory")


def set_key(document: Document, override: str) -> None:
    """Apply one --set KEY=VALUE; the value is TOML if it parses as that, else text. An optional
    number that is none is left out."""
    name, equals, text = override.partition("=")
    name = name.strip()
    if not equals and is_said_without_value(name):
        equals, text = "=", "1"
    start = override.index("=") + 1 if "=" in override else len(override)
    spans = Spans((override.index(name), override.index(name) + len(name)), (start, len(override)))
    origin = Origin("--set", override, spans, numbered=False)
    if not equals:
        raise InputError(
            f'"{override}" sets nothing',
            location=origin.key("write KEY=VALUE"),
            next="for example --set workload.duration=5s",
        )
    path = _path(document, name, origin)
    _refuse_second_size(document, path, origin)
    if text.strip() == "none" and keys.may_be_none(path):
        document.remove(path)
        return
    value = typed_value(text.strip(), keys.value_types(path))
    if value and path[-1] in _FOLDERS and isinstance(value, str):
        value = from_here(value)
    document.put(path, value, origin)


def _refuse_second_size(document: Document, path: Path, origin: Origin) -> None:
    """InputError where --storage ram:1GiB says how large already."""
    given = document.origin(path) if document.written(path) else None
    if path == ("storage", "size") and given is not None and given.label == "--storage":
        raise InputError(
            "the size of the storage is given twice",
            location=origin.key(f"{given.label} {given.text} says it, too"),
            next=f"--storage {given.text.partition(':')[0]}:{origin.text.partition('=')[2]} alone",
        )


def _path(document: Document, name: str, origin: Origin) -> Path:
    """The path of a dotted key; systems are addressed by their names: system.ext4.mount."""
    section, _, key = name.partition(".")
    if section == "system":
        return _system_path(document, key, origin)
    if section == "fault":
        raise InputError(
            "faults are not set one key at a time",
            location=origin.key("a [[fault]] of the study's file"),
            next="fsgauge explain fault",
        )
    for listed in keys.listed_sections():
        if name.startswith(f"{listed.name}."):
            return _listed_path(document, listed.name, name, origin)
    listed_name = next(
        (s.name for s in keys.listed_sections() if s.name.endswith(f".{section}")), ""
    )
    if listed_name and key:
        raise InputError(
            f'unknown key "{name}"',
            location=origin.key(f"write {listed_name}.{key}"),
            next=f"fsgauge explain {listed_name}",
        )
    known = [dotted for dotted in keys.all_dotted() if not dotted.startswith(("system", "fault"))]
    if name not in known and is_word(name):
        return path_of_word(name)
    own = keys.own_called(name, document.data) if "." not in name else []
    if len(own) == 1 and own[0].count(".") == 1 and not own[0].startswith("system"):
        return tuple(own[0].split("."))
    if name and "." not in name and keys.sections(name):
        raise InputError(
            f'"{name}" is a section, and its keys are set one by one',
            location=origin.key(f"write {name}.KEY=VALUE"),
            next=f"fsgauge explain {name}",
        )
    if name not in known and _is_entry(name):
        return tuple(name.split(".", 2))
    if name not in known:
        meant, hint = keys.where_meant(name, document.data) if name else ("", "")
        if name in keys.MOVED:
            meant, hint = keys.MOVED[name], f"it is now {keys.MOVED[name]}"
        elif (number := name.rpartition(".")[2]).lower() in (
            *numbers_called(),
            *numbers_called().values(),
        ):
            meant, hint = number, "it is measured, not set"
        raise InputError(
            f'unknown key "{name}"',
            location=origin.key(hint),
            next=f"fsgauge explain {meant}".rstrip(),
        )
    return tuple(name.split("."))


def _listed_path(document: Document, section: str, name: str, origin: Origin) -> Path:
    """A key of a table inside [workload], which is addressed by its name."""
    first, _, last = section.partition(".")
    tables, rest = document.tables(first, last), name.removeprefix(f"{section}.")
    index, key = _named(tables, rest, section, origin)
    return (first, last, index, *key.split(".", 1))


def _named(
    tables: Sequence[dict[str, Any]], rest: str, section: str, origin: Origin
) -> tuple[int, str]:
    """Which table a text names first, and the key behind it; InputError for none."""
    names = [str(table.get("name")) for table in tables]
    for index, name in sorted(enumerate(names), key=lambda entry: -len(entry[1])):
        if rest.startswith(f"{name}."):
            return index, rest.removeprefix(f"{name}.")
    noun = section.rpartition(".")[2]
    raise InputError(
        f'"{rest}" is not a key of a {noun} of this study',
        location=origin.key(f"write {section}.NAME.KEY"),
        details=(f"{noun}s: {', '.join(names) or 'none'}",),
        next=f"fsgauge explain {section}",
    )


def _is_entry(name: str) -> bool:
    """Whether it is an entry of a table of the file: storage.parameters.window."""
    table, _, entry = name.rpartition(".")
    is_key = table.count(".") == 1 and table in keys.all_dotted()
    return (
        bool(entry)
        and is_key
        and any(each.base is dict for each in keys.value_types(tuple(table.split("."))))
    )


def _system_path(document: Document, rest: str, origin: Origin) -> Path:
    tables = document.tables("system")
    index, inside = _named(tables, rest, "system", origin)
    key, _, tunable = inside.partition(".")
    if key == "access" and tunable:
        tables[index]["access"] = in_full(tables[index].get("access", {}))
    return ("system", index, key, tunable) if tunable else ("system", index, key)
