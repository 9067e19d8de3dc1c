"""Names that fsgauge gives: a run's token is in each, so they say nothing about the machine.

Takes what a record holds, gives the same with the parts left out that are new in every run: the
token of a folder or mount point of ours, and the number of the device that the kernel picked.
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
    """A path in which folders of ours are named by their purpose alone."""
    return _OURS.sub(f"{PREFIX}*-", path)


def without_place(text: str, device: str) -> str:
    """What a tool said of a file system, without the device it lay on and where we mounted it."""
    if device.startswith("/dev/"):
        text = re.sub(rf"{re.escape(device)}(?![0-9A-Za-z])", "the device", text)
    return without_token(text)
