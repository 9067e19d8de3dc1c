"""Limits on values themselves: --limit 'p99(write) < 5 ms' has to hold, whatever was before.

    limit   = metric "(" { [","] selector } ")" comparison quantity
    metric  = a name of METRICS (iops, bandwidth, write.p99), or the part of one that belongs to an
              operation, which is then the first word in brackets: p99(write), mean(read, 4 KiB)

Selectors and comparisons are those of --fail-if. The quantity has a unit of the metric's sort:
operations per second, bytes per second, or time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from fsgauge.quantities import Quantity, UnitError
from fsgauge.stats.folders.compare import Between
from fsgauge.stats.folders.condition import (
    Condition,
    Option,
    Parser,
    Token,
    mistake,
    seconds,
    written,
)
from fsgauge.stats.folders.limits import selected
from fsgauge.stats.gate.measured import Key
from fsgauge.stats.metrics import METRICS, Unit
from fsgauge.stats.results import ResultModel
from fsgauge.stats.verdict import ALPHA
from fsgauge.stats.welch import interval
from fsgauge.units import BANDWIDTH, DURATION, RATE, exact_rate

LIMIT = Option("--limit", "--limit 'p99(write) < 5 ms'")
FILES = replace(
    RATE,
    name="rate of files",
    units={"files/s": 1, "k files/s": 1000},
    meant={"/s": ("files/s",), "files": ("files/s",)},
    usual=("files/s",),
    write=lambda rate: exact_rate(rate).replace("IOPS", "files/s"),
    example="500 files/s",
)
QUANTITIES: Mapping[Unit, Quantity] = {
    "IOPS": RATE,
    "B/s": BANDWIDTH,
    "ns": DURATION,
    "files/s": FILES,
}
_COMPARISON = re.compile(r"<=|>=|<|>")

Outcome = Literal["held", "broken", "undecided"]


class Required(ResultModel):
    """One limit on one cell and system: the new value, and the interval at `level`."""

    limit: str
    cell: str
    system: str
    metric: str
    unit: Unit
    value: float
    low: float | None
    high: float | None
    level: float
    outcome: Outcome
    reason: str


def parse_limit(text: str) -> Condition:
    """The limit that `text` states, in the metric's own unit; InputError points at a mistake."""
    signs = list(_COMPARISON.finditer(text))
    return _LimitParser(text, LIMIT, signs[-1].end() if signs else None).whole_limit()


class _LimitParser(Parser):
    """The grammar above."""

    def whole_limit(self) -> Condition:
        metric = self.named_metric()
        selectors = self.selectors()
        comparison = self.comparison()
        if self.peek().kind != "end":
            raise self.wrong("a limit has one comparison", self.peek())
        return Condition(
            text=self.text,
            metric=metric.text,
            selectors=selectors,
            comparison=comparison,
            limit=self.quantity(metric.text),
            metric_token=metric,
            option=LIMIT,
        )

    def named_metric(self) -> Token:
        """The metric and its opening bracket; of a part, the operation is taken as well."""
        token = self.take()
        name = written(token.text)
        if token.kind != "word" or name not in {*METRICS, *seconds()}:
            what = f'there is no metric "{token.text}"' if token.text else "a metric is missing"
            near = [*METRICS, *sorted(seconds())]
            raise self.wrong(what, token, near=near, next=f"one of: {', '.join(near)}")
        self.expect("sign", "(")
        if name in METRICS:
            return token._replace(text=name)
        return self.of_operation(token)

    def quantity(self, metric: str) -> float:
        """The limit in the metric's unit."""
        start = self.tokens[-1].start
        text = self.text[start:]
        number = Token("quantity", text.strip(), start + len(text) - len(text.lstrip()))
        kind = QUANTITIES[METRICS[metric].unit]
        try:
            value = float(kind.read(text))
        except UnitError as error:
            hint = error.hint
            raise mistake(
                self.text, error.what, number, LIMIT, hint=hint, next=f"{kind.noun}: {kind.example}"
            ) from error
        if value <= 0:
            raise mistake(self.text, "a limit is above 0", number, LIMIT)
        return value


def require(
    limits: Sequence[Condition],
    between: Between,
    errors: Mapping[Key, tuple[float, float]],
    invalid: str,
) -> list[Required]:
    """Every limit in every cell and system it selects; InputError where one selects nothing.

    `errors` are standard error and degrees of freedom of a new value's log, where they are known;
    `invalid` says why the folder decides nothing, or is empty.
    """
    found = [(limit, entry) for limit in limits for entry in selected(limit, between)]
    level = 1 - ALPHA / max(1, len({(e.cell, e.system, e.metric) for _, e in found}))
    required = []
    for limit, entry in found:
        error = errors.get((entry.cell, entry.system, entry.metric))
        bounds = error and interval(entry.value_b, *error, level, entry.reach / 2)
        outcome, reason = ("undecided", invalid) if invalid else _outcome(limit, bounds)
        required.append(
            Required(
                limit=limit.text,
                cell=between.cell(entry.cell).name,
                system=entry.system,
                metric=entry.metric,
                unit=METRICS[entry.metric].unit,
                value=entry.value_b,
                low=bounds[0] if bounds else None,
                high=bounds[1] if bounds else None,
                level=level,
                outcome=outcome,
                reason=reason,
            )
        )
    return required


def _outcome(limit: Condition, bounds: tuple[float, float] | None) -> tuple[Outcome, str]:
    if bounds is None:
        return "undecided", "one block and too few accepted runs: no interval"
    low, high = bounds
    within, beyond = {
        "<": (high < limit.limit, low >= limit.limit),
        "<=": (high <= limit.limit, low > limit.limit),
        ">": (low > limit.limit, high <= limit.limit),
        ">=": (low >= limit.limit, high < limit.limit),
    }[limit.comparison]
    if within:
        return "held", "the whole interval is within the limit"
    if beyond:
        return "broken", "the whole interval is beyond the limit"
    return "undecided", "the interval holds the limit"
