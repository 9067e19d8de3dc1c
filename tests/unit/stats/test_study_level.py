"""A study that stops on the width of its intervals draws all of them at 97 %, its kind's as well.

Each kind's synthetic study is read twice: as it is, and with a width to stop at that is never
reached. Every number of its results that has an interval is held against itself.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fsgauge
from fsgauge.plan.levels import STOPPING_LEVEL
from fsgauge.stats import read_study
from fsgauge.stats.ratio import t_quantile
from tests.synthetic import make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import make_connections
from tests.synthetic_serving import make_serving
from tests.synthetic_writers import make_writers

PACKAGE = Path(fsgauge.__file__).parent
STUDIES = {
    "overhead": lambda: make_study(blocks=4, duration_s=30, queue_depths=(1,)),
    "writers": lambda: make_writers(blocks=5),
    "connections": lambda: make_connections(clients=20, blocks=4),
    "served": lambda: make_serving(blocks=4),
    "churn": lambda: make_churn(blocks=4),
    "aging": lambda: make_aging(blocks=4),
}
OF_KINDS = ("own", "layouts", "measurements")


def read(made: Any, stop_interval: float | None) -> dict[str, Any]:
    document = made.study.study
    plan = {**document.get("plan", {}), "stop_interval": stop_interval}
    record = made.study.model_copy(update={"study": {**document, "plan": plan}})
    beside = {
        name: getattr(made, name) for name in ("scans", "steps", "path_runs") if hasattr(made, name)
    }
    return read_study(made.turns, made.runs, record, made.before, **beside).model_dump()


def intervals(of: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every number with an interval below `of`, with its place."""
    if isinstance(of, dict):
        if {"value", "low", "high", "n"} <= of.keys() and of["low"] is not None:
            yield place, of
        for key, each in of.items():
            yield from intervals(each, f"{place}.{key}")
    elif isinstance(of, list):
        for number, each in enumerate(of):
            yield from intervals(each, f"{place}[{number}]")


@pytest.mark.parametrize("kind", STUDIES)
def test_every_interval_of_a_stopping_study_is_wider(kind: str) -> None:
    made = STUDIES[kind]()
    plain, stopping = read(made, None), read(made, 0.001)
    compared = 0
    for part in OF_KINDS:
        wide = dict(intervals(stopping[part], part))
        for place, narrow in intervals(plain[part], part):
            if narrow["high"] - narrow["low"] <= 1e-9 * abs(narrow["high"]):
                continue
            found = wide[place]
            assert found["value"] == pytest.approx(narrow["value"]), place
            below, above = found["low"] < narrow["low"], found["high"] > narrow["high"]
            assert below or above, place
            compared += 1
    assert compared > 10


def test_it_is_wider_by_the_level_of_the_study() -> None:
    made = make_writers(blocks=5)
    widths = []
    for stop in (None, 0.001):
        point = read(made, stop)["own"]["lines"][1]["points"][-1]["change"]
        widths.append(math.log(point["high"] / point["low"]))
    assert widths[1] / widths[0] == pytest.approx(t_quantile(4, STOPPING_LEVEL) / t_quantile(4))


def test_no_module_draws_intervals_at_a_level_of_its_own() -> None:
    """`Samples` has the study's level; what is made or estimated without them would not. A curve
    makes its own of the rates at the limit, at the level that it is given."""
    drawing = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if name in ("Samples", "mean_of") or (name == "estimate" and node.args):
                    drawing.append(path.relative_to(PACKAGE).as_posix())
    assert set(drawing) == {"stats/samples.py", "stats/curve/blocks.py"}
