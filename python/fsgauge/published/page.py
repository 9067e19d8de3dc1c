"""docs/published.md, docs/evidence/predictions.md and what `fsgauge published` prints: every claim
and its verdict, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fsgauge.published.ledger import Claim, Computed, Figure, Ledger, ledgers
from fsgauge.published.runs import JudgedRun
from fsgauge.published.standing import Predicted, Standing, against_words, standing_of

_INTRODUCTION = """\
# What was published, and what came of it

<!-- Made by `python -m fsgauge.published` from kinds/*/published.toml and kinds/*/verdicts; edits
are lost. -->

fsgauge began from five published studies. Here is every figure, method step, claim, piece of advice
and open question of them, with a verdict. Facts are in our words; figures are as printed; what is
computed from them is marked as computed. `fsgauge published N-06` prints one claim.

`fsgauge published run sonexion` (or `nss`, `flash`, `clusters`, `closson`) runs every part of a
publication that a machine can, says what it cannot and why (`--plan`: that alone), and writes a
page with its figures and ours, and an archive: `fsgauge published --judge ARCHIVE` judges it again
without the rig, and `scripts/recompute-verdicts ARCHIVE` without fsgauge (sonexion, closson, nss).
Archives of runs behind this page are in [evidence/archives](evidence/archives/README.md).

| verdict | meaning |
| --- | --- |
| confirmed | the published ratio or range is in our 95 % interval, on one side of 1; or it is met |
| direction confirmed | our interval is on that side of 1; elsewhere, or more than twofold wide |
| refuted | our interval is on the other side of 1; or an "all", "no", "at least" is not so |
| undecided | a run is there, and its interval allows both |
| changed since | contradicted, by software that is not, or no longer, what was published of |
| no proof | met, by what was set up so that it is met |
| predicted: met, missed ... | simulated; no run could tell ([all](evidence/predictions.md)) |
| fitted | a parameter was chosen so that it comes out: no test |
| repeatable | a step of the method, or a graph without numbers, that a study here takes or draws |
| recomputed | arithmetic on what is printed, or history, says all that can be said |
| not yet | no run that could tell; it says what is missing |
| untestable here | and why |

Of several predictions the gravest shows: missed, fitted, no proof, met, answered. Findings stand
next to a run: with `noise.wide`, `noise.unknown` or `operations.few` in it, or `run.starved` of a
system that is compared, nothing is confirmed and nothing refuted; nor with one by which its times
are something else's, as of a debug engine or a quota, or by which a system changed. A ratio that
the rig set, by the limit of a disk or an emulated processor, says nothing.

"""


def page() -> str:
    parts = [_INTRODUCTION, _counts()]
    for folder, ledger in ledgers().items():
        parts.append(_section(folder, ledger))
    return "\n".join(parts)


def _counts() -> str:
    lines = ["| study | claims | verdicts |", "| --- | --- | --- |"]
    for folder, ledger in ledgers().items():
        words = Counter(standing_of(folder, claim).word for claim in ledger.claim)
        said = ", ".join(f"{count} {word}" for word, count in words.most_common())
        lines.append(f"| [{folder}](#{folder}) | {len(ledger.claim)} | {said} |")
    return "\n".join(lines) + "\n"


def _section(folder: str, ledger: Ledger) -> str:
    source = ledger.publication
    by = f", by {source.author}" if source.author else "; no author is named"
    standings = [standing_of(folder, claim) for claim in ledger.claim]
    runs = {run.study: run for standing in standings for run in standing.runs}
    lines = [
        f"## {folder}",
        "",
        f'"{source.title}"{by}. On {source.storage}. Method: {source.method}.',
        "",
        *(f"Judged by {run_words(run)}\n" for run in runs.values()),
        "| id | what | place | published, in our words | verdict | why |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(each) for each in standings),
        "",
    ]
    return "\n".join(lines)


def _row(standing: Standing) -> str:
    claim = standing.claim
    computed = "; ".join(computed_words(number) for number in claim.computed)
    changes = [each.change_percent for each in claim.figures if each.change_percent is not None]
    printed = ", ".join(f"{change:g} %" for change in changes)
    fact = (
        claim.fact
        + (f" Printed change: {printed}." if printed else "")
        + (f" *Computed: {computed}.*" if computed else "")
    )
    cells = (claim.id, claim.kind, claim.place, fact, f"**{standing.word}**", standing.why)
    return _in_a_row(cells)


def _in_a_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def computed_words(number: Computed) -> str:
    """ "factor 4.14 (36.69 / 8.86)"."""
    return f"{number.name} {figure_number(number.value)}{_unit(number.unit)} ({number.how})"


def figure_number(value: float) -> str:
    """As printed: "36.69", "7,482,988", "21,845.3"."""
    return f"{value:,.10g}"


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def run_words(run: JudgedRun) -> str:
    if run.simulated:
        return (
            f"`{run.study}`: simulated, {run.blocks} seeds on {run.date}, {run.simulated};"
            f" {run.storage}; seed {run.seed}."
        )
    return (
        f"`{run.study}`: {run.blocks} blocks on {run.date}, {run.kernel}, {run.machine};"
        f" {run.storage}; seed {run.seed}; findings: {', '.join(run.findings) or 'none'}."
    )


def text_of(
    folder: str, ledger: Ledger, claims: list[Claim], runs: Mapping[str, JudgedRun] | None = None
) -> Iterator[str]:
    """Lines for a terminal: one claim in full, several a line each; by these runs where given."""
    if len(claims) == 1:
        yield from _in_full(ledger, standing_of(folder, claims[0], runs), is_ours=runs is None)
        return
    source = ledger.publication
    by = f", {source.author}" if source.author else ""
    yield f"{folder}: {source.title}{by}"
    for claim in claims:
        standing = standing_of(folder, claim, runs)
        yield f"  {claim.id}  {standing.word:<20}  {claim.fact}"


def _in_full(ledger: Ledger, standing: Standing, *, is_ours: bool) -> Iterator[str]:
    claim = standing.claim
    yield f"{claim.id}  {claim.kind}, {claim.place}"
    yield f"  of         {ledger.publication.title}"
    yield f"  in our words  {claim.fact}"
    for figure in claim.figures:
        yield f"  printed    {figure_words(figure)}"
    for number in claim.computed:
        yield f"  computed   {computed_words(number)}"
    if claim.tested_by:
        yield f"  tested by  {claim.tested_by}"
    yield f"  verdict    {standing.word}"
    for each in standing.lines:
        yield f"             {each}"
    for run in standing.runs:
        yield f"  run        {run_words(run)}"
    if is_ours and standing.word == "not yet":
        yield f"  next       fsgauge published run {ledger.publication.name} --plan"


def figure_words(figure: Figure) -> str:
    """ "average open response time (write): 36.69 ms, 8.86 ms; change -75.851 %"."""
    of = f" ({figure.of})" if figure.of else ""
    values = ", ".join(f"{figure_number(value)}{_unit(figure.unit)}" for value in figure.values)
    said = figure.printed or values
    change = "" if figure.change_percent is None else f"; change {figure.change_percent:g} %"
    return f"{figure.name}{of}: {said}{change}"


def as_json(
    folder: str, claim: Claim, runs: Mapping[str, JudgedRun] | None = None
) -> dict[str, Any]:
    """One claim and its verdict for a program; by these runs where given."""
    standing = standing_of(folder, claim, runs)
    return {
        **claim.model_dump(mode="json", exclude_defaults=True, exclude={"trials", "predictions"}),
        "study": folder,
        "verdict": standing.word,
        "why": standing.why,
        "trials": [
            {
                "words": each.trial.words,
                "verdict": each.outcome.word,
                "published_ratio": each.published,
                "observed": [
                    seen.model_dump(mode="json") for seen in each.run.of(claim, each.trial)
                ]
                if each.run
                else [],
                "run": each.run.study if each.run else None,
            }
            for each in standing.trials
        ],
        "predictions": [
            {
                "words": each.prediction.words,
                "predicted": each.met,
                "published_ratio": each.published,
                "low": each.low,
                "high": each.high,
                "why": each.why,
                "runs": [run.study for run in each.runs],
            }
            for each in standing.predicted
        ],
        "runs": [run.model_dump(mode="json", exclude={"observed"}) for run in standing.runs],
    }


_OF_PREDICTIONS = """\
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
    """docs/evidence/predictions.md: each published figure next to what the models say of it."""
    parts = [_OF_PREDICTIONS]
    for folder, ledger in ledgers().items():
        found = [standing_of(folder, claim) for claim in ledger.claim if claim.predictions]
        if found:
            parts.append("\n".join(_predictions_of(folder, ledger, found)))
    return "\n".join(parts)


def _predictions_of(folder: str, ledger: Ledger, standings: list[Standing]) -> Iterator[str]:
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
            yield _prediction_row(standing, each)
    yield ""


def _prediction_row(standing: Standing, each: Predicted) -> str:
    prediction = each.prediction
    against = against_words(standing.claim, prediction, each.published)
    published = against.removeprefix(", ").removeprefix("published ") or standing.claim.fact
    bound = f"at least {published}" if prediction.rule == "at least" else published
    cells = (standing.claim.id, prediction.words, bound, each.words, f"**{each.met}**", each.why)
    return _in_a_row(cells)
