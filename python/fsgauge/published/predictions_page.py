"""docs/evidence/predictions.md: each published figure next to what the models say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fsgauge.published.ledger import Ledger, ledgers
from fsgauge.published.page import run_words
from fsgauge.published.standing import Predicted, Standing, against_words, standing_of

_INTRODUCTION = """\
# What the models predict, next to what was published

<!-- Made by `python -m fsgauge.published predictions` from kinds/*/published.toml and
kinds/*/verdicts; edits are lost. -->

Simulated, not measured. Each row is a published figure or claim, and what the models of
allocators and devices say of it ([the simulator](../guides/simulator.md)). A number of several
simulations is a band: of devices that the publication does not name, of sizes or of places. "Met":
the published figure is in the band, or within 5 % of it. "Fitted": a parameter of the model was
chosen so that the row comes out. "No proof": it follows from what was set. "Answered": the
publication left a question open, so there is no number to meet. Where the models miss, the row says
so, and why.
"""


def predictions_page() -> str:
    parts = [_INTRODUCTION]
    for folder, ledger in ledgers().items():
        found = [standing_of(folder, claim) for claim in ledger.claim if claim.predictions]
        if found:
            parts.append("\n".join(_section(folder, ledger, found)))
    return "\n".join(parts)


def _section(folder: str, ledger: Ledger, standings: list[Standing]) -> Iterator[str]:
    every = [each for standing in standings for each in standing.predicted]
    counts = Counter(each.met for each in every)
    said = ", ".join(f"{count} {met}" for met, count in counts.most_common())
    runs = {run.study: run for standing in standings for run in standing.runs if run.simulated}
    yield f"## {folder}"
    yield ""
    yield f'"{ledger.publication.title}". {len(every)} predictions: {said}.'
    yield ""
    for run in runs.values():
        yield f"- {run_words(run)}"
    yield ""
    yield "| id | what | published | simulated | | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for standing in standings:
        for each in standing.predicted:
            yield _row(standing, each)
    yield ""


def _row(standing: Standing, each: Predicted) -> str:
    prediction = each.prediction
    against = against_words(standing.claim, prediction, each.published)
    published = against.removeprefix(", ").removeprefix("published ") or standing.claim.fact
    bound = f"at least {published}" if prediction.rule == "at least" else published
    cells = (standing.claim.id, prediction.words, bound, each.words, f"**{each.met}**", each.why)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
