"""Parameters of profiles: units are written, unknown keys refused, nothing guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.age.profile import PROFILES, file_system_of, keys_of, mode_and_fill, profile_of
from fsgauge.cli.age import command
from fsgauge.engine import wire
from fsgauge.errors import InputError


def test_values_carry_their_units() -> None:
    found = profile_of("intermingled", ["chunk=8MiB", "files=4", "keep_files=3"])
    assert found == wire.IntermingledProfile(chunk_bytes=8 << 20, files=4, keep_files=3)


def test_parts_of_a_profile_are_reached() -> None:
    found = profile_of(
        "churn", ["sizes.median=16KiB", "sizes.tail=0.5%", "lifetimes.median=2h", "rewrite=10%"]
    )
    assert isinstance(found, wire.ChurnProfile)
    assert found.sizes.kind == "lognormal_pareto" and found.lifetimes.kind == "lognormal"
    assert (found.sizes.median_bytes, found.sizes.tail_percent) == (16 << 10, 0.5)
    assert (found.lifetimes.median_ns, found.rewrite_percent) == (2 * 3600 * 10**9, 10)


def test_a_flag_is_read() -> None:
    assert profile_of("connections", ["fsync=true"]).model_dump()["fsync"] is True


@pytest.mark.parametrize("name", PROFILES)
def test_nothing_set_is_the_default(name: str) -> None:
    assert profile_of(name, []) == PROFILES[name]
    assert len(keys_of(name)) >= 4


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("chunk", "sets nothing"),
        ("chunks=1MiB", 'did you mean "chunk"'),
        ("chunk=1", "no unit"),
        ("files=many", "files"),
        ("kind=churn", 'has no "kind"'),
    ],
)
def test_a_wrong_setting_is_named(setting: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        profile_of("intermingled", [setting])
    assert words in caught.value.render() and caught.value.next


def test_the_command_takes_every_profile() -> None:
    choice = next(each for each in command.params if each.name == "profile")
    assert list(choice.type.choices) == list(PROFILES)


DATABASE = wire.DatabaseProfile()
FIVE = wire.StorageAgeEnd(storage_age=5)


def test_defaults_follow_what_an_overwrite_does() -> None:
    assert mode_and_fill(DATABASE, "btrfs", None, None, FIVE) == ("write", 40.0)
    assert mode_and_fill(DATABASE, "btrfs", "direct", None, FIVE) == ("direct", 40.0)
    assert mode_and_fill(DATABASE, "ext4", None, None, FIVE) == ("fast", 80.0)
    assert mode_and_fill(wire.ChurnProfile(), "btrfs", None, None, FIVE) == ("fast", 80.0)


def test_what_is_asked_for_stays() -> None:
    assert mode_and_fill(DATABASE, "xfs", "fast", 90.0, FIVE) == ("fast", 90.0)
    assert mode_and_fill(DATABASE, "btrfs", "write", 30.0, FIVE) == ("write", 30.0)


def test_fast_is_refused_with_its_reason() -> None:
    with pytest.raises(InputError, match="fast cannot overwrite on btrfs") as caught:
        mode_and_fill(DATABASE, "btrfs", "fast", None, FIVE)
    assert "punch holes and fill" in caught.value.render()


@pytest.mark.parametrize(
    ("fill_percent", "end", "fits"),
    [
        (50.0, FIVE, True),
        (60.0, FIVE, False),
        (80.0, wire.StorageAgeEnd(storage_age=1.2), True),
        (90.0, wire.StorageAgeEnd(storage_age=1.2), False),
        (90.0, wire.OperationsEnd(operations=100), True),
    ],
)
def test_a_fill_without_room_for_the_copies_is_refused(
    fill_percent: float, end: wire.AgeEnd, fits: bool
) -> None:
    if fits:
        assert mode_and_fill(DATABASE, "btrfs", None, fill_percent, end)[1] == fill_percent
        return
    with pytest.raises(InputError, match="no room for overwrites") as caught:
        mode_and_fill(DATABASE, "btrfs", None, fill_percent, end)
    assert caught.value.next == "--fill 40%"


def test_the_file_system_of_a_folder_is_as_the_kernel_names_it() -> None:
    assert file_system_of(Path("/proc")) == "proc"
