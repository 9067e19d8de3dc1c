"""Which system sits on which storage: a contradiction says what works."""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study

ANOTHER = "/another/folder"
FOLDER, OTHER = "/mnt/some where", "/mnt/other"
CONTRADICTIONS = [
    ([], f"path:{FOLDER}", '"raw" is a bare device, and the storage is a folder'),
    (["raw"], f"path:{FOLDER}", '"raw" is a bare device, and the storage is a folder'),
    (["ext4"], f"path:{FOLDER}", '"ext4" needs a device of its own, and the storage is a folder'),
    (["ext4", OTHER], f"path:{FOLDER}", '"ext4" needs a device of its own'),
    ([FOLDER], "device:sdb", "is measured where it is, not on a device"),
    ([FOLDER], "loop:2GiB", "is measured where it is, not on a loop file"),
    ([FOLDER, OTHER], "ram:1GiB", "is measured where it is, not on memory"),
    (["ext4", FOLDER], "loop:2GiB", 'not on a loop file as "ext4" is'),
    (["xfs", FOLDER], None, 'not on a loop file as "xfs" is'),
    (["mounted"], None, '"mounted" names no folder'),
    (["mounted"], "loop:2GiB", '"mounted" names no folder'),
]


def error(systems: list[str], storage: str | None) -> InputError:
    with pytest.raises(InputError) as refusal:
        load_study("overhead", systems=systems, storage=storage)
    return refusal.value


def works(options: str) -> bool:
    """Whether a study with these options is accepted."""
    words = shlex.split(options)
    given = list(zip(words[::2], words[1::2], strict=True))
    load_study(
        "overhead",
        [value for option, value in given if option == "--set"],
        [value for option, value in given if option == "--system"],
        next((value for option, value in given if option == "--storage"), None),
    )
    return True


@pytest.mark.parametrize(("systems", "storage", "what"), CONTRADICTIONS)
def test_each_contradiction_names_options_that_work(
    systems: list[str], storage: str | None, what: str
) -> None:
    """The hints once led from one refusal to the next."""
    refused = error(systems, storage)
    assert what in refused.what
    proposed = re.findall(r"(--s[^;]*?)(?=;|$)", refused.next)
    assert proposed
    assert all(works(options.replace(ANOTHER, OTHER + "/more")) for options in proposed)


@pytest.mark.parametrize(
    ("systems", "storage"),
    [
        (["raw"], "device:sdb"),
        (["ext4"], "device:sdb"),
        (["ext4"], "ram:1GiB"),
        (["raw", "ext4"], "loop:1GiB"),
        ([FOLDER], f"path:{FOLDER}"),
        ([OTHER], f"path:{FOLDER}"),
        ([FOLDER, OTHER], None),
        (["mounted"], f"path:{FOLDER}"),
    ],
)
def test_what_fits_is_taken(systems: list[str], storage: str | None) -> None:
    load_study("overhead", systems=systems, storage=storage)


def test_a_folder_that_is_not_there_is_not_called_one(tmp_path: Path) -> None:
    for path, said in ((tmp_path, "is a folder and"), (tmp_path / "x", "is no folder here, and")):
        with pytest.raises(InputError) as refusal:
            load_study("overhead", systems=["raw", str(path)])
        assert said in refusal.value.what


def test_a_folder_that_is_called_like_a_kind_is_in_the_option_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow").mkdir()
    refused = error(["slow", "/dev/shm"], None)
    assert "--system ./slow --system /dev/shm" in refused.next
    assert works("--system ./slow --system /dev/shm")


@pytest.mark.parametrize(
    ("system", "storage", "what"),
    [
        ("ldiskfs:settings.mb_last_group=8", "simulated:1GiB", "1 GiB has groups 0 to 7"),
        ("ldiskfs:settings.mb_last_group=7", "simulated:1GiB", None),
        ("xfs-6.18:settings.agcount=64", "simulated:1GiB", None),
        ("xfs-6.18:settings.agcount=65", "simulated:1GiB", "from 16 MiB to 1 TiB are possible"),
        ("xfs-6.18:settings.agcount=1", "simulated:2TiB", "from 16 MiB to 1 TiB are possible"),
        ("xfs-6.18:settings.agcount=0", "simulated:2TiB", None),
    ],
)
def test_a_device_has_the_groups_that_settings_name(
    system: str, storage: str, what: str | None
) -> None:
    asked = partial(load_study, "churn-simulated", systems=[system], storage=storage)
    if what is None:
        asked()
        return
    with pytest.raises(InputError) as refused:
        asked()
    assert what in refused.value.what
