"""Progress on a terminal: what runs now, how far the study is, the rate, the noise so far."""

from __future__ import annotations

import sys

from rich.console import Console, Group, RenderableType
from rich.live import Live as RichLive
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fsgauge.engine.wire import Event, IntervalEvent
from fsgauge.errors import escaped
from fsgauge.programs.streams import display
from fsgauge.progress.lines import noise_line, opening
from fsgauge.progress.tally import Counting, Tally
from fsgauge.progress.terminal import wrapped, wrapped_lines
from fsgauge.record.factors import unit_in
from fsgauge.record.records import Cell, EnvironmentRecord, Plan, RunRecord, Turn
from fsgauge.study.model import Study
from fsgauge.units import format_rate

_BAR_WIDTH = 24
_MARGIN = "    "


class Live(Counting):
    """A few lines, redrawn in place and cleared at the end; no word of them is broken."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(file=display(sys.stderr), highlight=False)
        self.live = RichLive(console=self.console, refresh_per_second=4, transient=True)
        self.now = ""
        self.rate = ""
        self.unit = "IOPS"
        self.last = ""
        self.noise = ""
        self.told = False

    def study_started(self, study: Study, plan: Plan, environment: EnvironmentRecord) -> None:
        self.tally = Tally(plan, study)
        self._print(*opening(study, plan, environment))
        self.live.start()

    def race_stands(self, words: str) -> None:
        self._print(words)

    def turn_started(self, turn: Turn) -> None:
        self._show(turn, "making and filling it")

    def step_started(self, turn: Turn, what: str) -> None:
        self._show(turn, what)

    def run_started(self, turn: Turn, cell: Cell) -> None:
        self.unit = unit_in(cell, "IOPS")
        self._show(turn, cell.name)

    def event(self, event: Event) -> None:
        if isinstance(event, IntervalEvent) and event.elapsed_ns:
            done = event.read.operations + event.write.operations
            warm = " (warming up)" if event.warm_up else ""
            self.rate = format_rate(done * 1e9 / event.elapsed_ns, self.unit) + warm
            self._draw()

    def run_ended(self, record: RunRecord) -> None:
        """That it is too noisy is printed for good, the first time that it is so."""
        self.last = "  ".join(part for part in self.counted(record) if part)
        found = self.tally.noise(record)
        if found is not None:
            self.noise = noise_line(found, self.tally.plan)
            if found.is_too_noisy and not self.told and len(self.tally.plan.systems) > 1:
                self.told = True
                self._print(self.noise)
        self._draw()

    def ended(self) -> None:
        self.live.stop()

    def _show(self, turn: Turn, what: str) -> None:
        blocks = self.tally.plan.all_turns[-1].block + 1
        self.now = f"block {turn.block + 1} of {blocks}   {turn.title}   {what}"
        self.rate = ""
        self._draw()

    def _draw(self) -> None:
        self.live.update(self.view())

    def view(self) -> RenderableType:
        width = self.console.width
        words = [f"{100 * self.tally.share:.0f} %", self.tally.left(), self.tally.under_load()]
        bar_width = max(0, min(_BAR_WIDTH, width - sum(len(word) + 2 for word in words)))
        bar = ProgressBar(total=1.0, completed=self.tally.share, width=bar_width)
        far = Table.grid(padding=(0, 2))
        far.add_row(*([bar] if bar_width else []), *map(Text, words))
        below = [
            f"{_MARGIN}{self.rate}",
            f"{_MARGIN}last: {self.last}" if self.last else "",
            f"{_MARGIN}{self.noise}" if self.noise else "",
        ]
        return Group(
            *self._texts(self.now, width),
            far,
            *(t for line in below for t in self._texts(line, width)),
        )

    def _texts(self, line: str, width: int) -> list[Text]:
        return [Text(part, overflow="fold") for part in wrapped(escaped(line), width, _MARGIN)]

    def _print(self, *lines: str) -> None:
        for line in wrapped_lines([*map(escaped, lines)], self.console.width):
            self.console.print(Text(line), soft_wrap=True)
