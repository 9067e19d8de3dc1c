"""What `fsgauge age` prints: what was done, findings, the layout before and after."""

from __future__ import annotations

from fsgauge.age.profile import notes_on_copies
from fsgauge.age.record import MadeTarget
from fsgauge.age.wearing import Fidelity, Worn
from fsgauge.engine.wire import AgeResult, ScanSource
from fsgauge.errors import escaped
from fsgauge.scan.numbers import difference_lines, doubts
from fsgauge.scan.words import difference_table
from fsgauge.scan.words import notes as scan_notes
from fsgauge.units import format_duration, format_size

_SHOWN = (
    "files_with_extents",
    "extents",
    "extents_per_file",
    "fragmented_percent",
    "layout_score",
    "mean_extent_bytes",
    "used_percent",
    "free_bytes",
    "free_extents",
    "largest_free_bytes",
    "free_at_least_1_mib_percent",
    "free_at_least_8_mib_percent",
)
_ENDED = {
    "complete": "completed",
    "time_limit": "stopped by the time limit",
    "out_of_space": "stopped: no space left",
    "gave_up": "stopped: operations failed one after the other",
    "interrupted": "stopped by Ctrl-C",
}


_SMALL_EXT_BYTES = 512 << 20
# Notes on a file system that was damaged or whose storage failed.
_FINDINGS = {"age.storage_failed", "age.damaged"}


def lines_of(made: MadeTarget, worn: Worn, fidelity: Fidelity | str) -> list[str]:
    return [
        f"{escaped(str(made.target))}  {what_was_done(worn)}",
        f"replayed     {how_it_went(worn.result)}",
        *(f"finding      {each}" for each in findings(worn.result)),
        *(f"note         {escaped(text)}" for text in notes(worn)),
        "",
        *difference_table(
            [
                line
                for line in difference_lines(worn.before, worn.after)
                if line.quantity.name in _SHOWN
            ]
        ),
        "",
        *fidelity_lines(worn.result, fidelity),
    ]


def what_was_done(worn: Worn) -> str:
    source, result = worn.after.source, worn.result
    profile = result.profile.kind.replace("_", "-")
    return (
        f"{source.file_system}, {profile} in mode {result.mode}, seed {result.seed},"
        f" {_ENDED[result.ended]}"
    )


def how_it_went(result: AgeResult) -> str:
    done = sum(each.done for each in result.operations)
    files = "file" if result.live_files == 1 else "files"
    age = "" if result.storage_age is None else f"; storage age {result.storage_age:.2f}"
    return (
        f"{done:,} operations in {format_duration(result.elapsed_ns)},"
        f" {format_size(result.written_bytes)} written;"
        f" {format_size(result.live_bytes)} in {result.live_files:,} {files} live{age}"
    )


def findings(result: AgeResult) -> list[str]:
    """What kept the log from being replayed in full."""
    found = []
    if result.ended != "complete":
        found.append(f"the log was {_ENDED[result.ended]}: the result up to then is kept")
    for error in result.errors:
        times = "once" if error.count == 1 else f"{error.count:,} times"
        found.append(
            f"{error.operation or 'syncfs'} failed {times}: {error.text}"
            f" (first at operation {error.first_operation:,})"
        )
    skipped = sum(each.skipped for each in result.operations)
    if skipped:
        found.append(f"{skipped:,} operations were skipped: their files could not be created")
    found += [escaped(note.text) for note in result.notes if note.code in _FINDINGS]
    return found


def notes(worn: Worn) -> list[str]:
    of_ageing = [note.text for note in worn.result.notes if note.code not in _FINDINGS]
    of_ageing += notes_on_copies(worn.result, worn.after.source.file_system)
    of_ageing += _small_blocks(worn.after.source)
    return of_ageing + scan_notes(worn.after) + doubts(worn.before, worn.after)


def _small_blocks(source: ScanSource) -> list[str]:
    """mke2fs.conf(5), e2fsprogs 1.47: the usage type "small" has blocks of 1024 bytes."""
    if not source.file_system.startswith("ext") or source.size_bytes >= _SMALL_EXT_BYTES:
        return []
    if source.block_size_bytes >= 4096:
        return []
    return [
        f"{source.file_system} has blocks of {format_size(source.block_size_bytes)}, the default of"
        f" mkfs below {format_size(_SMALL_EXT_BYTES)}; larger file systems have 4 KiB and another"
        ' layout: use a larger --size, or --mkfs "-b 4096"'
    ]


def fidelity_lines(result: AgeResult, fidelity: Fidelity | str) -> list[str]:
    """How far this mode's layout is from written files, with the floor and the other seed."""
    if result.mode == "write":
        return ["fidelity     mode write is the reference"]
    if isinstance(fidelity, str):
        return [f"fidelity     not measured: {fidelity}"]
    return [
        f"fidelity     distance from mode write on {format_size(fidelity.size_bytes)}:"
        f" extents {_far(fidelity.extent_length_distance)}"
        f" (written again {_far(fidelity.extent_length_floor)},"
        f" another seed {_far(fidelity.extent_length_other_seed)}),"
        f" free extents {_far(fidelity.free_length_distance)}"
        f" (written again {_far(fidelity.free_length_floor)},"
        f" another seed {_far(fidelity.free_length_other_seed)})"
    ]


def _far(distance: float | None) -> str:
    return "not known" if distance is None else f"{distance:.3f}"
