"""The ledger without root: folders are enough to see what is written, undone and left alone."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.machine.folder.marked_folder import MARKER, Owner
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger import ledger_folder, traces
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead, opened_ledger
from fsgauge.machine.ledger.traces import FolderTrace, SettingTrace, ShareTrace
from fsgauge.machine.process.processes import RUN_VARIABLE, boot_id
from tests.marked_folders import marked


@pytest.fixture
def ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ledgers"
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: folder)
    return folder


FIRST = "0123456789ab"


def dead_owner(token: str = FIRST, boot: str | None = None) -> Owner:
    return Owner(token=token, pid=1, start_ticks=0, boot_id=boot_id() if boot is None else boot)


def leave_behind(ledgers: Path, owner: Owner, *lines: object) -> Path:
    """A ledger as a killed run leaves it: nobody holds its lock."""
    ledgers.mkdir(mode=0o700, exist_ok=True)
    path = ledgers / f"{owner.token}.ledger"
    entries: list[object] = [{"owner": owner.model_dump()}, *lines]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def made(number: int, path: Path, token: str) -> dict[str, object]:
    return {"made": number, "trace": FolderTrace(path=str(path), token=token).model_dump()}


def test_a_folder_that_is_gone_or_refuses_is_said_in_words(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was a fault of fsgauge's own, with a traceback in a file."""
    with opened_ledger() as book:
        with pytest.raises(RigError) as gone, book.folder(tmp_path / "gone", "scratch"):
            pass
        assert f"there is no folder {tmp_path}/gone any more" in gone.value.what

        def refuse(*_: object) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr("fsgauge.machine.ledger.ledger.make_marked", refuse)
        with pytest.raises(RigError) as refused, book.folder(tmp_path, "scratch"):
            pass
        assert "no folder can be made in" in refused.value.what
        assert "read-only" in refused.value.cause
    assert list(ledgers.glob("*.ledger")) == []


def test_what_is_made_is_on_disk_before_it_is_and_what_is_undone_may_be_undone_again(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flush for each thing undone was a hundredth of a second of every turn."""
    flushed, real = [0], os.fsync

    def counted(descriptor: int) -> None:
        flushed[0] += 1
        real(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    with opened_ledger() as book:
        begun = flushed[0]
        with book.folder(tmp_path, "scratch"):
            made = flushed[0]
            assert made == begun + 3, "what will be made, its marker, and what it became"
        assert flushed[0] == made
        assert '"undone": 0' in book.path.read_text()


def test_one_that_was_replaced_at_once_keeps_no_other_one(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lay in its place could not be removed, so the folder of the system beside it stayed."""
    real = os.mkdir

    def replaced(name: str, *rest: Any, **more: Any) -> None:
        real(name, *rest, **more)
        (tmp_path / name).rename(tmp_path / "taken")
        real(tmp_path / name)
        (tmp_path / name / "precious").touch()

    with opened_ledger() as book, open_place(tmp_path) as place:
        with (
            pytest.raises(RigError, match="was renamed or replaced"),
            book.scratch(place, "first") as first,
        ):
            monkeypatch.setattr(os, "mkdir", replaced)
            with book.scratch(place, "second"):
                pass
        assert not first.path.exists() and not (tmp_path / "taken").exists()
    assert [each.name for each in tmp_path.glob("*/precious")] == ["precious"]
    assert list(ledgers.glob("*.ledger")) == []


def test_written_down_before_it_is_made_and_gone_after(ledgers: Path, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    with opened_ledger() as book:
        trace = FolderTrace(path=str(path), token=book.token)
        with book.holding(trace):
            entries = [json.loads(line) for line in book.path.read_text().splitlines()]
            assert entries[-1] == {"made": 0, "trace": trace.model_dump()}
            assert not path.exists()
            marked(path, book.owner)
        assert not path.exists()
        assert json.loads(book.path.read_text().splitlines()[-1]) == {"undone": 0}
    assert [entry.name for entry in ledgers.iterdir()] == ["lock"]


def test_undone_in_reverse_when_the_body_fails(ledgers: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        opened_ledger() as book,
        book.folder(tmp_path, "outer") as outer,
        book.folder(outer, "inner"),
    ):
        raise ZeroDivisionError
    assert not list(tmp_path.glob("fsgauge-*"))
    assert not list(ledgers.glob("*.ledger"))


def test_a_context_that_was_never_left_is_undone_with_the_one_around_it(
    ledgers: Path, tmp_path: Path
) -> None:
    """A signal between two statements can leave an inner context open while outer ones end."""
    with opened_ledger() as book, book.folder(tmp_path, "outer") as outer:
        inner = book.folder(outer, "inner")
        inner.__enter__()
    assert not outer.exists()
    inner.__exit__(None, None, None)


def test_the_living_are_left_alone(ledgers: Path, tmp_path: Path) -> None:
    with opened_ledger() as book, book.folder(tmp_path, "mine") as folder:
        assert clean_up_after_the_dead() == []
        assert folder.is_dir()


def test_a_killed_process_is_cleaned_up_after(ledgers: Path, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from fsgauge.machine.ledger import ledger, ledger_folder\n"
        "ledger_folder.ledger_folder = lambda: Path(sys.argv[1])\n"
        "with ledger.opened_ledger() as book, book.folder(Path(sys.argv[2]), 'x') as folder:\n"
        "    (folder / 'data').write_text('1')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", program, str(ledgers), str(tmp_path)]
    assert subprocess.run(command, timeout=60).returncode == -signal.SIGKILL
    left = next(iter(tmp_path.glob("fsgauge-*")))
    assert clean_up_after_the_dead() == [f"removed {left}, left by an earlier run"]
    assert not left.exists()
    assert clean_up_after_the_dead() == []


def test_a_lock_that_a_dying_child_still_holds_is_waited_for(ledgers: Path, tmp_path: Path) -> None:
    """Killed between fork and exec, on a busy machine: the clean-up left the whole run behind."""
    path = tmp_path / "thing"
    marked(path, dead_owner())
    ledger = leave_behind(ledgers, dead_owner(), made(0, path, FIRST))
    hold = f"import fcntl, time; f = open({str(ledger)!r}); fcntl.flock(f, fcntl.LOCK_EX)"
    child = subprocess.Popen(
        [sys.executable, "-c", f"{hold}; print(flush=True); time.sleep(0.5)"],
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None and child.stdout.readline()
        assert any("removed" in sentence for sentence in clean_up_after_the_dead())
    finally:
        child.kill()
        child.communicate(timeout=30)
    assert not path.exists() and not ledger.exists()


def test_children_of_a_killed_run_are_ended(ledgers: Path) -> None:
    owner = dead_owner()
    leave_behind(ledgers, owner)
    environment = {**os.environ, RUN_VARIABLE: owner.token}
    with subprocess.Popen(
        ["sh", "-c", "echo ready; sleep 60; true"], env=environment, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        said = clean_up_after_the_dead()
        assert f"ended sh (process {child.pid}), left by an earlier run" in said
        assert child.wait(timeout=10) == -signal.SIGKILL


def test_a_last_line_that_the_kill_cut_short(ledgers: Path, tmp_path: Path) -> None:
    owner = dead_owner()
    folder = tmp_path / "folder"
    marked(folder, owner)
    path = leave_behind(ledgers, owner, made(0, folder, owner.token))
    with path.open("a") as file:
        file.write('{"made": 1, "tra')
    assert len(clean_up_after_the_dead()) == 1
    assert not folder.exists()


def test_what_was_undone_is_not_undone_again(ledgers: Path, tmp_path: Path) -> None:
    """The same path may have been made by someone else since."""
    owner = dead_owner()
    setting = tmp_path / "setting"
    setting.write_text("new")
    trace = SettingTrace(path=str(setting), value="old")
    leave_behind(ledgers, owner, {"made": 0, "trace": trace.model_dump()}, {"undone": 0})
    assert clean_up_after_the_dead() == []
    assert setting.read_text() == "new"


def test_after_a_reboot_only_what_lasts_is_undone(ledgers: Path, tmp_path: Path) -> None:
    owner = dead_owner(boot="another boot")
    folder, setting = tmp_path / "folder", tmp_path / "setting"
    marked(folder, owner)
    setting.write_text("new")
    trace = SettingTrace(path=str(setting), value="old")
    leave_behind(
        ledgers,
        owner,
        made(0, folder, owner.token),
        {"made": 1, "trace": trace.model_dump()},
    )
    assert clean_up_after_the_dead() == [f"removed {folder}, left by an earlier run"]
    assert setting.read_text() == "new"


def test_a_folder_of_someone_else_stays_and_is_named(ledgers: Path, tmp_path: Path) -> None:
    owner = dead_owner()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "precious").write_text("mine")
    path = leave_behind(ledgers, owner, made(0, folder, owner.token))
    said = clean_up_after_the_dead()
    assert len(said) == 1 and "does not have this run's marker" in said[0]
    assert (folder / "precious").read_text() == "mine"
    assert path.exists(), "the next command tries again"
    marked(tmp_path / "other", dead_owner("cccccccccccc"))
    (tmp_path / "other" / MARKER).rename(folder / MARKER)
    assert "does not have this run's marker" in clean_up_after_the_dead()[0]


def test_what_stands_on_something_stuck_stays_too(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: OpenFolder) -> bool:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(traces, "remove_made", refuse)
    with (
        pytest.raises(RigError, match="inner cannot be removed"),
        opened_ledger() as book,
        book.folder(tmp_path, "outer") as outer,
        book.folder(outer, "inner"),
    ):
        pass
    assert len(list(tmp_path.glob("fsgauge-*-outer"))) == 1
    assert len(list(ledgers.glob("*.ledger"))) == 1


def test_a_ledger_folder_that_others_can_write_is_refused(ledgers: Path) -> None:
    ledgers.mkdir()
    ledgers.chmod(0o777)
    with pytest.raises(RigError, match="can be written by other users"), opened_ledger():
        pass
    with pytest.raises(RigError):
        clean_up_after_the_dead()


def share_left(ledgers: Path) -> Path:
    target = {"host": "127.0.0.1", "port": 1, "directory": "fsgauge-x-share"}
    trace = ShareTrace(place="smb://ann@filer/s", jobs=[{"target": target}])
    owner = dead_owner()
    return leave_behind(ledgers, owner, {"made": 0, "trace": trace.model_dump()})


def test_a_share_that_cannot_be_cleared_is_kept_until_it_was(
    ledgers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = share_left(ledgers)
    for _ in range(2):
        (said,) = clean_up_after_the_dead()
        assert "fsgauge-x-share on smb://ann@filer/s" in said
        assert "127.0.0.1:1 does not answer" in said
        assert "fsgauge doctor" in said and f"rm {path}" in said
        assert path.exists()
    monkeypatch.setattr(traces, "silent_servers", lambda _: ())
    monkeypatch.setattr(traces, "clear_shares", lambda *_: [])
    (said,) = clean_up_after_the_dead()
    assert said.startswith("cleared fsgauge-x-share on smb://ann@filer/s")
    assert not path.exists()


@pytest.mark.parametrize("first", [RigError("the server is gone"), Interrupted("ended by SIGTERM")])
def test_what_ended_the_body_is_the_error_and_the_clean_up_a_detail(
    ledgers: Path, monkeypatch: pytest.MonkeyPatch, first: FsgaugeError
) -> None:
    monkeypatch.setattr(traces, "clear_shares", lambda *_: ["connection refused"])
    trace = ShareTrace(place="smb://ann@filer/s", jobs=[])
    with pytest.raises(type(first)) as caught, opened_ledger() as book, book.holding(trace):
        raise first
    assert caught.value is first
    (detail,) = first.details
    assert detail.startswith("and cannot remove what was written to smb://ann@filer/s (")
    assert "; connection refused; " in detail and detail.endswith("with the password set)")
    assert list(ledgers.glob("*.ledger"))


def test_a_short_write_goes_on_where_it_ended(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel may take part of a line: the trace behind it was lost, and what it named left."""
    real = os.write

    def short(descriptor: int, content: Any) -> int:
        return real(descriptor, bytes(content)[:7])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", short)
        with opened_ledger() as book, book.folder(tmp_path, "mine"):
            entries = [json.loads(line) for line in book.path.read_text().splitlines()]
            assert [next(iter(entry)) for entry in entries] == ["owner", "made", "made"]


def test_a_disk_that_takes_no_more_is_an_error_before_anything_is_made(
    ledgers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, content: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with opened_ledger() as book:
        monkeypatch.setattr(os, "write", full)
        refused = pytest.raises(RigError, match="cannot write to the ledger")
        with refused, book.folder(tmp_path, "mine"):
            pass
        monkeypatch.undo()
        monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: ledgers)
    assert not list(tmp_path.glob("fsgauge-*"))


@pytest.mark.parametrize(
    "line", ['{"made": 1, "trace": {"kind": "warp", "path": "/x"}}', "}{", "3"]
)
def test_a_line_that_cannot_be_read_keeps_the_ledger_and_is_said(
    ledgers: Path, tmp_path: Path, line: str
) -> None:
    """The ledger was deleted with the only word of something that may still be there."""
    owner = dead_owner()
    folder = tmp_path / "folder"
    marked(folder, owner)
    path = leave_behind(ledgers, owner, made(0, folder, owner.token))
    path.write_text(path.read_text() + line + "\n")
    said = clean_up_after_the_dead()
    assert said[0] == f"removed {folder}, left by an earlier run"
    assert f"a line of {path} cannot be read" in said[1] and f"rm {path}" in said[1]
    assert path.exists()
    assert len(clean_up_after_the_dead()) == 1


def test_a_ledger_without_an_owner_is_kept_unless_it_was_only_begun(ledgers: Path) -> None:
    ledgers.mkdir(mode=0o700)
    begun, strange = ledgers / "a.ledger", ledgers / "b.ledger"
    begun.write_text('{"owner": {"tok')
    strange.write_text("what is this\n")
    (said,) = clean_up_after_the_dead()
    assert said.startswith(f"{strange} is not a readable ledger")
    assert not begun.exists() and strange.exists()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_something_alien_among_the_ledgers_is_named_and_left_alone(
    ledgers: Path, tmp_path: Path, kind: str
) -> None:
    """A folder called x.ledger ended every command with "fsgauge itself failed"."""
    ledgers.mkdir(mode=0o700)
    alien = ledgers / "x.ledger"
    {
        "folder": alien.mkdir,
        "pipe": lambda: os.mkfifo(alien),
        "link": lambda: alien.symlink_to(tmp_path / "elsewhere"),
    }[kind]()
    owner = dead_owner("cccccccccccc")
    marked(tmp_path / "folder", owner)
    leave_behind(ledgers, owner, made(0, tmp_path / "folder", owner.token))
    said = clean_up_after_the_dead()
    assert said[0].startswith("removed ")
    assert said[1].startswith(f"{alien} is not a readable ledger")
    assert os.path.lexists(alien)


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_something_alien_in_the_place_of_the_lock(ledgers: Path, tmp_path: Path, kind: str) -> None:
    ledgers.mkdir(mode=0o700)
    lock = ledgers / "lock"
    lock.mkdir() if kind == "folder" else lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RigError, match="cannot be locked"), opened_ledger():
        pass
    assert not (tmp_path / "elsewhere").exists()
