"""What a claim is held against: trials are measured, predictions are simulated."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

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


class Observable(BaseModel):
    """Which numbers of a study a claim is about.

    `quantity` is "ratio" (system over baseline, by `metric`), "steps" (that ratio at the second of
    two values of the factor `across`, over that at the first), "rate" (the system's own, in GB/s),
    or one that the kind declares. `cells` are factors that a cell must have. The published ratio is
    that of the two values of `figure`, or `ratio`, or there is none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: str
    quantity: str = "ratio"
    metric: str = ""
    cells: dict[str, Scalar] = {}
    system: str
    across: str = ""
    at: list[Scalar] = []
    figure: str = ""
    ratio: float | None = None


class Trial(Observable):
    """What tests a claim: a study, and what its numbers have to be.

    `study` is one of kinds/FOLDER/verdicts. `storage` is what the storage has to be for a verdict;
    on any other the number is shown without one.
    """

    study: str
    rule: Rule
    storage: Literal["any", "heads"] = "any"


class Prediction(Observable):
    """What models say of a claim, next to what was published.

    `studies` are simulated ones of kinds/FOLDER/verdicts, one a device: their numbers span a band.
    `rule` is what that band has to be for the prediction to be met: "within" has the published
    number in it. An "open" question has no number to meet: `answer` says what the band means.
    `no_proof` says why meeting it would prove nothing: a parameter was fitted to it,
    or it follows from what was set. `missed` says, in a sentence, why a prediction is not met.
    """

    studies: Annotated[list[str], Field(min_length=1)]
    rule: PredictionRule
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
