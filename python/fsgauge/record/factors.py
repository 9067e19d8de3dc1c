"""What a cell is: its factors, in the words of its kind, and what general code asks of them.

A kind declares its factors in `kinds/<kind>/factors.py`, FACTORS: a model whose fields are the
factors of a cell, each annotated with a `Factor`. Numbers are raw, and a factor's unit is the last
part of its name. The cells of a study, their ids and names, columns of SQL and words of a plan
follow from that. General code names no factor; it asks for the one in a role, or for a cell's
place, work or panel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, Literal, Self, cast, get_args

from pydantic import ValidationError

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.plain_files.kept import Kept
from fsgauge.record.records import Cell, FactorValue
from fsgauge.units import exact_size, format_size

Role = Literal["pattern", "size", "depth", "jobs", "hosts"]
"""What is done; the bytes of one operation; how many are in flight, of each; how many at once; how
many hosts take part."""
LARGE_BYTES = 128 << 10
"""From this size of an operation on, people say bytes a second."""
COMMITS = "commits/s"


@dataclass(frozen=True)
class Factor:
    """A factor as its kind declares it, in the annotation of its field.

    `one` is what a number of it counts: "writer". `behind` follows its words where a cell is named:
    "directory order"; of one `in_bytes` those are a size: "64 KiB file". `column` is what SQL calls
    it where its name is a word of SQL. `key` is the list of [workload] that it is swept over.
    """

    label: str
    role: Role | None = None
    one: str = ""
    behind: str = ""
    column: str = ""
    key: str = ""
    in_bytes: bool = False

    def counted(self, number: int) -> str:
        """ "1 writer", "2 writers"."""
        return f"{number} {self.one if number == 1 else f'{self.one}s'}"

    def in_id(self, value: FactorValue) -> str:
        """The factor's part of a cell's id: "4KiB", "depth32", "writers2", "own-files"."""
        if self.role in ("size", "depth"):
            return self.in_name(value).replace(" ", "")
        return f"{self.one}s{value}" if self.one else str(value).replace(" ", "-")

    def in_name(self, value: FactorValue) -> str:
        """The factor's part of a cell's name: "4 KiB", "depth 32", "2 writers", "same files"."""
        if self.role == "size":
            return exact_size(int(value))
        if self.role == "depth":
            return f"depth {value}"
        if self.one:
            return self.counted(int(value))
        shown = exact_size(int(value)) if self.in_bytes else value
        return f"{shown} {self.behind}".strip()


class CellFactors(Kept):
    """The factors of one cell. What is here is that of a kind that says nothing of its own."""

    KIND: ClassVar[str]
    DECLARED: ClassVar[Mapping[str, Factor]] = {}
    """Every field of the model, as its annotation says."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401
        super().__pydantic_init_subclass__(**kwargs)
        cls.DECLARED = {
            name: each
            for name, field in cls.model_fields.items()
            for each in field.metadata
            if isinstance(each, Factor)
        }

    @classmethod
    def points(cls, workload: object) -> list[Self]:
        """A point for each combination of the lists that factors are swept over; the last factor
        varies fastest."""
        keys = {name: factor.key for name, factor in cls.DECLARED.items() if factor.key}
        lists = (getattr(workload, key) for key in keys.values())
        return [cls.model_validate(dict(zip(keys, each, strict=True))) for each in product(*lists)]

    @classmethod
    def of(cls, cell: Cell) -> Self:
        """The factors of a cell of this kind; InputError where they are others."""
        try:
            if cell.kind == cls.KIND:
                return cls.model_validate(cell.factors)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
            )
            raise _no_cell(cell, cls.KIND, wrong) from error
        raise _no_cell(cell, cls.KIND, f"it is of kind {cell.kind}")

    def factors(self) -> dict[str, FactorValue]:
        """As a cell stores them; a factor that does not apply is left out."""
        return self.model_dump(exclude_none=True)

    def cell(self, id: str, name: str) -> Cell:
        """The cell of these factors; `name` is for people."""
        return Cell(id=id, name=name, kind=self.KIND, factors=self.factors())

    def cell_named_by(self, *names: str) -> Cell:
        """The cell, named by these of its factors in this order: "randread 4 KiB, depth 32"."""
        found = [(self.DECLARED[name], getattr(self, name)) for name in names]
        shown = [(factor, value) for factor, value in found if value is not None]
        ids = [factor.in_id(value) for factor, value in shown]
        words = [factor.in_name(value) for factor, value in shown]
        first = sum(factor.role in ("pattern", "size") for factor, _ in shown)
        return self.cell("-".join(ids), ", ".join([" ".join(words[:first]), *words[first:]]))

    @classmethod
    def in_role(cls, role: Role) -> tuple[str, Factor] | None:
        """The factor in a role, by its name; None where the kind has none."""
        found = (each for each in cls.DECLARED.items() if each[1].role == role)
        return next(found, None)

    @property
    def pattern_word(self) -> str:
        """What is done, in one word: "randread"."""
        return str(self._value("pattern"))

    @property
    def operation_bytes(self) -> int:
        return int(self._value("size"))

    @property
    def depth(self) -> int:
        """Operations in flight, of each of those that work at once."""
        return int(self._value("depth"))

    @property
    def at_once(self) -> int:
        """How many work at once: jobs, writers, clients."""
        return int(self._value("jobs"))

    @property
    def at_once_words(self) -> str:
        """How many work at once, with their noun: "2 writers"."""
        found = self.in_role("jobs")
        return found[1].counted(self.at_once) if found else ""

    @property
    def host_count(self) -> int | None:
        """How many hosts take part, the first ones of the fleet; None where all do."""
        found = self.in_role("hosts")
        return cast(int | None, getattr(self, found[0])) if found else None

    @property
    def hosts_words(self) -> str:
        """How many hosts take part, in words: "2 hosts"; "" where all do."""
        found = self.in_role("hosts")
        return found[1].counted(self.host_count) if found and self.host_count is not None else ""

    @property
    def shared_words(self) -> str:
        """How several hosts share what they work on, in a sentence: "on the same files"; "" where
        they have no choice."""
        return ""

    @property
    def at_once_on_all_hosts(self) -> int:
        """How many work at once on all hosts together: each brings the cell's whole load."""
        return self.at_once * (self.host_count or 1)

    @property
    def place(self) -> str:
        """Where the cell is, in a sentence: "4 KiB and depth 32"."""
        several = f" with {self.at_once_words}" if self.at_once > 1 else ""
        hosts = f" on {self.hosts_words}" if self.hosts_words else ""
        return f"{format_size(self.operation_bytes)} and depth {self.depth}{several}{hosts}"

    @property
    def work(self) -> str:
        """What is done, in a sentence: "random reads"."""
        return self.pattern_word

    @property
    def asked(self) -> str:
        """What the study names of it, in its own words: "commits of log"; "" for nothing."""
        return ""

    @property
    def done(self) -> str:
        """Its work as what is done many times: "random reads"."""
        return self.work

    @property
    def noun(self) -> str:
        """The cell as a thing, in a sentence: "4 KiB random reads at depth 32"."""
        size, _, rest = self.place.partition(" and ")
        return f"{size} {self.work} at {rest}" if rest else f"{self.work} at {size}"

    @property
    def panel(self) -> str:
        """What cells of one panel of a chart share, beside the size."""
        several = self.at_once_words if self.at_once > 1 else ""
        return ", ".join(each for each in (self.pattern_word, several, self.hosts_words) if each)

    @property
    def share_of_reads(self) -> int:
        """Percent of its reads and writes that are reads: its `read_percent`, if it has one."""
        return int(getattr(self, "read_percent", 0))

    @property
    def buffers(self) -> int:
        """How many blocks have a place in memory: each in flight, apart for reads and writes."""
        kinds = 2 if 0 < self.share_of_reads < 100 else 1
        return kinds * self.at_once * self.depth

    @property
    def waited_for(self) -> str:
        """The operation whose latency counts under a pace, by its name in a result: the limit of a
        load curve is of it. Reads, or writes where a load has more of them."""
        return "read" if self.share_of_reads >= 50 else "write"

    @property
    def judged_at_pace(self) -> str:
        """The metric that it is judged by under a pace, which sets its rate."""
        return f"{self.waited_for}.p99"

    @property
    def rate_unit(self) -> str:
        """What a rate of it is in, in its user's words: "commits/s"."""
        return "IOPS"

    @property
    def makes_files_anew(self) -> bool:
        """Whether it takes space that another cell would find taken: it comes last in a turn."""
        return False

    @property
    def can_begin_again(self) -> bool:
        """Whether a part of it leaves all that it needs to be measured from its start."""
        return False

    @property
    def may_end_by_time(self) -> bool:
        """Whether a run that passes could end is meant to be ended by its time as well."""
        return False

    @property
    def more_space(self) -> str:
        """What it needs where it found the storage full."""
        return "larger storage, or a smaller workload.fill"

    @property
    def operations_of_run(self) -> int | None:
        """How many a pace counts in a run that ends when all are done; None of one that ends by
        time."""
        return None

    @property
    def longer_runs(self) -> str:
        """What gives a run of it more operations, in words that end with the change."""
        return "longer runs (--set workload.duration=...)"

    def scans(self, workload: Mapping[str, Any]) -> set[str]:  # noqa: ARG002 - of some kinds
        """Scans that the cell gives beside those of its turn, by when: "after cell", "aged".
        `workload` is [workload] as the study's record has it."""
        return set()

    @property
    def selected_by(self) -> dict[str, FactorValue]:
        """What a condition may ask of it, by role or by the factor's name."""
        found = self.factors()
        return {
            factor.role or name: found[name]
            for name, factor in self.DECLARED.items()
            if name in found
        }

    @property
    def all_but_size(self) -> dict[str, FactorValue]:
        """The cell's factors without the bytes of one operation."""
        found = self.in_role("size")
        return {
            name: each for name, each in self.factors().items() if not found or name != found[0]
        }

    def _value(self, role: Role) -> FactorValue:
        """The value of the factor in a role; alone, one at a time, where the kind has no such
        factor."""
        found = self.in_role(role)
        value = getattr(self, found[0]) if found else None
        return 1 if value is None else cast(FactorValue, value)


def factors_of(cell: Cell) -> CellFactors:
    """The factors of a cell of any kind; InputError where this fsgauge does not know them."""
    if cell.kind not in kinds.readable():
        raise _no_cell(cell, cell.kind, f"known: {', '.join(kinds.names())}")
    return declared(cell.kind).of(cell)


def most_hosts(cells: Iterable[Cell]) -> int:
    """How many hosts a study needs: 1 where no cell says how many take part."""
    return max((factors_of(cell).host_count or 1 for cell in cells), default=1)


def declarations() -> Iterator[tuple[str, Factor]]:
    for kind in kinds.readable():
        yield from declared(kind).DECLARED.items()


def counting() -> set[str]:
    models = [declared(kind) for kind in kinds.readable()]
    return {
        name
        for model in models
        for name, field in model.model_fields.items()
        if int in (field.annotation, *get_args(field.annotation))
    }


@cache
def vocabulary() -> dict[tuple[str, ...], tuple[str, str]]:
    """Words that are values of a factor, as a cell's name has them; each gives the factor's role
    or name, and the value: the longest first; a pattern before another factor of that word."""
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for kind in kinds.names():
        model = declared(kind)
        for name, factor in model.DECLARED.items():
            for value in _words(model.model_fields[name].annotation):
                phrase = tuple(f"{value} {factor.behind}".split())
                is_load = factor.role == "pattern"
                if is_load and found.get(phrase, ("",))[0] != "pattern":
                    found[phrase] = ("pattern", value)
                found.setdefault(phrase, (factor.role or name, value))
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def declared(kind: str) -> type[CellFactors]:
    return cast(type[CellFactors], kinds.part(kind, "factors").FACTORS)


def _words(annotation: object) -> Iterator[str]:
    """The literal words inside a type."""
    for each in get_args(annotation):
        if isinstance(each, str):
            yield each
        else:
            yield from _words(each)


def _no_cell(cell: Cell, kind: str, why: str) -> InputError:
    return InputError(
        f'this fsgauge knows no cell "{cell.name}" of kind {kind}',
        cause=why,
        next="read it with the fsgauge that measured it",
    )


PATTERNS = {
    "read": "sequential reads",
    "write": "sequential writes",
    "rw": "sequential reads and writes",
    "randread": "random reads",
    "randwrite": "random writes",
    "randrw": "random reads and writes",
}


def unit_in(cell: Cell, unit: str, commits: Collection[str] = ()) -> str:
    """The unit of a metric in a cell, in its asker's words. A rate is in commits, not in I/O, where
    the study names these, or where it names nothing and each operation is one: `commits` are the
    ids of such cells."""
    if unit != "IOPS":
        return unit
    factors = factors_of(cell)
    return COMMITS if cell.id in commits and not factors.asked else factors.rate_unit
