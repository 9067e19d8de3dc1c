"""A command that ends before it began, or whose terminal is gone: no traceback, no fault file."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge import cli
from tests.patience import patience

INTERRUPTED_AT_IMPORT = """
import builtins, os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in a shell's background ignores it
real, wanted = builtins.__import__, sys.argv[1]
def hooked(name, *more, **named):
    if name == wanted:
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *more, **named)
builtins.__import__ = hooked
sys.argv = ["fsgauge", "explain", "iops"]
runpy.run_module("fsgauge.__main__", run_name="__main__")
"""


@pytest.mark.parametrize("name", ["fsgauge.cli", "click"])
def test_ctrl_c_while_python_imports_is_an_interruption(name: str) -> None:
    """In the first 0.2 s it ended in a traceback."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_IMPORT, name],
        capture_output=True,
        text=True,
        timeout=patience(60),
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_terminal_that_was_closed_is_no_fault_of_ours(tmp_path: Path) -> None:
    """Writing to it gave "fsgauge itself failed: OSError: [Errno 5]" and a fault file."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "fsgauge", "explain", "iops"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        os.close(slave)
        os.close(master)
        assert process.wait(timeout=patience(60)) == 130
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli.group, "main", no_memory)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 3
    assert "error: not enough memory" in capsys.readouterr().err
