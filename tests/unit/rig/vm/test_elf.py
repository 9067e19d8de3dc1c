"""What a program is linked with, read without a tool."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.rig.vm.build.closure import linked
from tests.needs import need_tool


def test_the_libraries_are_those_that_the_loader_is_asked_for(tmp_path: Path) -> None:
    need_tool("cc", "gcc libc6-dev")
    (tmp_path / "main.c").write_text(
        "#include <math.h>\nint main(int n, char **v) { return cos(n); }"
    )
    command = ["cc", str(tmp_path / "main.c"), "-o", str(tmp_path / "main"), "-lm"]
    subprocess.run([*command, "-Wl,-rpath,$ORIGIN/own:/opt/own"], check=True, timeout=60)
    found = linked(tmp_path / "main")
    assert found is not None
    assert set(found.libraries) == {"libm.so.6", "libc.so.6"}
    assert found.folders == ("$ORIGIN/own", "/opt/own")


def test_a_static_program_is_linked_with_nothing(tmp_path: Path) -> None:
    need_tool("cc", "gcc libc6-dev")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    command = ["cc", "-static", str(tmp_path / "main.c"), "-o", str(tmp_path / "main")]
    subprocess.run(command, check=True, timeout=60)
    found = linked(tmp_path / "main")
    assert found is not None and found.libraries == ()


def test_this_interpreter_names_libc() -> None:
    found = linked(Path(os.path.realpath(sys.executable)))
    assert found is not None and "libc.so.6" in found.libraries


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + b"\0" * 90]
)
def test_other_files_are_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    assert linked(tmp_path / "file") is None
