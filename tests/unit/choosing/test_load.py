"""What a load works hardest, of shipped studies."""

from __future__ import annotations

import pytest

from fsgauge.choosing.load import load_of
from fsgauge.study.parse import load_study


@pytest.mark.parametrize(
    ("study", "loads"),
    [
        ("postgresql", {"commits"}),
        ("overhead", {"random", "reads"}),
        ("mix-mail", {"commits", "files", "reads", "streams"}),
        ("connections", {"files", "reads", "streams"}),
        ("command-pgbench", {"commits", "files", "random", "reads", "streams"}),
    ],
)
def test_it_is_read_off_the_keys(study: str, loads: set[str]) -> None:
    assert loads <= load_of(load_study(study))
    assert "commits" in loads or "commits" not in load_of(load_study(study))
