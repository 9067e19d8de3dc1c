"""What each option does by itself, from blocks in which every system of the race ran.

Of later blocks those that were slow are missing, so they would make every option look alike.
Of each kind of system an additive model of its options is fitted to the means of the log values;
intervals come from what is left of systems in single blocks. Nothing here drops a system. Options
are settings with values, read off what the study says of a system.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fsgauge.plan.levels import corrected
from fsgauge.stats.race.rules import Array, fitted
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.result_model import ResultModel
from fsgauge.units import exact_size, grouped

_FEWEST_BLOCKS = 2
_NOTHING = 1e-9
"""A sum of squares that only rounding has made."""


class Effect(ResultModel):
    """One value of an option, as a ratio to the option's first value with its interval; `share` is
    what the option, all its values together, has of the variance between systems."""

    kind: str
    option: str
    against: str
    ratio: float
    low: float
    high: float
    share: float


class Effects(ResultModel):
    """Main effects, the largest share first; `kind_share` is what the choice of the file system
    alone has, `other_share` what neither it nor an option explains. `interaction` is the strongest
    of all pairs, which its interval counts: what two values do together over both alone."""

    blocks: int
    systems: int
    kind_share: float | None
    other_share: float
    effects: list[Effect]
    interaction: Effect | None

    def below(self, margin: float) -> list[Effect]:
        """The effects below this ratio; in 95 of 100 races all of them are."""
        degrees = (self.systems - 1) * (self.blocks - 1)
        wider = t_quantile(degrees, corrected(len(self.effects))) / t_quantile(degrees)
        return [
            each
            for each in self.effects
            if max(each.ratio, 1 / each.ratio) * (each.high / each.ratio) ** wider < margin
        ]


@dataclass(frozen=True)
class _Kind:
    """A kind's systems: mean log values, and a column for each value of a setting, by the setting,
    the value, and the usual one that it is compared with."""

    name: str
    means: Array
    columns: Mapping[tuple[str, str, str], Array]


def effects_of(
    logs: Mapping[str, Sequence[float]], systems: Mapping[str, Mapping[str, Any]]
) -> Effects | None:
    """Of systems with a log value in each of the same blocks, and [[system]] of a record for each;
    None where nothing varies. Systems that lack a value have to be left out before."""
    names = [name for name in logs if name in systems]
    table = np.array([logs[name] for name in names], dtype=float).T
    if len(names) < 3 or len(table) < _FEWEST_BLOCKS:
        return None
    fit = fitted(table)
    means = fit.means - fit.means.mean()
    total = float((means**2).sum())
    within = grouped((str(systems[name]["kind"]), place) for place, name in enumerate(names))
    made = (
        _kind_of(kind, [settings_of(systems[names[place]]) for place in own], means[own])
        for kind, own in within.items()
    )
    kinds = [kind for kind in made if kind.columns]
    if total < _NOTHING or not kinds:
        return None
    error = math.sqrt(fit.variance / len(table))
    among = sum(one[0] != two[0] for kind in kinds for one, two in combinations(kind.columns, 2))
    half, of_pair = (t_quantile(fit.freedom, corrected(each)) * error for each in (1, among))
    found = [each for kind in kinds for each in _effects(kind, half, total)]
    pairs = [each for kind in kinds for each in _interactions(kind, of_pair, total)]
    of_kinds = sum(len(own) * means[own].mean() ** 2 for own in within.values())
    return Effects(
        blocks=len(table),
        systems=len(names),
        kind_share=float(of_kinds) / total if len(within) > 1 else None,
        other_share=sum(_solved(kind.columns.values(), kind.means)[1] for kind in kinds) / total,
        effects=sorted(found, key=lambda each: -each.share),
        interaction=max(pairs, key=lambda each: each.share, default=None),
    )


def _kind_of(name: str, settings: Sequence[Settings], means: Array) -> _Kind:
    columns = {}
    for key in dict.fromkeys(key for each in settings for key in each):
        own = [each.get(key, DEFAULT) for each in settings]
        usual, *levels = sorted(dict.fromkeys(own), key=lambda value: value != DEFAULT)
        for level in levels:
            columns[key, level, usual] = np.array([float(value == level) for value in own])
    return _Kind(name, means, columns)


def _solved(
    columns: Iterable[Array], means: Array
) -> tuple[list[tuple[float, float] | None], float]:
    """Coefficients, each with what its standard error is of the deviation of a mean, None where
    other columns say all of one; and the squares that they leave."""
    design = np.column_stack([np.ones(len(means)), *columns])
    inverse = np.linalg.pinv(design)
    found, errors = inverse @ means, np.sqrt((inverse**2).sum(axis=1))
    is_told = np.all(np.isclose(inverse @ design, np.eye(design.shape[1])), axis=1)
    estimates = [
        (float(value), float(error)) if told else None
        for value, error, told in zip(found, errors, is_told, strict=True)
    ]
    return estimates[1:], float(((means - design @ found) ** 2).sum())


def _ratio(estimate: tuple[float, float], half: float) -> dict[str, float]:
    """The fields of an effect; its interval is so many deviations of a mean wide on each side."""
    log, error = estimate
    ends = {"ratio": log, "low": log - half * error, "high": log + half * error}
    return {name: math.exp(each) for name, each in ends.items()}


def _effects(kind: _Kind, half: float, total: float) -> Iterator[Effect]:
    estimates, whole = _solved(kind.columns.values(), kind.means)
    for (key, level, usual), estimate in zip(kind.columns, estimates, strict=True):
        if estimate is None:
            continue
        others = [column for (of, *_), column in kind.columns.items() if of != key]
        against = "without it" if level == ON else "the default"
        yield Effect(
            kind=kind.name,
            option=setting_words(key, level),
            against=against if usual == DEFAULT else setting_words(key, usual),
            share=max(0.0, _solved(others, kind.means)[1] - whole) / total,
            **_ratio(estimate, half),
        )


def _interactions(kind: _Kind, half: float, total: float) -> Iterator[Effect]:
    columns = kind.columns.values()
    whole = _solved(columns, kind.means)[1]
    for (of_first, first), (of_second, second) in combinations(kind.columns.items(), 2):
        estimates, left = _solved([*columns, first * second], kind.means)
        if of_first[0] != of_second[0] and (estimate := estimates[-1]) is not None:
            yield Effect(
                kind=kind.name,
                option=" with ".join(setting_words(*each[:2]) for each in (of_first, of_second)),
                against="",
                share=max(0.0, whole - left) / total,
                **_ratio(estimate, half),
            )


DEFAULT = "default"
ON = "on"
_OF_SPACE = ("allocation_chunk", "extent_size_hint")

Settings = Mapping[str, str]
"""Values by setting: "noatime": "on", "-m reflink": "0", "queue/scheduler": "none"."""


def settings_of(system: Mapping[str, Any]) -> Settings:
    """All that the [[system]] of a record sets."""
    words = shlex.split(system.get("mkfs") or "")
    found = dict(_of_list(system.get("mount") or ""))
    found |= dict(_of_mkfs(words))
    found |= {name: str(value) for name, value in (system.get("tunables") or {}).items()}
    found |= {name: str(value) for name, value in (system.get("settings") or {}).items()}
    found |= {name: exact_size(system[name]) for name in _OF_SPACE if system.get(name)}
    return found


def setting_words(key: str, value: str) -> str:
    """ "noatime", "-I 128", "logbsize=256k", "queue/scheduler none"."""
    if value == ON:
        return key
    is_switch = key.startswith("-") and not key.startswith("--") and " " not in key
    return f"{key} {value}" if is_switch or "/" in key else f"{key}={value}"


def _of_list(text: str, before: str = "") -> Iterator[tuple[str, str]]:
    for option in filter(None, text.split(",")):
        name, _, value = option.partition("=")
        yield f"{before}{name}", value or ON


def _of_mkfs(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each switch with its value; those in a list under one switch are settings of their own."""
    rest = iter(words)
    for word in rest:
        switch, equals, value = word.partition("=")
        if not word.startswith("--"):
            switch, equals, value = word[:2], "", word[2:]
        value = value if equals or value else next(rest, "")
        if not equals and ("=" in value or switch == "-O"):
            yield from _of_list(value, f"{switch} ")
        else:
            yield switch, value or ON
