"""What a page says of simulated results, in its first line and near its end."""

from __future__ import annotations

from typing import Any

from fsgauge.record.machine import SimulatedNumber
from fsgauge.stats.results import Results
from fsgauge.stats.sentence import model_words, proof_lines
from fsgauge.units import format_bandwidth, format_duration, format_size

_ORIGINS = {
    "printed": "",
    "assumed": "assumed",
    "fitted": "fitted to a published result, which it cannot prove",
}


def simulated_values(results: Results) -> dict[str, Any]:
    """What the templates take; the line is empty where the results were measured."""
    simulation = results.simulation
    if simulation is None:
        return {"simulated_line": "", "proofs": [], "device_rows": [], "device_words": ""}
    return {
        "simulated_line": model_words(simulation),
        "proofs": proof_lines(simulation, results.systems),
        "device_words": f"{simulation.device}: {simulation.device_words}",
        "device_rows": [_row(each) for each in simulation.numbers],
    }


def _row(number: SimulatedNumber) -> tuple[str, str, str, str, str]:
    source = "changed in this study" if number.is_changed else number.source
    origin = "" if number.is_changed else _ORIGINS[number.origin]
    return number.name, _value(number), number.what, source, origin


def _value(number: SimulatedNumber) -> str:
    match number.unit:
        case "ns":
            return format_duration(number.value)
        case "bytes":
            return format_size(number.value)
        case "bytes/s":
            return format_bandwidth(number.value)
        case "%":
            return f"{number.value:g} %"
        case _:
            return f"{number.value:g}"
