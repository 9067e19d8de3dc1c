"""Mutants: small faults in statistics, verdicts, store and safety, each with the test that sees it.

`scripts/mutants` plants them one by one in a copy of the tree. What is tried is in mutants.toml.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests/mutants.toml"
_COPIED = ("python", "tests", "pyproject.toml", "schema")
_LONGEST_SECONDS = 120
"""A mutant may loop for ever; one that is ended for it was noticed. Test files take seconds."""


@dataclass(frozen=True)
class Mutant:
    """`file` is below python/fsgauge, `test` below tests; `now` takes the place of `text`."""

    name: str
    file: str
    text: str
    now: str
    test: str

    def fault_of_the_table(self, root: Path = ROOT) -> str | None:
        """Why this mutant cannot be planted; None where it can."""
        if not (root / "tests" / self.test).is_file():
            return f"there is no tests/{self.test}"
        source = root / "python/fsgauge" / self.file
        found = source.read_text().count(self.text) if source.is_file() else 0
        if found == 1:
            return None
        homes = [
            str(path.relative_to(root))
            for path in sorted((root / "python/fsgauge").rglob("*.py"))
            if self.text in path.read_text()
        ]
        where = f"; it is in {', '.join(homes)}" if homes else ""
        return f"its text is {found or 'not'} {'times ' if found else ''}in {self.file}{where}"


def mutants() -> list[Mutant]:
    """All of the table, in its order."""
    return [
        Mutant(file=group["file"], test=group["test"], **each)
        for group in tomllib.loads(TABLE.read_text())["module"]
        for each in group["mutant"]
    ]


def run_all(words: Sequence[str]) -> int:
    """Try those that have one of the words; the exit code."""
    chosen = [
        each
        for each in mutants()
        if not words or any(word in f"{each.name} {each.file}" for word in words)
    ]
    faults = [f"{each.name}: {fault}" for each in chosen if (fault := each.fault_of_the_table())]
    if faults or not chosen:
        print("\n".join(faults or ["no mutant has such a word"]))
        return 1
    places = max(2, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory(prefix="fsgauge-mutants-") as folder:
        # Tests become an ordinary user, who imports too.
        Path(folder).chmod(0o755)
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(places):
            trees.put(_copied(Path(folder) / str(number)))
        with ThreadPoolExecutor(places) as pool:
            tests = list(dict.fromkeys(each.test for each in chosen))
            passing = dict(zip(tests, pool.map(partial(_passes, trees), tests), strict=True))
            noticed = list(pool.map(partial(_is_noticed, trees), chosen))
    broken = [f"tests/{test}: it fails without a mutant" for test in tests if not passing[test]]
    survived = [
        f"{each.name}: nothing in tests/{each.test} notices it in {each.file}"
        for each, was_noticed in zip(chosen, noticed, strict=True)
        if not was_noticed
    ]
    print("\n".join([*broken, *survived, f"{len(chosen)} mutants, {len(survived)} survived"]))
    return 1 if broken or survived else 0


def _copied(tree: Path) -> Path:
    tree.mkdir()
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    return tree


@contextmanager
def _tree(trees: SimpleQueue[Path]) -> Iterator[Path]:
    tree = trees.get()
    try:
        yield tree
    finally:
        trees.put(tree)


def _is_noticed(trees: SimpleQueue[Path], mutant: Mutant) -> bool:
    with _tree(trees) as tree:
        source = tree / "python/fsgauge" / mutant.file
        healthy = source.read_text()
        _write(source, healthy.replace(mutant.text, mutant.now))
        try:
            return not _run(tree, mutant.test)
        finally:
            _write(source, healthy)


_SECONDS = count(1_000_000_000)


def _write(source: Path, text: str) -> None:
    """With a time of its own: bytecode is known by the whole second and size of its source."""
    source.write_text(text)
    second = next(_SECONDS)
    os.utime(source, (second, second))


def _passes(trees: SimpleQueue[Path], test: str) -> bool:
    with _tree(trees) as tree:
        return _run(tree, test)


def _run(tree: Path, test: str) -> bool:
    """Whether a test file passes in a tree, by itself."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "python"),
        "PYTHONPYCACHEPREFIX": str(tree / "bytecode"),
        "TMPDIR": str(tree.parent),
    }
    try:
        done = subprocess.run(
            [*command, f"tests/{test}"],
            cwd=tree,
            env=environment,
            capture_output=True,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
