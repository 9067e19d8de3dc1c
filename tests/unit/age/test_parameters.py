"""Parameters of profiles: units are written, unknown keys refused, nothing guessed."""

from __future__ import annotations

import pytest

from fsgauge.age.parameters import PROFILES, keys_of, profile_of
from fsgauge.cli.age import command
from fsgauge.errors import InputError
from fsgauge.wire import ChurnProfile, IntermingledProfile


def test_values_carry_their_units() -> None:
    found = profile_of("intermingled", ["chunk=8MiB", "files=4", "keep_files=3"])
    assert found == IntermingledProfile(chunk_bytes=8 << 20, files=4, keep_files=3)


def test_parts_of_a_profile_are_reached() -> None:
    found = profile_of(
        "churn", ["sizes.median=16KiB", "sizes.tail=0.5%", "lifetimes.median=2h", "rewrite=10%"]
    )
    assert isinstance(found, ChurnProfile)
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
