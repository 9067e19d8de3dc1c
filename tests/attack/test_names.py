"""Names of systems are the user's own words: no sentence may change a letter of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.study.model import System
from tests.attack.budget import budget
from tests.spoiled import with_wrong_blocks
from tests.synthetic import ONE_CELL, make_study

pytestmark = pytest.mark.fuzz
SMALL: dict[str, Any] = {**ONE_CELL, "blocks": 3}


def is_allowed(name: str) -> bool:
    """Whether a study file may call a system so."""
    try:
        return System(name=name, kind="xfs").name == name and name != "raw"
    except ValueError:
        return False


NAMES = st.one_of(
    st.sampled_from(["XFS, allocsize 64 MiB", "eXT4 my-Name", "A b", "The", "In 3 of 8 runs", "Ⅻ"]),
    st.text(min_size=1, max_size=30),
).filter(is_allowed)


@budget(15)
@given(name=NAMES, slower=st.booleans())
def test_answers_call_a_system_by_its_name_letter_by_letter(name: str, slower: bool) -> None:
    """Also behind "Not valid:", where a sentence goes on small."""

    def effect(system: str, cell: object) -> float:
        return 0.7 if slower and system == name else 1.0

    made = make_study(**SMALL, systems={"raw": "raw", name: "xfs"}, effect=effect, duration_s=5)
    for spoiled in (made, with_wrong_blocks(made, name)):
        results = spoiled.results()
        assert name in results.answer
    assert results.answer.startswith(f"Not valid: {name} did not keep what was written")
