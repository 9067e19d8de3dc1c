"""Parts of a Vega-Lite specification: a chart's mark and its encodings, as the JSON they become.
Nothing is checked or copied here: the program that draws says what it does not understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Channel = dict[str, Any]
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_OTHER_ENDS = {"x2", "y2"}


def field(name: str, **look: Any) -> Channel:  # noqa: ANN401 - what Vega-Lite knows of a channel
    """A field of the rows and what it is: "rate:Q" a quantity, ":N" a name, ":O" one in order."""
    name, _, kind = name.rpartition(":")
    return {"field": name, "type": _TYPES[kind], **look}


def value(of: float | str) -> Channel:
    """A constant for all rows: pixels, or as Vega-Lite names them."""
    return {"value": of}


@dataclass(frozen=True)
class Chart:
    """One picture or a layer of one; what it is made with gives a new one."""

    specification: dict[str, Any]

    def mark(self, kind: str, **look: Any) -> Chart:  # noqa: ANN401 - properties of a mark
        """Drawn as "line", "point", "rule" and so on."""
        return self.properties(mark={"type": kind, **look})

    def encode(self, **channels: Channel | str | list[str]) -> Chart:
        """With these channels too; a string is a field without more."""
        made = {name: _made(channel) for name, channel in channels.items()}
        for name in _OTHER_ENDS & made.keys():  # they are of the same type as their first ends
            made[name] = {key: part for key, part in made[name].items() if key != "type"}
        return self.properties(encoding={**self.specification.get("encoding", {}), **made})

    def properties(self, **more: Any) -> Chart:  # noqa: ANN401 - width, height, title, padding
        """With what belongs to the picture as a whole."""
        return Chart({**self.specification, **more})


def _made(channel: Channel | str | list[str]) -> Any:  # noqa: ANN401 - as JSON
    if isinstance(channel, list):
        return [field(name) for name in channel]
    return field(channel) if isinstance(channel, str) else channel


def layer(*charts: Chart) -> Chart:
    """On top of one another, the first below."""
    return Chart({"layer": [chart.specification for chart in charts]})


def vconcat(*charts: Chart, spacing: int) -> Chart:
    """Below one another, so many pixels apart."""
    return Chart({"vconcat": [chart.specification for chart in charts], "spacing": spacing})
