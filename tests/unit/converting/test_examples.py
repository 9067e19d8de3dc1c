"""Each of fio's examples is converted, or refused, as the page says."""

from __future__ import annotations

import pytest

from tests.unit.converting.examples import PAGE, PLACE, refused

FEWEST = 45


def test_each_is_converted_or_refused_as_the_page_says() -> None:
    jobs = sorted(PLACE.glob("*.fio"))
    if len(jobs) != 86:
        pytest.skip(f"{PLACE} does not have the examples of fio 3.33")
    page = PAGE.read_text(encoding="utf-8")
    for job in jobs:
        why = refused(job)
        told = f"| `{job.name}` | refused | | {why} |\n" if why else f"| `{job.name}` | converted |"
        assert told in page, f"{told}: run scripts/fio-examples"


def test_the_page_has_all_of_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("\n| `") == 86
    assert page.count("| converted |") >= FEWEST
    assert page.count("| equal |") >= FEWEST - 5
