"""Kinds of study, one folder each: its keys, method, analysis, page and shipped studies.

A kind is registered by its folder, which has its keys. Other parts of the package ask here for
what a kind declares and never name one:

    kinds/<kind>/keys.py        KEYS, the model of [workload] (fsgauge.study.workload)
    kinds/<kind>/factors.py     FACTORS, the factors of a cell (fsgauge.record.factors)
    kinds/<kind>/method.py      METHOD, how it is carried out (fsgauge.workload.method)
    kinds/<kind>/analysis/      ANALYSIS, what it says beside ratios (fsgauge.stats.analysis)
    kinds/<kind>/page/          PAGE, what its report shows (fsgauge.report.kind_page)
    kinds/<kind>/peers/         PEERS, programs that do its cells themselves, if there are any
                                (fsgauge.workload.peer)
    kinds/<kind>/studies/       study files that are shipped: <kind>.toml, quick; <kind>-full.toml;
                                <kind>-as-published.toml where there is a publication
    kinds/<kind>/published.toml what others published, claim by claim (fsgauge.published.ledger)
    kinds/<kind>/published.py   OBSERVED, numbers of its own that claims are held against
    kinds/<kind>/verdicts/      the studies that claims are tested by, and what came of them

A publication may be there before its kind is: a folder with a published.toml and no keys.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType

DEFAULT = "overhead"
"""What a [workload] without `kind` is."""
GROUPS = "mix"
OF_NAMES = "metadata"
"""What a job of another tool becomes: unlike groups of clients at once."""
IMPORTED = "imported"
"""What a study is that another tool has measured. It has no keys: it is read and never run."""


def names() -> list[str]:
    """Every kind there is, the usual one first."""
    return list(_names_in(tuple(__path__)))


def readable() -> list[str]:
    """Those, and the kind whose studies are only read."""
    return [*names(), IMPORTED]


@cache
def _names_in(places: tuple[str, ...]) -> tuple[str, ...]:
    """Looked for once in a process: whoever reads a cell asks for its kind."""
    folders = {keys.parent.name for place in places for keys in Path(place).glob("*/keys.py")}
    return tuple(sorted(folders, key=lambda name: (name != DEFAULT, name)))


def part(kind: str, name: str) -> ModuleType:
    """One part of a kind, imported when it is first asked for; KeyError for an unknown kind."""
    if kind not in readable():
        raise KeyError(kind)
    return import_module(f"{__name__}.{kind}.{name}")


def has_part(kind: str, name: str) -> bool:
    places = [Path(place) / kind / name for place in __path__]
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def has_page_folder(kind: str) -> bool:
    """Whether a kind has a folder of templates beside its page."""
    return any((Path(place) / kind / "page").is_dir() for place in __path__)


def study_files() -> list[Traversable]:
    """The study files that all kinds ship."""
    found = []
    for name in names():
        folder = files(f"{__name__}.{name}") / "studies"
        if folder.is_dir():
            found += [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return found


def published_files() -> dict[str, Path]:
    """The ledgers of what others published, by folder; a folder need not be a kind yet."""
    places = [Path(place) for place in __path__]
    found = sorted(path for place in places for path in place.glob("*/published.toml"))
    return {path.parent.name: path for path in found}


def verdict_files(folder: str) -> dict[str, Path]:
    """The studies that a folder's claims are judged by, and what came of them, by file name."""
    places = [Path(place) / folder / "verdicts" for place in __path__]
    found = sorted(path for place in places if place.is_dir() for path in place.iterdir())
    return {path.name: path for path in found if path.suffix in (".toml", ".json")}
