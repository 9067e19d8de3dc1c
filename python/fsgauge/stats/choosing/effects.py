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
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsgauge.plan.levels import corrected
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.result_model import ResultModel
from fsgauge.units import exact_size

Matrix = NDArray[np.float64]
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
class _Fit:
    """A kind's systems: mean log values, and a column for each value of a setting, by the setting,
    the value, and the usual one that it is compared with."""

    kind: str
    means: Matrix
    columns: Mapping[tuple[str, str, str], Matrix]


@dataclass(frozen=True)
class _Scale:
    """The variance of a mean, the quantile of intervals, the squares of all systems."""

    noise: float
    quantile: float
    total: float

    def of(self, estimate: _Estimate, gained: float) -> dict[str, float]:
        """The fields of an effect with this estimate, without which so many squares are left."""
        value, half = estimate[0], self.quantile * math.sqrt(self.noise) * estimate[1]
        ends = {"ratio": value, "low": value - half, "high": value + half}
        found = {name: math.exp(each) for name, each in ends.items()}
        return {**found, "share": max(0.0, gained) / self.total}


_Estimate = tuple[float, float]
"""A coefficient, and what its standard error is of the deviation of a mean."""


def effects_of(
    logs: Mapping[str, Sequence[float]], systems: Mapping[str, Mapping[str, Any]]
) -> Effects | None:
    """Of systems with a log value in each of the same blocks, and [[system]] of a record for each;
    None where nothing varies. Systems that lack a value have to be left out before."""
    names = [name for name in logs if name in systems]
    settings = [settings_of(systems[name]) for name in names]
    table = np.array([logs[name] for name in names], dtype=float)
    if len(names) < 3 or table.shape[1] < _FEWEST_BLOCKS:
        return None
    rows, blocks = table.shape
    means = table.mean(axis=1)
    residual = table - means[:, None] - table.mean(axis=0)[None, :] + table.mean()
    degrees = (rows - 1) * (blocks - 1)  # of what is left of systems in single blocks
    total = float(((means - means.mean()) ** 2).sum())
    within: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        within.setdefault(str(systems[name]["kind"]), []).append(place)
    made = (_fit(kind, [settings[i] for i in at], means[at]) for kind, at in within.items())
    fits = [fit for fit in made if fit.columns]
    if total < _NOTHING or not fits:
        return None
    scale = _Scale(float((residual**2).sum()) / degrees / blocks, t_quantile(degrees), total)
    among = sum(one[0] != two[0] for fit in fits for one, two in combinations(fit.columns, 2))
    of_pair = replace(scale, quantile=t_quantile(degrees, corrected(among)))
    found = [each for fit in fits for each in _effects(fit, scale)]
    pairs = [each for fit in fits for each in _interactions(fit, of_pair)]
    of_kinds = sum(len(at) * (means[at].mean() - means.mean()) ** 2 for at in within.values())
    return Effects(
        blocks=blocks,
        systems=rows,
        kind_share=float(of_kinds) / total if len(within) > 1 else None,
        other_share=sum(_solved(fit.columns.values(), fit.means)[1] for fit in fits) / total,
        effects=sorted(found, key=lambda each: -each.share),
        interaction=max(pairs, key=lambda each: each.share, default=None),
    )


def _fit(kind: str, settings: Sequence[Settings], means: Matrix) -> _Fit:
    columns = {}
    for key in dict.fromkeys(key for each in settings for key in each):
        own = [each.get(key, DEFAULT) for each in settings]
        usual, *levels = sorted(dict.fromkeys(own), key=lambda value: value != DEFAULT)
        for level in levels:
            columns[key, level, usual] = np.array([float(value == level) for value in own])
    return _Fit(kind, means, columns)


def _solved(columns: Iterable[Matrix], means: Matrix) -> tuple[list[_Estimate | None], float]:
    """Estimates, None where other columns say all of one; and the squares that they leave."""
    design = np.column_stack([np.ones(len(means)), *columns])
    inverse = np.linalg.pinv(design)
    found, errors = inverse @ means, np.sqrt((inverse**2).sum(axis=1))
    is_told = np.all(np.isclose(inverse @ design, np.eye(design.shape[1])), axis=1)
    estimates = [
        (float(value), float(error)) if told else None
        for value, error, told in zip(found, errors, is_told, strict=True)
    ]
    return estimates[1:], float(((means - design @ found) ** 2).sum())


def _effects(fit: _Fit, scale: _Scale) -> Iterator[Effect]:
    estimates, whole = _solved(fit.columns.values(), fit.means)
    for (key, level, against), estimate in zip(fit.columns, estimates, strict=True):
        if estimate is None:
            continue
        others = [column for (of, *_), column in fit.columns.items() if of != key]
        against = setting_words(key, against) if against != DEFAULT else "the default"
        yield Effect(
            kind=fit.kind,
            option=setting_words(key, level),
            against="without it" if (level, against) == (ON, "the default") else against,
            **scale.of(estimate, _solved(others, fit.means)[1] - whole),
        )


def _interactions(fit: _Fit, scale: _Scale) -> Iterator[Effect]:
    columns = fit.columns.values()
    whole = _solved(columns, fit.means)[1]
    for (of_first, first), (of_second, second) in combinations(fit.columns.items(), 2):
        estimates, left = _solved([*columns, first * second], fit.means)
        if of_first[0] != of_second[0] and (estimate := estimates[-1]) is not None:
            both = " with ".join(setting_words(*each[:2]) for each in (of_first, of_second))
            found = scale.of(estimate, whole - left)
            yield Effect(kind=fit.kind, option=both, against="", **found)


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
        if switch.startswith("--") and equals:
            yield switch, value
        elif len(word) > 2 and not word.startswith("--"):
            yield from _of_switch(word[:2], word[2:])
        else:
            yield from _of_switch(word, next(rest, ""))


def _of_switch(switch: str, value: str) -> Iterator[tuple[str, str]]:
    if "=" in value or switch == "-O":
        yield from _of_list(value, f"{switch} ")
    else:
        yield switch, value or ON
