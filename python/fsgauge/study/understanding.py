"""A study file in the words of another tool: read where they mean the same, else led to the key.

Works on the raw document, before it is checked. A word that means the same as a key is put in its
place with a note; any other ends in an InputError with its line, its column and the key.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import tomlkit

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.quantities import Quantity
from fsgauge.study.document import Document, Origin
from fsgauge.study.keys import (
    Section,
    all_dotted,
    kind_of,
    listed_sections,
    valid_keys,
    value_types,
)
from fsgauge.study.locate import Path
from fsgauge.study.other_tools import (
    BYTES_OF_A_JOB,
    Word,
    is_bandwidth,
    studies_called,
    words_called,
)
from fsgauge.study.value_type import ValueType
from fsgauge.study.word_fit import has_key, is_here, translated
from fsgauge.study.wording import as_details, shown
from fsgauge.units import SIZE, binary_size

_MISSPELT = 0.9
_NAMED = ("storage", "plan")
"""Sections in which a word that is nearly one of their keys is that: plan.block is plan.blocks."""
_SPELT_ALIKE = 0.8
"""Of words: "randraed" is 0.88 of "randread", and "randtrim" 0.71 of "randrw"."""


def leading(document: Document, path: Path, word: Word) -> InputError:
    """A word that is not read: the key that is meant, or why there is none."""
    origin, spelled = document.origins[path], str(path[-1])
    inside = _has_inside(document, spelled)
    if not word.key and inside is None:
        cannot = f"cannot be {shown(document.at(path))}" if word.always else "has no key here"
        return InputError(
            f"{word.said(spelled)} {cannot}: {word.but}",
            location=origin.key(),
            next=f"fsgauge explain {shlex.quote(spelled)}",
        )
    if not has_key(document, word.key) and inside is not None:
        section, key = inside
        where = f"it in {section.header}" if origin.numbered else f"{section.name}.NAME.{spelled}"
        return InputError(
            f"{word.said(spelled)} is said of each {section.name.rpartition('.')[2]} here",
            location=origin.key(f"write {where}"),
            next=f"fsgauge explain {key}",
        )
    if not has_key(document, word.key):
        owners = " or ".join(section.variant for section in all_dotted()[word.key])
        return InputError(
            f"{word.said(spelled)} is {word.key}, which only a study of kind {owners} has",
            location=origin.key(f"this one is of kind {kind_of(document.data, 'workload')}"),
            details=(word.but,) if word.example and word.but else (),
            next=f"fsgauge explain {word.key}",
        )
    but = _as_typed(word, document.at(path))
    return InputError(
        f"{word.said(spelled)} is {word.key} here" + (f": {but}" if but else ""),
        location=origin.key(_proposed(document, path, word)),
        next=f"fsgauge explain {word.key}",
    )


def _as_typed(word: Word, value: object) -> str:
    """What differs, with the path or name that was typed in place of that of the example."""
    sample = re.search(r'"(.*)"', word.example)
    if word.reads != "text" or sample is None or not isinstance(value, str):
        return word.but
    return word.but.replace(sample[1], shlex.quote(value))


def _has_inside(document: Document, spelled: str) -> tuple[Section, str] | None:
    """The table inside this study's [workload] that has a key for a word, and the key."""
    own = valid_keys("workload", kind_of(document.data, "workload"))
    for section in listed_sections():
        if section.name.rpartition(".")[2] in own:
            for word in words_called(spelled):
                if (found := _in_section(word, section)) is not None:
                    return section, found.key
    return None


def meaning_otherwise(
    document: Document, path: Path, word: Word, given: object, wanted: str
) -> InputError:
    """A value of a known word that means nothing here. Of words, only one that is spelt like it is
    proposed: another load is no help."""
    takes = value_types(_there(word.key, path), kind_of(document.data, str(path[0])))
    ours = [str(choice) for each in takes for choice in each.choices]
    known = list(dict.fromkeys([*word.values, *ours])) if word.values else []
    near = nearest(str(given), known, least=_SPELT_ALIKE, most=2)
    wanted = f"known: {', '.join(known)}" if known else wanted
    return InputError(
        f"{word.said(str(path[-1]))} is {word.key} here, and {shown(given)} is not a value of it",
        location=document.origins[path].value(did_you_mean(near)),
        details=tuple(each for each in (wanted, word.never or word.but) if each),
        next=f"fsgauge explain {word.key}",
    )


def given_twice(document: Document, path: Path, key: str, other: Origin) -> InputError:
    return InputError(
        f"{path[-1]} and {key} are the same key",
        location=document.origins[path].key("leave one of them out"),
        details=as_details(other.key()),
        next=f"fsgauge explain {key}",
    )


def _proposed(document: Document, path: Path, word: Word) -> str:
    """The key with the value that was typed, or with an example; where it goes if elsewhere."""
    section, _, name = word.key.rpartition(".")
    is_there = _there(word.key, path)[:-1] == path[:-1]
    example, verb = word.example, "such as"
    if word.is_translated:
        try:
            load = _load_of(document, path)
            value = translated(document, word, document.at(path), load)
            example, verb = f"{name} = {tomlkit.item(value).as_string()}", "write"
        except ValueError:
            pass
    if not document.origins[path].numbered:
        named = _load_of(document, path).get("name") if len(path) > _INSIDE else None
        return f"{verb} {section}.{f'{named}.' if named else ''}{example}"
    return f"{verb} {example}" + ("" if is_there else f" in [{section}]")


_INSIDE = 2
"""Steps of a path to a key of [workload]; one to a key of a table in it has more."""


def _load_of(document: Document, path: Path) -> dict[str, Any]:
    """[workload], or for a path in one of several tables inside it that table."""
    load = document.at(path[:-1]) if len(path) > _INSIDE else document.data.get("workload")
    return load if isinstance(load, dict) else {}


_LETTER = re.compile(r"-\w")
"""Which means something else in each tool."""
_TABLES = ("", "storage", "workload", "plan")
"""Where a person may write an option of another tool."""


def understand(document: Document) -> list[str]:
    """Put keys in the place of words that mean them; gives a note for each. Raises InputError for a
    word that means something else here, or nothing."""
    return [*_words(document), *_words_inside(document), *_quantities(document)]


def is_word(key: str) -> bool:
    """Whether a key of --set is a word of another tool, alone or below its section."""
    section, _, name = key.rpartition(".")
    return section in _TABLES and bool(words_called(name))


def is_said_without_value(key: str) -> bool:
    """Whether it is a word that stands alone: time_based, or one that no value is translated of."""
    words = words_called(key.rpartition(".")[2]) if is_word(key) else ()
    is_led = bool(words) and not any(word.is_translated for word in words)
    return is_led or any(word.is_alone for word in words)


def path_of_word(key: str) -> Path:
    """Where `understand` finds a word that --set names: in its section, else in [workload]."""
    section, _, name = key.rpartition(".")
    return (section or "workload", name)


def _words(document: Document) -> Iterator[str]:
    for section in _TABLES:
        table: object = document.data.get(section) if section else document.data
        for name, value in list(table.items()) if isinstance(table, dict) else ():
            word = _word_at(document, section, name, value)
            path: Path = (section, name) if section else (name,)
            if word is not None and (note := _put(document, path, word)):
                yield note


def _words_inside(document: Document) -> Iterator[str]:
    """Keys in the place of words in tables of which [workload] has several."""
    for section in listed_sections():
        first, _, last = section.name.partition(".")
        tables = document.at((first, last))
        for index, table in enumerate(tables if isinstance(tables, list) else []):
            for name, value in list(table.items()) if isinstance(table, dict) else ():
                path: Path = (first, last, index, name)
                word = _word_inside(document, path, section, value)
                if word is not None and (note := _put(document, path, word)):
                    yield note


def _word_inside(document: Document, path: Path, section: Section, value: object) -> Word | None:
    """The word that a key of such a table is, with its key there; None for a key of the table and
    for no word. InputError for a word that has no key there."""
    name = str(path[-1])
    words = [] if isinstance(value, dict) else words_called(name)
    here = [found for word in words if (found := _in_section(word, section)) is not None]
    if name in section.fields:
        takes = value_types(path, kind_of(document.data, str(path[0])))
        own = (word for word in here if word.key == section.dotted(name))
        return next((word for word in own if _is_of_tool(word, value, takes)), None)
    always = [word for word in words if word.is_always(value)]
    taking = [word for word in here if word.is_translated and _takes(word, value)]
    found = next(iter([*taking, *here, *always]), None)
    if found is None and words:
        noun = section.name.rpartition(".")[2]
        raise InputError(
            f"{words[0].said(name)} has no key of its own in a {noun}",
            location=document.origins[path].key(),
            cause=f"what it says of a load is said by several keys of {section.header}, or by none",
            next=f"fsgauge explain {section.name}; fsgauge study from-fio JOB.fio reads whole jobs",
        )
    return found


def _in_section(word: Word, section: Section) -> Word | None:
    """The word with its keys as they are in a table inside [workload]; None where it lacks one."""
    names = {key: key.rpartition(".")[2] for key in (word.key, *word.sets)}
    if not all(key.startswith("workload.") and names[key] in section.fields for key in names):
        return None
    sets = {section.dotted(names[key]): value for key, value in word.sets.items()}
    but = "" if word.example else word.but  # which may be about another kind's key
    return replace(word, key=section.dotted(names[word.key]), sets=sets, but=but)


def _there(key: str, path: Path) -> Path:
    """Where a key is, for a word at a path: beside it in a table of which there are several."""
    around, _, name = key.rpartition(".")
    steps = tuple(around.split("."))
    inside = tuple(step for step in path[:-1] if isinstance(step, str))
    return (*path[:-1], name) if len(path) > _INSIDE and steps == inside else (*steps, name)


def _word_at(document: Document, section: str, name: str, value: object) -> Word | None:
    """The word that a key is: the first whose key this study has, and that takes the value; None
    for a key of ours."""
    found = [] if isinstance(value, dict) else words_called(name)
    if name in valid_keys(section, kind_of(document.data, section)):
        own = [word for word in found if word.key == f"{section}.{name}"]
        takes = value_types((section, name), kind_of(document.data, section))
        return next((word for word in own if _is_of_tool(word, value, takes)), None)
    of_section = valid_keys(section, kind_of(document.data, section)) if section in _NAMED else []
    if nearest(name, of_section, least=_MISSPELT) and not name.startswith("-"):
        return None
    here = [word for word in found if is_here(document, word)]
    if name in valid_keys(section) and (section == "storage" or not here):
        # A key of another kind, refused as that, unless fio has another meaning for it.
        fio = [word for word in found if word.title == "fio" and section == "workload"]
        return next((word for word in fio if word.key != f"{section}.{name}"), None)
    is_letter = _LETTER.fullmatch(name)
    if is_letter:  # the tool whose work this kind is comes first, then words of loads
        kind = kind_of(document.data, "workload")
        own = [word for word in here if studies_called().get(word.title.lower()) == kind]
        load = [word for word in here if word not in own and word.key.startswith("workload.")]
        here = [*(word for word in own if word.title == own[0].title), *load] if own else here
    always = [word for word in found if word.is_always(value) and not is_letter]
    taking = [word for word in here if word.is_translated and _takes(word, value)]
    refused = [word for word in found if not word.key and not word.always]
    return next(iter([*taking, *here, *always, *refused, *found]), None)


def _is_of_tool(word: Word, value: object, takes: Sequence[ValueType]) -> bool:
    """Of a key that is called alike: whether its value is the other tool's."""
    if isinstance(value, bool):
        return False
    if word.reads == BYTES_OF_A_JOB:
        return isinstance(value, str) and is_bandwidth(value)
    of_ours = {str(choice) for each in takes for choice in each.choices}
    return word.reads == "switch" or (bool(word.values) and str(value) not in of_ours)


def _takes(word: Word, value: object) -> bool:
    try:
        word.value(value)
    except ValueError:
        return False
    return True


def _put(document: Document, path: Path, word: Word) -> str:
    """Put the key in the word's place; gives the note, or "" where an option overrules it."""
    origin, given = document.origins[path], document.at(path)
    is_letter = bool(_LETTER.fullmatch(str(path[-1])))
    if word.is_always(given) and not is_letter:
        _drop(document, path)
        return f"{_where(origin)}: {word.said(str(path[-1]))} is always so: {word.but}"
    if not word.key or not has_key(document, word.key) or not word.is_read or is_letter:
        raise leading(document, path, word)
    there = _there(word.key, path)
    try:
        value = translated(document, word, given, _load_of(document, path))
    except ValueError as error:
        raise meaning_otherwise(document, path, word, given, str(error)) from None
    settings: dict[str, object] = {word.key: value, **word.sets}
    for key in settings:
        other = _written_otherwise(document, key, path)
        if other is not None and origin.numbered == other.numbered:
            raise given_twice(document, path, key, other)
        if other is not None and origin.numbered:
            _drop(document, path)
            return ""
    _drop(document, path)
    for key, each in settings.items():
        document.put(_there(key, path), each, origin)
    text = " and ".join(
        f"{key} = {tomlkit.item(each).as_string()}" for key, each in settings.items()
    )
    but = f"; {word.but}" if word.but else ""
    of = f"{word.said(str(path[-1]))} is {text}"
    if there == path:
        of = text.removeprefix(f"{path[0]}.")
    return f"{_where(origin)}: {of}{but}"


def _written_otherwise(document: Document, key: str, path: Path) -> Origin | None:
    """Where a key was written by its own name; None where that is the word itself."""
    there = _there(key, path)
    return document.origins[there] if there != path and document.written(there) else None


def _drop(document: Document, path: Path) -> None:
    around: Any = document.at(path[:-1])
    del around[path[-1]]
    document.forget(path)


def _quantities(document: Document) -> Iterator[str]:
    """ "4k" is "4 KiB" wherever a size stands, and "10k iops" is "10 k IOPS" where a pace does."""
    for path, text in list(_texts(document.data, ())):
        kind = kind_of(document.data, str(path[0]))
        takes = value_types(path, kind) if text[:1].isdecimal() else []
        ours = _in_our_unit(text, [each.quantity for each in takes])
        if ours is None:
            continue
        around: Any = document.at(path[:-1])
        around[path[-1]] = ours
        origin = document.origin(path)
        place = f"{_where(origin)}: " if origin else ""
        powers = ", in powers of 1024 as in fio and dd" if binary_size(text) == ours else ""
        yield f'{place}"{text}" is read as "{ours}"{powers}'


def _in_our_unit(text: str, quantities: Sequence[Quantity | None]) -> str | None:
    """A text in the unit of what a key takes, where it is written otherwise and means one only."""
    first = next(iter(quantities), None)
    if first is None or any(each is None or each.units is not first.units for each in quantities):
        return None
    is_size = first.units is SIZE.units  # of whatever kind: their units are those of all
    return (binary_size(text) if is_size else None) or first.in_our_unit(text)


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _texts(entry, (*path, index))


def _where(origin: Origin) -> str:
    if not origin.numbered:
        return f"{origin.label} {origin.text}"
    place = origin.key()
    return f"{place.path}:{place.line}:{place.column}"
