"""How a word of another tool fits a study: its key, and the value as the key takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fsgauge.quantities import UnitError
from fsgauge.study.document import Document
from fsgauge.study.keys import kind_of, sections, valid_keys, value_types
from fsgauge.study.locate import Path
from fsgauge.study.other_tools import FILES_OF_A_JOB, IN_BYTES, Word, read_value
from fsgauge.study.wording import one_for_all
from fsgauge.units import exact_rate, exact_size, parse_size


def has_key(document: Document, key: str) -> bool:
    section, _, name = key.rpartition(".")
    variant = kind_of(document.data, section) if section == "workload" else ""
    return bool(key) and name in valid_keys(section, variant)


def is_here(document: Document, word: Word) -> bool:
    kind = kind_of(document.data, "workload")
    return has_key(document, word.key) and (not word.kinds or kind in word.kinds)


def translated(document: Document, word: Word, given: object, load: Mapping[str, Any]) -> object:
    """The value as the word's key takes it, beside the other keys of the load; ValueError where it
    means something else here."""
    value = word.value(given)
    if word.reads == "pace of a job":
        value = _of_all_jobs(load, value)
    if word.reads in IN_BYTES:
        value = _in_operations(load, value)
    if word.reads == FILES_OF_A_JOB:
        value = _of_all_clients(document, load, value)
    return _fitting(document, tuple(word.key.split(".")), value)


_JOBS = ("numjobs", "threads", "jobs")
_BLOCKS = ("bs", "blocksize", "block", "block_sizes", "sizes")


def _of_all_jobs(named: Mapping[str, Any], of_one: object) -> str:
    """A pace as a load has it: of all jobs together."""
    numbers = _listed(named, _JOBS) or [1]
    if len(numbers) != 1 or not str(numbers[0]).isdecimal() or not isinstance(of_one, int | float):
        raise ValueError("a pace for several numbers of jobs is another one for each")
    return exact_rate(of_one * int(str(numbers[0])))


_CLIENTS = ("clients", *_JOBS, "tasks", "np", "ranks")


def _of_all_clients(document: Document, named: Mapping[str, Any], of_one: object) -> object:
    """Files of each client as those of all; ValueError where their number is not one."""
    if isinstance(of_one, list):
        return [_of_all_clients(document, named, each) for each in of_one]
    numbers = _listed(named, _CLIENTS) or _usual_clients(document)
    if not all(str(number).isdecimal() for number in numbers) or not isinstance(of_one, int):
        raise ValueError("a number of files for a number of clients")
    of_all = {number: of_one * int(str(number)) for number in numbers}
    if len(of_all) > 1:
        each = ", ".join(f"{files} of {number}" for number, files in of_all.items())
        raise ValueError(f"with one number of clients, of which there are several here: {each}")
    return of_all[numbers[0]]


def _usual_clients(document: Document) -> list[object]:
    (section, *_) = sections("workload", kind_of(document.data, "workload"))
    usual = section.fields["clients"].default if "clients" in section.fields else 1
    return usual if isinstance(usual, list) else [usual]


def _in_operations(named: Mapping[str, Any], bytes_per_second: object) -> str:
    """The same of bytes, which are so many operations of one size."""
    assert isinstance(bytes_per_second, float)  # noqa: S101 - what IN_BYTES read
    try:
        sizes = [parse_size(str(read_value("size", str(each)))) for each in _listed(named, _BLOCKS)]
    except UnitError:
        sizes = []
    paces = [_few_digits(bytes_per_second / size) for size in sizes]
    if len(paces) != 1:
        each = (f"{exact_rate(p)} at {exact_size(s)}" for p, s in zip(paces, sizes, strict=True))
        raise ValueError(", ".join(["operations per second", *each]))
    return _of_all_jobs(named, paces[0])


def _few_digits(pace: float) -> float:
    return float(f"{pace:.4g}") if pace < 1000 else float(round(pace))


def _listed(named: Mapping[str, Any], names: Sequence[str]) -> list[object]:
    found: object = next((named[name] for name in names if name in named), [])
    if isinstance(found, dict):
        return []
    return list(found) if isinstance(found, list) else [*str(found).split(",")]


def _fitting(document: Document, path: Path, value: object) -> object:
    """The value as the key takes it: alone, or in a list; ValueError for a list elsewhere."""
    takes = value_types(path, kind_of(document.data, str(path[0])))
    is_list = bool(takes) and takes[0].base is list and not takes[0].or_alone
    if is_list and not isinstance(value, list):
        return [value]
    if isinstance(value, list) and not (takes and takes[0].base is list):
        raise ValueError(one_for_all(".".join(map(str, path))))
    return value
