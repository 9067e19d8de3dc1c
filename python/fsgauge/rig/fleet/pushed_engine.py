"""An engine that the coordinator sends to a host which has none, or another build.

It lies in a private folder of the host's process and is gone with it; what is installed there is
not touched. The digest says that what arrived is what was sent.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def digest_of(binary: bytes) -> str:
    """Its SHA-256, as an identity has it."""
    return hashlib.sha256(binary).hexdigest()


def use_engine(binary: bytes, sha256: str, folder: Path) -> str:
    """Have this process use that engine from now on; why it cannot, or ""."""
    if digest_of(binary) != sha256:
        return "the engine arrived damaged: its digest is another one"
    try:
        path = Path(tempfile.mkdtemp(prefix="engine-", dir=folder)) / "fsgauge-engine"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
            file.write(binary)
    except OSError as error:
        return f"the engine cannot be stored in {folder}: {error.strerror}"
    if not os.access(path, os.X_OK):
        return f"no program can be run from {folder}: it is mounted noexec (TMPDIR names another)"
    os.environ["FSGAUGE_ENGINE"] = str(path)
    return ""
