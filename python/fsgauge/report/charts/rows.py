"""Rows of data as the start of a chart.

Altair copies and checks data that stand in a chart at each step of its making, so rows are kept
beside it, under a name, and join the specification last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

Datasets = dict[str, list[dict[str, Any]]]
_current: ContextVar[Datasets] = ContextVar("datasets of the chart in the making")


@contextmanager
def datasets() -> Iterator[Datasets]:
    """Collects the rows of all charts that are made inside, by name."""
    found: Datasets = {}
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)


def chart_of(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """A chart without marks over these rows; to be called inside `datasets`."""
    import altair as alt

    found = _current.get()
    name = f"rows{len(found)}"
    found[name] = list(rows)
    return alt.Chart(alt.Data(name=name))  # type: ignore[no-untyped-call]
