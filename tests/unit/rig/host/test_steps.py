"""Steps between cells: only the files of the system that was made are touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.folder.open_folder import open_place
from fsgauge.rig.host.before_runs import free_when_steady, takeable_bytes, wear
from fsgauge.workload.steps import ClearFolder, DeleteFile, FileStep, TakeBallast


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "system"
    (made / "rate" / "deep").mkdir(parents=True)
    for name in ("rate/one", "rate/deep/two", "beside"):
        (made / name).write_bytes(b"x" * 8192)
    return made


def wear_at(step: FileStep, root: Path) -> int:
    with open_place(root) as opened:
        return wear(step, opened)


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_folder_is_cleared_and_stays(root: Path) -> None:
    assert wear_at(ClearFolder(f"{root}/rate"), root) >= 2 * 8192
    assert files_of(root) == ["beside"]
    assert (root / "rate").is_dir()


def test_one_file_is_deleted_and_says_its_size(root: Path) -> None:
    assert wear_at(DeleteFile(f"{root}/rate/one"), root) >= 8192
    assert files_of(root) == ["beside", "rate/deep/two"]


def test_links_are_removed_and_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "users").mkdir()
    (tmp_path / "users" / "file").write_text("theirs")
    (root / "rate" / "file").symlink_to(tmp_path / "users" / "file")
    (root / "rate" / "folder").symlink_to(tmp_path / "users")
    wear_at(ClearFolder(f"{root}/rate"), root)
    assert (tmp_path / "users" / "file").read_text() == "theirs"
    assert not (root / "rate" / "file").is_symlink()


@pytest.mark.parametrize("path", ["/etc/passwd", "{root}", "{root}/../users/file"])
def test_what_is_not_below_the_system_is_never_touched(path: str, root: Path) -> None:
    with pytest.raises(ValueError, match="is not below"):
        wear_at(DeleteFile(path.format(root=root)), root)
    with pytest.raises(ValueError, match="is not below"):
        wear_at(ClearFolder(path.format(root=root)), root)
    assert len(files_of(root)) == 3


def test_what_the_file_system_refuses_is_told(root: Path) -> None:
    with pytest.raises(RigError) as failure:
        wear_at(DeleteFile(f"{root}/rate/gone"), root)
    assert "gone removed" in failure.value.what
    assert "No such file" in failure.value.render()


def test_ballast_takes_nothing_where_less_is_free_than_it_leaves(root: Path) -> None:
    leave = 2 * takeable_bytes(str(root))
    assert wear_at(TakeBallast(f"{root}/ballast", leave), root) == 0
    assert (root / "ballast").stat().st_size == 0


def test_ballast_is_never_put_into_a_file_that_is_there(root: Path) -> None:
    with pytest.raises(RigError):
        wear_at(TakeBallast(f"{root}/beside", 1 << 60), root)
    assert (root / "beside").read_bytes() == b"x" * 8192


def test_free_space_is_waited_for(root: Path) -> None:
    assert free_when_steady(str(root)) > 0
