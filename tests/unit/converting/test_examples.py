"""fio's own examples: each converted, or refused for the reason that the guide's table names.

The examples are fio's (GPL) and not here: FSGAUGE_FIO_EXAMPLES names a folder that has them, such
as /usr/share/doc/fio/examples. Of those of fio 3.33, 46 of 86 are converted.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.converting import study_from_file
from fsgauge.errors import InputError

PLACE = Path(os.environ.get("FSGAUGE_FIO_EXAMPLES", "/usr/share/doc/fio/examples"))
TABLE = Path(__file__).parents[3] / "docs" / "reference" / "fio-examples.md"
HEAD = """\
# fio's own examples, as studies

<!-- Made by `pytest tests/unit/converting/test_examples.py`, with FSGAUGE_FIO_EXAMPLES and \
FSGAUGE_WRITE=1. -->

The 86 job files in `examples/` of fio 3.33, each through `fsgauge study from-fio`.

| job | | |
| --- | --- | --- |
"""
FEWEST = 45
VARIABLES = {
    "FIO_RW": "randread",
    "FIO_IODEPTH": "4",
    "FIO_BS": "8k",
    "FIO_DIR": "/x",
    "POOL": "p",
    **dict.fromkeys(("CONT", "GPU_DEV_IDS", "S3_KEY", "S3_ID", "SSE_KEY", "STORAGE_CLASS"), "x"),
    **dict.fromkeys(("SWIFT_id", "unixsocket"), "x"),
}
"""What the examples say that a user sets."""


def row(job: Path) -> str:
    try:
        converted = study_from_file(job, environment=VARIABLES).converted
    except InputError as error:
        why = error.what.partition(": ")[2] or error.what
        option = error.what.partition(" ")[0]
        return f"| `{job.name}` | refused | `{option}`: {why} |\n"
    groups, notes = len(converted.groups), len(converted.findings.notes)
    return f"| `{job.name}` | converted | groups: {groups}, notes: {notes} |\n"


@pytest.fixture(scope="module")
def rows() -> list[str]:
    jobs = sorted(PLACE.glob("*.fio"))
    if len(jobs) != 86:
        pytest.skip(f"{PLACE} does not have the examples of fio 3.33")
    return [row(job) for job in jobs]


def test_each_is_converted_or_named(rows: list[str]) -> None:
    if os.environ.get("FSGAUGE_WRITE"):
        TABLE.write_text(HEAD + "".join(rows), encoding="utf-8")
    assert TABLE.read_text(encoding="utf-8") == HEAD + "".join(rows)


def test_most_are_converted(rows: list[str]) -> None:
    assert sum("| converted |" in each for each in rows) >= FEWEST


def test_the_table_has_all_of_them() -> None:
    table = TABLE.read_text(encoding="utf-8")
    assert table.count("\n| `") == 86
    assert table.count("| converted |") >= FEWEST
