"""Words of other tools that are not read: the key that is meant, the reason, the place."""

from __future__ import annotations

import shlex

import tomlkit

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.study.document import Document, Origin
from fsgauge.study.keys import all_dotted
from fsgauge.study.locate import Path
from fsgauge.study.other_tools import Word
from fsgauge.study.word_fit import has_key, kind_of, translated, value_at
from fsgauge.study.wording import as_details, shown

_SPELT_ALIKE = 0.8
"""Of words: "randraed" is 0.88 of "randread", and "randtrim" 0.71 of "randrw"."""


def leading(document: Document, path: Path, word: Word) -> InputError:
    """A word that is not read: the key that is meant, or why there is none."""
    origin, spelled = document.origins[path], str(path[-1])
    if not word.key:
        cannot = (
            f"cannot be {shown(value_at(document, path))}" if word.always else "has no key here"
        )
        return InputError(
            f"{word.title}'s {spelled} {cannot}: {word.but}",
            location=origin.key(),
            next=f"fsgauge explain {shlex.quote(spelled)}",
        )
    if not has_key(document, word.key):
        owners = " or ".join(section.variant for section in all_dotted()[word.key])
        return InputError(
            f"{word.title}'s {spelled} is {word.key}, which only a study of kind {owners} has",
            location=origin.key(f"this one is of kind {kind_of(document, 'workload')}"),
            next=f"fsgauge explain {word.key}",
        )
    return InputError(
        f"{word.title}'s {spelled} is {word.key} here" + (f": {word.but}" if word.but else ""),
        location=origin.key(_proposed(document, path, word)),
        next=f"fsgauge explain {word.key}",
    )


def meaning_otherwise(
    document: Document, path: Path, word: Word, given: object, wanted: str
) -> InputError:
    """A value of a known word that means nothing here. Of words, only one that is spelt like it is
    proposed: another load is no help."""
    near = nearest(str(given), word.values, least=_SPELT_ALIKE)
    return InputError(
        f"{word.title}'s {path[-1]} is {word.key} here, and {shown(given)} is not a value of it",
        location=document.origins[path].value(did_you_mean(near)),
        details=tuple(each for each in (wanted, word.but) if each),
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
    example, verb = word.example, "such as"
    if word.is_translated:
        try:
            value = translated(document, word, value_at(document, path))
            example, verb = f"{name} = {tomlkit.item(value).as_string()}", "write"
        except ValueError:
            pass
    if not document.origins[path].numbered:
        return f"{verb} {section}.{example}"
    return f"{verb} {example}" + ("" if path[:-1] == (section,) else f" in [{section}]")
