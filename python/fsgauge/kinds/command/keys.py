"""The keys of [workload] in a study of kind command."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import PurePath
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fsgauge.errors import did_you_mean, nearest
from fsgauge.kinds.command.factors import CommandFactors
from fsgauge.quantities import LARGEST
from fsgauge.record.records import Cell
from fsgauge.study.base import Distinct, OneLine, conflict, printable
from fsgauge.study.sweep import SCAN, Listed, require_few
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import SIZE, DurationNs, exact_duration

TIME = "time"
_STEPS = 100
_WORD = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_FOLDER = "folder"
_OF_PROGRAM = ("name", "time_limit", "takes", "writes")
_OF_ANY = ("kind", "program", "parameters")
_WITHOUT_OWN_NAME = ("sh", "bash", "dash", "python3", "env", "perl", "make", "git")
"""Of these the next word that is no option says what is done: "git clone"."""

_TAKES_NS = 10_000_000_000
Word = Annotated[str, Field(max_length=100_000)]
Line = Annotated[str, Field(min_length=1, max_length=100_000)]
_NO_NAME = BeforeValidator(lambda value: "" if value is None else value)
_NOT_KNOWN = BeforeValidator(lambda value: 0 if value is None else value)
"""Older records have null where nothing was said."""
_VALUE = r"^[A-Za-z0-9._+:/-]{1,60}$"


def _of_no_shell(value: object) -> object:
    if isinstance(value, str) and not re.match(_VALUE, value):
        raise conflict(
            "a value of a parameter has letters, digits and ._+:/-, 60 at most",
            [()],
            hint="shells of prepare and finish read it too",
            next="only what differs: -P level=1,2, and -O{level} -g in the program's words",
        )
    return value


Value = Annotated[str, BeforeValidator(_of_no_shell), Field(pattern=_VALUE)]


class Number(Listed):
    """A number that the program prints."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9 ._%/-]{0,39}$")] = Field(
        description="What it is called: transactions a second, p99."
    )
    unit: Annotated[str, Field(max_length=20)] = Field("", description="Its unit, for people.")
    better: Literal["higher", "lower"] = Field(description="Which is better: higher or lower.")
    pattern: Line | None = Field(
        None,
        description="A regular expression (Python's) that matches in one place of what the program"
        " prints, its errors included; its first group is the number. ^ and $ are ends of lines."
        " The last MiB of each output is looked through.",
    )
    json_path: OneLine | None = Field(
        None,
        description="Where the number stands, if what it prints is JSON: results.0.mean.",
    )


class CommandWorkload(WorkloadKeys):
    """A program; a cell for each combination of its parameters."""

    question_of_folders: ClassVar[str] = ""
    question_of_program: ClassVar[str] = "How long does this program take on these file systems?"
    why_files: ClassVar[str] = "a program works in a folder"

    kind: Literal["command"] = Field(
        "command", description="The load: a program of yours, started once in each run."
    )
    program: Annotated[list[Word], Field(min_length=1, max_length=1000)] = Field(
        description="The program and its arguments. It starts in an empty folder of the system;"
        " {folder} is that folder, {NAME} a parameter. No shell reads it:"
        ' ["sh", "-c", "..."] asks for one. On the command line it stands behind --.',
    )
    name: Annotated[str, _NO_NAME, AfterValidator(printable), Field(max_length=300)] = Field(
        "", description="What the answer calls it. Default: by its first words, git clone."
    )
    prepare: Annotated[list[Line], Field(max_length=_STEPS)] = Field(
        [],
        description="Lines for a shell (/bin/sh), in the same folder before each run, untimed. A"
        " server that they start stays until the run has ended.",
    )
    finish: Annotated[list[Line], Field(max_length=_STEPS)] = Field(
        [], description="The same after each run."
    )
    packages: dict[str, str] = Field(
        {},
        description="Other programs that the steps need, and the package that has each:"
        ' { pgbench = "postgresql-contrib" }. Without one the study is refused.',
    )
    parameters: dict[str, Distinct[Value]] = Field(
        {},
        description='Values that the words of program and steps vary by: { threads = ["1", "4"] }'
        " stands for {threads}. A cell for each combination. On the command line: -P threads=1,4.",
    )
    caches: Literal["dropped", "kept"] = Field(
        "dropped",
        description="dropped: caches are emptied between prepare and the program. kept: what the"
        " steps left in memory stays there.",
    )
    written_back: bool = Field(
        False,
        description="Whether its time ends when all that it wrote is on the storage. Otherwise it"
        " ends with the program, which may leave that to the kernel.",
    )
    exit_codes: Distinct[Annotated[int, Field(ge=0, le=255)]] = Field(
        [0], description="Exit codes that are no failure."
    )
    time_limit: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        600_000_000_000,
        description="A program that takes longer is killed, and the run has failed.",
    )
    takes: Annotated[DurationNs, Field(ge=1_000_000)] = Field(
        _TAKES_NS,
        description="What a run takes about, its steps included: for the plan alone.",
    )
    writes: Annotated[int, SIZE, _NOT_KNOWN, Field(ge=0, le=LARGEST)] = Field(
        0,
        description="What a run writes about, its steps included: for the plan alone. 0 B: it is"
        " not known.",
    )
    number: Annotated[list[Number], Field(max_length=20)] = Field(
        [], description="Its own numbers, a [[workload.number]] each."
    )
    primary: OneLine = Field(
        TIME, description='What the answer is about: "time", or the name of one of its numbers.'
    )
    scan: bool = Field(False, description=SCAN)

    def keys_agree(self) -> None:
        lists = [("parameters", name) for name in self.parameters]
        require_few(prod(map(len, self.parameters.values())), lists)  # type: ignore[arg-type]
        self._parameters_have_names()
        self._numbers_can_be_read()
        self._ends_in_time()

    def cells(self) -> list[Cell]:
        return [self._cell(each) for each in self.points()]

    def points(self) -> list[dict[str, str]]:
        names = list(self.parameters)
        return [dict(zip(names, each, strict=True)) for each in product(*self.parameters.values())]

    def with_program(self, program: Sequence[str]) -> dict[str, object]:
        """The same one in other words, also by its name, keeps steps, numbers and caches; another
        one nothing that the study says of its own. Parameters that no word uses go."""
        is_same = program[0] == self.program[0] or PurePath(program[0]).name == self.name
        own = [key for key in self.model_fields_set if key not in _OF_ANY]
        gone = dict.fromkeys([*_OF_PROGRAM, *([] if is_same else sorted(own))])
        found = {key: type(self).model_fields[key].default for key in gone}
        steps = [each for key in ("prepare", "finish") if key not in found
                 for each in getattr(self, key)]  # fmt: skip
        used = _names_in([*program, *steps])
        kept = {name: each for name, each in self.parameters.items() if name in used}
        return found if kept == self.parameters else {**found, "parameters": kept}

    def default_primary(self) -> list[str]:
        return [self.cells()[0].id]

    @property
    def is_judged_by_own_number(self) -> bool:
        """By a number that the program prints; its time may be what it was told to take."""
        return self.primary != TIME

    def filled_in(self, text: str, cell: Cell, folder: str) -> str:
        """A word of the program, or a step, with the cell's values in it; other braces stay."""
        known = {_FOLDER: folder, **self._point(cell)}
        return _WORD.sub(lambda found: known.get(found[1], found[0]), text)

    @property
    def called(self) -> str:
        """The program in the answer: its name, or its first words."""
        if self.name:
            return self.name
        words = [PurePath(self.program[0]).name]
        if words[0] in _WITHOUT_OWN_NAME:
            words += [word for word in self.program[1:] if re.fullmatch(r"[a-z][a-z-]*", word)][:1]
        return " ".join(words)

    def _point(self, cell: Cell) -> dict[str, str]:
        of_cells = (self._cell(point).id for point in self.points())
        return dict(zip(of_cells, self.points(), strict=True))[cell.id]

    def _cell(self, point: dict[str, str]) -> Cell:
        said = ", ".join(f"{name}={value}" for name, value in point.items())
        factors = CommandFactors(program=self.called, parameters=said or None)
        cell_id = re.sub(r"[^A-Za-z0-9.=_+-]+", "-", said) or "run"
        return factors.cell(cell_id, said or self.called)

    def _parameters_have_names(self) -> None:
        used = _names_in([*self.program, *self.prepare, *self.finish])
        for name in self.parameters:
            if not _WORD.fullmatch(f"{{{name}}}") or name == _FOLDER:
                raise conflict(
                    f'a parameter cannot be called "{name}"',
                    [("parameters", name)],
                    next="small letters, digits and _, and not folder",
                )
            if name not in used:
                raise conflict(
                    f"no word of program, prepare or finish has {{{name}}}, so it changes nothing",
                    [("parameters", name), "program"],
                )
        if len({cell.id for cell in self.cells()}) < len(self.points()):
            raise conflict("two values of a parameter make the same name of a file", ["parameters"])

    def _ends_in_time(self) -> None:
        """Steps have no such limit, and where takes is not said, it says nothing."""
        is_said = self.takes > _TAKES_NS and not (self.prepare or self.finish)
        if is_said and self.takes > self.time_limit:
            raise conflict(
                f"a run takes {exact_duration(self.takes)}, and its program is killed after"
                f" {exact_duration(self.time_limit)}",
                ["takes", "time_limit"],
                next=f'time_limit = "{exact_duration(2 * self.takes)}"',
            )

    def _numbers_can_be_read(self) -> None:
        names = [TIME]
        for index, each in enumerate(self.number):
            if each.name in names:
                raise conflict(f'"{each.name}" is there twice', [("number", index, "name")])
            names.append(each.name)
            if (each.pattern is None) == (each.json_path is None):
                raise conflict(
                    f'"{each.name}" is found by a pattern or by a json_path, one of them',
                    [("number", index, "name")],
                )
            if each.json_path and ("[" in each.json_path or "" in each.json_path.split(".")):
                raise conflict(
                    "keys and places of lists are parted by points, with none before the first",
                    [("number", index, "json_path")],
                    next=f"json_path = {json.dumps(_in_points(each.json_path))}",
                )
            try:
                re.compile(each.pattern or "")
            except re.error as error:
                raise conflict(
                    f"this is no regular expression: {error}", [("number", index, "pattern")]
                ) from None
        if self.primary not in names:
            near = nearest(self.primary, names)
            raise conflict(
                f'the program has no number "{self.primary}"',
                ["primary"],
                hint=did_you_mean(near) if near else f"it has {', '.join(names)}",
            )


def _names_in(texts: Sequence[str]) -> set[str]:
    return {name for text in texts for name in _WORD.findall(text)}


def _in_points(path: str) -> str:
    """jq's ".results[0].mean" and JSONPath's "$.results[0]['mean']" as results.0.mean."""
    names = (name.strip("'\"") for name in re.split(r"[.\[\]]+", path.removeprefix("$")))
    return ".".join(name for name in names if name) or "results.0.mean"


KEYS = CommandWorkload
