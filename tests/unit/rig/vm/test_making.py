"""The guest's root beside the packages' files."""

from __future__ import annotations

import fcntl
import os
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.build import making
from fsgauge.rig.vm.build.making import chosen_between, complete, kernels_between
from fsgauge.rig.vm.recipe import GUEST, recipe


def made(root: Path) -> Path:
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/grep").write_text("the package's own")
    wanted = replace(recipe(), users=("statd", "_rpc"), busybox=("grep", "less"))
    complete(root, wanted)
    return root


def test_services_have_accounts_of_their_own(tmp_path: Path) -> None:
    lines = (made(tmp_path) / "etc/passwd").read_text().splitlines()
    users = {line.split(":")[0]: int(line.split(":")[2]) for line in lines}
    assert set(users) == {"root", "nobody", "statd", "_rpc"}
    assert users["root"] == 0 and len(set(users.values())) == 4


def test_scripts_are_there_but_the_one_of_the_first_stage(tmp_path: Path) -> None:
    own = made(tmp_path) / "usr/lib/fsgauge"
    assert {each.name for each in own.iterdir()} == {
        each.name for each in GUEST.iterdir() if each.name != "init"
    }
    assert all(os.access(each, os.X_OK) for each in own.iterdir())


def test_busybox_takes_only_names_that_are_free(tmp_path: Path) -> None:
    programs = made(tmp_path) / "usr/bin"
    assert (programs / "grep").read_text() == "the package's own"
    assert str((programs / "less").readlink()) == "busybox"


KNOWN = [
    "linux-image-6.1.0-9-amd64",
    "linux-image-6.1.0-47-amd64",
    "linux-image-6.1.0-47-cloud-amd64",
    "linux-image-6.1.0-47-rt-amd64",
    "linux-image-6.1.0-56-amd64",
    "linux-image-6.12.9+bpo-amd64",
    "linux-image-amd64",
    "linux-image-6.12-amd64",
    "linux-image-6.1.0-47-amd64",
]


def test_they_are_in_order_of_version_and_each_is_there_once() -> None:
    found = chosen_between(KNOWN, "linux-image-6.1.0-9-amd64", "linux-image-6.12.9+bpo-amd64")
    assert found == [KNOWN[0], KNOWN[1], KNOWN[4], KNOWN[5]]
    assert chosen_between(KNOWN, KNOWN[0], KNOWN[1]) == [KNOWN[0], KNOWN[1]]


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        (KNOWN[4], KNOWN[1], "is not older than"),
        (KNOWN[1], KNOWN[1], "is not older than"),
        ("linux-image-5.10.0-1-amd64", KNOWN[1], "neither offered by the archive nor built"),
        (KNOWN[1], KNOWN[2], "neither offered"),
    ],
)
def test_what_has_nothing_between_is_refused(good: str, bad: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        chosen_between(KNOWN, good, bad)


def test_no_build_removes_the_lists_of_packages_while_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build removes folders that a killed one left, and took those of a bisection for such."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(making, "Archive", LockedArchive)
    for refusal in ("require_here", "require_programs"):
        monkeypatch.setattr(making, refusal, lambda: None)
    assert kernels_between(str, KNOWN[1], KNOWN[4]) == [KNOWN[1], KNOWN[4]]
    assert list(cache.cache_folder().glob("new-*")) == []
    with cache.only_builder():
        pass  # it is free again


class LockedArchive:
    """An archive whose lists can be read only while no build can begin."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def update(self) -> None:
        with (
            (cache.cache_folder() / "lock").open("w") as lock,
            pytest.raises(BlockingIOError),
        ):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def kernels(self) -> list[str]:
        return KNOWN
