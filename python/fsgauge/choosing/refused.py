"""What is refused before a race: single systems, each tried by itself, and a race that would wear
a flash drive out."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.refusing import require_none
from fsgauge.rig.rig import Rig
from fsgauge.study.model import DeviceStorage, Study
from fsgauge.units import format_size

_RATED_WRITES = 600
"""Times that a flash drive may be written whole: 600 TB for each TB is what consumer drives of
three bits a cell are rated for."""
_NOTED_SHARE = 0.1
"""Share of the rated writes from which on the plan mentions it."""


def refused_alone(study: Study, rig: Rig, consent: Consent | None) -> dict[str, str]:
    """Why mkfs, mount or the load refuses single systems, by name: each is tried once as a run
    would make it. Raises what is refused of all of them: that is none of theirs."""
    found = {name: errors for name, errors in rig.refused_alone(study, consent).items() if errors}
    if len(found) == len(study.systems):
        require_none(next(iter(found.values())))
    return {
        name: "; ".join(each.with_last_words for each in errors) for name, errors in found.items()
    }


def wear(study: Study, size_bytes: int, written_bytes: int) -> str:
    """What a race takes of a device's life, in words; "" where that is little or not known.

    Raises InputError where it is more than the device endures.
    """
    if not isinstance(study.storage, DeviceStorage) or size_bytes == 0:
        return ""
    writes = written_bytes / size_bytes
    rated = f"flash drives are rated for about {_RATED_WRITES} writes of all they hold"
    said = f"at worst {format_size(written_bytes)}, the whole device {writes:.3g} times; {rated}"
    if writes > _RATED_WRITES:
        raise InputError(
            f"the race may write {format_size(written_bytes)}, the whole device {writes:,.0f}"
            " times, which is more than it endures",
            cause=rated,
            next="a --budget, fewer --kinds, or a smaller load: --set workload.fill=10%",
        )
    return said if writes > _RATED_WRITES * _NOTED_SHARE else ""
