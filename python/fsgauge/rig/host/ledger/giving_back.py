"""A device given back at the end of a run: discarded, or at least without a signature.

What cannot be discarded keeps the run's test data. The next check finds data without a signature
there, so it is said now what that is.
"""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.errors import RigError
from fsgauge.rig.host.device.data_search import look_for_data
from fsgauge.rig.host.device.device_claim import DeviceClaim
from fsgauge.rig.host.device.wiping import discard, wipe

_DISCARD_SECONDS = 300.0
_LOOK_SECONDS = 5.0


def give_back(claim: DeviceClaim, say: Callable[[str], None]) -> None:
    """Clear what the run left; nothing is touched when another program used the device."""
    if claim.is_lost:
        return
    device = claim.device.path
    with claim.used():
        if not _discarded(device):
            wipe(device, claimed=True)
    if look_for_data(claim.device, _LOOK_SECONDS).data is not None:
        say(
            f"{device} still holds this run's test data, without a signature: the next run on it"
            f" needs --discard-unknown-data, or first: blkdiscard --zeroout {device}"
        )


def _discarded(device: str) -> bool:
    try:
        return discard(device, claimed=True, seconds=_DISCARD_SECONDS).exit_code == 0
    except RigError:  # it takes too long: the signatures alone, then
        return False
