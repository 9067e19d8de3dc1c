"""Targets: a new image or an empty folder; everything else is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.age import target
from fsgauge.errors import InputError, RefusedError
from fsgauge.machine.folder.open_folder import open_place


def test_what_is_not_there_becomes_an_image(tmp_path: Path) -> None:
    assert target.is_folder(tmp_path) and not target.is_folder(tmp_path / "new.img")


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("mine", "dangling"):
        with pytest.raises(RefusedError, match="left alone"):
            target.is_folder(tmp_path / name)


def test_what_cannot_be_looked_at_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not target.is_folder(tmp_path / "file" / "below")
    with pytest.raises(InputError, match="cannot access"):
        target.is_folder(tmp_path / ("n" * 300))


def test_a_device_that_is_not_there_gets_no_file() -> None:
    with pytest.raises(InputError, match="devices cannot be aged"):
        target.is_folder(Path("/dev/no-such-disk"))


def empty(folder: Path, size_bytes: int | None) -> int:
    with open_place(folder) as place:
        return target.require_empty(place, size_bytes)


def test_a_folder_with_anything_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()
    assert empty(tmp_path, 1 << 20) == 1 << 20
    (tmp_path / "mine\x1b").touch()
    with pytest.raises(RefusedError) as caught:
        empty(tmp_path, 1 << 20)
    assert r"mine\x1b" in caught.value.render()


def test_how_much_of_a_folder_may_be_used_is_never_guessed(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        empty(tmp_path, None)
    assert caught.value.next.startswith("--size ")
    with pytest.raises(InputError, match="free, and --size is"):
        empty(tmp_path, 1 << 60)


def test_modes_that_write_need_the_whole_size(tmp_path: Path) -> None:
    target.require_room(tmp_path, 1 << 30, "fast")
    for mode in ("write", "direct"):
        with pytest.raises(InputError, match="free, up to"):
            target.require_room(tmp_path, 1 << 60, mode)


def test_room_that_went_meanwhile_is_said_in_the_words_of_the_options(tmp_path: Path) -> None:
    target.require_still(str(tmp_path), None, 80.0)
    target.require_still(str(tmp_path), 1 << 20, 80.0)
    with pytest.raises(InputError, match="80 % of --size") as caught:
        target.require_still(str(tmp_path), 1 << 60, 80.0)
    assert "space_bytes" not in caught.value.render()


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


def own_of(folder: Path) -> None:
    target.require_own(folder, folder.stat())


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
    for check, may in ((own_of, own), (target.require_no_swap, swap)):
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
    target.require_no_swap(folder)
    with pytest.raises(RefusedError):
        own_of(folder)


def test_an_ordinary_user_has_only_his_own_files_to_lose(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    tmp_path.chmod(0o777)
    own_of(tmp_path)
    target.require_no_swap(tmp_path)
