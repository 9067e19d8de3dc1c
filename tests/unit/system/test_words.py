"""File systems and their options are explained with a command that compares them."""

from __future__ import annotations

import re
import shlex

import pytest

from fsgauge.study.parse import load_study
from fsgauge.system.options import kind_words, option_words


@pytest.mark.parametrize("name", ["ext2", "ext4", "XFS", "btrfs", "f2fs"])
def test_a_file_system_is_named_as_a_system(name: str) -> None:
    words = kind_words(name)
    assert words.startswith(f"{name.lower()}\n") and f"--system {name.lower()} " in words


@pytest.mark.parametrize("name", ["raw", "mounted", "zfs", "first-fit", ""])
def test_what_is_not_made_is_no_file_system(name: str) -> None:
    assert kind_words(name) == ""


@pytest.mark.parametrize(
    ("text", "tool", "kinds"),
    [
        ("noatime", "mount", "of every file system"),
        ("commit=30", "mount", "of ext4, btrfs,"),
        ("nobarrier", "mount", "of ext4, xfs, btrfs,"),
        ("compress=zstd", "mount", "of btrfs."),
        ("data=writeback", "mount", "of ext4,"),
        ("agcount=8", "mkfs", "of xfs."),
    ],
)
def test_the_systems_that_are_proposed_are_a_study(text: str, tool: str, kinds: str) -> None:
    words = option_words(text)
    assert f"{tool} option" in words and kinds in words
    option = re.search(r"fsgauge run overhead --baseline default (--system .*)", words)
    assert option is not None
    systems = [each for each in shlex.split(option[1]) if each != "--system"]
    study = load_study("overhead", [], systems, baseline="default")
    plain, changed = study.systems
    assert (plain.mkfs, plain.mount) == ("", "")
    assert text in getattr(changed, tool)


def test_a_value_that_is_missing_is_described() -> None:
    assert "VALUE is journal or ordered or writeback." in option_words("data")
    assert "'xfs:mkfs=-d agcount=VALUE'" in option_words("agcount")
    assert "VALUE" not in option_words("noatime") + option_words("compress")


def test_what_is_given_up_is_said() -> None:
    assert "It weakens durability: without flushes" in option_words("nobarrier")
    assert "durability" not in option_words("noatime")


@pytest.mark.parametrize("name", ["", "-d", "nosuch", "iodepth", "ext4"])
def test_what_is_no_option_has_no_words(name: str) -> None:
    assert option_words(name) == ""
