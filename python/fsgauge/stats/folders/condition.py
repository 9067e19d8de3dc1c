"""Conditions of --fail-if and limits of --limit: from text to a metric, selectors and a limit.

    condition  = "ratio" "(" metric { [","] selector } ")" comparison number
    limit      = metric [ "(" { [","] selector } ")" ] comparison quantity
    metric     = a name of METRICS: iops, bandwidth, complete, read.p99, create.mean, cpu ...
               | the name's second part, and the operation in brackets: p99(read), mean(sync)
    selector   = word                  of a factor: randread, backup fill, directory order
               | size                  4 KiB, 4k
               | "depth" whole         depth 32
               | whole noun            4 jobs, 2 writers, 590 clients: how many at once
               | option ["="] value    of fio: bs=4k, iodepth=32, numjobs=4, rw=randread; threads=4
               | cell id               write-8KiB-writers2
               | quoted system name    "xfs, 8 groups"
    comparison = "<" | "<=" | ">" | ">="
    number     = digits [ "." digits ], above 0

A cell's own name ("randread 4 KiB, depth 32" or "write 8 KiB, 2 writers, shared") is a row of
selectors. All selectors have to hold. A limit is on values themselves: p99(write, 4 KiB) < 5 ms has
to hold, whatever was before. In it the operation is the first word in brackets, and the quantity
has a unit of the metric's sort: operations or bytes per second, or time.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.quantities import Quantity, UnitError
from fsgauge.record.factors import declarations, factors_of, vocabulary
from fsgauge.record.records import Cell, FactorValue
from fsgauge.stats.folders.tokens import Option, Token, mistake, tokens_of
from fsgauge.stats.metrics import METRICS, Unit
from fsgauge.units import BANDWIDTH, DURATION, RATE, binary_size, exact_rate, parse_size

Comparison = Literal["<", "<=", ">", ">="]
_COMPARISONS: dict[str, Comparison] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COMPARISON = re.compile(r"<=|>=|<|>")
_NEARLY_A_SIZE = re.compile(r"[kmgtpe]?i?(b|bytes?)?", re.IGNORECASE)
_WITH_NUMBER = '"4 KiB", "4 jobs" or "2 writers"?'

_OPTIONS = {
    **dict.fromkeys(("bs", "blocksize", "block_size", "block"), "size"),
    **dict.fromkeys(("iodepth", "qd", "depth", "queue_depth", "qdepth"), "depth"),
    **dict.fromkeys(("numjobs", "threads", "workers"), "jobs"),
    **dict.fromkeys(("rw", "readwrite", "pattern"), "pattern"),
}
"""What options of fio, and what people say for them, ask of a cell."""
_WITHOUT_SIGN = ("bs", "blocksize", "iodepth", "qd", "numjobs")
"""Those that no = has to follow: others are words of cells as well."""
_LATENCIES = ("latency", "lat", "clat", "slat", "response")
"""What people say where a metric names which of its numbers, and of which operation."""
_METRICS_CALLED = {"p99.9": "p999", "bw": "bandwidth", "throughput": "bandwidth"}


FAIL_IF = Option("--fail-if", "--fail-if 'ratio(iops, randread, 4 KiB) < 0.95'")
LIMIT = Option("--limit", "--limit 'p99(write) < 5 ms'")
_FILES = replace(
    RATE,
    name="rate of files",
    units={"files/s": 1, "k files/s": 1000},
    meant={"/s": ("files/s",), "files": ("files/s",)},
    usual=("files/s",),
    write=lambda rate: exact_rate(rate).replace("IOPS", "files/s"),
    example="500 files/s",
)
_QUANTITIES: Mapping[Unit, Quantity] = {
    "IOPS": RATE,
    "B/s": BANDWIDTH,
    "ns": DURATION,
    "files/s": _FILES,
}


class Selector(NamedTuple):
    """One thing that a cell or system has to be, and where it stands.

    `kind` is "cell", "system", a role of a factor (fsgauge.record.factors), or the name of
    one in none.
    """

    kind: str
    value: str | int
    token: Token


@dataclass(frozen=True)
class Condition:
    """One --fail-if or --limit: `limit` is a ratio, or in the metric's own unit."""

    text: str
    metric: str
    selectors: list[Selector]
    comparison: Comparison
    limit: float
    metric_token: Token = field(repr=False)
    option: Option = field(default=FAIL_IF, repr=False)

    def selects(self, cell: Cell, system: str) -> bool:
        return all(_holds(each, cell, system) for each in self.selectors)

    def error(self, what: str, token: Token, *, hint: str = "", next: str = "") -> InputError:
        return mistake(self.text, what, token, self.option, hint=hint, next=next)


def what_cell_is(cell: Cell) -> dict[str, FactorValue]:
    """What selectors of each kind ask of a cell."""
    return {"cell": cell.id, **factors_of(cell).selected_by}


def _holds(selector: Selector, cell: Cell, system: str) -> bool:
    has = {**what_cell_is(cell), "system": system}
    return has.get(selector.kind) == selector.value


def _counted() -> set[str]:
    """What kinds count that work at once: job, writer, client ..."""
    return {factor.one for _, factor in declarations() if factor.one}


def _role_of(word: str) -> str:
    """What an option asks of a cell, or a number of what works at once; "" for neither."""
    counted = "jobs" if word.removesuffix("s") in _counted() else ""
    return _OPTIONS.get(word, counted)


def _name_of(written: str) -> str:
    """The metric's name for what people write: p99.9 is p999, BW is bandwidth."""
    small = written.lower()
    return _METRICS_CALLED.get(small, small)


def _statistics() -> set[str]:
    """What follows the operation in names of METRICS: mean, p50, p99 ..."""
    return {each.rpartition(".")[2] for each in METRICS if "." in each}


def parse_condition(text: str) -> Condition:
    """The condition that `text` states; InputError points at what is wrong in it."""
    return _Parser(text, FAIL_IF).condition()


def parse_limit(text: str) -> Condition:
    """The limit that `text` states, in the metric's own unit; InputError points at a mistake."""
    signs = list(_COMPARISON.finditer(text))
    return _Parser(text, LIMIT, signs[-1].end() if signs else None).absolute()


_OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _what_has_to_hold(text: str) -> str:
    """The limit that is crossed where a condition holds."""
    return _COMPARISON.sub(lambda found: _OPPOSITES[found[0]], text.strip())


class _Parser:
    """Reads tokens from left to right, one rule a method; `until` is where they end."""

    def __init__(self, text: str, option: Option, until: int | None = None) -> None:
        self.text, self.option = text, option
        self.tokens = tokens_of(text, option, until)
        self.at = 0

    def condition(self) -> Condition:
        if (first := self.peek()).kind == "word" and self._names_a_metric(first.text):
            raise self.wrong(
                "a condition is about a ratio",
                first,
                next=f"{self.option.example}; a limit with a unit is the gate's:"
                f" fsgauge gate check DIR --limit {shlex.quote(_what_has_to_hold(self.text))}",
            )
        self.expect("word", "ratio")
        self.expect("sign", "(")
        metric = self.metric()
        selectors = self.selectors()
        comparison = self.comparison()
        limit = self.number()
        if self.peek().kind != "end":
            raise self.wrong("the condition continues after its number", self.peek())
        return Condition(self.text, metric.text, selectors, comparison, limit, metric)

    def absolute(self) -> Condition:
        metric = self.named_metric()
        selectors = [] if self.peek().text in _COMPARISONS else self.selectors()
        comparison = self.comparison()
        if self.peek().kind != "end":
            raise self.wrong("a limit has one comparison", self.peek())
        limit = self.quantity(metric.text)
        return Condition(self.text, metric.text, selectors, comparison, limit, metric, self.option)

    def _names_a_metric(self, word: str) -> bool:
        return _name_of(word) in METRICS or _name_of(word) in _statistics()

    def named_metric(self) -> Token:
        """The metric of a limit and its opening bracket, if it has one; of a part, the operation
        too."""
        token = self.take()
        if token.kind != "word" or not self._names_a_metric(token.text):
            what = f'there is no metric "{token.text}"' if token.text else "a metric is missing"
            near = [*METRICS, *sorted(_statistics())]
            raise self.no_metric(what, token, near, f"one of: {', '.join(near)}")
        name = _name_of(token.text)
        if name not in METRICS and self.peek().text in _COMPARISONS:
            rest = self.text[token.start + len(token.text) :].strip()
            raise self.wrong(
                f"{token.text} of which operation?",
                token,
                next=f"{self.option.name} {shlex.quote(f'{token.text}(read) {rest}')}",
            )
        if name in METRICS and self.peek().text in _COMPARISONS:
            return token._replace(text=name)
        self.expect("sign", "(")
        return token._replace(text=name) if name in METRICS else self.of_operation(token)

    def metric(self) -> Token:
        """A name of METRICS, in either form; the token has it in the first one."""
        token = self.take()
        if token.kind == "word" and _name_of(token.text) in METRICS:
            return token._replace(text=_name_of(token.text))
        if token.kind == "word" and self.is_sign("(") and _name_of(token.text) in _statistics():
            self.take()
            found = self.of_operation(token)
            self.expect("sign", ")")
            return found
        if token.kind == "word" and self.is_sign(",") and _name_of(token.text) in _statistics():
            self.take()
            return self.of_operation(token)
        named = token.kind == "word"
        what = f'there is no metric "{token.text}"' if named else "a metric is missing"
        raise self.no_metric(what, token, list(METRICS), _one_of(list(METRICS)))

    def no_metric(self, what: str, token: Token, near: list[str], next: str) -> InputError:
        """The nearest metrics; of a latency, or a part of one, how it is written."""
        name = _name_of(token.text)
        parts = ("p99", "mean") if name in _LATENCIES else (name,) if name in _statistics() else ()
        hint = did_you_mean([f"{each}(read)" for each in parts])
        return self.wrong(what, token, hint=hint, near=near, next=next)

    def of_operation(self, second: Token) -> Token:
        """Take the operation of p99(read), after the bracket; the token of read.p99."""
        operation, name = self.take(), _name_of(second.text)
        if f"{operation.text}.{name}" not in METRICS:
            has = [each.partition(".")[0] for each in METRICS if each.endswith(f".{name}")]
            raise self.wrong(
                f"{second.text} of which operation?",
                operation,
                near=has,
                next=f"{second.text}({has[0]}), with one of: {', '.join(has)}",
            )
        return second._replace(text=f"{operation.text}.{name}")

    def selectors(self) -> list[Selector]:
        """All up to the closing bracket, which is taken."""
        found = []
        while not self.is_sign(")"):
            if self.is_sign(","):
                self.take()
            found.append(self.selector())
        self.take()
        return found

    def selector(self) -> Selector:
        token = self.take()
        if token.kind == "quoted":
            return Selector("system", token.text[1:-1], token)
        if token.kind == "word" and token.text == "depth" and not self.is_sign("="):
            return Selector("depth", self.whole(self.take(), "a queue depth"), token)
        if token.kind == "word" and self.is_of_fio(token):
            return self.of_fio(token)
        if token.kind == "id":
            return Selector("cell", token.text, token)
        if token.kind == "word":
            return self.word(token)
        if token.kind == "number":
            return self.size_or_jobs(token)
        raise self.wrong(
            "a pattern, a block size, a depth, a number of jobs or writers, a cell or a quoted"
            " system is missing",
            token,
        )

    def is_of_fio(self, token: Token) -> bool:
        """Whether it is an option of fio, or what is said for it, with a value behind it."""
        has_value = self.is_sign("=") or token.text in _WITHOUT_SIGN
        return has_value and bool(_role_of(token.text))

    def of_fio(self, option: Token) -> Selector:
        """What it asks for: bs=4k, iodepth 32."""
        if self.is_sign("="):
            self.take()
        role, value = _role_of(option.text), self.take()
        if role == "pattern" and value.kind == "word":
            return self.word(value)
        if role == "size" and value.kind == "number":
            if self.at >= len(self.tokens) or self.tokens[self.at].kind != "word":
                return Selector("size", self.whole(value, option.text), option)
            return self.size_or_jobs(value)
        if role in ("depth", "jobs"):
            return Selector(role, self.whole(value, option.text), option)
        raise self.wrong(f"a value of {option.text} is missing", value)

    def word(self, token: Token) -> Selector:
        """A value of a factor, of one word or several; any other word is taken for a pattern."""
        following = [each.text for each in self.tokens[self.at :]]
        for phrase, (kind, value) in vocabulary().items():
            if phrase == (token.text, *following[: len(phrase) - 1]):
                self.at += len(phrase) - 1
                return Selector(kind, value, token)
        return Selector("pattern", token.text, token)

    def size_or_jobs(self, number: Token) -> Selector:
        """What follows a number: a unit of size, or what is counted."""
        unit = self.take()
        if (counted := unit.text.removesuffix("s")) in _counted():
            what = f"a number of {counted}s"
            return Selector("jobs", self.whole(number, what), number)
        if unit.kind != "word":
            raise self.wrong(f"{number.text} has no unit", number, hint=_WITH_NUMBER)
        text = f"{number.text} {unit.text}"
        try:
            return Selector("size", parse_size(binary_size(text) or text), number)
        except UnitError as error:
            misspelt = _NEARLY_A_SIZE.fullmatch(unit.text)
            hint = error.hint if misspelt else _WITH_NUMBER
            raise self.wrong(error.what, number, hint=hint) from error

    def comparison(self) -> Comparison:
        token = self.take()
        if token.text not in _COMPARISONS:
            raise self.wrong("a comparison is missing: <, <=, > or >=", token)
        return _COMPARISONS[token.text]

    def number(self) -> float:
        """A ratio above 0."""
        token = self.take()
        value = float(token.text) if token.kind == "number" else 0.0
        if not 1e-6 <= value <= 1e6:
            raise self.wrong("the limit of a ratio is a number above 0, such as 0.95", token)
        return value

    def quantity(self, metric: str) -> float:
        """What follows the comparison, in the metric's unit."""
        start = self.tokens[-1].start
        text = self.text[start:]
        token = Token("quantity", text.strip(), start + len(text) - len(text.lstrip()))
        kind = _QUANTITIES[METRICS[metric].unit]
        try:
            value = float(kind.read(kind.in_our_unit(token.text) or token.text))
        except UnitError as error:
            example = f"{kind.noun}: {kind.example}"
            raise self.wrong(error.what, token, hint=error.hint, next=example) from error
        if value <= 0:
            raise self.wrong("a limit is above 0", token)
        return value

    def whole(self, token: Token, what: str) -> int:
        if token.kind != "number" or "." in token.text or len(token.text) > 9:
            raise self.wrong(f"{what} is a whole number", token)
        return int(token.text)

    def expect(self, kind: str, text: str) -> None:
        token = self.take()
        if (token.kind, token.text) != (kind, text):
            raise self.wrong(f'"{text}" is missing', token)

    def is_sign(self, text: str) -> bool:
        return self.peek().kind == "sign" and self.peek().text == text

    def peek(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        """The next token, which is read; the end is never passed."""
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def wrong(
        self,
        what: str,
        token: Token,
        *,
        hint: str = "",
        near: list[str] | None = None,
        next: str = "",
    ) -> InputError:
        """A mistake at a token, with the nearest of what may have been meant."""
        hint = hint or did_you_mean(nearest(token.text, near or []))
        return mistake(self.text, what, token, self.option, hint=hint, next=next)


def _one_of(names: list[str]) -> str:
    return f"--fail-if 'ratio(METRIC, ...) < 0.95', with one of: {', '.join(names)}"
