"""The ledger: whole, consistent, and its arithmetic comes out."""

from __future__ import annotations

import ast
import operator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.published.ledger import Claim, Computed, Ledger, find, ledger_of, ledgers, read_ledger
from fsgauge.study.parse import load_study

CLAIMS = {"aging": 35, "connections": 27, "overhead": 27, "sharing": 21, "writers": 29}
OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
EVERY = [(folder, claim) for folder, each in ledgers().items() for claim in each.claim]
NUMBERS = [(claim.id, number) for _, claim in EVERY for number in claim.computed]


def value_of(expression: str) -> float:
    """Arithmetic on numbers, and nothing else."""

    def walk(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.BinOp(left, kind, right):
                return float(OPERATORS[type(kind)](walk(left), walk(right)))
            case ast.UnaryOp(ast.USub(), inner):
                return -walk(inner)
        raise AssertionError(f"no arithmetic: {expression}")

    return walk(ast.parse(expression, mode="eval").body)


def decimals(number: float) -> int:
    text = f"{number:.10f}".rstrip("0")
    return len(text.partition(".")[2])


def claim(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {"id": "X-01", "kind": "claim", "place": "1", "fact": "A fact."}
    return {**base, **changes}


def test_all_publications_are_there_with_every_claim() -> None:
    assert {folder: len(each.claim) for folder, each in ledgers().items()} == CLAIMS


def test_letters_are_each_its_own() -> None:
    letters = [each.publication.letter for each in ledgers().values()]
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize(("claim_id", "number"), NUMBERS)
def test_what_is_computed_comes_out(claim_id: str, number: Computed) -> None:
    half_a_digit = 0.5 * 10 ** -decimals(number.value)
    assert abs(value_of(number.how) - number.value) <= half_a_digit * 1.001, number


@pytest.mark.parametrize(
    ("printed", "change"),
    [
        (figure.values, figure.change_percent)
        for _, each in EVERY
        for figure in each.figures
        if figure.change_percent is not None
    ],
)
def test_printed_changes_are_those_of_the_printed_values(
    printed: list[float], change: float
) -> None:
    before, after = printed
    assert abs(100 * (after / before - 1) - change) < 0.01


@pytest.mark.parametrize("folder", [name for name in CLAIMS if name != "sharing"])
def test_every_trial_is_of_a_study_that_has_its_system(folder: str) -> None:
    for each in ledger_of(folder).claim:
        for trial in each.trials:
            study = load_study(str(kinds.verdict_files(folder)[f"{trial.study}.toml"]))
            assert trial.system in [system.name for system in study.systems], each.id
            assert len({other.words for other in each.trials}) == len(each.trials), each.id
        for prediction in each.predictions:
            for name in prediction.studies:
                study = load_study(str(kinds.verdict_files(folder)[f"{name}.toml"]))
                assert prediction.system in [system.name for system in study.systems], each.id
            assert len({other.words for other in each.predictions}) == len(each.predictions)


def test_a_publication_may_be_there_before_its_kind() -> None:
    assert set(ledgers()) - set(kinds.names()) <= {"sharing"}
    assert set(kinds.published_files()) == set(ledgers())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tested_by": "a study"},
        {"untestable": "why", "repeatable": "how"},
        {"repeatable": "how"},
        {"untestable": "why", "id": "X-1"},
        {"untestable": "why", "kind": "rumour"},
        {"untestable": "why", "figures": [{"name": "a", "unit": "furlongs", "values": [1]}]},
    ],
)
def test_a_claim_without_one_standing_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Claim.model_validate(claim(**changes))


def test_ids_follow_one_another() -> None:
    publication = {
        "title": "T",
        "name": "t",
        "letter": "X",
        "subject": "s",
        "storage": "disks",
        "method": "m",
    }
    good = claim(untestable="why")
    assert Ledger.model_validate({"publication": publication, "claim": [good]}).of("X-01")
    with pytest.raises(ValidationError, match="X-03 is not"):
        Ledger.model_validate({"publication": publication, "claim": [good, {**good, "id": "X-03"}]})


def test_a_file_that_is_no_ledger_is_named(tmp_path: Path) -> None:
    path = tmp_path / "published.toml"
    path.write_text("[publication]\n")
    with pytest.raises(InputError, match="is not a ledger"):
        read_ledger(path)


def test_claims_are_found_by_id_by_study_and_all() -> None:
    ((folder, _, found),) = find("[n-06]")
    assert (folder, [each.id for each in found]) == ("connections", ["N-06"])
    assert [len(each) for _, _, each in find("writers")] == [29]
    assert sum(len(each) for _, _, each in find("")) == sum(CLAIMS.values())


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(InputError) as refusal:
        find("N-99")
    said = refusal.value.render()
    assert 'study "N-99"' in said and "connections: N-01 to N-27" in said


def test_the_published_ratio_is_that_of_the_printed_values() -> None:
    opens = ledger_of("connections").of("N-06")
    assert opens.published_ratio(opens.trials[0]) == pytest.approx(8.86 / 36.69)
    bound = ledger_of("aging").of("S-27")
    assert bound.published_ratio(bound.trials[0]) == 0.89


def follows(ratio: float, numbers: list[float]) -> bool:
    """Whether a ratio is a printed number in another unit, a change or loss of it, or two of them
    over each other."""
    units = (1, 100, 1000, 1000 / 1.048576, 60_000, 60_000 / 1.048576)
    forms = [number / unit for number in numbers for unit in units]
    forms += [1 + sign * number / 100 for number in numbers for sign in (1, -1)]
    forms += [
        top / bottom / unit for top in numbers for bottom in numbers if bottom for unit in (1, 1000)
    ]
    forms += [1 / number for number in numbers if number]
    return any(abs(ratio / each - 1) < 0.02 for each in forms if each)


@pytest.mark.parametrize(("folder", "claim"), EVERY)
def test_a_ratio_that_is_called_published_follows_from_what_is_printed(
    folder: str, claim: Claim
) -> None:
    """0.9 of S-24 and 0.594 of S-16 were thresholds of ours."""
    numbers = [value for figure in claim.figures for value in figure.values]
    numbers += [number.value for number in claim.computed]
    for about in (*claim.trials, *claim.predictions):
        for ratio in filter(None, (about.ratio, about.up_to)):
            assert follows(ratio, numbers), (claim.id, about.words)
