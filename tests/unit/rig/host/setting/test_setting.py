"""A setting is a file of its own folder: what a link leads to elsewhere is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.host.setting.setting import read_setting, real_setting, write_setting


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """As /sys is: block/loop0 is a link into devices, and the disk beside it is another's."""
    for name in ("loop0", "sda"):
        (tmp_path / "devices" / name / "queue").mkdir(parents=True)
        (tmp_path / "devices" / name / "queue" / "scheduler").write_text("[none] kyber\n")
    (tmp_path / "block").mkdir()
    (tmp_path / "block" / "loop0").symlink_to(tmp_path / "devices" / "loop0")
    return tmp_path


def test_the_link_of_a_device_is_followed(tree: Path) -> None:
    found = real_setting(tree / "block/loop0", "queue/scheduler")
    assert found == tree / "devices/loop0/queue/scheduler"
    assert read_setting(found) == "none"
    write_setting(found, "kyber")
    assert read_setting(found) == "kyber"


@pytest.mark.parametrize("name", ["queue", "queue/scheduler"])
def test_a_link_to_another_device_is_refused(tree: Path, name: str) -> None:
    """Below the device's own folder the way is straight, or the file is somebody else's."""
    own = tree / "devices/loop0"
    (own / name).rename(tree / "aside")
    (own / name).symlink_to(tree / "devices/sda" / name)
    with pytest.raises(InputError, match="no setting of") as error:
        real_setting(tree / "block/loop0", "queue/scheduler")
    assert "a link leads elsewhere" in error.value.render()


@pytest.mark.parametrize("rest", ["../sda/queue/scheduler", "queue", "queue/none"])
def test_what_is_no_file_below_it(tree: Path, rest: str) -> None:
    with pytest.raises(InputError):
        real_setting(tree / "block/loop0", rest)


def test_a_link_that_appears_later_is_not_written_through(tree: Path) -> None:
    found = real_setting(tree / "block/loop0", "queue/scheduler")
    found.unlink()
    found.symlink_to(tree / "devices/sda/queue/scheduler")
    with pytest.raises(OSError, match="symbolic links"):
        write_setting(found, "evil")
    with pytest.raises(OSError, match="symbolic links"):
        read_setting(found)
