"""Device storage: a whole block device, unused, its bytes looked at, named by the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fsgauge.machine import StorageFacts
from fsgauge.rig.host.device.block_device import BlockDevice
from fsgauge.rig.host.device.consent import Consent, require_consent, require_own_name
from fsgauge.rig.host.device.data_search import SEARCH_SECONDS, look_for_data
from fsgauge.rig.host.device.device_chain import Link, chain_of_device
from fsgauge.rig.host.device.device_claim import DeviceClaim, claimed
from fsgauge.rig.host.device.device_state import DeviceState, changes
from fsgauge.rig.host.device.safety import find_device, require_unused, require_writable, sole_use
from fsgauge.rig.host.device.search_report import Looked
from fsgauge.rig.host.ledger.giving_back import give_back
from fsgauge.rig.host.ledger.ledger import Ledger
from fsgauge.rig.host.ledger.traces import DeviceTrace
from fsgauge.storage.base import Base
from fsgauge.study.model import DeviceStorage
from fsgauge.units import format_size

_SMALLEST_BYTES = 16 << 20
_SECONDS_WITH_THE_WORD = 10.0
"""Where data may be lost anyway, a short look is for the record of it."""


@dataclass(frozen=True)
class Cleared:
    """A device that may be written, what was looked at, and what it was like then."""

    device: BlockDevice
    looked: Looked
    state: DeviceState


def check(
    storage: DeviceStorage,
    consent: Consent | None,
    smallest_bytes: int = _SMALLEST_BYTES,
    seconds: float = SEARCH_SECONDS,
    say: Callable[[str], None] = lambda _: None,
) -> Cleared:
    """The device, if it may be written; raises InputError, RefusedError or RigError."""
    device = find_device(storage.device)
    require_writable(device, max(smallest_bytes, _SMALLEST_BYTES))
    with claimed(device) as claim:
        require_unused(device)
        require_own_name(device, consent)
        return _clear(claim, consent, seconds, say)


@contextmanager
def attach(
    storage: DeviceStorage,
    ledger: Ledger,
    consent: Consent | None,
    cleared: Cleared | None,
    say: Callable[[str], None],
) -> Iterator[Base]:
    """The device, claimed until the context ends; then free of what the run left on it.

    What `cleared` has read is not read again when nobody wrote to the device since.
    """
    device = find_device(storage.device)
    with sole_use(device), claimed(device) as claim:
        require_writable(device, _SMALLEST_BYTES)
        require_unused(device)
        require_own_name(device, consent)
        if cleared is None or not _is_as_it_was(cleared, claim):
            cleared = _clear(claim, consent, SEARCH_SECONDS, say)
        require_consent(device, consent, cleared.looked)
        for sentence in cleared.looked.sentences():
            say(f"destroying {sentence}")
        trace = DeviceTrace(device=device.path).undone_by(lambda: give_back(claim, say))
        with ledger.holding(trace):
            chain = chain_of_device(device.path)
            facts = StorageFacts(
                kind="device",
                sentence=_sentence(device, chain[0]),
                size_bytes=device.size_bytes,
                device_chain=chain,
                cautions=[],
            )
            yield Base(device.path, None, device.size_bytes, facts, claim=claim)


def _clear(
    claim: DeviceClaim, consent: Consent | None, seconds: float, say: Callable[[str], None]
) -> Cleared:
    """Look for data, ask for consent; the state is that from before the search."""
    state = claim.state
    if consent and consent.unknown_data:
        seconds = min(seconds, _SECONDS_WITH_THE_WORD)
    looked = look_for_data(claim.device, seconds, say)
    require_consent(claim.device, consent, looked)
    return Cleared(claim.device, looked, state)


def _is_as_it_was(cleared: Cleared, claim: DeviceClaim) -> bool:
    return cleared.state.counts_writes and not changes(cleared.state, claim.state)


def _sentence(device: BlockDevice, link: Link) -> str:
    model = f"{link['model']} " if link.get("model") else ""
    spins = {"1": "rotational", "0": "not rotational"}.get(str(link.get("rotational")), "")
    cache = f"write cache: {link['write_cache']}" if link.get("write_cache") else ""
    words = ", ".join(word for word in (spins, cache) if word)
    return f"{model}{device.path}, {format_size(device.size_bytes)} ({words})"
