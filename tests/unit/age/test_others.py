"""Root makes nothing where others may plant links, or swap what it made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.age.others import require_no_swap, require_own
from fsgauge.errors import RefusedError


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("SUDO_UID", raising=False)


def of(monkeypatch: pytest.MonkeyPatch, folder: Path, uid: int, mode: int) -> Path:
    """`folder` as if it were that user's, with that mode."""
    folder.chmod(mode)
    found = list(folder.stat())
    found[4] = uid
    monkeypatch.setattr(Path, "stat", lambda *_, **__: os.stat_result(found))
    return folder


@pytest.mark.parametrize(
    ("uid", "mode", "own", "swap"),
    [
        (0, 0o755, True, True),
        (0, 0o700, True, True),
        (0, 0o1777, False, True),
        (0, 0o777, False, False),
        (0, 0o775, False, False),
        (1234, 0o700, False, False),
        (1234, 0o1777, False, False),
    ],
)
@pytest.mark.usefixtures("as_root")
def test_where_root_may_make_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uid: int, mode: int, *, own: bool, swap: bool
) -> None:
    """A link that was planted in the folder meanwhile sent root's files elsewhere."""
    folder = of(monkeypatch, tmp_path, uid, mode)
    for check, may in ((require_own, own), (require_no_swap, swap)):
        if may:
            check(folder)
            continue
        with pytest.raises(RefusedError, match=r"root (does not age|makes no image in)") as caught:
            check(folder)
        assert caught.value.cause and caught.value.next


@pytest.mark.usefixtures("as_root")
def test_who_called_sudo_may_have_an_image_in_a_folder_of_his_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = of(monkeypatch, tmp_path, 1234, 0o755)
    monkeypatch.setenv("SUDO_UID", "1234")
    require_no_swap(folder)
    with pytest.raises(RefusedError):
        require_own(folder)


def test_an_ordinary_user_has_only_his_own_files_to_lose(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    tmp_path.chmod(0o777)
    require_own(tmp_path)
    require_no_swap(tmp_path)
