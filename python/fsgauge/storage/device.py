"""Device storage: whole block devices, unused, searched for data, named by the user.

One device holds one system at a time; several hold those of a block side by side.

At the end it is given back: discarded, or at least without a signature. Without discard it keeps
the run's test data, which the next check finds as data without a signature; the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from fsgauge.errors import InputError, RefusedError, RigError, quoted
from fsgauge.machine.device import loop_devices
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.consent import (
    Consent,
    lasting_names,
    require_consent,
    require_no_other_name,
    require_own_name,
)
from fsgauge.machine.device.data_search import SEARCH_SECONDS, Looked, look_for_data
from fsgauge.machine.device.device_bytes import DeviceState, changes, discard, wipe
from fsgauge.machine.device.device_chain import Link, chain_of_device
from fsgauge.machine.device.device_claim import DeviceClaim, claimed
from fsgauge.machine.device.safety import find_device, require_unused, require_writable, sole_use
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.ledger_folder import lost_devices
from fsgauge.machine.ledger.traces import DeviceTrace, LostDeviceTrace
from fsgauge.record.machine import StorageFacts
from fsgauge.storage.base import Base
from fsgauge.study.model import DeviceStorage
from fsgauge.units import format_size

_SMALLEST_BYTES = 16 << 20
_UNEQUAL = 0.01
_SECONDS_WITH_CONSENT = 10.0
"""Of the search where unknown data may be destroyed anyway: it is for the record."""


@dataclass(frozen=True)
class Cleared:
    """A device that may be written, the result of its search, and its state before that."""

    device: BlockDevice
    looked: Looked
    state: DeviceState


def check(
    storage: DeviceStorage,
    consent: Consent | None,
    smallest_bytes: int = _SMALLEST_BYTES,
    seconds: float = SEARCH_SECONDS,
    say: Callable[[str], None] = lambda _: None,
) -> list[Cleared]:
    """The devices, if all may be written; raises InputError, RefusedError or RigError."""
    devices = _found(storage)
    with ExitStack() as stack:
        claims = [
            stack.enter_context(_claimed(device, consent, smallest_bytes)) for device in devices
        ]
        require_no_other_name(devices, consent)
        return [_clear(claim, consent, seconds / len(claims), say) for claim in claims]


@contextmanager
def attach(
    storage: DeviceStorage,
    ledger: Ledger,
    consent: Consent | None,
    cleared: Sequence[Cleared],
    say: Callable[[str], None],
) -> Iterator[Base]:
    """The devices, claimed until the context ends; then free of what the run left on them. One is
    not searched again if nothing has written to it since it was `cleared`."""
    devices = _found(storage)
    before = {each.device.path: each for each in cleared}
    with ExitStack() as stack:
        for disk in {device.disk.path: device for device in devices}.values():
            stack.enter_context(sole_use(disk))
        first, *beside = [
            stack.enter_context(_attached(device, ledger, consent, before.get(device.path), say))
            for device in devices
        ]
        yield replace(first, beside=tuple(beside)) if beside else first


def _found(storage: DeviceStorage) -> list[BlockDevice]:
    """The devices of a study, each once, and equally large."""
    devices = [find_device(name) for name in storage.devices]
    first = devices[0]
    for number, device in enumerate(devices):
        if device.path in [each.path for each in devices[:number]]:
            raise InputError(
                f"{storage.devices[number]} and another name of the study are one device,"
                f" {device.path}",
                next="ls -l /dev/disk/by-id",
            )
        if abs(device.size_bytes - first.size_bytes) > _UNEQUAL * first.size_bytes:
            raise InputError(
                f"{first.path} has {format_size(first.size_bytes)}, and {device.path}"
                f" {format_size(device.size_bytes)}",
                cause="systems on devices of different size are not comparable",
                next="make partitions of one size",
            )
    return devices


@contextmanager
def _attached(
    device: BlockDevice,
    ledger: Ledger,
    consent: Consent | None,
    cleared: Cleared | None,
    say: Callable[[str], None],
) -> Iterator[Base]:
    with _claimed(device, consent, _SMALLEST_BYTES) as claim:
        if cleared is None or not _is_as_it_was(cleared, claim):
            cleared = _clear(claim, consent, SEARCH_SECONDS, say)
        require_consent(device, consent, cleared.looked)
        for sentence in cleared.looked.sentences():
            say(f"destroying {sentence}")
        trace = DeviceTrace(device=device.path).undone_by(lambda: give_back(claim, say))
        lost = LostDeviceTrace(device=device.path, names=lasting_names(device))
        with ledger.holding(trace):
            claim.when_lost = lambda: ledger.becomes(trace, lost)
            chain = chain_of_device(device.path)
            facts = StorageFacts(
                kind="device",
                sentence=_sentence(device, chain[0]),
                size_bytes=device.size_bytes,
                device_chain=chain,
                cautions=[],
            )
            yield Base(device.path, None, device.size_bytes, facts, claim=claim)


@contextmanager
def _claimed(
    device: BlockDevice, consent: Consent | None, smallest_bytes: int
) -> Iterator[DeviceClaim]:
    """A device that nothing uses and that --destroy means, if it names any; see check."""
    require_writable(device, max(smallest_bytes, _SMALLEST_BYTES))
    with claimed(device) as claim:
        _require_not_lost(device)
        require_unused(device)
        require_own_name(device, consent)
        yield claim


def _require_not_lost(device: BlockDevice) -> None:
    """RefusedError for one that another program used during an earlier run."""
    # A loop device is known by its file while nothing on it has a name.
    names = (*lasting_names(device), loop_devices.backing_file(device.path))
    for ledger, lost in lost_devices():
        if set(names) & set(lost.names):
            raise RefusedError(
                f"another program used {device.path} during an earlier run, so it is left alone",
                details=tuple(f"known as {name}" for name in lost.names),
                cause="what it wrote may look like the run's own test data",
                next=f"wipefs --no-act {device.path}; if nothing on it is needed:"
                f" rm {quoted(ledger)}",
            )


def _clear(
    claim: DeviceClaim, consent: Consent | None, seconds: float, say: Callable[[str], None]
) -> Cleared:
    state = claim.state
    if consent and consent.unknown_data:
        seconds = min(seconds, _SECONDS_WITH_CONSENT)
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


_DISCARD_SECONDS = 300.0
_LOOK_SECONDS = 5.0


def give_back(claim: DeviceClaim, say: Callable[[str], None]) -> None:
    """Clear what the run left; nothing is touched if another program has used the device."""
    if claim.is_lost:
        return
    device = claim.device.path
    with claim.used():
        if not _discarded(device, claim.state.size_bytes):
            wipe(device, claimed=True)
    if look_for_data(claim.device, _LOOK_SECONDS).data is not None:
        say(
            f"{device} still holds this run's test data, without a signature: the next run on it"
            f" needs --discard-unknown-data, or first: blkdiscard --zeroout {device}"
        )


def _discarded(device: str, size_bytes: int) -> bool:
    try:
        said = discard(device, claimed=True, seconds=_DISCARD_SECONDS, size_bytes=size_bytes)
        return said.exit_code == 0
    except RigError:  # it takes too long: only the signatures are wiped
        return False
