"""fio's own examples: what becomes of each, and whether both ask for the same.

They are fio's (GPL) and not here: FSGAUGE_FIO_EXAMPLES names a folder that has them, such as
/usr/share/doc/fio/examples (apt-get install fio-examples).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from fsgauge.converting import study_from_file
from fsgauge.converting.check import compared_sections
from fsgauge.errors import InputError

PLACE = Path(os.environ.get("FSGAUGE_FIO_EXAMPLES", "/usr/share/doc/fio/examples"))
PAGE = Path(__file__).parents[3] / "docs" / "evidence" / "fio-examples.md"
HEAD = """\
# Evidence: fio's own examples, as studies

<!-- Made by scripts/fio-examples; edits are lost. -->

The 86 job files in `examples/` of fio 3.33, each through `fsgauge study from-fio`; {converted} \
become studies, and of {equal} of these all sections ask for the same as fio does: kinds, sizes, \
offsets and steps of their requests, \
[compared at the system calls](../guides/fio.md#is-it-the-same-load) in small.

| job | | requests | |
| --- | --- | --- | --- |
"""
OF_REQUESTS = "norandommap is not set"
"""The note of a study whose requests are others than fio's."""
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


@patch.dict(os.environ, VARIABLES)
def refused(job: Path) -> str:
    """The option and the reason; "" where it becomes a study."""
    try:
        study_from_file(job)
    except InputError as error:
        why = error.what.partition(": ")[2] or error.what
        return f"`{error.what.partition(' ')[0]}`: {why}"
    return ""


@patch.dict(os.environ, VARIABLES)
def row(job: Path, tell: Callable[[str], None]) -> str:
    """Of the table; `tell` hears what is compared."""
    if why := refused(job):
        return f"| `{job.name}` | refused | | {why} |\n"
    try:
        sections = list(compared_sections(job))
    except InputError as error:
        return f"| `{job.name}` | converted | not compared | {error.what} |\n"
    for lines, _ in sections:
        for line in lines:
            tell(line)
    unlike = [
        f"section {number}: {', '.join(apart)}"
        for number, (_, apart) in enumerate(sections, start=1)
        if apart
    ]
    word = "unlike" if unlike else "equal"
    notes = study_from_file(job).converted.findings.notes.values()
    reasons = [note.text for note in notes if unlike and note.option == OF_REQUESTS]
    return f"| `{job.name}` | converted | {word} | {'; '.join([*unlike, *reasons])} |\n"


def page(rows: list[str]) -> str:
    """docs/evidence/fio-examples.md."""
    converted, equal = (
        sum(f"| {word} |" in each for each in rows) for word in ("converted", "equal")
    )
    return HEAD.format(converted=converted, equal=equal) + "".join(rows)
