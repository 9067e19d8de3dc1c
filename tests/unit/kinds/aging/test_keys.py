"""The kind `aging` as a person writes it: what is refused, where, and the way out."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.kinds.aging.method import AgingMethod
from fsgauge.plan.space import planned_room
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.workload import cells_of, default_primary
from fsgauge.workload.folders import AgedFolders

SYSTEM = ['name = "ext4"', 'allocation_chunk = "8 MiB"']


def text(workload: list[str], system: list[str], storage: list[str]) -> str:
    return "\n".join(
        [
            "format = 1",
            'question = "How fast is it in three years?"',
            *("[storage]", *storage),
            *("[[system]]", *system),
            *("[workload]", 'kind = "aging"', *workload),
            "",
        ]
    )


def read(
    *lines: str, system: list[str] = SYSTEM, storage: tuple[str, ...] = ('kind = "loop"',)
) -> Study:
    return parse_study(text([*lines], system, [*storage]), "my.toml", "my")


def workload(*lines: str) -> AgingWorkload:
    found = read(*lines).workload
    assert isinstance(found, AgingWorkload)
    return found


def test_the_defaults_are_the_published_method() -> None:
    found = workload()
    assert (found.files, found.streams, found.record_size) == (20, 4, 1 << 20)
    assert found.levels == list(range(5, 101, 5))
    assert found.aged_by is None


@pytest.mark.parametrize(("files", "first"), [(4, 25), (10, 10), (100, 1)])
def test_levels_follow_the_number_of_files(files: int, first: int) -> None:
    assert workload(f"files = {files}").levels == list(range(first, 101, first))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["files = 7"], ["cannot each be the same whole percentage", "files = 20"]),
        (['levels = ["7 %"]'], ["7 % is never free", "a multiple of 5 %"]),
        (['levels = ["5 %", "5 %"]'], ["twice"]),
        (["levels = [5]"], ["5 has no unit"]),
        (['levels = ["0 %"]'], ["levels"]),
        (['fill = "99 %"'], ["fill"]),
        (['rate_fill = "100 %"'], ["rate_fill"]),
        (['record_size = "1000 B"'], ["512 B"]),
        (['data = "zero"', "verify = true"], ["cannot be verified"]),
        (
            ['record_size = "1000 B"', "verify = true", "direct = false"],
            ["written in sectors of 512 B, and record_size is 1000 B"],
        ),
        (['aged_by = "direct"'], ["would be ignored", "every system has an", "leave aged_by out"]),
        (['record_size = "3 MiB"'], ["not a multiple of the record size, 3 MiB"]),
        (["clients = 4"], ["workload.jobs", "only a study of kind overhead has"]),
    ],
)
def test_a_mistake_is_refused_with_a_way_out(lines: list[str], words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        read(*lines)
    for word in words:
        assert word in refusal.value.render()


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (['name = "raw"'], ["needs files", "bare device"]),
        (['name = "ext4"', 'extent_size_hint = "1 MiB"'], ["XFS has such hints", "allocation_"]),
        (['name = "ext4"', 'allocation_chunk = "1"'], ["no unit"]),
        (['name = "xfs"', 'extent_size_hint = "1028 KiB"'], ["nor a divisor of the record size"]),
        (
            ['name = "xfs"', 'mount = "allocsize=64m"', 'allocation_chunk = "8 MiB"'],
            ["allocsize would be ignored: fallocate", "leave one of them out"],
        ),
        (['name = "ext4"', 'allocation_chunk = "512 KiB"'], ["not a multiple of the record size"]),
    ],
)
def test_a_system_that_cannot_be_aged_so_is_refused(system: list[str], words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        read(system=system)
    for word in words:
        assert word in refusal.value.render()


ALLOCSIZE = ['name = "xfs"', 'mount = "noatime,allocsize=64m"']


@pytest.mark.parametrize("lines", [[], ['aged_by = "direct"']])
def test_allocsize_is_refused_where_files_are_written_past_the_page_cache(lines: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        read(*lines, system=ALLOCSIZE)
    words = refusal.value.render()
    assert "allocsize would be ignored: it applies to buffered writes" in words
    assert "--set workload.aged_by=write" in words


@pytest.mark.parametrize("line", ['aged_by = "write"', "direct = false"])
def test_allocsize_has_an_effect_through_the_page_cache(line: str) -> None:
    assert read(line, system=ALLOCSIZE).systems[0].mount == "noatime,allocsize=64m"


def test_rates_may_be_measured_through_the_page_cache() -> None:
    """tmpfs was refused: "a file system that has it" was the way out."""
    through = read("direct = false", 'record_size = "1000 B"', system=['name = "xfs"']).workload
    assert isinstance(through, AgingWorkload)
    assert (through.written_by, through.passes_cache) == ("write", False)
    aged_past_it = read("direct = false", 'aged_by = "direct"', system=['name = "xfs"']).workload
    assert isinstance(aged_past_it, AgingWorkload) and aged_past_it.passes_cache
    assert workload().written_by == "direct" and workload().passes_cache


def test_a_study_without_the_key_is_as_those_were_that_did_not_know_it() -> None:
    assert "direct" not in workload().model_dump(mode="json")
    assert read("direct = false").workload.model_dump(mode="json")["direct"] is False


def test_the_shipped_study_pays_no_allocation_below() -> None:
    for name in ("aging", "aging-full", "aging-as-published"):
        storage = load_study(name).storage
        assert storage.kind == "loop" and storage.preallocate


def test_fallocate_needs_to_know_how_much() -> None:
    with pytest.raises(InputError) as refusal:
        read('aged_by = "fallocate"', system=['name = "ext4"'])
    assert '"ext4" has no allocation_chunk' in refusal.value.render()


def test_what_is_mounted_is_never_filled_up() -> None:
    """Files are aged in a folder, without a file that takes all that is free there."""
    storage = ('kind = "path"', 'path = "/mnt/a"')
    study = read(system=['name = "a"', 'kind = "mounted"'], storage=storage)
    method = AgingMethod(study.workload).in_room(planned_room(study, 8 << 30))
    alone = AgedFolders(directory="/x", file_size_bytes=1 << 28, rate_file_bytes=1 << 24)
    shared = alone.model_copy(update={"is_alone": False})
    first = next(cell for cell in cells_of(study.workload) if cell.id == "free-05-write")
    assert [step.step for step in method.steps_before(first, alone, 1)] == [
        *("clear", "age", "ballast", "delete")
    ]
    assert [step.step for step in method.steps_before(first, shared, 1)] == [
        *("clear", "age", "delete")
    ]
    assert any("ballast: none" in line for line in method.held_equal("", has_raw=False))
    assert "the rest of its file system has" in method.cannot_tell()


@pytest.mark.parametrize("key", ["allocation_chunk", "extent_size_hint"])
def test_other_kinds_would_ignore_how_space_is_given(key: str) -> None:
    with pytest.raises(InputError) as refusal:
        load_study("overhead", [], [f"xfs:{key}=8MiB"])
    assert f"{key} would be ignored" in refusal.value.render()
    assert "kind aging" in refusal.value.render()


def test_the_command_line_gives_space_too() -> None:
    specs = ["xfs:allocation_chunk=8MiB;mount=noatime", "hint=xfs:extent_size_hint=4MiB"]
    _, chunk, hint = load_study("aging", [], specs).systems
    assert (chunk.allocation_chunk, chunk.mount) == (8 << 20, "noatime")
    assert "allocation_chunk 8MiB" in chunk.name
    assert (hint.name, hint.extent_size_hint, hint.allocation_chunk) == ("hint", 4 << 20, None)


@pytest.mark.parametrize(
    ("overrides", "systems"),
    [
        ([], []),
        (['workload.levels=["5 %","50 %"]', "workload.verify=true"], ["xfs:extent_size_hint=8MiB"]),
        (["workload.files=4"], []),
    ],
)
def test_what_is_dumped_reads_back(overrides: list[str], systems: list[str]) -> None:
    study = load_study("aging-full", overrides, systems)
    assert parse_study(dump_study(study), "again.toml", "aging-full") == study


def test_the_record_of_a_study_reads_back() -> None:
    study = load_study("aging-full", ["workload.files=10"])
    assert Study.model_validate_json(study.model_dump_json(by_alias=True)) == study


def test_cells_go_from_clean_to_free_and_write_before_they_read() -> None:
    found = workload('levels = ["100 %", "5 %"]')
    assert [cell.id for cell in cells_of(found)] == [
        *("clean-write", "clean-read"),
        *("free-05-write", "free-05-read"),
        *("free-100-write", "free-100-read"),
    ]
    clean, *_, last = cells_of(found)
    assert (clean.factors["wear"], "free_percent" in clean.factors) == ("clean", False)
    assert clean.name == "write, clean"
    assert (last.factors["wear"], last.factors["free_percent"]) == ("aged", 100)
    assert last.name == "read, 100 % free"
    assert default_primary(found) == ["free-05-write", "free-05-read"]
