"""What a study says of its network, as the switch has it."""

from __future__ import annotations

from fsgauge.rig.vm.network.switch import Shape
from fsgauge.study.model import Study, System
from fsgauge.study.rig_keys import NetworkKeys
from fsgauge.units import exact_percent, format_bandwidth, format_duration


def shape_of(study: Study, system: System | None = None) -> Shape:
    """While this system is measured, or else that of all."""
    keys = keys_of(study, system)
    return Shape(keys.bandwidth or 0.0, keys.delay / 1e9, keys.loss / 100)


def keys_of(study: Study, system: System | None = None) -> NetworkKeys:
    """The keys that are in force."""
    own = system.rig.network if system is not None and system.rig is not None else None
    whole = study.rig.network if study.rig is not None else None
    return own or whole or NetworkKeys()


def words_of(keys: NetworkKeys) -> str:
    """For people: "links of 125 MB/s, with a delay of 1 ms"."""
    found = [f"links of {format_bandwidth(keys.bandwidth)}" if keys.bandwidth else ""]
    found.append(f"a delay of {format_duration(keys.delay)}" if keys.delay else "")
    found.append(f"{exact_percent(keys.loss)} of frames lost" if keys.loss else "")
    return " with ".join(filter(None, [found[0], " and ".join(filter(None, found[1:]))]))
