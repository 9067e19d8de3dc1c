"""A setting is a file of its own folder: what a link leads to elsewhere is none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.machine.facts.setting import (
    former,
    read_setting,
    real_setting,
    setting_held,
    write_setting,
)
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead, opened_ledger
from fsgauge.machine.ledger.traces import SettingTrace


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
    with pytest.raises(InputError, match="not a setting of") as error:
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


RUN = """\
import sys, time
from pathlib import Path
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.ledger import opened_ledger
from fsgauge.machine.facts.setting import write_setting
from fsgauge.machine.facts.setting import setting_held
from fsgauge.machine.ledger.traces import SettingTrace
ledgers, setting = map(Path, sys.argv[1:3])
ledger_folder.ledger_folder = lambda: ledgers
with opened_ledger() as book, setting_held(ledgers, setting, book.path) as held:
    trace = SettingTrace(path=str(setting), value=setting.read_text(), lock=str(held.file))
    held.changed = True
    with book.holding(trace):
        write_setting(setting, "of the first run")
        print("changed", flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ledgers"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: folder)
    return folder


@pytest.fixture
def setting(tmp_path: Path) -> Path:
    path = tmp_path / "dirty_ratio"
    path.write_text("of the machine")
    return path


def first_run(ledgers: Path, setting: Path) -> subprocess.Popen[bytes]:
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(ledgers), str(setting)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert run.stdout is not None and run.stdout.readline() == b"changed\n"
    return run


def test_the_second_run_is_refused_and_told_by_whom(ledgers: Path, setting: Path) -> None:
    """Both saved the other's value as the former one, and the last to end left it in force."""
    run = first_run(ledgers, setting)
    with opened_ledger() as book:
        refusal = pytest.raises(RigError, match=f"has changed {setting} .process {run.pid}")
        with refusal as error, setting_held(ledgers, setting, book.path):
            pass
        assert f"next: wait for it to end: tail --pid={run.pid}" in error.value.render()
        run.communicate(timeout=30)
        assert setting.read_text() == "of the machine"
        with setting_held(ledgers, setting, book.path):
            pass
    assert [path.name for path in ledgers.iterdir()] == ["lock"]


def test_a_killed_runs_setting_is_not_taken_before_it_is_set_back(
    ledgers: Path, setting: Path
) -> None:
    """Its lock is free at once, its value is still in force: saved as the former one, it stays."""
    run = first_run(ledgers, setting)
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=30)
    with opened_ledger() as book:
        with (
            pytest.raises(RigError, match="still has the value of an earlier run"),
            setting_held(ledgers, setting, book.path),
        ):
            pass
        (said,) = clean_up_after_the_dead()
        assert "set " in said and setting.read_text() == "of the machine"
        with setting_held(ledgers, setting, book.path):
            pass


def test_a_run_that_died_before_it_changed_anything_keeps_nobody_out(
    ledgers: Path, setting: Path
) -> None:
    """Killed between lock and ledger: no ledger says that anything is to be set back."""
    with opened_ledger() as book, setting_held(ledgers, setting, ledgers / "gone.ledger") as held:
        words = held.file.read_bytes()
        with pytest.raises(RigError), setting_held(ledgers, setting, book.path):
            pass
    held.file.write_bytes(words)
    with opened_ledger() as book, setting_held(ledgers, setting, book.path):
        assert str(os.getpid()) in held.file.read_text()


def test_settings_have_locks_of_their_own(ledgers: Path, setting: Path, tmp_path: Path) -> None:
    with (
        opened_ledger() as book,
        setting_held(ledgers, setting, book.path) as one,
        setting_held(ledgers, tmp_path / "other", book.path) as two,
    ):
        assert one.file != two.file


def test_a_failure_between_lock_and_change_leaves_no_file(ledgers: Path, setting: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        opened_ledger() as book,
        setting_held(ledgers, setting, book.path),
    ):
        raise ZeroDivisionError
    assert [path.name for path in ledgers.iterdir()] == ["lock"]


def test_a_setting_that_cannot_be_set_back_keeps_its_lock(ledgers: Path, setting: Path) -> None:
    """The cleaning of a later command takes both away."""
    with (
        pytest.raises(RigError, match="could not be set back"),
        opened_ledger() as book,
        setting_held(ledgers, setting, book.path) as held,
    ):
        held.changed = True
        trace = SettingTrace(path=str(setting), value="former", lock=str(held.file))
        with book.holding(trace):
            write_setting(setting, "new")
            setting.unlink()
            setting.mkdir()
    assert held.file.exists()
    setting.rmdir()
    setting.write_text("new")
    clean_up_after_the_dead()
    assert setting.read_text() == "former" and not held.file.exists()


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({"dirty_bytes": "0", "dirty_ratio": "20"}, ("dirty_ratio", "20")),
        ({"dirty_bytes": "4096", "dirty_ratio": "0"}, ("dirty_bytes", "4096")),
        ({"dirty_bytes": "0", "dirty_ratio": "0"}, ("dirty_ratio", "0")),
        ({"dirty_bytes": "0"}, None),
    ],
)
def test_of_two_units_the_one_that_is_set_is_written_back(
    values: dict[str, str], written: tuple[str, str] | None, tmp_path: Path
) -> None:
    for name, value in values.items():
        (tmp_path / name).write_text(value + "\n")
    if written is None:
        with pytest.raises(OSError, match="dirty_ratio"):
            former(tmp_path / "dirty_bytes")
        return
    for name in values:  # the kernel takes no 0 for bytes
        path, value = former(tmp_path / name)
        assert (path.name, value) == written
    folder = tmp_path / "locks"
    folder.mkdir()
    with (
        setting_held(folder, tmp_path / "dirty_bytes", tmp_path / "ledger"),
        pytest.raises(RigError, match="another run has changed"),
        setting_held(folder, tmp_path / "dirty_ratio", tmp_path / "ledger"),
    ):
        pass
