"""The engine takes a job as JSON from its caller, and answers any as its protocol says.

A fuzzer: valid jobs are changed, half of them within the schema, or damaged as text, and given to
the engine behind walls (`engine_driver`). Each ends with `finished`, or with a `failed` that says
what, why and what next; with the exit code of that event; without a signal, a panic, more than
3 GiB of memory, or more than 20 s once it is asked to end. `FSGAUGE_FUZZ_EXAMPLES` sets how many
examples are tried.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import find_engine
from tests.attack.budget import examples
from tests.needs import need

_DRIVER = Path(__file__).with_name("engine_driver.py")
_USUAL_EXAMPLES = 80
_SECRET = "a-password-that-nobody-else-has"  # noqa: S105 - of no share
_SMB = {
    "kind": "smb",
    "host": "127.0.0.1",
    "share": "s",
    "directory": "d",
    "user": "u",
    "password": {"kind": "environment", "name": "FSGAUGE_SMB_PASSWORD"},
}


def _walls() -> list[str]:
    """The command that puts another behind walls; skips the test where there are none."""
    walls = ["unshare", "--mount", "--propagation", "slave", "--net"]
    walls += ["--map-root-user"] if os.geteuid() else []
    if shutil.which("unshare") is None or subprocess.run([*walls, "true"], check=False).returncode:
        need("namespaces of one's own: " + " ".join([*walls, "true"]))
    return walls


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder that everybody can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def _examples(walls: list[str], engine: Path, room: Path, count: int) -> list[dict[str, Any]]:
    command = [*walls, sys.executable, _DRIVER, engine, room, "0", str(count)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_whatever_the_job_the_engine_ends_as_its_protocol_says(room: Path) -> None:
    """No job ends the engine by a signal, makes it panic, wait for ever or take all memory."""
    count = examples(_USUAL_EXAMPLES)
    ended = _examples(_walls(), find_engine(), room, count)
    assert len(ended) == count
    faults = [example for example in ended if example["fault"]]
    assert not faults, json.dumps(faults[:3], indent=2)
    kinds = [example["kind"] for example in ended]
    # Some get as far as doing what they say, and most are refused.
    assert kinds.count("finished") > count // 20
    assert kinds.count("failed") > count // 4


def test_a_password_is_gone_from_the_environment_once_it_is_read() -> None:
    """Others of the same user could read it in /proc/PID/environ for as long as a study ran."""
    job = {
        "format": 1,
        "kind": "clients",
        "phase": {"kind": "read"},
        "clients": 1,
        "files": {
            "clients": 1,
            "files_per_client": 1,
            "record_size_bytes": 4096,
            "sizes": {"kind": "cycle", "sizes_bytes": [4096]},
            "tree": {"kind": "own"},
        },
        "time_limit_ns": 10**9,
        "seed": 1,
    }
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        job["target"] = _SMB | {"port": server.getsockname()[1]}
        engine = subprocess.Popen(
            [find_engine()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"FSGAUGE_SMB_PASSWORD": _SECRET},
        )
        try:
            environment = Path(f"/proc/{engine.pid}/environ")
            while _SECRET.encode() not in environment.read_bytes():
                # It is still this interpreter, about to become the engine.
                time.sleep(0.001)
            assert engine.stdin is not None
            engine.stdin.write(json.dumps(job).encode())
            engine.stdin.close()
            connection, _ = server.accept()
            with connection:
                # It says hello, and so has read what it logs in with.
                assert connection.recv(4) != b""
                assert _SECRET.encode() not in environment.read_bytes()
                assert b"FSGAUGE_SMB_PASSWORD=" in environment.read_bytes()
        finally:
            engine.kill()
            engine.wait()
