"""The processors that packages are built for, by the names that each tool has for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """One processor; `elf_machine` is e_machine in the header of its programs."""

    debian: str
    rust_target: str
    wheel: str
    linker: str
    elf_machine: int


ARCHITECTURES = (
    Architecture(
        debian="amd64",
        rust_target="x86_64-unknown-linux-gnu",
        wheel="x86_64",
        linker="x86_64-linux-gnu-gcc",
        elf_machine=62,
    ),
    Architecture(
        debian="arm64",
        rust_target="aarch64-unknown-linux-gnu",
        wheel="aarch64",
        linker="aarch64-linux-gnu-gcc",
        elf_machine=183,
    ),
)


def architecture(debian: str) -> Architecture:
    """By Debian's name; KeyError for one that is not built."""
    return {each.debian: each for each in ARCHITECTURES}[debian]
