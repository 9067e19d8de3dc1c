"""A program's calls are answered by this process: given, made in its place, or left to go on."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.process.answered_calls import AskedCall, Given
from fsgauge.machine.process.tool import run_tool

pytestmark = pytest.mark.root

READ = "import os, sys; print(os.read(os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL), 99))"
MOUNT = (
    "import ctypes, sys; c = ctypes.CDLL(None, use_errno=True);"
    "print(c.mount(b'from', b'to', b'kind', 32, b'a,b'), ctypes.get_errno())"
)
UNMOUNT = "import ctypes; print(ctypes.CDLL(None).umount2(b'/there', 2))"
FSOPEN = (
    "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
    "print(c.syscall(430, b'ext4', 0), ctypes.get_errno())"
)


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-I", "-c", code, *arguments]


def test_an_exclusive_open_is_given_what_this_process_has(tmp_path: Path) -> None:
    for name in ("asked", "given"):
        (tmp_path / name).write_text(name)
    asked: list[AskedCall] = []

    def answer(call: AskedCall) -> Given:
        asked.append(call)
        return Given(os.open(tmp_path / "given", os.O_RDONLY))

    before = len(list(Path("/proc/self/fd").iterdir()))
    said = run_tool(python(READ, str(tmp_path / "asked")), answer=answer)
    assert said.output == "b'given'\n"
    assert [(call.name, call.path) for call in asked] == [("open", str(tmp_path / "asked"))]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_what_is_not_answered_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "asked"
    file.write_text("asked")
    assert run_tool(python(READ, str(file)), answer=lambda _: None).output == "b'asked'\n"


def test_a_mount_and_an_unmount_are_made_by_this_process() -> None:
    asked: list[AskedCall] = []

    def answer(call: AskedCall) -> int:
        asked.append(call)
        return errno.EBUSY if call.name == "mount" else 0

    assert run_tool(python(MOUNT), answer=answer).output == f"-1 {errno.EBUSY}\n"
    assert run_tool(python(UNMOUNT), answer=answer).output == "0\n"
    mount, unmount = asked
    assert mount.path.endswith("/cwd/from") and mount.directory.endswith("/cwd/to")
    assert (mount.file_system, mount.flags, mount.options) == ("kind", 32, "a,b")
    assert (unmount.path, unmount.flags) == ("/there", 2)


def test_the_new_calls_for_mounts_are_unknown() -> None:
    """Programs then use mount(2), which is answered."""
    assert run_tool(python(FSOPEN), answer=lambda _: None).output == f"-1 {errno.ENOSYS}\n"


def test_what_the_answer_raises_ends_the_program_and_is_raised() -> None:
    def answer(_: AskedCall) -> int:
        raise RigError("no")

    with pytest.raises(RigError, match="no"):
        run_tool(python(MOUNT), answer=answer)


def test_an_answered_program_cannot_be_answered_by_another(tmp_path: Path) -> None:
    """One supervisor is all that the kernel allows; the sentence says so."""
    code = (
        "from fsgauge.machine.process.tool import run_tool\n"
        "try: run_tool(['true'], answer=lambda _: None)\n"
        "except Exception as error: print(error.what)"
    )
    said = run_tool(python(code), answer=lambda _: None)
    assert "does not let fsgauge hand a claimed device to mkfs and mount" in said.output
    assert "busy" in said.output
