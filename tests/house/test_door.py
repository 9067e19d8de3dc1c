"""The engine opens what a job names by `fsgauge-door` alone."""

from __future__ import annotations

import re
from pathlib import Path

CRATES = Path(__file__).parents[2] / "crates"

# Places of the kernel's own and of this repository, and the file of a password, which is looked at
# once it is open.
NOT_OF_A_JOB = {
    "fsgauge-alloc/src/damage.rs",
    "fsgauge-clients/src/result.rs",
    "fsgauge-clients/src/target/descriptors.rs",
    "fsgauge-clients/src/target/entered.rs",
    "fsgauge-engine/src/inherited.rs",
    "fsgauge-engine/src/privileges.rs",
    "fsgauge-engine/src/schema.rs",
    "fsgauge-load/src/instruments/clock.rs",
    "fsgauge-load/src/instruments/cpu.rs",
    "fsgauge-net/src/password.rs",
    "fsgauge-scan/src/source/mounted/btrfs_counters.rs",
    "fsgauge-scan/src/source/mounted/ext_bitmaps.rs",
    "fsgauge-scan/src/source/mounted/ext_counter.rs",
    "fsgauge-scan/src/source/mounted/geometry.rs",
    "fsgauge-scan/src/source/mounted/mb_groups.rs",
    "fsgauge-scan/src/source/mounted/mount.rs",
    "fsgauge-scan/src/source/mounted/quotas.rs",
    "fsgauge-scan/src/source/mounted/unlisted.rs",
    "fsgauge-scan/src/source/rotational.rs",
}

TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
BY_NAME = re.compile(
    r"\bFile::(?:open|create)\w*|\bOpenOptions\b|\bCWD\b|\brustix::fs::open\b"
    r"|\bfs::(?:read|write|copy|rename|metadata|symlink|exists|hard_link|set_perm|"
    r"remove_|create_|read_)\w*\("
    r"|\buse rustix::fs::\{[^}]*\bopen\b[^}]*\}|\bstatvfs\("
)


def _by_name(text: str) -> list[str]:
    """Calls that resolve a name from the top, outside of a file's own tests."""
    return BY_NAME.findall(COMMENT.sub("", TESTS.sub("", text)))


def test_only_the_door_resolves_names() -> None:
    sources = [
        path
        for path in CRATES.glob("*/src/**/*.rs")
        if path.name != "tests.rs"
        and not {"tests", "kernel_tests"} & set(path.relative_to(CRATES).parts)
    ]
    found = {str(path.relative_to(CRATES)) for path in sources if _by_name(path.read_text("utf-8"))}
    others = {name for name in found if not name.startswith("fsgauge-door/")}
    assert others == NOT_OF_A_JOB


def test_a_name_is_found_however_it_is_opened() -> None:
    assert _by_name("let file = File::open(path)?;")
    assert _by_name("use rustix::fs::{Mode, OFlags, open};")
    assert _by_name("std::fs::remove_file(path)")
    assert not _by_name("use rustix::fs::{Mode, OFlags, openat};")
    assert not _by_name("#[cfg(test)]\nmod tests {\n    File::open(path);\n}\n")
