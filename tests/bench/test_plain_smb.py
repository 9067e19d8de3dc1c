"""The plain loop over SMB does the study's work, and what it leaves out is no measure."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import compiled
import plain_smb
from shares import Place
from side_by_side import Failed, Skipped
from smb_server import SmbShare
from study_work import StudyWork
from tests.needs import need

WORK = StudyWork(clients=3, sizes=2, files_of_size=1)
# Each pass: three clients with two files, opened and closed, of one and of two records.
OPERATIONS = 2 * 3 * (2 * 2 + 1 + 2)


def printed(operations: int) -> str:
    return json.dumps({"cpu_us": 210, "operations": operations, "seconds": 0.01})


def test_cpu_time_is_of_one_operation() -> None:
    assert plain_smb.of_operation(printed(OPERATIONS), WORK) == 210 / OPERATIONS


def test_operations_left_out_end_the_bench() -> None:
    with pytest.raises(Failed, match="operations were done by the plain loop"):
        plain_smb.of_operation(printed(OPERATIONS - 1), WORK)


def test_without_a_compiler_the_bench_says_what_helps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Skipped, match="apt-get install gcc libssl-dev"):
        plain_smb.program(tmp_path)
    with pytest.raises(Skipped, match="a C compiler is missing"):
        compiled.compiled("plain_loop.c", tmp_path)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    try:
        return plain_smb.program(tmp_path)
    except Skipped as reason:
        need(str(reason))


@pytest.fixture
def share() -> Iterator[SmbShare]:
    """A private Samba; the server's users do not get into pytest's own folders."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        with Place(folder).smb() as share:
            yield share
    except Skipped as reason:
        need(str(reason))
    finally:
        shutil.rmtree(folder)


@pytest.mark.root
def test_every_client_writes_its_files(program: Path, share: SmbShare) -> None:
    assert plain_smb.cpu_us_of_operation(program, share, WORK) > 0
    folders = sorted((share.path / "clients").iterdir())
    assert [folder.name for folder in folders] == ["c00000", "c00001", "c00002"]
    sizes = [sorted(file.stat().st_size for file in folder.iterdir()) for folder in folders]
    assert sizes == [[4096, 8192]] * 3


@pytest.mark.root
def test_a_status_that_is_an_error_ends_the_bench(program: Path, share: SmbShare) -> None:
    wrong = share.path / "wrong"
    wrong.write_text("wrong")
    with pytest.raises(Failed, match="command 1 of client 0: status 0xc000006d"):
        plain_smb.cpu_us_of_operation(program, replace(share, password_file=wrong), WORK)


def test_a_server_that_is_not_there_ends_the_bench(program: Path, tmp_path: Path) -> None:
    share = SmbShare(tmp_path / "served", 1, "password", tmp_path / "password")
    share.path.mkdir()
    share.password_file.write_text(share.password)
    with pytest.raises(Failed, match="connect: Connection refused"):
        plain_smb.cpu_us_of_operation(program, share, WORK)
    shutil.rmtree(share.path)
    share.path.mkdir()
    share.password_file.unlink()
    with pytest.raises(Failed, match="password: No such file"):
        plain_smb.cpu_us_of_operation(program, share, WORK)
