"""The engine's messages over SMB in a plain loop in C: what no client of SMB is below.

`plain_smb.c` has one thread and the study's work is all that it can do. Needs libcrypto, which logs
it in as the others are: by user and password.
"""

from __future__ import annotations

import json
from pathlib import Path

from compiled import compiled
from side_by_side import Skipped, expect
from smb_server import SHARE, USER, SmbShare
from study_work import StudyWork
from tool import run_tool


def program(directory: Path) -> Path:
    """Compile it."""
    try:
        return compiled("plain_smb.c", directory, ["crypto"])
    except Skipped as reason:
        raise Skipped(f"the plain loop needs apt-get install gcc libssl-dev: {reason}") from None


def cpu_us_of_operation(path: Path, share: SmbShare, work: StudyWork) -> float:
    """Let it do the work; give its processor time, logging in left out."""
    clients = share.path / "clients"
    clients.mkdir()
    clients.chmod(0o777)
    server = [str(share.port), SHARE, USER, str(share.password_file)]
    files = [str(count) for count in (work.clients, work.sizes, work.files_of_size)]
    cpu_us = of_operation(run_tool([str(path), *server, *files]).output, work)
    work.expect_files(share.path)
    return cpu_us


def of_operation(output: str, work: StudyWork) -> float:
    """Read what it prints; end where it did not do every operation."""
    done = json.loads(output)
    expect(done["operations"], work.operations, "operations were done by the plain loop")
    return float(done["cpu_us"] / done["operations"])
