"""Data that was lost leads the answer of every kind of study, whatever else is wrong with it.

Noise led before: a study that lost data on a noisy machine began with "Not valid: the baseline
differs from itself", and a study of churn did not mention files that were gone at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fsgauge.engine.wire import ClientErrorKind, FaultyBlock, NetworkResult
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import RunRecord
from fsgauge.stats import Results
from fsgauge.stats.evidence import continued
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.folders.history import follow
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.lost_data import LOST_DATA, lost_files
from tests.spoiled import (
    noisy,
    with_bad_records,
    with_damage,
    with_damage_met_by_clients,
    with_lost_files,
    with_other_bytes,
    with_wrong_blocks,
)
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic.setting import with_result
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import OTHER, make_connections
from tests.synthetic_serving import make_serving
from tests.synthetic_writers import make_writers

Make = Callable[[], SyntheticStudy]
Spoil = Callable[[Any, str], Any]

OVERHEAD: Make = lambda: make_study(**ONE_CELL)  # noqa: E731
WRITERS: Make = lambda: make_writers(writers=(1, 2))  # noqa: E731
AGING: Make = lambda: make_aging(levels=(5, 50), maps=False)  # noqa: E731
CHURN: Make = lambda: make_churn(fills=(95,))  # noqa: E731
CONNECTIONS: Make = lambda: make_connections(clients=20)  # noqa: E731


def read(made: SyntheticStudy) -> Results:
    """What statistics make of a study of any kind."""
    results = getattr(made, "results", None)
    if results is not None:
        found: Results = results()
        return found
    return made.results()


@pytest.mark.parametrize(
    ("make", "system", "spoil", "beginning"),
    [
        (OVERHEAD, "xfs", with_wrong_blocks, "xfs did not keep what was written: in"),
        (OVERHEAD, "xfs", with_damage, "xfs found its own structures damaged. First block 8, xfs"),
        (OVERHEAD, "xfs", with_other_bytes, "xfs did not give back what was written. A read of"),
        (WRITERS, "xfs", with_wrong_blocks, "xfs did not keep what was written: in"),
        (AGING, "ext4 1 MiB", with_wrong_blocks, "ext4 1 MiB did not keep what was written: in"),
        (CHURN, "xfs", with_bad_records, "xfs did not give back what was written: 2 bad records"),
        (CHURN, "xfs", with_lost_files, "xfs lost what was written, or another program"),
        (CONNECTIONS, OTHER, with_bad_records, "ext4 delalloc did not give back what was written"),
        (CONNECTIONS, OTHER, with_lost_files, "ext4 delalloc lost what was written, or"),
        (CONNECTIONS, OTHER, with_damage_met_by_clients, "ext4 delalloc found its own structures"),
    ],
)
def test_lost_data_leads_the_answer_before_noise(
    make: Make, system: str, spoil: Spoil, beginning: str
) -> None:
    results = read(spoil(noisy(make()), system))
    assert "noise.drift" in {each.code for each in results.findings}
    assert results.answer.startswith(f"Not valid: {beginning}"), results.answer
    assert results.findings[0].code in LOST_DATA
    assert results.sureness.data_lost and not results.sureness.valid
    assert len(results.answer.split()) <= 60


@pytest.mark.parametrize("make", [OVERHEAD, WRITERS, AGING, CHURN, CONNECTIONS])
def test_a_study_that_lost_nothing_is_not_accused(make: Make) -> None:
    for made in (make(), noisy(make())):
        results = read(made)
        assert not results.sureness.data_lost
        assert not {each.code for each in results.findings} & set(LOST_DATA)


@pytest.mark.parametrize("kind", ["missing", "short"])
def test_files_that_their_writer_gave_up_were_not_lost(kind: ClientErrorKind) -> None:
    """A file that a client gave up while it wrote it is gone or short later; that is no loss."""
    gave_up = make_connections(
        clients=20,
        lost=lambda turn, cell: (1, 0) if ConnectionsFactors.of(cell).test == "write" else (0, 0),
    )
    spoiled = with_lost_files(gave_up, OTHER, kind)
    assert read(with_lost_files(CONNECTIONS(), OTHER, kind)).sureness.data_lost
    assert not read(spoiled).sureness.data_lost


def test_files_that_were_cut_short_by_the_time_limit_were_not_lost() -> None:
    cut = make_connections(
        clients=20, cut=lambda turn, cell: ConnectionsFactors.of(cell).test == "write"
    )
    assert not read(with_lost_files(cut, OTHER)).sureness.data_lost


def test_a_file_that_was_removed_before_the_answer_was_lost_is_no_loss() -> None:
    """A client that connects again asks again, and the file that it removes is gone already."""
    made = with_lost_files(CONNECTIONS(), OTHER)
    network = NetworkResult(
        protocol="SMB 3.1.1",
        connections=20,
        reconnections=1,
        null_operation_ns=50_000,
        sent_bytes=10**6,
        received_bytes=10**6,
    )

    def connected_again(run: RunRecord) -> RunRecord:
        assert run.result is not None and run.result.clients is not None
        clients = run.result.clients.model_copy(update={"network": network})
        return with_result(run, run.result.model_copy(update={"clients": clients}))

    assert lost_files(made.runs)
    assert not lost_files([connected_again(run) for run in made.runs])


def test_data_lost_over_the_path_beside_a_server_is_not_hidden() -> None:
    """Runs over the path are in no other number; nobody was told of what they lost."""
    made = make_serving(blocks=3, clients=20)
    path = replace(made, runs=made.path_runs)
    system = made.path_runs[0].system
    spoiled = replace(made, path_runs=with_bad_records(path, system).runs)
    assert read(spoiled).answer.startswith(f"Not valid: {system} did not give back")
    assert not read(made).sureness.data_lost


def side(label: str, made: SyntheticStudy, day: int = 0) -> Side:
    started = made.study.started_unix_ns + day * 86_400 * 10**9
    study = made.study.model_copy(update={"started_unix_ns": started})
    return Side(label, study, made.turns, made.runs, made.before, made.after)


@pytest.mark.parametrize("spoiled", ["a", "b"])
def test_a_comparison_says_first_which_side_lost_data(spoiled: str) -> None:
    from fsgauge.report.compared import cautions, summary

    made = {label: make_study(**ONE_CELL, seed=seed) for label, seed in (("a", 1), ("b", 2))}
    assert summary(compare_sides(*map(side, "ab", made.values()))).startswith("b against a: ")
    made[spoiled] = with_wrong_blocks(noisy(made[spoiled]), "xfs")
    between = compare_sides(*map(side, "ab", made.values()))
    said = summary(between)
    assert said.startswith(f"Not valid: {spoiled}: xfs did not keep what was written: ")
    assert "b against a: " in said
    assert not any("did not keep" in each for each in cautions(between))


def test_a_history_says_first_which_folder_lost_data() -> None:
    from fsgauge.report.history import cautions, summary

    sides = [side(str(day), make_study(**ONE_CELL, seed=60 + day), day) for day in range(3)]
    lost = with_wrong_blocks(make_study(**ONE_CELL, seed=70), "xfs")
    history = follow([*sides, side("new", lost, 3)])
    assert history.data_lost == ["new"] and "new" in history.left_out
    assert summary(history).startswith("Not valid: new: xfs did not keep what was written: ")
    said = "new is left out, as it is not valid: "
    assert any(each.startswith(said) for each in cautions(history))


def test_a_history_of_lost_folders_alone_says_what_was_lost() -> None:
    from fsgauge.report.history import summary

    lost = [with_wrong_blocks(make_study(**ONE_CELL, seed=70 + day), "xfs") for day in range(2)]
    history = follow([side(str(day), made, day) for day, made in enumerate(lost)])
    said = summary(history)
    assert said.startswith("Not valid: 0: xfs did not keep") and "lost in 1 too" in said


@pytest.mark.parametrize("name", ["XFS, allocsize 64 MiB", "eXT4 my-Name", "A b", "Öko", "The"])
def test_a_system_is_called_by_its_name_as_it_was_written(name: str) -> None:
    """A sentence behind "Not valid:" begins small; "XFS, allocsize 64 MiB" became "xFS, ..."."""
    made = make_study(**ONE_CELL, systems={"raw": "raw", name: "xfs"})
    results = read(with_wrong_blocks(made, name))
    assert results.answer.startswith(f"Not valid: {name} did not keep")
    assert results.sureness.invalid_reason.startswith(f"{name} did not keep")


@pytest.mark.parametrize(
    ("name", "sentence", "said"),
    [
        ("XFS, allocsize 64 MiB", "XFS, allocsize 64 MiB did not", "XFS, allocsize 64 MiB did not"),
        ("eXT4 my-Name", "eXT4 my-Name did not", "eXT4 my-Name did not"),
        ("A b", "A b, ext4 did not", "A b, ext4 did not"),
        ("Öko", "Öko did not", "Öko did not"),
        ("İ", "İ did not", "İ did not"),
        ("I", "In 3 of 8 runs, it was so.", "in 3 of 8 runs, it was so."),
        ("raw", "The baseline differs.", "the baseline differs."),
    ],
)
def test_a_name_keeps_its_case_behind_a_colon(name: str, sentence: str, said: str) -> None:
    assert continued(sentence, [name, "ext4"]) == said


def test_places_of_one_fault_are_said_together() -> None:
    """ "corrupt at byte 0, corrupt at byte 4096, corrupt at byte 8192" """
    made = with_wrong_blocks(OVERHEAD(), "xfs")
    places = [("corrupt", 0, 0), ("corrupt", 0, 4096), ("torn", 2, 512)]
    faulty = [
        FaultyBlock(fault=fault, file=file, offset_bytes=at, first_byte=at, detail="")
        for fault, file, at in places
    ]

    def planted(run: RunRecord) -> RunRecord:
        if run.result is None or run.result.integrity is None:
            return run
        integrity = run.result.integrity.model_copy(update={"faulty": faulty})
        return with_result(run, run.result.model_copy(update={"integrity": integrity}))

    said = read(replace(made, runs=[planted(run) for run in made.runs])).findings[0]
    together = "corrupt at byte 0 and 4096, torn at byte 512 of file 2"
    assert together in said.sentence and together in said.where[0]
