"""The set-up brings what tests need, so that none of them is skipped for want of a package."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.needs import need_tool

ROOT = Path(__file__).parents[2]
SET_UP = "".join(
    (ROOT / "scripts" / name).read_text() for name in ("packages", "set-up-tests", "test-packages")
)
SOURCES = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
BY_PACKAGE = re.compile(r'need_tool\("[^"]+", "([^"]+)"\)|need\("[^"]*apt-get install ([^"]+)"\)')
FOR_BENCHES = {"gcc", "libc6-dev", "libssl-dev"}
"""What the benches that have tests are compiled with: bench/compiled.py, bench/plain_smb.py."""


def test_every_package_that_a_test_needs_is_set_up() -> None:
    """libssl-dev was not: three tests of the bench's plain SMB client were skipped, also in CI."""
    needed = {"e2fsprogs", "xfsprogs", "btrfs-progs"} | FOR_BENCHES
    for path in SOURCES:
        for found in BY_PACKAGE.findall(path.read_text(encoding="utf-8")):
            needed |= set(" ".join(found).split())
    assert "fio" in needed
    missing = {package for package in needed if not re.search(rf"\b{package}\b", SET_UP)}
    assert not missing


def test_no_test_skips_for_want_of_a_package_where_it_must_run() -> None:
    """tests/needs.py makes it a failure in CI; a skip of one's own would not."""
    own = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"skip(if)?\(.*(which|find_tool|not installed|apt-get)|importorskip", line)
        and path.name not in ("conftest.py", "needs.py")
    ]
    assert own == []


@pytest.mark.parametrize(
    ("environment", "user", "fails"),
    [
        ({"CI": "true"}, 0, True),
        ({"CI": "true"}, 1000, False),
        ({"FSGAUGE_TEST_ROOT": "1"}, 1000, True),
        ({}, 0, False),
    ],
)
def test_what_is_missing_is_a_failure_in_ci_and_a_skip_at_the_desk(
    environment: dict[str, str], user: int, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "FSGAUGE_TEST_ROOT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("os.geteuid", lambda: user)
    outcome = pytest.fail.Exception if fails else pytest.skip.Exception
    with pytest.raises(outcome, match=r"no-such-tool: apt-get install nothing"):
        need_tool("no-such-tool", "nothing")


def test_the_makefile_takes_a_file_with_a_space_in_its_name(tmp_path: Path) -> None:
    """Such a file, say an editor's copy, was two files that are nowhere, and nothing was made."""
    folder = tmp_path / "a clone"
    for name in ("crates/a copy.rs", "packaging/wheel-data/b.py", "Cargo.toml", "Cargo.lock"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    for name in ("Makefile", "pyproject.toml"):
        (folder / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        ["make", "--dry-run", "setup"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 'scripts/set-up "python3"' in done.stdout


@pytest.mark.parametrize("examples", ["0", "many", "-1", "1e3", "$(id)", "1; id", "9" * 12])
def test_what_is_no_number_of_examples_is_refused(examples: str) -> None:
    done = subprocess.run(
        [ROOT / "scripts/fuzz", examples], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "is no number of examples" in done.stderr


def test_every_fuzzer_that_takes_a_budget_is_run_by_make_fuzz() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if path == Path(__file__) or not re.search(r"FSGAUGE_FUZZ_EXAMPLES|attack\.budget", text):
            continue
        assert "pytest.mark.fuzz" in text, f"{path.relative_to(ROOT)} is not marked fuzz"
