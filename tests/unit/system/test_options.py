"""Options are split as a shell does, and none may lead to a device that is not the study's."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError, RefusedError
from fsgauge.system.options import mkfs_words, mount_words


def test_words() -> None:
    assert mkfs_words("-L 'my disk' -d agcount=8", "s") == ["-L", "my disk", "-d", "agcount=8"]
    assert mkfs_words("", "s") == []
    assert mount_words("noatime,allocsize=64m", "s") == ["noatime", "allocsize=64m"]
    assert mount_words("-o noatime -o discard", "s") == ["noatime", "discard"]
    with pytest.raises(InputError, match='mkfs of the system "s" cannot be split'):
        mkfs_words("-L 'open", "s")


@pytest.mark.parametrize(
    "text",
    ["/dev/sdb", "-l logdev=/dev/sdb,size=100m", "-J device=/dev/sdb", "-d name=/dev/../dev/sdb"],
)
def test_a_device_among_mkfs_options(text: str) -> None:
    with pytest.raises(RefusedError):
        mkfs_words(text, "s")


def test_a_file_that_mkfs_would_format(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.touch()
    with pytest.raises(RefusedError, match="image"):
        mkfs_words(f"-d file,name={image}", "s")


def test_a_link_to_a_device(tmp_path: Path) -> None:
    """A name outside of /dev leads to one all the same."""
    (tmp_path / "disk").symlink_to("/dev/sdb")
    with pytest.raises(RefusedError):
        mkfs_words(str(tmp_path / "disk"), "s")


@pytest.mark.parametrize("text", ["ro", "loop", "bind", "remount,rw", "logdev=/dev/sdb"])
def test_mount_options_that_would_mount_something_else(text: str) -> None:
    with pytest.raises(InputError):
        mount_words(text, "s")


def test_a_mount_option_that_is_none() -> None:
    with pytest.raises(InputError, match="no mount option"):
        mount_words("--bind", "s")
