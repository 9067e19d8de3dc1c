"""Where a scan's page is written: never over a file that is not a scan's page itself."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import head_of, write_whole

MARK = '<meta name="generator" content="fsgauge scan'
_HEAD_BYTES = 4096


def require_ours(path: Path) -> None:
    """Raise InputError where the page would replace something else, or its folder takes none."""
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder", next=f"mkdir -p {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"no file can be made in {path.parent}",
            cause="this user may not write there, or its file system is read-only",
            next=f"--page FILE.html   (in a folder where you may write; ls -ld {path.parent})",
        )
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is there and is no plain file", next="--page OTHER.html")
    if path.exists() and not _is_page(path):
        raise InputError(
            f"{path} is there and is not the page of a scan, so it is left alone",
            next="--page OTHER.html",
        )


def write_scan_page(path: Path, page: str) -> None:
    """Write it whole; raises InputError for what `require_ours` refuses, RigError for the rest."""
    require_ours(path)
    try:
        write_whole(path, page)
    except RigError as error:
        raise RigError(
            error.what,
            details=error.details,
            cause=error.cause,
            next="--page FILE.html   (in a folder where you may write)",
        ) from error


def _is_page(path: Path) -> bool:
    return MARK.encode() in head_of(path, _HEAD_BYTES)
