"""Programs that cannot be started are refused before anything of a study is."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.host.command_faults import require_program
from tests.unit.kinds.command.studies import study


def refusal(program: str, more: str = "", words: tuple[str, ...] = ()) -> InputError:
    with pytest.raises(InputError) as refused:
        require_program(study(f"program = {json.dumps([program, *words])}\n{more}"))
    return refused.value


def test_what_is_there_is_not_refused(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    require_program(study(f'program = ["{tool}"]'))
    require_program(study('program = ["sh"]'))


def test_a_name_that_is_not_installed() -> None:
    assert refusal("no-such-program").next == "command -v no-such-program"
    packages = 'packages = { no-such-program = "tools" }'
    assert refusal("no-such-program", packages).next == "apt-get install tools"


@pytest.mark.parametrize("name", ["./my tool", "bin/../my tool"])
def test_a_program_of_the_working_folder_is_named_with_its_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was looked for in the empty folder of each run, which had the advice of nobody."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "my tool").touch()
    assert refusal(name, words=("-x", "a b")).next.startswith(f"-- '{tmp_path}/")
    assert refusal(name, words=("-x", "a b")).next.endswith("my tool' -x 'a b'")
    (tmp_path / "my tool").unlink()
    assert "--prepare" in refusal(name).cause
    assert refusal(name).next.startswith("ls ")
    require_program(study(f'program = ["{name}"]\nprepare = ["make"]'))


def test_a_path_that_is_no_program(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    assert refusal(str(tool)).what == f"there is no program {tool}"
    assert refusal(str(tool / "deep" / "er")).next == f"ls {tmp_path}"
    found = refusal(str(tmp_path), words=("tar", "xf"))
    assert "it is a folder" in found.cause and found.next == f"--system {tmp_path} -- tar xf"
    assert refusal(str(tmp_path)).next == f"--system {tmp_path}"
    tool.touch(0o644)
    assert refusal(str(tool)).next == f"chmod +x {tool}"


def test_several_words_in_one_are_for_a_shell() -> None:
    assert refusal("echo hi there").next == "-- sh -c 'echo hi there'"
    assert refusal("my tool", words=("-x", "a b")).next == shlex.join(
        ["--", "sh", "-c", "my tool -x 'a b'"]
    )
    for words in ("tar xf /srv/a.tar", "/bin/sh -x"):
        assert refusal(words).next == f"-- sh -c '{words}'"


def test_root_is_told_that_it_searches_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "not installed; next: command -v mytool", which printed its path."""
    (tmp_path / "mytool").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("fsgauge.programs.finding.only_root_changes", lambda _: False)
    found = refusal("mytool", words=("-x",))
    assert "another user can change" in found.cause
    assert found.next == f"-- {tmp_path}/mytool -x"
