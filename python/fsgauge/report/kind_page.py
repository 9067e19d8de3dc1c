"""What the page shows of one kind of study beside what it shows of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from fsgauge.report.draw import Drawing
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class Assurance(NamedTuple):
    """One fact of the box "How sure"; `page` is what `fsgauge explain` takes, "" for the findings
    below; `good` is False where the reader has to look closer."""

    name: str
    text: str
    good: bool
    page: str


class KindPage:
    """Templates lie beside the kind's page and are named KIND/FILE. What is here is that of a kind
    that shows nothing of its own."""

    sections: ClassVar[tuple[str, ...]] = ()
    """Templates between the first screen and the pictures of all kinds."""
    later_sections: ClassVar[tuple[str, ...]] = ()
    """Templates behind those pictures."""
    facts: ClassVar[str] = ""
    """Template of its lines among the facts of the first screen."""
    latency_tables: ClassVar[str] = ""
    """Template below the picture of latency percentiles."""
    latency_panels: ClassVar[int] = 6
    """How many panels that picture has at most."""
    operation: ClassVar[str] = "I/O"
    """What the processor's time is counted by."""
    ranked: ClassVar[bool] = True
    """Whether its systems are put in an order, by their comparisons with the baseline."""
    draws_every_ratio: ClassVar[bool] = False
    """Whether primary ratios that the first picture has no room for have one of their own, which a
    template of the kind shows: "further"."""
    workers: ClassVar[str] = "workers"
    """Whose work a run is that ends when all of it is done."""
    latency_caption: ClassVar[str] = ""
    series_caption: ClassVar[str] = ". The shaded part is the warm-up and does not count."
    series_remark: ClassVar[str] = ""

    def pictures(self, results: Results) -> list[Drawing | None]:  # noqa: ARG002
        return []

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """Pictures of all kinds in whose place one of its own stands."""
        return set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:  # noqa: ARG002
        """Template of the first picture, in the place of the ratios to the baseline; or ""."""
        return ""

    def summary_tables(self, results: Results) -> list[Table]:  # noqa: ARG002
        """Tables of the printed summary where ratios to the baseline are not its main numbers."""
        return []

    def markdown_tables(self, results: Results) -> list[Table]:
        """Tables in the place of ratios to the baseline in Markdown."""
        return self.summary_tables(results)

    def values(self, results: Results) -> dict[str, Any]:  # noqa: ARG002
        """What its templates need beside `results` and `own`."""
        return {}

    def of_records(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """What they need of records that statistics do not have."""
        return {}

    def headline(self, results: Results) -> str:
        return results.question

    def integrity(self, results: Results) -> Assurance | None:  # noqa: ARG002
        """What was read back, where the kind counts it itself."""
        return None

    def comparisons(self, results: Results) -> Assurance | None:  # noqa: ARG002
        """How many ratios its verdicts are corrected for, where they are not between systems."""
        return None
