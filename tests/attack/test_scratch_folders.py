"""What another user lays into the shared temporary folder: it keeps no command waiting.

Before, a pipe as the marker of a folder with our prefix in /var/tmp hung every command of every
user, 1,001 such folders hid root's leftovers, and the advice for a squatted folder could not work.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.folder.marked_folder import (
    MARKER,
    Owner,
    owner_of,
)
from fsgauge.machine.ledger import ledger_folder
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.machine.ledger.traces import FolderTrace
from fsgauge.machine.process.tool import find_tool
from tests.attack.swapper import USER, swapping
from tests.commands import interpreted
from tests.marked_folders import marked, removed

SHARED = Path("/var/tmp")
PATIENCE_SECONDS = 60


@pytest.fixture
def trap() -> Iterator[Path]:
    folder = SHARED / "fsgauge-00000000dead-loop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.mkfifo(folder / MARKER)
    yield folder
    shutil.rmtree(folder)


def test_a_pipe_as_a_marker_keeps_no_command_waiting(trap: Path) -> None:
    done = interpreted("explain", "iops", seconds=PATIENCE_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    assert trap.is_dir()


def test_a_pipe_as_a_marker_is_no_marker(trap: Path) -> None:
    signal.alarm(PATIENCE_SECONDS)
    try:
        assert owner_of(trap) is None
        with pytest.raises(RigError, match="does not have this run's marker"):
            removed(trap, "00000000dead")
    finally:
        signal.alarm(0)


def test_a_thousand_folders_hide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reboot ended is known from its ledger, and no shared folder is searched."""
    ledgers, shared = tmp_path / "ledgers", tmp_path / "shared"
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: ledgers)
    ledgers.mkdir(mode=0o700)
    shared.mkdir()
    for number in range(1001):
        (shared / f"fsgauge-{number:012x}-loop").mkdir()
    owner = Owner(token="f" * 12, pid=1, start_ticks=0, boot_id="an earlier boot")
    left = shared / f"fsgauge-{owner.token}-loop"
    marked(left, owner)
    trace = FolderTrace(path=str(left), token=owner.token)
    lines = [{"owner": owner.model_dump()}, {"made": 0, "trace": trace.model_dump()}]
    (ledgers / f"{owner.token}.ledger").write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert f"removed {left}, left by an earlier run" in clean_up_after_the_dead()


@pytest.mark.root
def test_roots_ledgers_are_in_no_shared_folder_and_outlive_a_reboot() -> None:
    place = ledger_folder.ledger_folder()
    assert place == Path("/var/lib/fsgauge")
    for above in place.parents:
        status = above.stat()
        assert status.st_uid == 0 and not status.st_mode & 0o002
    assert ledger_folder.mount_folder(place) == Path("/run/fsgauge")


@pytest.fixture
def squatted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ordinary user's place in the shared folder, which another user was quicker to make."""
    uid = 50_000 + os.getpid()  # another one in each process of a test run
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"):
        monkeypatch.delenv(name, raising=False)
    place = Path(f"/tmp/fsgauge-{uid}")
    if place.exists():
        pytest.skip(f"{place} is there")
    place.mkdir()
    return place


def test_a_squatted_folder_is_not_used_where_the_user_has_a_home(
    squatted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        monkeypatch.setenv("HOME", str(tmp_path))
        assert tmp_path in ledger_folder.ledger_folder().parents
    finally:
        squatted.rmdir()


def test_the_advice_for_a_squatted_folder_can_be_followed(squatted: Path) -> None:
    """It said `rm -r`, of another user's folder."""
    try:
        with pytest.raises(RigError, match="is not a folder of this user") as refused:
            ledger_folder.private_folder()
        assert "XDG_STATE_HOME=" in refused.value.next and "rm -r" not in refused.value.next
        assert refused.value.cause == "user 0 made it"
    finally:
        squatted.rmdir()


SECONDS = 150
"""The longest that a command is under attack."""
_HEAD = """
format = 1
question = "Is what lies elsewhere left alone?"
[storage]
kind = "path"
path = "{shared}"
size = "{size}"
[[system]]
name = "a"
kind = "mounted"
[[system]]
name = "b"
kind = "mounted"
{of_b}
[plan]
blocks = 2
side_by_side = {side_by_side}
[workload]
"""
STUDIES = {
    "overhead": """
kind = "overhead"
patterns = ["randrw"]
block_sizes = ["4 KiB"]
queue_depths = [1]
files = 2
fill = "30 %"
warm_up = "100 ms"
duration = "300 ms"
""",
    "connections": """
kind = "connections"
clients = 4
time_limit = "1 s"
""",
    "churn": """
kind = "churn"
fills = ["50 %"]
median_size = "8 KiB"
storage_age = 2.0
new_file_size = "1 MiB"
clients = 2
time_limit = "1 s"
""",
    "writers": """
kind = "writers"
writers = [1, 2]
duration = "300 ms"
warm_up = "100 ms"
""",
    "aging": """
kind = "aging"
files = 10
streams = 2
levels = ["10 %"]
""",
    "sharing": """
kind = "sharing"
time_limit = "1 s"
""",
    "commits": """
kind = "commits"
duration = "300 ms"
warm_up = "100 ms"
""",
    "metadata": """
kind = "metadata"
time_limit = "1 s"
""",
    "mix": """
kind = "mix"
duration = "300 ms"
warm_up = "100 ms"
[[workload.group]]
name = "files"
operations = { create = 1, unlink = 1 }
files = 100
file_sizes = "4 KiB"
[[workload.group]]
name = "blocks"
file_sizes = "8 MiB"
""",
    "command": """
kind = "command"
program = ["sh", "-c", "echo spoilt | tee file fsgauge-0000 {folder}/secret; sleep 0.1"]
prepare = ["sleep 0.1; echo spoilt | tee made {folder}/secret"]
finish = ["rm -f secret file"]
""",
}


@pytest.fixture
def scene() -> Iterator[Path]:
    """A folder of another user in which root works, and one of root's alone, beside it."""
    top = Path(tempfile.mkdtemp(prefix="fsgauge-test-", dir="/var/tmp"))
    os.chown(top, USER, USER)
    top.chmod(0o755)
    for name in ("shared", "roots", "results"):
        (top / name).mkdir(mode=0o755 if name == "shared" else 0o700)
    os.chown(top / "shared", USER, USER)
    (top / "roots" / "secret").write_bytes(b"precious" * 10_000)
    (top / "roots" / "secret").chmod(0o600)
    yield top
    shutil.rmtree(top)


def study_in(scene: Path, kind: str, *, side_by_side: bool = False, of_b: str = "") -> list[str]:
    """The words of a run."""
    head = _HEAD.format(
        shared=scene / "shared",
        size="256 MiB",
        of_b=of_b,
        side_by_side=str(side_by_side).lower(),
    )
    (scene / "study.toml").write_text(head + STUDIES[kind])
    return ["run", str(scene / "study.toml"), "--results", str(scene / "results"), "--quiet"]


def under_attack(scene: Path, how: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What a command of root's says while a user swaps its folders. What is root's is unchanged,
    and nothing of root's is left where the user can write."""
    before = tree_of(scene / "roots")
    with swapping(scene / "shared", scene / "roots", how, SECONDS):
        done = interpreted(*words, seconds=SECONDS, cwd="/")
    assert tree_of(scene / "roots") == before
    left = [place for place in scene.rglob("*") if place.name.startswith(("fsgauge-", "old"))]
    assert [place for place in left if place.lstat().st_uid == 0] == [], done.stderr
    assert [book for book in ledgers() if str(scene) in book] == [], done.stderr
    return done


def ledgers() -> Iterator[str]:
    """Their texts; those of others may end meanwhile."""
    for path in ledger_folder.ledger_folder().glob("*.ledger"):
        with suppress(FileNotFoundError):
            yield path.read_text()


def tree_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(each.relative_to(folder)): (
            each.lstat().st_mode,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in (folder, *folder.rglob("*"))
    }


def require_said(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("was renamed or replaced") == 1, done.stderr
    assert "fsgauge itself failed" not in done.stderr


@pytest.mark.root
@pytest.mark.parametrize("kind", STUDIES)
def test_a_study_touches_nothing_that_was_put_in_its_folders_place(scene: Path, kind: str) -> None:
    """Root's engine wrote 9 MiB of random bytes through links into a file of root's."""
    require_said(under_attack(scene, "links", *study_in(scene, kind)))


@pytest.mark.root
@pytest.mark.parametrize("how", ["inside", "parent"])
def test_a_program_works_in_the_folder_that_was_made_for_it(scene: Path, how: str) -> None:
    """Root started it in a folder that a user had put in the place of its own."""
    require_said(under_attack(scene, how, *study_in(scene, "command")))


@pytest.mark.root
@pytest.mark.parametrize("how", ["link", "pipe", "parent"])
@pytest.mark.parametrize("side_by_side", [False, True])
def test_whatever_is_put_there(scene: Path, how: str, side_by_side: bool) -> None:
    words = study_in(scene, "overhead", side_by_side=side_by_side)
    require_said(under_attack(scene, how, *words))


@pytest.mark.root
def test_nor_where_one_of_two_folders_is_swapped(scene: Path) -> None:
    (scene / "results" / "own").mkdir()
    words = study_in(scene, "overhead", of_b=f'path = "{scene}/results/own"')
    require_said(under_attack(scene, "links", *words))


@pytest.mark.root
@pytest.mark.parametrize("how", ["links", "link", "parent"])
def test_the_doctor_writes_nowhere_else(scene: Path, how: str) -> None:
    done = under_attack(scene, how, "doctor", "--directory", str(scene / "shared"))
    assert done.returncode == 0
    assert done.stdout.replace("\n", " ").count("was renamed or replaced") == 1


@pytest.mark.root
@pytest.mark.parametrize(("kind", "tool"), [("overhead", "fio"), ("sharing", "bonnie++")])
def test_nor_do_programs_of_others(scene: Path, kind: str, tool: str) -> None:
    if find_tool(tool) is None:
        pytest.skip(f"needs {tool}")
    _, study, *rest = study_in(scene, kind)
    if tool == "bonnie++":
        Path(study).write_text(Path(study).read_text() + 'tests = ["put_block", "get_block"]\n')
    done = under_attack(scene, "links", "crosscheck", study, "--with", tool, *rest[:2])
    assert done.returncode == 3 and "was renamed or replaced" in done.stderr, done.stderr


@pytest.mark.root
def test_a_folder_that_is_aged_is_the_one_that_was_named(scene: Path) -> None:
    """It is root's own, in a folder of the user."""
    (scene / "shared" / "fsgauge-aged").mkdir()
    words = ["age", str(scene / "shared" / "fsgauge-aged"), "churn", "--size", "64MiB"]
    before = tree_of(scene / "roots")
    with swapping(scene / "shared", scene / "roots", "links", SECONDS):
        records = ["--records", str(scene / "results")]
        done = interpreted(*words, *records, seconds=SECONDS, cwd="/")
    assert done.returncode in (2, 3), done.stderr
    assert tree_of(scene / "roots") == before


@pytest.mark.root
@pytest.mark.parametrize("instead", ["link", "folder", "copy", "pipe"])
def test_what_a_dead_run_left_is_removed_only_if_it_is_that(scene: Path, instead: str) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from fsgauge.machine.ledger.ledger import opened_ledger\n"
        "with opened_ledger() as book, book.folder(Path(sys.argv[1]), 'scratch') as folder:\n"
        "    (folder / 'data').write_text('1'); print(folder, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    words = [sys.executable, "-c", program, str(scene / "shared")]
    left = Path(subprocess.run(words, capture_output=True, text=True).stdout.strip())
    moved = left.rename(left.with_name("old"))
    (scene / "roots" / MARKER).write_bytes((moved / MARKER).read_bytes())
    if instead == "link":
        left.symlink_to(scene / "roots")
    elif instead == "folder":
        left.mkdir()
        (left / "secret").symlink_to(scene / "roots" / "secret")
    elif instead == "copy":
        shutil.copytree(scene / "roots", left)
    else:
        os.mkfifo(left)
    before = tree_of(scene / "roots"), sorted(scene.rglob("*"))
    said = [each for each in clean_up_after_the_dead() if str(scene) in each]
    assert (tree_of(scene / "roots"), sorted(scene.rglob("*"))) == before
    assert len(said) == 1 and f"{left} is no longer a folder of fsgauge" in said[0]
    left.unlink() if instead in ("link", "pipe") else shutil.rmtree(left)
    moved.rename(left)
    assert f"removed {left}, left by an earlier run" in clean_up_after_the_dead()


@pytest.mark.root
def test_a_shared_folder_is_measured_all_the_same(scene: Path) -> None:
    """By a link that root has typed, too; nobody swaps anything."""
    (scene / "shared").chmod(0o1777)
    (scene / "results" / "link").symlink_to(scene / "shared")
    words = study_in(scene, "overhead")
    study = Path(words[1])
    study.write_text(study.read_text().replace(f"{scene}/shared", f"{scene}/results/link"))
    done = interpreted(*words, seconds=SECONDS)
    assert done.returncode in (0, 4, 5), done.stderr
    assert list((scene / "shared").iterdir()) == []
