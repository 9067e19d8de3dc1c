"""docs/reference/fio.md: what becomes of each option of fio, as the table says."""

from __future__ import annotations

from pathlib import Path

from fsgauge.converting.fio_options import engines, options

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "fio.md"
_SAID = {
    "carried": "carried over",
    "noted": "carried over, with a note",
    "refused": "refused",
    "meaningless": "meaningless here",
}
INTRODUCTION = """\
# The options of fio, in a study

<!-- Made by `scripts/fio-options` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What `fsgauge study from-fio JOB.fio` does with each option of fio 3.33. A refused option would \
make another load: the conversion fails, names its line, and says what comes nearest; \
`--without OPTION` leaves it out. With a value that changes nothing (`hipri=0`, `zonemode=none`) \
it is taken. [How a job becomes a study](../guides/fio.md) has the rest.
"""


def options_page() -> str:
    """The page, whole."""
    lines = [INTRODUCTION, "| option | here | |", "| --- | --- | --- |"]
    for option in sorted(options(), key=lambda each: each.names):
        names = ", ".join(f"`{name}`" for name in option.names)
        lines.append(f"| {names} | {_SAID[option.fate]} | {option.why} |")
    lines += ["", "## ioengine", "", "| ioengine | here | |", "| --- | --- | --- |"]
    said = {**_SAID, "carried": "the same calls", "noted": "with a note"}
    for name, engine in sorted(engines().items()):
        lines.append(f"| `{name}` | {said[engine.fate]} | {engine.why} |")
    return "\n".join(lines) + "\n"
