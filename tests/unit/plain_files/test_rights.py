"""Files that a person names by a link: whose links root follows, and where to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.plain_files.rights import led_to

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="another user's links and folders")


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A link of root's to a link of root's to a file of root's."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "study.toml").touch()
    (tmp_path / "between").symlink_to("kept/study.toml")
    (tmp_path / "link").symlink_to("between")
    return tmp_path / "link"


def test_a_link_of_ones_own_is_followed(link: Path) -> None:
    assert led_to(link) == link.parent / "kept" / "study.toml"
    assert led_to(link.parent / "kept" / "study.toml") == link.parent / "kept" / "study.toml"


@pytest.mark.parametrize("changed", ["link", "between", "kept", "kept/study.toml", "."])
def test_root_follows_none_that_another_user_could_have_made(link: Path, changed: str) -> None:
    os.chown(link.parent / changed, NOBODY, NOBODY, follow_symlinks=False)
    assert led_to(link) == link


def test_links_that_lead_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    assert led_to(tmp_path / "one") == tmp_path / "one"


def test_others_follow_what_the_system_lets_them(
    link: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert led_to(link) == Path(os.path.realpath(link))
