"""Adding a system is adding a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge import system
from fsgauge.errors import InputError
from fsgauge.system import FileSystem, Support, find_kind, support_of, system_kinds

GUIDE = Path(__file__).parents[3] / "docs" / "adding-a-system.md"


def test_every_file_that_defines_one_is_found() -> None:
    assert set(system_kinds()) >= {"raw", "mounted", "ext2", "ext3", "ext4", "xfs", "btrfs"}
    for name, kind in system_kinds().items():
        assert kind.name == name
        assert kind.summary and kind.placement in (
            "bare",
            "folder",
            "formatted",
            "share",
            "modelled",
        )


def test_an_unknown_one_names_the_nearest() -> None:
    with pytest.raises(InputError) as error:
        find_kind("xsf")
    assert 'did you mean "xfs"' in error.value.render()


def test_a_folder_that_is_called_like_a_kind_gets_the_option_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my data").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        find_kind("my data")
    text = error.value.render()
    assert "a folder of this name begins with ./" in text
    assert "next: --system './my data'" in text


def test_the_guide_s_example_is_a_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = GUIDE.read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "jfs.py").write_text(code)
    monkeypatch.setattr(system, "__path__", [*system.__path__, str(tmp_path)])
    system_kinds.cache_clear()
    try:
        kind = find_kind("jfs")
        assert isinstance(kind, FileSystem)
        command = kind.mkfs_command(["-l", "x"], "/dev/loop9")
        assert command == ["mkfs.jfs", "-q", "-l", "x", "/dev/loop9"]
    finally:
        monkeypatch.undo()
        system_kinds.cache_clear()


def test_the_guide_names_every_attribute() -> None:
    attributes = set(FileSystem.__annotations__)
    missing = {name for name in attributes if f"`{name}`" not in GUIDE.read_text()}
    assert missing == set()


def test_support_needs_driver_and_tool() -> None:
    class Nowhere(FileSystem):
        name = "nowhere"
        summary = "is not there"
        driver = "nowherefs"
        mkfs = "mkfs.nowhere"
        package = "nowhere-tools"
        smallest_bytes = 1

    support = support_of(Nowhere(), load_module=False)
    assert support == Support(driver=False, mkfs=False, install="apt-get install nowhere-tools")
    assert not support.usable


@pytest.mark.parametrize(
    ("name", "next"),
    [
        ("zfs", "fsgauge plan overhead /folder/on/it /folder/elsewhere"),
        ("vfat", "fsgauge plan overhead /folder/on/it /folder/elsewhere"),
        ("tmpfs", "--storage ram:1GiB --system ext4"),
        (
            "lvm",
            "--system plain=/mnt/a --system lvm=/mnt/b, or --storage /dev/NAME --system ext4",
        ),
        ("ext5", "fsgauge doctor --systems"),
    ],
)
def test_what_cannot_be_made_gets_what_is_done_instead(name: str, next: str) -> None:
    """ "zfs" was answered by "xfs", and "tmpfs" by "btrfs"."""
    with pytest.raises(InputError) as refusal:
        find_kind(name)
    assert refusal.value.next == next
    assert "did you mean" not in refusal.value.render() or name == "ext5"


def test_a_word_that_is_near_none_gets_the_kinds_without_the_models() -> None:
    with pytest.raises(InputError) as refusal:
        find_kind("qqqq")
    assert "ext4" in refusal.value.details[0] and "best-fit" not in refusal.value.details[0]
