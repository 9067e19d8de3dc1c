"""Cells of metadata, what the answer is about, and keys that contradict one another."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.metadata.factors import MetadataFactors
from tests.unit.kinds.metadata.studies import workload


def names(*overrides: str) -> list[str]:
    return [cell.name for cell in workload(*overrides).cells()]


def test_each_set_of_files_has_all_operations_in_their_order() -> None:
    found = names("clients=2", 'operations=["unlink","create","stat"]', "entries=40")
    sets = ("own folder, 40 files of 0 B", "shared folder, 40 files of 0 B")
    order = ("create", "stat", "unlink")
    assert found == [f"{each}, 2 clients, {of}" for of in sets for each in order]


def test_empty_files_are_not_read() -> None:
    keys = ("clients=1", 'folders="own"', 'file_sizes=["0 B","4 KiB"]', "entries=10")
    found = names(*keys, 'operations=["create","read"]')
    assert [each.split(",")[0] for each in found] == ["create", "create", "read"]


def test_the_answer_is_of_the_most_clients_in_one_folder() -> None:
    made = workload("clients=[1,4]")
    factors = {cell.id: MetadataFactors.of(cell) for cell in made.cells()}
    primary = [factors[each] for each in made.default_primary()]
    assert [each.operation for each in primary] == ["create", "stat", "unlink"]
    assert {(each.clients, each.folder) for each in primary} == {(4, "shared")}


def test_of_several_numbers_of_files_creates_are_told_with_the_fewest_too() -> None:
    made = workload("clients=4", "entries=[400,40,1000]")
    factors = {cell.id: MetadataFactors.of(cell) for cell in made.cells()}
    primary = [factors[each] for each in made.default_primary()]
    assert [(each.operation, each.entries) for each in primary] == [
        ("create", 40),
        ("create", 1000),
        ("stat", 1000),
        ("unlink", 1000),
    ]
    assert {cell.factors["entries"] for cell in made.paced_loads()} == {1000}


def test_records_are_judged_by_operations_and_files_by_files() -> None:
    made = workload('operations=["record write","record read"]', "clients=2")
    factors = [MetadataFactors.of(cell) for cell in made.cells()]
    assert [each.metric for each in factors] == ["iops", "iops"]
    assert len(made.default_primary()) == 2
    assert MetadataFactors.of(workload().cells()[0]).metric == "files"


def test_words_of_a_cell() -> None:
    first = MetadataFactors.of(workload("clients=1", "file_sizes='3901 B'").cells()[0])
    assert first.noun == "creates by 1 client, own folders, in all 10,000 files of 3901 B"
    shared = MetadataFactors.of(workload("clients=4").cells()[-1])
    assert shared.place == "4 clients, shared folder of 10,000 empty files"
    assert shared.panel == "unlink, shared folder of 10,000 empty files"
    one = workload("clients=1", "entries=1", "file_sizes=['0 B', '1 KiB']").cells()
    said = {MetadataFactors.of(cell).place.partition("in all ")[2] for cell in one}
    assert {"1 empty file", "1 file of 1 KiB"} < said


@pytest.mark.parametrize(
    ("overrides", "what"),
    [
        (("entries=3", "clients=4"), "4 clients are more than the 3 files"),
        (("entries=10", "clients=4"), "next: entries = 12"),
        (("entries=10", "clients=[4,6]"), "next: entries = 12"),
        (("entries=100", "clients=[3,7]"), "next: entries = 105"),
        (('stonewall="2 s"', 'time_limit="2 s"'), "the time limit, 2 s, comes before"),
        (('operations=["stat"]',), "no operation makes them"),
        (('operations=["create"]', 'sync_after=["unlink"]'), "unlink is not done"),
        (('operations=["create","read"]',), "nothing to read in empty files"),
        (('operations=["record read"]',), "needs the file that record write makes"),
        (('operations=["record write"]', "fsync=true"), "no operation is on files"),
        (("records=5",), "no operation is on records"),
        (('operations=["create"]', 'order="random"'), "no operation comes to files"),
        (("clients=5000",), "less than or equal to 4096|at most 4096|4096"),
    ],
)
def test_what_cannot_be_is_refused(overrides: tuple[str, ...], what: str) -> None:
    with pytest.raises(InputError) as refusal:
        workload(*overrides)
    assert any(each in refusal.value.render() for each in what.split("|")), refusal.value.render()
