"""Examples of the crate that ages and simulates, compiled as the engine is."""

from __future__ import annotations

import shutil

import engine
from scratch import run
from side_by_side import Skipped


def built(name: str) -> str:
    """Compile an example of the crate; give the program."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise Skipped("cargo is missing, which builds the crate's examples: https://rustup.rs")
    manifest = str(engine.REPOSITORY / "Cargo.toml")
    words = ["--quiet", "--release", "--manifest-path", manifest, "-p", "fsgauge-alloc"]
    run([cargo, "build", *words, "--example", name])
    return str(engine.REPOSITORY / "target" / "release" / "examples" / name)
