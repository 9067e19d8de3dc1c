"""The table of docs/evidence/statistics.md: `python -m tests.known.statistics_table` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.known.noise_models import MODELS, NoiseModel
from tests.known.simulated_stopping import ROWS, WIDTHS_PERCENT, Row, Stopped, stopped
from tests.known.simulated_studies import Rates, rates

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "statistics.md"
BEGIN = "<!-- made by `python -m tests.known.statistics_table`; edits are lost -->"
END = "<!-- end of what is made -->"
STUDIES = 20_000
SYSTEMS = (2, 4)
BLOCKS = (3, 5, 8, 20)
LEAST_COVERAGE = 0.93
FALSE_ALARMS = 0.06


@dataclass(frozen=True)
class Case:
    """One number of blocks of a row."""

    model: NoiseModel
    systems: int
    blocks: int
    rates: Rates

    @property
    def lies_apart(self) -> bool:
        """Whether it misses a limit."""
        return self.rates.coverage < LEAST_COVERAGE or self.rates.false_alarms > FALSE_ALARMS

    @property
    def words(self) -> str:
        """Both rates in percent; in bold where they miss a limit."""
        both = f"{100 * self.rates.coverage:.1f} / {100 * self.rates.false_alarms:.1f}"
        return f"**{both}**" if self.lies_apart else both


def cases() -> list[Case]:
    """All cases, row by row; takes seconds."""
    return [
        Case(model, systems, blocks, rates(model, systems, blocks, STUDIES))
        for systems in SYSTEMS
        for model in MODELS
        for blocks in BLOCKS
    ]


def section(found: list[Case]) -> str:
    """What stands between the two marks of the page."""
    lines = [BEGIN, ""]
    for systems in SYSTEMS:
        head = " | ".join(f"{blocks} blocks" for blocks in BLOCKS)
        lines += [f"**{systems} systems**", "", f"| noise | {head} |"]
        lines += ["| --- " * (len(BLOCKS) + 1) + "|"]
        for model in MODELS:
            row = [each for each in found if (each.systems, each.model) == (systems, model)]
            lines.append(f"| {model.name} | {' | '.join(each.words for each in row)} |")
        lines.append("")
    apart = dict.fromkeys(each.model for each in found if each.lies_apart)
    lines += ["In bold is what misses a limit, and why:", ""] if apart else ["None misses a limit."]
    lines += [f"- {model.name}: {model.apart}." for model in apart]
    return "\n".join([*lines, "", *stopping({row: _at_each_width(row) for row in ROWS}), "", END])


def _at_each_width(row: Row) -> list[Stopped]:
    return [stopped(row, width) for width in WIDTHS_PERCENT]


def stopping(found: dict[Row, list[Stopped]]) -> list[str]:
    """The lines of studies that stop on the width of their interval."""
    head = " | ".join(f"at {width:g} %" for width in WIDTHS_PERCENT)
    lines = [
        "**Stopping on width** (`plan.stop_interval`, 2 systems): the share of intervals that hold"
        " the truth where a study stops, and after how many blocks that was, on average.",
        "",
        f"| noise | {head} |",
        "| --- " * (len(WIDTHS_PERCENT) + 1) + "|",
    ]
    for row, widths in found.items():
        cells = [
            f"**{100 * each.coverage:.1f}** ({each.blocks:.0f})"
            if each.coverage < LEAST_COVERAGE
            else f"{100 * each.coverage:.1f} ({each.blocks:.0f})"
            for each in widths
        ]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "In bold is what the promise of 95 % does not hold for: a system that alone stalls in a few"
        " of its runs. What no block has shown yet, no interval holds; a finding says so of each"
        " study that stopped.",
    ]


def page(text: str, found: list[Case]) -> str:
    """The page with its section made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + section(found) + after


if __name__ == "__main__":
    made = cases()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
