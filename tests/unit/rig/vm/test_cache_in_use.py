"""What a run uses of the cache is not removed under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsgauge.cli.rig import command
from fsgauge.errors import RigError
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.cache import in_use, is_in_use

GUEST: dict[str, object] = {
    "recipe": "one",
    "distribution": "Debian",
    "packages": [],
    "libraries": [],
    "kinds": ["ext4"],
}


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    with cache.being_made("guest-one", GUEST):
        pass
    return cache.cache_folder() / "guest-one"


def test_several_runs_hold_the_same_and_it_is_free_after_the_last(guest: Path) -> None:
    with in_use([guest]):
        with in_use([guest, guest]):
            assert is_in_use(guest)
        assert is_in_use(guest)
    assert not is_in_use(guest)


@pytest.mark.parametrize("words", [["guest-one"], ["--all"]])
def test_a_guest_is_not_removed_while_a_run_goes_on(guest: Path, words: list[str]) -> None:
    """A run that lost its machine later would have found no image to start another one from."""
    with in_use([guest]):
        refused = CliRunner().invoke(command, ["remove", *words], standalone_mode=False)
        assert isinstance(refused.exception, RigError)
        assert "guest-one is in use by a run" in refused.exception.what
        assert guest.is_dir()
    done = CliRunner().invoke(command, ["remove", *words], standalone_mode=False)
    assert done.output == "removed guest-one\n" and not guest.exists()
