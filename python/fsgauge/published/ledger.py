"""The ledger: every figure, method step, claim, advice and open question of a publication.

Data from kinds/FOLDER/published.toml, one file a publication. Facts are in our words; figures are
as printed; what is computed from them stands apart, with its formula. Everything that a page, a
guide or a command calls published is read from here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from fsgauge import kinds
from fsgauge.errors import InputError, nearest
from fsgauge.plain_files.kept import Kept

ClaimKind = Literal["figure", "method", "claim", "advice", "open"]
Unit = (
    Literal["", "%", "ms", "s", "min", "days", "hours", "weeks", "years"]
    | Literal["KB/s", "MB/s", "MB/min", "GB/s", "B/s", "MiB/s", "IOPS", "MHz"]
    | Literal["B", "KB", "kB", "MB", "GB", "KiB", "MiB", "GiB", "TB", "TiB"]
)
WaitsFor = Literal[
    "a run on this host",
    "a disk with heads",
    "the virtual rig",
    "the fleet",
    "the simulator",
    "a study that can express it",
]
Rule = Literal[
    "below",
    "above",
    "all below",
    "any below",
    "most above",
    "any differs",
    "loss up to",
    "at least",
    "no gain",
    "same",
]
PredictionRule = Literal["within", "at least", "above", "below", "open"]
Scalar = str | int | float | bool
Need = Literal["heads", "larger than memory", "a network"]
"""What storage or rig has to have. That two equal systems agree, every trial of times needs."""


class Observable(Kept):
    """Which numbers of a study a claim is about.

    `quantity` is "ratio" (system over baseline, by `metric`), "steps" (that ratio at the second of
    two values of the factor `across`, over that at the first), "own steps" (of its own number),
    "rate" (the system's own, in GB/s), or one that the kind declares. `over` is a system that a
    ratio is to, where that is not the baseline. `cells` are factors that a cell must have. The
    published ratio is that of the two values of `figure`, or `ratio`, or there is none; of a range
    that is printed, `ratio` is the lower end and `up_to` the upper. `threshold` is a number of ours
    in its place.
    """

    words: str
    quantity: str = "ratio"
    metric: str = ""
    cells: dict[str, Scalar] = Field({})
    system: str
    across: str = ""
    at: list[Scalar] = Field([])
    figure: str = ""
    ratio: float | None = None
    up_to: float | None = None
    threshold: float | None = None
    over: str = ""

    @model_validator(mode="after")
    def _is_held_against_one_number(self) -> Self:
        given = (bool(self.figure), self.ratio is not None, self.threshold is not None)
        if sum(given) > 1:
            raise ValueError(f'"{self.words}" has more than one of figure, ratio and threshold')
        return self


class Trial(Observable):
    """What tests a claim: a study, and what its numbers have to be.

    `study` is one of kinds/FOLDER/verdicts. `needs` is what its run has to have for a verdict;
    without it the number is shown, and what is missing. `counted`: of extents or files, which noise
    in time hardly moves. `no_proof` says why a number that meets the claim proves nothing, `since`
    what is other than in the publication, where a number that contradicts it is of something else.
    """

    study: str
    rule: Rule
    needs: list[Need] = Field([])
    counted: bool = False
    no_proof: str = ""
    since: str = ""


class Prediction(Observable):
    """What models say of a claim, next to what was published.

    `studies` are simulated ones of kinds/FOLDER/verdicts, one a device, size or place: their
    numbers span a band.
    `rule` is what that band has to be for the prediction to be met: "within" has the published
    number in it. An "open" question has no number to meet: `answer` says what the band means.
    `fitted` says which parameter was chosen so that it is met, `no_proof` that it follows from what
    was set. `missed` says, in a sentence, why a prediction is not met.
    """

    studies: Annotated[list[str], Field(min_length=1)]
    rule: PredictionRule
    fitted: str = ""
    no_proof: str = ""
    missed: str = ""
    answer: str = ""

    @model_validator(mode="after")
    def _says_what_a_band_means(self) -> Self:
        if (self.rule == "open") != bool(self.answer):
            raise ValueError(
                f'"{self.words}": an open question has an answer, and nothing else has'
            )
        return self


class Part(Kept):
    """Part of a ledger."""


class Figure(Part):
    """Numbers as printed, in the publication's unit; "" where it prints none.

    `of` says of what, where a publication has several tables. `values` are by the publication's
    `columns`. `change_percent` is the change as it is printed; `printed` is what stands there where
    that is no plain number.
    """

    name: str
    of: str = ""
    unit: Unit = ""
    values: list[float] = Field([])
    change_percent: float | None = None
    printed: str = ""


class Computed(Part):
    """A number that is not printed: `how` is the arithmetic on printed ones that gives it."""

    name: str
    of: str = ""
    unit: Unit = ""
    value: float
    how: str


class Claim(Part):
    """One entry. Without `trials` and `predictions` exactly one of the reasons for that is there.

    `tested_by` is the observable, in words. `repeatable` says how a study takes a step of the
    method, `waits_for` which rig a claim waits for, `fitted` which parameter of a model was chosen
    so that it comes out, `untestable` why nothing here can test it, `checked` what came of
    arithmetic on printed figures alone.
    """

    id: Annotated[str, Field(pattern=r"^[A-Z]-\d\d$")]
    kind: ClaimKind
    place: str
    fact: str
    figures: list[Figure] = Field([])
    computed: list[Computed] = Field([])
    tested_by: str = ""
    trials: list[Trial] = Field([])
    predictions: list[Prediction] = Field([])
    repeatable: str = ""
    waits_for: WaitsFor | None = None
    fitted: str = ""
    untestable: str = ""
    checked: str = ""

    @model_validator(mode="after")
    def _has_one_standing(self) -> Self:
        reasons = (self.repeatable, self.waits_for, self.fitted, self.untestable, self.checked)
        given = sum(bool(reason) for reason in reasons)
        if given != (0 if self.trials or self.predictions else 1):
            raise ValueError(f"{self.id} needs trials or one reason, and has {given} reasons")
        if not self.untestable and not self.checked and not self.tested_by:
            raise ValueError(f"{self.id} does not say what tests it")
        return self

    def published_ratio(self, about: Observable) -> float | None:
        """What ours is held against, published or our threshold; None for a claim without it."""
        if about.figure:
            first, second = self.figure(about.figure).values
            return second / first
        return about.ratio if about.threshold is None else about.threshold

    def figure(self, name: str) -> Figure:
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise KeyError(name)


class Publication(Part):
    """Who published what; "" where it names no author. `columns` name the values of figures. `name`
    is what `fsgauge published run` calls it."""

    title: str
    name: str
    author: str = ""
    letter: Annotated[str, Field(pattern="^[A-Z]$")]
    subject: str
    storage: str
    method: str
    columns: list[str] = Field([])


class Ledger(Part):
    """One publication and its claims, in the order of its text."""

    publication: Publication
    claim: list[Claim]

    @model_validator(mode="after")
    def _ids_are_its_own(self) -> Self:
        ids = [claim.id for claim in self.claim]
        wanted = [f"{self.publication.letter}-{n:02}" for n in range(1, len(ids) + 1)]
        if ids != wanted:
            wrong = [each for each, want in zip(ids, wanted, strict=True) if each != want]
            raise ValueError(f"ids are {self.publication.letter}-01 and on; {wrong[0]} is not")
        return self

    def of(self, claim_id: str) -> Claim:
        for claim in self.claim:
            if claim.id == claim_id:
                return claim
        raise KeyError(claim_id)

    def figures(self) -> Iterator[tuple[Claim, Figure | Computed]]:
        """Every number with its claim: those printed of a claim, then those computed."""
        for claim in self.claim:
            yield from ((claim, figure) for figure in claim.figures)
            yield from ((claim, number) for number in claim.computed)


@cache
def ledgers() -> dict[str, Ledger]:
    """Every publication by the folder that has it, in the order of their letters' first use."""
    return {name: read_ledger(path) for name, path in kinds.published_files().items()}


def ledger_of(folder: str) -> Ledger:
    """What is published on a kind's question; raises KeyError."""
    return ledgers()[folder]


def read_ledger(path: Path) -> Ledger:
    """A ledger from its file; raises InputError with the claim that is wrong."""
    try:
        return Ledger.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"{path} is not a ledger",
            details=(str(error),),
            cause="an entry is misspelt or lacks a key",
            next=f"mend {path}",
        ) from error


def find(name: str) -> list[tuple[str, Ledger, list[Claim]]]:
    """Claims by an id or a folder's name, "" for all; raises InputError for what is neither."""
    known = ledgers()
    if not name:
        return [(folder, ledger, ledger.claim) for folder, ledger in known.items()]
    name = next((key for key, each in known.items() if each.publication.name == name), name)
    if name in known:
        return [(name, known[name], known[name].claim)]
    wanted = name.strip("[]").upper()
    for folder, ledger in known.items():
        for claim in ledger.claim:
            if claim.id == wanted:
                return [(folder, ledger, [claim])]
    every_id = [claim.id for ledger in known.values() for claim in ledger.claim]
    near = [*nearest(wanted, every_id, most=3), *nearest(name, known, most=3)]
    ranges = (f"{each.claim[0].id} to {each.claim[-1].id}" for each in known.values())
    raise InputError(
        f'there is no claim or study "{name}"',
        details=(
            *([f"did you mean {', '.join(near)}?"] if near else []),
            *(f"{folder}: {ids}" for folder, ids in zip(known, ranges, strict=True)),
        ),
        next="fsgauge published",
    )


@dataclass(frozen=True)
class StudyPart:
    """One study: its file, the rig it is for, and the trials that it decides."""

    study: str
    path: Path
    rig: str
    trials: tuple[Trial, ...]

    @property
    def needs_heads(self) -> bool:
        """Whether nothing of it is decided on storage that does not seek."""
        deciding = [each for each in self.trials if not each.no_proof]
        return bool(deciding) and all("heads" in each.needs for each in deciding)

    @property
    def needs_size(self) -> bool:
        """Whether some of it is decided by files alone that are larger than memory."""
        return any("larger than memory" in each.needs for each in self.trials)


def parts_of(folder: str, ledger: Ledger) -> list[StudyPart]:
    """Every study that a claim asks for, the simulated ones first."""
    trials: dict[str, list[Trial]] = {}
    for claim in ledger.claim:
        for prediction in claim.predictions:
            for study in prediction.studies:
                trials.setdefault(study, [])
        for trial in claim.trials:
            trials.setdefault(trial.study, []).append(trial)
    files = kinds.verdict_files(folder)
    found = [_part(study, files[f"{study}.toml"], each) for study, each in trials.items()]
    return sorted(found, key=lambda part: (part.rig != "simulator", part.rig == "vm", part.study))


def _part(study: str, path: Path, trials: list[Trial]) -> StudyPart:
    text = path.read_text(encoding="utf-8")
    rig = "vm" if "\n[rig]\n" in text else "host"
    return StudyPart(study, path, "simulator" if not trials else rig, tuple(trials))
