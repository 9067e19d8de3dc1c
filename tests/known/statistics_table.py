"""The table of docs/evidence/statistics.md: `python -m tests.known.statistics_table` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.known.noise_models import MODELS, NoiseModel
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
    return "\n".join([*lines, "", END])


def page(text: str, found: list[Case]) -> str:
    """The page with its section made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + section(found) + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), cases()), encoding="utf-8")
