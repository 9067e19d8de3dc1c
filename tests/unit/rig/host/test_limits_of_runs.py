"""What a CPU quota counts while a run lasts is kept with what the run measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.cli.execution import limits_of, make_report, report_in
from fsgauge.record.limits import Throttled
from fsgauge.rig.host import side_by_side as sliced
from fsgauge.rig.host import turn
from fsgauge.store import read_results
from tests.laboratory import NoDiskEngine, run
from tests.unit.stats.test_machine_findings import limits

COUNTED = Throttled(periods=10, throttled_periods=4, throttled_ns=123)


@pytest.mark.parametrize("side_by_side", ["false", "true"])
def test_every_slice_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: str
) -> None:
    asked: list[str] = []

    def watch() -> Callable[[], Throttled | None]:
        asked.append("before")
        return lambda: COUNTED

    monkeypatch.setattr(turn, "watch_throttling", watch)
    monkeypatch.setattr(sliced, "watch_throttling", watch)
    outcome = run(tmp_path, NoDiskEngine(0), blocks=2, side_by_side=side_by_side)
    found = [
        each.throttled
        for record in read_results(outcome.directory).runs
        for part in record.parts
        for each in part.slices
    ]
    assert found == [COUNTED] * len(asked) and found


def test_the_terminal_names_the_limits_that_bind(tmp_path: Path) -> None:
    outcome = run(tmp_path, NoDiskEngine(0), blocks=2)
    make_report(outcome.directory)
    assert limits_of(report_in(outcome.directory)) == []
    file = outcome.directory / "environment-before.json"
    record = json.loads(file.read_text())
    record["machines"][0]["limits"] = limits(nice=7).model_dump(mode="json")
    file.write_text(json.dumps(record))
    make_report(outcome.directory, accept_changed=True)
    (said,) = limits_of(report_in(outcome.directory))
    assert said.endswith("nice 7.")
    page = (outcome.directory / "report.html").read_text(encoding="utf-8")
    assert "under limits: nice 7" in page, "the first screen"
