"""Claims that others published of allocation sizes and ageing, as the page needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, cast, get_args

from fsgauge.kinds.aging.analysis.model import Side
from fsgauge.published.ledger import Claim, Publication, ledger_of
from fsgauge.published.trial import Trial
from fsgauge.units import parse_size

Test = Literal["kept", "kept at", "in chunks", "clean"]
TESTS: tuple[Test, ...] = get_args(Test)


@dataclass(frozen=True)
class PublishedClaim:
    """What an allocation size keeps, and which number of a report is shown next to it.

    `claim` is the id in the ledger; `published` is a printed figure, or the fact in our words.
    """

    claim: str
    text: str
    published: str
    in_our_words: bool
    test: Test
    side: Side
    chunk_bytes: int
    free_percent: int | None


@dataclass(frozen=True)
class PublishedRate:
    """A rate of other hardware; no number of ours is shown next to it."""

    claim: str
    text: str
    published: str


@dataclass(frozen=True)
class PublishedAging:
    """What allocation sizes do to rates as a file system ages."""

    publication: Publication
    claim: list[PublishedClaim]
    rate: list[PublishedRate]


@cache
def published_aging() -> PublishedAging:
    """The claims that the study `aging` tests."""
    ledger = ledger_of("aging")
    claims = {
        (each.test, each.side, each.chunk_bytes, each.free_percent): each
        for claim in ledger.claim
        for trial in claim.trials
        if (each := _claim(claim, trial)) is not None
    }
    rates = [
        PublishedRate(claim.id, claim.fact, figure.printed)
        for claim in ledger.claim
        for figure in claim.figures
        if figure.unit == "GB/s" and figure.printed
    ]
    return PublishedAging(ledger.publication, list(claims.values()), rates)


def _claim(claim: Claim, trial: Trial) -> PublishedClaim | None:
    """None for a trial of rates in the holes themselves, which other tables of the page have."""
    quantity = "clean" if trial.cells.get("wear") == "clean" else trial.quantity
    test = next((each for each in TESTS if each == quantity), None)
    if test is None:
        return None
    side = cast(Side, trial.cells.get("side", "write"))
    printed = [figure.printed for figure in claim.figures if figure.of == side]
    free = trial.cells.get("free_percent")
    return PublishedClaim(
        claim=claim.id,
        text=trial.words,
        published=printed[0] if printed else claim.fact,
        in_our_words=not printed,
        test=test,
        side=side,
        chunk_bytes=parse_size(trial.system),
        free_percent=int(free) if free is not None else None,
    )
