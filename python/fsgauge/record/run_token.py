"""A run's token in the names that it gives, and texts without what is new in every run.

New in every run are the token of our folders and mount points, and the number of a loop device.
"""

from __future__ import annotations

import re

PREFIX = "fsgauge-"
TOKEN_BYTES = 6
_OURS = re.compile(rf"(?<=/){PREFIX}[0-9a-f]{{{2 * TOKEN_BYTES}}}-(?=[a-z])")


def own_name(token: str, purpose: str) -> str:
    """The name of a folder that a run makes: "fsgauge-0123456789ab-ram"."""
    return f"{PREFIX}{token}-{purpose}"


def without_token(path: str) -> str:
    """A path with the token of our folders replaced."""
    return _OURS.sub(f"{PREFIX}*-", path)


def without_place(text: str, device: str) -> str:
    """A tool's output about a file system, without its device and our mount point."""
    if device.startswith("/dev/"):
        text = re.sub(rf"{re.escape(device)}(?![0-9A-Za-z])", "the device", text)
    return without_token(text)
