"""What is no results folder is led to what was meant by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.results_named import require_series, two_results
from fsgauge.errors import InputError


def made(*folders: Path) -> list[Path]:
    """Results folders, as far as anyone looks."""
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "study.json").write_text("{}")
    return list(folders)


def refused(*typed: str) -> InputError:
    with pytest.raises(InputError) as refusal:
        two_results([Path(each) for each in typed])
    return refusal.value


def test_two_results_folders_are_a_and_b(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", tmp_path / "b")
    assert two_results([a, b]) == (a, b)
    # What is wrong with one of them is said where it is read.
    assert two_results([a, tmp_path / "gone"]) == (a, tmp_path / "gone")
    assert two_results([Path("gone"), Path("gone too")]) == (Path("gone"), Path("gone too"))


@pytest.mark.parametrize(
    ("typed", "next_command"),
    [
        ("ext4 xfs", "fsgauge plan overhead --baseline ext4 --system ext4 --system xfs"),
        ("ext4 xfs:mount=noatime", "--system ext4 --system xfs:mount=noatime"),
        ("x/a", "fsgauge compare x/a B, or fsgauge report x/a"),
        ("x/a x/b y/a y/b", "fsgauge compare x/a y/a --more-a x/b --more-b y/b"),
        ("y/a x/a x/b", "fsgauge compare y/a x/a --more-b x/b"),
        ("x/a x/b x/c", "fsgauge history x/a x/b x/c"),
        ("x/a y/a z/a", "fsgauge history x/a y/a z/a"),
    ],
)
def test_systems_and_any_number_of_folders_but_two(typed: str, next_command: str) -> None:
    """`compare before/* after/*` of a study that was run twice was an unexpected argument, and
    `compare ext4 xfs` said that there is no folder ext4."""
    assert refused(*typed.split()).next.endswith(next_command)


def test_what_is_no_results_folder_is_named_and_the_others_are_taken(tmp_path: Path) -> None:
    """`compare empty A B` proposed a comparison that began with the empty folder."""
    a, b, c = map(str, made(*(tmp_path / each for each in ("x/a", "y/b", "y/c"))))
    (empty := tmp_path / "empty").mkdir()
    gone = str(tmp_path / "gone")
    error = refused(str(empty), a, b)
    assert error.what == f"{empty} is not a results folder"
    assert error.next == f"fsgauge compare {a} {b}"
    assert two_results([Path(each) for each in error.next.split()[2:]]) == (Path(a), Path(b))
    assert refused(str(empty), a, gone).next == f"fsgauge report {a}"
    assert refused(a, gone, b, c).next == f"fsgauge compare {a} {b} --more-b {c}"


def test_folders_to_measure_are_measured_by_one_study(tmp_path: Path) -> None:
    for name in ("a", "b c"):
        (tmp_path / name).mkdir()
    error = refused(str(tmp_path / "a"), str(tmp_path / "b c"))
    assert error.next == f"fsgauge plan {tmp_path}/a '{tmp_path}/b c'"
    # A folder above results is told by its name, where it is read.
    made(tmp_path / "a" / "gate-2026-11-01-120000")
    assert two_results([tmp_path / "a", tmp_path / "b c"])


def test_the_folder_above_a_series_is_led_to_all_of_it(tmp_path: Path) -> None:
    names = [*(f"gate-2026-11-0{day}-120000" for day in (1, 2, 3)), "other-2026-11-01-120000"]
    made(*(tmp_path / "all" / each for each in names))
    with pytest.raises(InputError, match="holds 3 of gate") as refusal:
        require_series([tmp_path / "all"])
    assert refusal.value.next == f"fsgauge history {tmp_path}/all/gate-*"
    require_series([tmp_path / "all" / names[0]])
    require_series([tmp_path / "gone"])
    require_series([tmp_path / "all", tmp_path / "all"])
