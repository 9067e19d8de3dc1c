"""A host that was lost: which, how, and what comes of it.

A block that lost a host is void for all systems and measured again, at most twice. A host that is
lost a third time is left out of the whole study, never of one system or one block alone.
"""

from __future__ import annotations

from fsgauge.errors import RigError

MOST_REPEATS = 2


class HostLostError(RigError):
    """A host is gone, or can no longer be relied on in this block."""

    def __init__(self, host: str, why: str, by_hand: str = "", *, next: str = "") -> None:
        super().__init__(
            f"{host}: {why}",
            cause="the host, its network or fsgauge on it failed",
            next=next or (by_hand and f"to remove what it may have left: {by_hand}"),
        )
        self.host = host
        self.why = why


def too_few(left: int, needed: int, lost: list[str], last: HostLostError) -> RigError:
    """So few hosts are left that the study cannot be measured with them."""
    what = "no host is left to measure with"
    if left:
        what = f"the study has a cell with {needed} hosts, and {left} are left"
    return RigError(
        what,
        details=tuple(lost),
        cause=last.cause,
        next=last.next or "ssh HOST fsgauge doctor",
    )
