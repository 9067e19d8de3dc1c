"""The disk of the predictions is the engine's model of that name, number for number."""

from __future__ import annotations

import json
from pathlib import Path

from fsgauge.kinds.aging.disk import PUBLISHED, parameters_of

FILE = Path(__file__).parents[5] / "crates/fsgauge-device/models/disks-8+2-2012.json"


def test_every_number_is_that_of_the_engine_s_file() -> None:
    """Statistics predict without an engine, from records alone, so they have the numbers too."""
    numbers = json.loads(FILE.read_text(encoding="utf-8"))["parameters"]
    assert {each["name"]: (each["value"], each["what"]) for each in numbers} == {
        each.name: (each.value, each.what) for each in parameters_of(PUBLISHED)
    }
