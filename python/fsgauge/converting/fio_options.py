"""What becomes of each option of fio 3.33: one table, in study/other_tools.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from fsgauge.converting.job_file import Option, Section
from fsgauge.study.other_tools import table_of_words

Fate = Literal["carried", "noted", "refused", "meaningless"]
FATES: dict[Fate, str] = {
    "carried": "carried over",
    "noted": "carried over, with a note",
    "refused": "refused",
    "meaningless": "meaningless here",
}


@dataclass(frozen=True)
class FioOption:
    """Its names, the first one the usual; `why` is "" where it is carried over as it is."""

    names: tuple[str, ...]
    fate: Fate
    why: str


@dataclass(frozen=True)
class FioEngine:
    """An ioengine. `note` is what differs; `refused` why none of its load is measured."""

    name: str
    note: str = ""
    refused: str = ""


@cache
def options() -> tuple[FioOption, ...]:
    """In the order of the table."""
    table = table_of_words()["fio"]["job_files"]
    found = [FioOption(tuple(each.split(", ")), "carried", "") for each in table["carried"]]
    for fate in ("noted", "refused", "meaningless"):
        for names, why in table[fate].items():
            found.append(FioOption(tuple(names.split(", ")), fate, why))
    return tuple(found)


@cache
def by_name() -> dict[str, FioOption]:
    """Every name of each."""
    return {name: option for option in options() for name in option.names}


@cache
def canonical() -> dict[str, str]:
    """The usual name of each, where a name means what another one means."""
    return {alias: usual for usual, *others in _SAME for alias in others}


_SAME = (
    ("rw", "readwrite"), ("bs", "blocksize"), ("bsrange", "blocksize_range"),
    ("nrfiles", "nr_files"), ("runtime", "timeout"), ("stonewall", "wait_for_previous"),
    ("iodepth_batch", "iodepth_batch_submit"), ("io_size", "io_limit"), ("ba", "blockalign"),
    ("iodepth_batch_complete_min", "iodepth_batch_complete"), ("steadystate", "ss"),
    ("steadystate_duration", "ss_dur"), ("rate_min", "ratemin"), ("offset", "fileoffset"),
    ("bs_unaligned", "blocksize_unaligned"), ("fill_device", "fill_fs"), ("mem", "iomem"),
    ("mem_align", "iomem_align"),
)  # fmt: skip


_PLACES_AND_TIMES = {
    "filename", "directory", "filename_format", "unique_filename", "size", "filesize", "nrfiles",
    "nr_files", "runtime", "timeout", "ramp_time", "time_based", "wait_for", "stonewall",
    "wait_for_previous", "randseed", "numjobs", "startdelay", "kb_base",
}  # fmt: skip
"""Where, when and for how long: given to fio as the study has it."""
_KEPT = {
    "norandommap", "softrandommap", "random_generator", "iodepth_batch_complete_min",
    "iodepth_batch_complete", "iodepth_batch_complete_max", "iodepth_low", "fixedbufs",
    "registerfiles", "nonvectored", "force_async", "thread", "file_service_type", "fadvise_hint",
    "verify", "io_submit_mode", "rate_cycle", "rate_ignore_thinktime", "thinktime_blocks_type",
    "blockalign", "ba", "sqthread_poll",
}  # fmt: skip
"""Besides what a study carries over: how fio draws and submits. Nothing else of a job is told to
fio, so that none of it runs a command, writes another file or changes the machine."""


def drawing(section: Section) -> list[Option]:
    """Of a job's section what says which requests there are and how they are submitted; not where,
    when and for how long, which a study has."""
    return [
        option
        for name, option in section.options.items()
        if name not in _PLACES_AND_TIMES
        and name in by_name()
        and (by_name()[name].fate == "carried" or name in _KEPT)
    ]


@cache
def engines() -> dict[str, FioEngine]:
    """Every ioengine by its name."""
    table = table_of_words()["fio"]["job_files"]
    taken = {
        name: FioEngine(name, note=note.removeprefix("+").removeprefix("="))
        for name, note in table["engines"].items()
    }
    refused = {
        name: FioEngine(name, refused=why)
        for names, why in table["no_engines"].items()
        for name in names.split(", ")
    }
    return taken | refused


def options_page() -> str:
    """docs/reference/fio.md."""
    lines = [_INTRODUCTION, "| option | here | |", "| --- | --- | --- |"]
    for option in sorted(options(), key=lambda each: each.names):
        names = ", ".join(f"`{name}`" for name in option.names)
        lines.append(f"| {names} | {FATES[option.fate]} | {option.why} |")
    lines += ["", "## ioengine", "", "| ioengine | here | |", "| --- | --- | --- |"]
    for engine in sorted(engines().values(), key=lambda each: each.name):
        here = "refused" if engine.refused else "with a note" if engine.note else "the same calls"
        lines.append(f"| `{engine.name}` | {here} | {engine.refused or engine.note} |")
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
# The options of fio, in a study

<!-- Made by `python -m fsgauge.converting` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What `fsgauge study from-fio JOB.fio` does with each option of fio 3.33. A refused option would \
make another load: the conversion fails, names its line, and says what comes nearest; \
`--without OPTION` leaves it out. With a value that changes nothing (`hipri=0`, `zonemode=none`) \
it is taken. [How a job becomes a study](../guides/fio.md) has the rest.
"""
