"""Programs in C, as a bench finds them: source beside it, compiled when it is needed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from scratch import run
from side_by_side import Skipped

HERE = Path(__file__).resolve().parent


def compiled(source: str, directory: Path, libraries: Sequence[str] = ()) -> Path:
    """Compile a file of this folder into the directory; give the program."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise Skipped("a C compiler is missing: apt-get install gcc libc6-dev")
    program = directory / Path(source).stem
    linked = [f"-l{library}" for library in libraries]
    run([compiler, "-O2", "-o", str(program), str(HERE / source), *linked])
    return program
