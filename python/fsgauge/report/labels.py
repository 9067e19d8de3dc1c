"""Short names for systems: what they have in common is left out, what differs is kept.

Thirty sets of options of one file system differ in a word or two at the end of long names, which
a picture would cut. The whole name is on hover, in the legend's table and in the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MANY = 7
"""With more systems names are long lists, however short each is."""
LONGEST = 36
_BETWEEN = re.compile(r"[\s,;()]+")
_SWITCH = re.compile(r"--?[A-Za-z]")
"""How an option of mkfs begins; the word after it may be its value."""


def labels_of(systems: Sequence[str], most: int = LONGEST) -> dict[str, str]:
    """A label by system, each once, of at most so many letters; names that are short and few stay
    as they are."""
    if len(systems) <= MANY and all(len(system) <= LONGEST for system in systems):
        return {system: system for system in systems}
    found = {system: shortened(label, most) for system, label in _differing(systems).items()}
    if len(set(found.values())) == len(systems):
        return found
    found = {system: shortened(system, most) for system in systems}
    if len(set(found.values())) == len(systems):
        return found
    return {system: system for system in systems}


def shortened(text: str, most: int = LONGEST) -> str:
    """The text with its middle left out where it is longer: "/home/someone...results/14"."""
    if len(text) <= most:
        return text
    end = (most - 1) * 3 // 5
    return f"{text[: most - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def in_two_lines(text: str, most: int) -> list[str]:
    """The text in one line of at most so many letters, or in two: the second begins with a word,
    and loses its middle where it is still too long."""
    cut = text.rfind(" ", 0, most + 1)
    if len(text) <= most or cut < 0:
        return [shortened(text, most)]
    return [text[:cut], shortened(text[cut + 1 :], most)]


def shared_end(names: Sequence[str]) -> str:
    """What several names end with, after a comma: "64 KiB records of 8 MiB"; "" where nothing."""
    parts = [name.split(", ") for name in dict.fromkeys(names)]
    shared: list[str] = []
    while len(parts) > 1 and all(len(each) > len(shared) + 1 for each in parts):
        ends = {each[-1 - len(shared)] for each in parts}
        if len(ends) > 1:
            break
        shared.insert(0, ends.pop())
    return ", ".join(shared)


def _differing(systems: Sequence[str]) -> dict[str, str]:
    """Names without the words that their whole family has; the first word names the family."""
    words = {system: _words(system) for system in systems}
    families: dict[str, list[str]] = {}
    for system, of_system in words.items():
        family = "/" if system.startswith("/") else (of_system or [""])[0]
        families.setdefault(family, []).append(system)
    several = sum(len(members) > 1 for members in families.values()) > 1
    found: dict[str, str] = {}
    for family, members in families.items():
        if family == "/":
            found |= _ends_of_paths(members)
        elif len(members) == 1:
            found |= {members[0]: members[0]}
        else:
            common = set.intersection(*(set(words[each]) for each in members))
            for each in members:
                own = [word for word in words[each] if word not in common]
                head = [family] if several or not own else []
                found[each] = " ".join([*head, ", ".join(own)] if own else head)
    return {system: found[system] for system in systems}


def _words(system: str) -> list[str]:
    """The words of a name; an option and its value are one: "-b 1024"."""
    found: list[str] = []
    for word in filter(None, _BETWEEN.split(system)):
        takes = bool(found) and _SWITCH.match(found[-1]) is not None and " " not in found[-1]
        if takes and "=" not in found[-1] and not word.startswith("-"):
            found[-1] = f"{found[-1]} {word}"
        else:
            found.append(word)
    return found


def _ends_of_paths(paths: Sequence[str]) -> dict[str, str]:
    """The fewest last parts that tell the paths apart."""
    parts = {path: path.strip("/").split("/") for path in paths}
    for count in range(1, max(map(len, parts.values())) + 1):
        ends = {path: "/".join(of_path[-count:]) for path, of_path in parts.items()}
        if len(set(ends.values())) == len(paths):
            return ends
    return {path: path for path in paths}
