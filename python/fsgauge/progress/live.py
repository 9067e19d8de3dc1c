"""Progress on a terminal: what runs now, how far the study is, the rate of this second."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fsgauge.progress.lines import Quiet, opening
from fsgauge.progress.tally import Tally, outcome
from fsgauge.record import Cell, EnvironmentRecord, Plan, RunRecord, Turn, turn_title
from fsgauge.study.model import Study
from fsgauge.units import format_rate
from fsgauge.wire import Event, IntervalEvent

_BAR_WIDTH = 24


class Live(Quiet):
    """Three lines, redrawn in place and cleared at the end."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.live = RichLive(console=self.console, refresh_per_second=4, transient=True)
        self.tally: Tally | None = None
        self.now = ""
        self.rate = ""
        self.last = ""

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        """Print the opening for good, start the view below it."""
        self.tally = Tally(plan)
        for line in opening(study, plan, environment):
            self.console.print(Text(line))
        self.live.start()

    def turn_started(self, turn: Turn) -> None:
        """Say which system is being made."""
        self._show(turn, "making and filling it")

    def step_started(self, turn: Turn, what: str) -> None:
        """Say what is done to the system."""
        self._show(turn, what)

    def run_started(self, turn: Turn, cell: Cell) -> None:
        """Say which cell runs."""
        self._show(turn, cell.name)

    def event(self, event: Event) -> None:
        """Show the rate of the latest interval."""
        if isinstance(event, IntervalEvent) and event.elapsed_ns:
            done = event.read.operations + event.write.operations
            warm = " (warming up)" if event.warm_up else ""
            self.rate = format_rate(done * 1e9 / event.elapsed_ns) + warm
            self._draw()

    def run_ended(self, record: RunRecord) -> None:
        """Keep the run's outcome and its ratio so far in view."""
        assert self.tally is not None  # noqa: S101 - the study has started
        self.tally.runs.append(record)
        system = turn_title(record.system, again=record.again, over_path=record.over_path)
        parts = [system, record.cell.name, outcome(record), self.tally.so_far(record)]
        self.last = "  ".join(part for part in parts if part)
        self._draw()

    def ended(self) -> None:
        """Take the view away."""
        self.live.stop()

    def _show(self, turn: Turn, what: str) -> None:
        assert self.tally is not None  # noqa: S101 - the study has started
        blocks = self.tally.plan.turns[-1].block + 1
        self.now = f"block {turn.block + 1} of {blocks}   {turn.title}   {what}"
        self.rate = ""
        self._draw()

    def _draw(self) -> None:
        assert self.tally is not None  # noqa: S101 - the study has started
        far = Table.grid(padding=(0, 2))
        bar = ProgressBar(total=1.0, completed=self.tally.share, width=_BAR_WIDTH)
        far.add_row(
            Text(self.now),
            bar,
            f"{self.tally.share:.0%}",
            self.tally.left(),
            self.tally.under_load(),
        )
        self.live.update(
            Group(
                far, Text(f"    {self.rate}"), Text(f"    last: {self.last}" if self.last else "")
            )
        )
