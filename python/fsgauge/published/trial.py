"""What a claim is held against: trials are measured, predictions are simulated."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fsgauge.plain_files.kept import Kept

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
    what has changed since the publication, where a number that contradicts it is of something else.
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
