"""A dynamic engine is never taken for a static one, which runs on any Debian."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from release.architecture import ARCHITECTURES, architecture
from release.elf import is_static, machine_of
from tests.needs import need_tool

HERE = {each.wheel: each for each in ARCHITECTURES}


@pytest.mark.parametrize(
    ("options", "static"), [((), False), (("-static",), True), (("-static-pie",), True)]
)
def test_a_compiled_program(options: tuple[str, ...], static: bool, tmp_path: Path) -> None:
    need_tool("cc", "gcc")
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", *options, "-o", str(program), str(source)], check=True)
    assert is_static(program.read_bytes()) == static
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True)
    assert machine_of(program.read_bytes()) == HERE[machine.stdout.strip()].elf_machine


def test_the_interpreter_is_dynamic() -> None:
    assert not is_static(Path(sys.executable).resolve().read_bytes())


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01"])
def test_what_is_no_program_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="ELF"):
        is_static(content)


def test_an_architecture_has_a_name() -> None:
    assert architecture("arm64").rust_target == "aarch64-unknown-linux-gnu"
    with pytest.raises(KeyError):
        architecture("mips")
