"""What a test needs of the machine: skipped with the package's name, and in CI a failure.

scripts/packages and scripts/set-up-tests install all of these; a test that goes on skipping for
want of one would be a hole that nobody sees.
"""

from __future__ import annotations

import os
import shutil

import pytest

_MADE_BY = {
    "xfs": "xfsprogs",
    "btrfs": "btrfs-progs",
    "f2fs": "f2fs-tools",
    "nilfs2": "nilfs-tools",
}


def must_run() -> bool:
    """Whether a missing package is a failure: asked for, or in CI as root, who can install it."""
    asked = os.environ.get("FSGAUGE_TEST_ROOT") == "1"
    return asked or (os.environ.get("CI") == "true" and os.geteuid() == 0)


def need_tool(tool: str, package: str) -> None:
    """Skip or fail where a program is not on the path."""
    if shutil.which(tool) is None:
        need(f"{tool}: apt-get install {package}")


def need_mkfs(kind: str) -> None:
    """Skip or fail where a file system cannot be made."""
    need_tool(f"mkfs.{kind}", _MADE_BY.get(kind, "e2fsprogs"))


def need(missing: str) -> None:
    """Skip or fail for what is missing, said in words."""
    if must_run():
        pytest.fail(f"this test must run here and cannot: it needs {missing}")
    pytest.skip(f"needs {missing}; FSGAUGE_TEST_ROOT=1 makes that a failure")
