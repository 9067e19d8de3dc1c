"""The Parquet files of a finished block, named with what they have to be."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from fsgauge.record.records import Record


class SeriesFile(BaseModel):
    """A Parquet file as it was written: a file that differs is not read."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    rows: int
    size_bytes: int
    sha256: str


class SeriesRecord(Record):
    """The rows of a finished block's runs, moved out of their JSON."""

    block: int
    counts: SeriesFile
    intervals: SeriesFile
