"""The one place that decides with which code a command ends, and what is made from its tables."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import click
import pytest

from fsgauge import exit_codes
from fsgauge.cli import group
from fsgauge.exit_codes import OF_COMMANDS, ExitCode, gravest, of_decision, of_report, of_studies

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/exit-codes.md"
MEASURED = {"system": "xfs"}


def report(
    *, valid: bool = True, systems: int = 2, compared: bool = True, measured: bool = True
) -> dict[str, object]:
    """What a report.json says of its study, as far as the code depends on it."""
    return {
        "sureness": {"valid": valid},
        "systems": ["raw", "xfs", "ext4"][:systems],
        "comparisons": [MEASURED] * compared,
        "measurements": [MEASURED] * measured,
        "layouts": None,
    }


def test_what_a_study_came_to() -> None:
    assert of_report(report()) == ExitCode.ANSWERED
    assert of_report(report(valid=False)) == ExitCode.FINDING
    assert of_report(report(compared=False)) == ExitCode.FAILED


def test_lost_data_is_graver_than_a_comparison_that_is_missing() -> None:
    assert of_report(report(valid=False, compared=False)) == ExitCode.FINDING


def test_one_system_is_compared_with_nothing_and_has_to_be_measured() -> None:
    assert of_report(report(systems=1, compared=False)) == ExitCode.ANSWERED
    nothing = report(systems=1, compared=False, measured=False)
    assert of_report(nothing) == ExitCode.FAILED


def test_layouts_that_were_compared_are_a_comparison() -> None:
    layouts = report(compared=False) | {"layouts": {"ratios": [MEASURED]}}
    assert of_report(layouts) == ExitCode.ANSWERED
    assert of_report(layouts | {"layouts": {"ratios": []}}) == ExitCode.FAILED


def test_of_several_codes_the_gravest_is_told_in_whatever_order() -> None:
    order = [130, 1, 2, 3, 5, 4, 0]
    for first, second in itertools.combinations(order, 2):
        assert gravest([first, second]) == gravest([second, first]) == first
    assert gravest([]) == ExitCode.ANSWERED


def test_an_undecided_study_may_pass_and_one_that_is_not_valid_may_not() -> None:
    fine, broken = of_studies([True], is_compared=True), of_studies([True, False], is_compared=True)
    for decision in (ExitCode.UNDECIDED, ExitCode.TOO_NOISY):
        assert of_decision(decision, fine, undecided_passes=True) == ExitCode.ANSWERED
        assert of_decision(decision, fine, undecided_passes=False) == decision
        assert of_decision(decision, broken, undecided_passes=True) == ExitCode.FINDING
    finding = ExitCode.FINDING
    assert of_decision(finding, fine, undecided_passes=True) == finding


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == exit_codes.page(), (
        "run: python -m fsgauge.exit_codes > docs/reference/exit-codes.md"
    )


@pytest.mark.parametrize("name", OF_COMMANDS)
def test_the_help_of_a_command_says_its_codes(name: str) -> None:
    command: click.Command = group
    context = click.Context(group)
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(context, word)
        assert found is not None
        command = found
    said = " ".join((command.help or "").split())
    for code, words in OF_COMMANDS[name].items():
        assert f"{code:d} {words}" in said


def test_no_other_place_names_a_code() -> None:
    """A number behind `return`, `exit_code =` or sys.exit in the commands would be a second one."""
    numbers = re.compile(
        r"^\s+(return|sys\.exit\(|exit_code\b.*=)\s*(1|2|3|4|5|130)\b", re.MULTILINE
    )
    places = [*(ROOT / "python/fsgauge/cli").glob("*.py"), ROOT / "python/fsgauge/errors.py"]
    wrong = [
        f"{path.name}: {found.group().strip()}"
        for path in places
        for found in numbers.finditer(path.read_text("utf-8"))
    ]
    assert wrong == []
