"""What is kept at the level that the study named, in a sentence under 60 words."""

from __future__ import annotations

import pytest

from tests.synthetic_aging import SYSTEMS, make_aging

WORDS = 60


def answer(**changes: object) -> str:
    return make_aging(**{"levels": (5, 50), "maps": False, **changes}).results().answer


def shares(said: str) -> str:
    """Without the sentence that names the best size, and the model's."""
    return said[said.index("At 5 % free, ") :].partition(" A model")[0]


def test_measured_first_then_the_model_in_a_sentence_of_its_own() -> None:
    said = answer()
    assert said.startswith("ext4 8 MiB keeps its write rate best at 5 % free: 9")
    assert "). At 5 % free, writes keep 6" in said
    assert "of their clean rate on ext4 1 MiB (" in said and "ext4 8 MiB" in said
    measured, _, predicted = said.partition(" A model")
    assert predicted.startswith(", not a measurement, predicts 30 % on ext4 1 MiB, 51 % on ")
    assert predicted.endswith(" and 91 % on ext4 8 MiB for a disk with heads.")
    assert "; reads " in measured and len(shares(said).split()) < WORDS


def test_systems_come_in_the_order_of_the_question() -> None:
    """The one that keeps least led, whichever was the baseline."""
    backwards = dict(reversed(SYSTEMS.items()))
    measured = shares(answer(systems=backwards))
    assert next(iter(backwards)) == "ext4 8 MiB"
    places = [measured.index(f" on {name} (") for name in backwards]
    assert places == sorted(places)


def test_two_systems_are_both_named() -> None:
    two = {name: SYSTEMS[name] for name in ("ext4 1 MiB", "ext4 8 MiB")}
    said = answer(systems=two)
    assert "between" not in said and len(shares(said).split()) < WORDS


def test_one_system_has_an_answer_too() -> None:
    said = answer(systems={"xfs": None})
    assert "writes keep 7" in said and "on xfs (" in said


def test_a_disk_with_heads_is_measured_and_not_predicted_in_the_answer() -> None:
    assert "model" not in answer(storage_kind="device", rotational="1")
    assert "model" in answer(storage_kind="device", rotational="0")


def test_few_blocks_decide_nothing() -> None:
    said = answer(blocks=2)
    assert said.startswith("Undecided: 2 complete blocks cannot tell an effect from noise.")
    assert "At 5 % free, writes kept" in said


@pytest.mark.parametrize("blocks", [1, 2])
def test_what_is_undecided_is_still_predicted_where_nothing_seeks(blocks: int) -> None:
    said = answer(blocks=blocks)
    assert said.startswith("Undecided")
    assert " on ext4 8 MiB of their clean rate; reads " in said
    assert " A model, not a measurement, predicts 30 % on ext4 1 MiB, 51 % on " in said
    assert "model" not in answer(blocks=blocks, storage_kind="device", rotational="1")


def test_equal_systems_are_said_to_be_equal() -> None:
    said = answer(kept=lambda chunk, free, side: 1.0, noise=0.003)
    assert said.startswith(
        "No size is proven to keep its write rate better than another. At 5 % free, writes and"
        " reads keep their clean rate within 3 %"
    )
    assert all(name in said for name in SYSTEMS)


def test_sizes_that_are_not_told_apart_are_the_best_together() -> None:
    """The question is which size, and the answer listed what each keeps."""
    said = answer(kept=lambda chunk, free, side: 0.6 if chunk < 4 << 20 else 0.9)
    assert said.startswith(
        "ext4 4 MiB and ext4 8 MiB keep their write rate best, and are not told from one another. "
    )


def test_of_systems_that_differ_otherwise_none_is_the_best_size() -> None:
    assert answer(systems=dict.fromkeys(("ext4", "xfs"))).startswith("At 5 % free, writes keep ")
    same = dict.fromkeys(("ext4 1 MiB", "xfs 1 MiB"), 1 << 20)
    assert answer(systems=same).startswith("At 5 % free, writes keep ")


def test_before_anything_is_measured() -> None:
    assert answer(made_runs=1).startswith("No answer yet")


@pytest.mark.parametrize("number", [5, 9])
def test_many_systems_with_long_names_stay_short(number: int) -> None:
    systems = {f"ext4, allocation chunk of size {at}": 1 << 20 for at in range(number)}
    said = answer(systems=systems, levels=(5,), blocks=3).partition(" A model")[0]
    assert len(said.split()) < WORDS and "between" in said
    assert f" on {next(iter(systems))} (" in said
