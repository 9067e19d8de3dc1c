"""Guests and kernels by content; one that is not finished is not there."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.vm import cache

GUEST: dict[str, object] = {
    "recipe": "one",
    "distribution": "Debian",
    "packages": ["bash 5"],
    "libraries": [],
    "kinds": ["ext4"],
}
KERNEL: dict[str, object] = {
    "package": "linux-image-1",
    "version": "1",
    "recipe": "one",
    "modules": [],
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))


def made(name: str, facts: dict[str, object], age_s: int = 0) -> None:
    with cache.being_made(name, facts) as folder:
        (folder / "root.squashfs").write_bytes(b"x")
    folder = cache.cache_folder() / name
    os.utime(folder, (folder.stat().st_mtime - age_s,) * 2)


def test_without_a_build_the_command_that_helps_is_named() -> None:
    with pytest.raises(RigError) as error:
        cache.guest_of("one")
    assert "not built yet" in error.value.what
    assert error.value.next == "fsgauge rig build"


def test_the_newest_of_a_recipe_is_taken() -> None:
    made("guest-old", GUEST, age_s=100)
    made("guest-new", GUEST)
    made("guest-other", GUEST | {"recipe": "two"})
    assert cache.guest_of("one").folder.name == "guest-new"


def test_a_guest_of_another_version_is_not_taken() -> None:
    made("guest-old", GUEST)
    with pytest.raises(RigError, match="another version of fsgauge"):
        cache.guest_of("two")


def test_a_kernel_is_found_by_its_package_and_its_version() -> None:
    made("kernel-1", KERNEL, age_s=100)
    made("kernel-2", KERNEL | {"package": "linux-image-2", "version": "2"})
    assert cache.kernel_of("one").facts.version == "2"
    assert cache.kernel_of("one", "linux-image-1").facts.version == "1"
    assert cache.kernel_of("one", "1").facts.package == "linux-image-1"
    with pytest.raises(RigError) as error:
        cache.kernel_of("one", "linux-image-3")
    assert error.value.next == "fsgauge rig build --kernel linux-image-3"


def test_an_older_kernel_that_is_built_later_is_not_the_usual_one() -> None:
    """The guide's own two lines compared the old kernel with itself."""
    made("kernel-1", KERNEL | {"version": "6.1.0-56-amd64"}, age_s=600)
    made("kernel-2", KERNEL | {"version": "6.1.0-9-amd64"})
    assert cache.kernel_of("one").facts.version == "6.1.0-56-amd64"


def test_a_kernel_for_clouds_is_not_the_usual_one() -> None:
    """Once it was built, all systems were tried on it, and 14 of 36 had no module."""
    for at, version in enumerate(("6.1.0-56-amd64", "6.1.0-56-cloud-amd64", "6.1.0-57-rt-amd64")):
        made(f"kernel-{at}", KERNEL | {"version": version}, age_s=600 - at)
    assert cache.kernel_of("one").facts.version == "6.1.0-56-amd64"
    assert cache.kernel_of("one", "6.1.0-57-rt-amd64").folder.name == "kernel-2"


def test_a_kernel_for_clouds_is_taken_where_there_is_no_other() -> None:
    made("kernel-1", KERNEL | {"version": "6.1.0-56-cloud-amd64"})
    assert cache.kernel_of("one").facts.version == "6.1.0-56-cloud-amd64"


def test_what_fails_while_it_is_made_is_not_there() -> None:
    with pytest.raises(ZeroDivisionError), cache.being_made("guest-1", GUEST):
        raise ZeroDivisionError
    assert list(cache.cache_folder().iterdir()) == []


def test_a_builder_waits_for_another_one_and_says_so_once() -> None:
    said: list[str] = []
    with (cache.cache_folder() / "lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        waiting = threading.Timer(0.5, fcntl.flock, (other, fcntl.LOCK_UN))
        waiting.start()
        with cache.only_builder(said.append):
            waiting.join()
    (sentence,) = said
    assert sentence.startswith("another build goes on") and "fuser -v" in sentence


def test_a_builder_removes_what_a_killed_one_left() -> None:
    left = cache.cache_folder() / "new-123"
    left.mkdir()
    (left / "file").touch()
    with cache.only_builder():
        assert not left.exists()
