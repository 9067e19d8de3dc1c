"""Study files that commands write: whole, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.cli.study import from_command, from_fio, written
from fsgauge.errors import InputError, RigError


def test_there_is_one_or_it_is_another_ones(tmp_path: Path) -> None:
    path = written("a = 1\n", tmp_path / "a.toml")
    assert path.read_text() == "a = 1\n"
    with pytest.raises(InputError, match="exists already") as refused:
        written("b = 1\n", path, "choose another name")
    assert refused.value.next == "choose another name" and path.read_text() == "a = 1\n"


def test_a_link_is_not_followed_and_a_refusal_has_a_next_command(tmp_path: Path) -> None:
    (tmp_path / "link.toml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="exists already"):
        written("a = 1\n", tmp_path / "link.toml")
    with pytest.raises(RigError) as refused:
        written("a = 1\n", tmp_path / "missing" / "a.toml")
    assert refused.value.next.startswith("mkdir -p ") and refused.value.cause
    assert not (tmp_path / "elsewhere").exists()


def test_where_there_is_no_room_nothing_is_left(tmp_path: Path) -> None:
    """Half of a study was left on a full disk."""
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from fsgauge.cli.study import written\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "written('#' * 100_000, Path(sys.argv[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.toml")],
        capture_output=True,
        text=True,
        env={**os.environ},
    )
    assert done.returncode == 1 and "RigError: cannot write" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_options_are_counted_where_some_are_carried_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "0 options carried over" was said of every command line."""
    monkeypatch.chdir(tmp_path)
    assert from_command.callback is not None and from_fio.callback is not None
    from_command.callback("elbencho -w -b 4k -t 2 -s 1g FILE", (), Path("line.toml"))
    assert "wrote line.toml: 1 group, " in (said := capsys.readouterr().out)
    assert "carried over" not in said
    Path("job.fio").write_text("[a]\nrw=randread\nbs=4k\nsize=1g\nruntime=5\n")
    from_fio.callback(Path("job.fio"), (), (), None, False, None)
    assert "4 options carried over" in capsys.readouterr().out
