"""The same folder under two names is refused; what differs in one key is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.host.checks import require_distinct_folders
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study


def study(*systems: str, overrides: tuple[str, ...] = ()) -> Study:
    return load_study("sharing", list(overrides), list(systems), None, 1)


def test_a_folder_under_two_names_is_refused(tmp_path: Path) -> None:
    """`fsgauge plan --system a=/mnt/a --system b=/mnt/a` was planned and compared with itself."""
    one = tmp_path / "one"
    one.mkdir()
    (tmp_path / "link").symlink_to(one)
    for again in (one, tmp_path / "link"):
        with pytest.raises(InputError, match='"a" and "b" are one folder'):
            require_distinct_folders(study(f"a={one}", f"b={again}"))


def test_other_folders_and_other_keys_are_compared(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    require_distinct_folders(study(f"a={tmp_path / 'one'}", f"b={tmp_path / 'two'}"))
    served = ("system.b.access=samba",)
    require_distinct_folders(
        load_study(
            "writers", list(served), [f"a={tmp_path / 'one'}", f"b={tmp_path / 'one'}"], None, 1
        )
    )
    require_distinct_folders(study(f"a={tmp_path / 'none'}", f"b={tmp_path / 'gone'}"))
