"""Queries of a results folder, and what every view has to have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsgauge.store.query import asked


def rows(directory: Path, sql: str) -> list[tuple[Any, ...]]:
    with asked(directory, sql) as answer:
        return [row for batch in answer.batches() for row in batch]


def has_its_columns(directory: Path, view: Any) -> bool:
    """Whether a view has the columns that are documented."""
    with asked(directory, f"from {view.name}") as answer:
        return list(answer.columns) == [column.name for column in view.columns]
