"""The finalists of a race of models, as a study of file systems."""

from __future__ import annotations

from fsgauge.choosing.confirming import on_host
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study


def simulated(*systems: str) -> Study:
    return load_study("churn", [], list(systems), "simulated:64MiB", 1)


def finalists(study: Study) -> list[tuple[str, str]]:
    text = on_host(study, [each.name for each in study.systems])
    found = parse_study(text, "x", "x").systems if text else []
    return [(each.name, each.kind) for each in found]


def test_a_model_and_what_it_stands_for_are_one_system() -> None:
    """They were measured against one another, as if they were two."""
    pair = simulated("model=ext4-6.18", "usual=ext4")
    first, usual = pair.systems[-2:]
    kinds = [first, usual.model_copy(update={"kind": "ext4"})]
    assert finalists(pair.model_copy(update={"systems": kinds})) == []
    other = usual.model_copy(update={"name": "lazy", "kind": "ext4", "mount": "noatime"})
    three = pair.model_copy(update={"systems": [*kinds, other]})
    assert finalists(three) == [("model", "ext4"), ("lazy", "ext4")]
