"""A step of a system in bash: what it printed, or its last words."""

from __future__ import annotations

from importlib.resources import files

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.device import fua_writes
from fsgauge.machine.process.tool import Said
from fsgauge.rig.vm import guest_set_up
from fsgauge.rig.vm.guest_set_up import fall, run


def test_a_step_gives_what_it_printed() -> None:
    assert run('echo "$WORD"', {"WORD": "done"}, 10.0) == "done\n"


def test_the_last_words_of_one_that_fails_are_its_own() -> None:
    """The exit code and the last line: what mount said."""
    with pytest.raises(RigError) as failed:
        run("echo first; echo access denied by server >&2; exit 32", {}, 10.0)
    assert failed.value.what == "it ended with exit code 32"
    assert failed.value.details == ("access denied by server",)


def test_the_shell_s_own_line_number_is_no_one_s_word() -> None:
    """ "/usr/lib/fsgauge/client-cache: line 18" was a system's fault."""
    with pytest.raises(RigError) as failed:
        run("no-such-program", {}, 10.0)
    assert failed.value.details == ("no-such-program: command not found",)


def test_one_that_says_nothing_has_the_kernel_s_last_line_but_not_fsgauge_s_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = "[ 1.0] EXT4-fs error\n[ 2.0] python3 (139): drop_caches: 3\n"
    told = {"env": Said(("env",), 1, "", ""), "dmesg": Said(("dmesg",), 0, log, "")}
    monkeypatch.setattr(guest_set_up, "run_tool", lambda words, **_: told[words[0]])
    with pytest.raises(RigError) as failed:
        run("false", {}, 10.0)
    assert failed.value.details == ("kernel: [ 1.0] EXT4-fs error",)


def test_a_step_that_does_not_end_is_named_without_its_environment() -> None:
    """The fault of a silent server began with twenty variables, and had lines of shell."""
    with pytest.raises(RigError) as late:
        run('echo begun\nsleep 60 # "$SERVER"', {"SERVER": "10.9.0.1"}, 0.3)
    assert late.value.what == "it did not end within 0 s"
    assert not any("10.9.0.1" in line or "sleep" in line for line in late.value.details)


@pytest.fixture
def umount(monkeypatch: pytest.MonkeyPatch) -> list[Said]:
    """What umount says, one after the other; nothing is waited for."""
    answers: list[Said] = []
    monkeypatch.setattr(guest_set_up, "run_tool", lambda *_, **__: answers.pop(0))
    monkeypatch.setattr(guest_set_up, "_RETRY_SECONDS", 0.0)
    return answers


def said(exit_code: int, error: str = "") -> Said:
    """How umount ended."""
    return Said(("umount", "/mnt/below"), exit_code, "", error)


def test_a_folder_that_a_server_has_just_let_go_is_unmounted(umount: list[Said]) -> None:
    """nfsd held a file after exportfs -f, once on a busy machine, and the study ended there."""
    busy = said(32, "umount: /mnt/below: target is busy.")
    umount += [busy, busy, said(0)]
    fall("/mnt/below")
    assert umount == []


def test_what_is_not_mounted_is_not_waited_for(umount: list[Said]) -> None:
    umount += [said(32, "umount: /mnt/below: not mounted."), said(0)]
    with pytest.raises(RigError, match="cannot be unmounted"):
        fall("/mnt/below")
    assert len(umount) == 1


def test_a_folder_that_stays_busy_is_given_up(
    umount: list[Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_set_up, "_BUSY_SECONDS", 0.0)
    umount += [said(32, "umount: /mnt/below: target is busy.")]
    with pytest.raises(RigError, match="cannot be unmounted"):
        fall("/mnt/below")


def test_a_guest_mounts_what_counts_writes_with_fua() -> None:
    """On a disk of NVMe they were "not counted: tracefs is not mounted"."""
    start = (files("fsgauge.rig.vm") / "guest" / "start").read_text()
    assert f"mount -t tracefs tracefs {fua_writes._TRACEFS};" in start
