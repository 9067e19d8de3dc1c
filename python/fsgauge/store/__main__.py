"""`python -m fsgauge.store` prints docs/reference/records.md: the results folder, and the views
that SQL sees."""

from __future__ import annotations

import sys

from fsgauge.record import records as record
from fsgauge.store.columns import View
from fsgauge.store.views import VIEWS

_INTRODUCTION = """\
# The results folder and its records

<!-- Made by `python -m fsgauge.store` from python/fsgauge/store; edits are lost. -->

`fsgauge run` leaves one folder. Each record is written once, completely or not, and flushed to
disk before the next step. The report is made from the records and can be made again at any time.
While a block is measured, each run is one JSON file with everything in it. When the block is
complete, the many rows (histogram buckets, intervals) of its runs move to Parquet, are read back
and compared, and only then are removed from the JSON. In a short study (8 MiB of JSON) they stay.

"""
_BETWEEN = """
- `fsgauge resume DIR` continues a study that was interrupted or killed. A block that was cut
  short is measured again; its incomplete records move to `records-abandoned/`, which nothing
  reads.
- Every JSON record carries its `format`. A newer fsgauge reads the formats of older ones; an
  older one refuses a newer format by name.
- Wall-clock times (`..._unix_ns`) are labels. Every duration comes from the monotonic clock.

## Changes after the fact

Before a record is stored, the journal gets a line `stored` with the file's SHA-256 and size. Each
journal line ends with `chain`, the SHA-256 of the previous chain value and the line's own text.
`report`, `compare`, `history`, `query` and `resume` check all of it first. A record that was
changed, removed, added or replaced is named, and the command ends with exit code 3;
`--despite changed-records` continues and names the changes in the answer and on the page's first
screen, and the study is not valid. A folder without its journal has no checksums and is treated the
same way.

A crash does not count as a change: the last line may announce a file that was never written, and
that run is measured again. The checksums are not secret. They reveal accidents and edits, but not
a forger who recomputes them.

## Folders of other users

Commands read only plain files of up to 256 MiB: no links, pipes or devices. In another user's
folder, root reads and writes with that user's rights, so it cannot read or write anything that the
owner could not. Root resumes a study only in a folder that root owns and only root can write,
because a study decides which tools run and which kernel tunables are set.

## Queries

    fsgauge query DIR                         lists the views below
    fsgauge query DIR "select ..."            prints a table; --csv and --json print data

The SQL dialect is DuckDB's. Records are read in place and cannot be changed, and a query reads no
file outside the folder.

IOPS, bytes per second and p99 of every run are in `rates`:

    select system, cell, median(iops), median(bandwidth), max(p99_ms) from rates group by all

Every view holds the study's own turns. If fsgauge starts a server, each block also has turns
over the systems' paths, which are not part of the study's sample: they are in `path_runs` and the
other views with that prefix, and otherwise only in `plan`.

The slowest bucket that each system's reads fell into:

    select system, cell, max(high_ns) from histograms where operation = 'read' group by all

## Views
"""


def reference_page() -> str:
    _, _, after = (record.__doc__ or "").partition("\n\n")
    layout, _, history = after.partition("\n\n")
    return f"{_INTRODUCTION}{layout}\n\n{history.strip()}\n{_BETWEEN}" + "".join(
        _section(view) for view in VIEWS
    )


def _section(view: View) -> str:
    lines = [f"\n### `{view.name}`", "", f"One row: {view.row}.", ""]
    if view.twin_of:
        return "\n".join([*lines, f"Columns: those of `{view.twin_of}`."]) + "\n"
    lines += ["| column | type | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{each.name}` | {each.type} | {each.meaning} |" for each in view.columns]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
