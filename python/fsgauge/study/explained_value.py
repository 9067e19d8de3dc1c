"""`fsgauge explain 4k`: a value in place of a key, and the keys that usually have it."""

from __future__ import annotations

from fsgauge.quantities import Quantity, UnitError
from fsgauge.study.other_tools import kinds_with, words_called
from fsgauge.units import QUANTITIES, SIZE, binary_size

_USUAL = {
    "size": ("bs", "size"),
    "duration": ("runtime", "ramp_time"),
    "percentage": ("rwmixread",),
    "pace": ("rate_iops",),
}
"""By quantity: fio's words for what people mean by such a value, the likeliest first."""
_OF_STORAGE = {"percentage": "workload.fill", "transfer rate": "storage.bandwidth"}
"""Keys for which fio has no word."""


def explain_value(text: str) -> str:
    """What "4k", "30 s" or "70 %" is and which keys usually have it; "" where it is no quantity."""
    given = binary_size(text) or text
    quantity = next((each for each in QUANTITIES if _reads(each, given)), None)
    if quantity is None:
        return ""
    words = [word.key for each in _USUAL.get(quantity.name, ()) for word in words_called(each)]
    keys = [each for each in (*words, _OF_STORAGE.get(quantity.name, "")) if each]
    return "\n".join(
        (
            text,
            f"  {quantity.noun.capitalize()}: {_in_full(quantity, given, text)}.",
            f"  Keys that usually take one: {', '.join(map(_with_kinds, dict.fromkeys(keys)))}.",
            f"  more: fsgauge explain {keys[0]}",
        )
    )


def _in_full(quantity: Quantity, given: str, text: str) -> str:
    written = f'in a study file "{quantity.text(quantity.read(given))}"'
    if quantity is not SIZE:
        return written
    letter = ", of 1024 as in fio and dd" if given != text else ""
    return f"{quantity.read(given):,} bytes{letter}; {written}"


def _reads(quantity: Quantity, text: str) -> bool:
    try:
        quantity.read(text)
    except UnitError:
        return False
    return True


def _with_kinds(key: str) -> str:
    kinds = kinds_with(key)
    return f"{key} ({kinds})" if kinds else key
