"""Rows of data as the start of a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt


def chart_of(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """A chart without marks whose data stand in it."""
    import altair as alt

    return alt.Chart(alt.Data(values=list(rows)))  # type: ignore[no-untyped-call]
