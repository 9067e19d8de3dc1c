"""docs/reference/records.md: the results folder, and the views that SQL sees."""

from __future__ import annotations

from fsgauge import record
from fsgauge.store.columns import View
from fsgauge.store.views import VIEWS

_INTRODUCTION = """\
# The results folder and its records

<!-- Made by `python -m fsgauge.store` from python/fsgauge/store; edits are lost. -->

`fsgauge run` leaves one folder. Its records are written once, each file whole or not at all, and
flushed to disk before the next step; the report is made from them and can be made again any time.
While a block is measured, each run is one JSON file with everything in it. When the block is
whole, the many rows (histogram buckets, intervals) of its runs move to Parquet, are read back and
compared, and only then leave the JSON.

"""
_BETWEEN = """
- `fsgauge resume DIR` goes on with a study that was interrupted or killed. A block that was cut
  short is measured again; what there was of it moves to `records-abandoned/`, which nothing reads.
- Every JSON record carries its `format`. A newer fsgauge reads the formats of older ones; an older
  one refuses a newer format by name.
- Wall-clock times (`..._unix_ns`) are labels. Every duration comes from the monotonic clock.

## Changes after the fact

Before a record takes its place, the journal gets a line `stored` with the file's SHA-256 and size.
Each line of the journal ends with `chain`, the SHA-256 of the chain before it and of its own text.
`report`, `compare`, `history`, `query` and `resume` check all of it first. A record that was
changed, taken out, added or exchanged is named, and the command ends with exit code 3;
`--accept-changed` goes on and names the changes in the answer and on the page's first screen, and
the study is not valid. A folder whose journal is gone has no checksums and is treated the same.

A crash is no change: its last line may announce a file that never came, and such a run is measured
again. The checksums hold no secret. They show accidents and edits, not a forger who computes them
anew.

## Folders of other users

Commands read plain files alone: no link, pipe or device, none larger than 256 MiB. In another
user's folder root reads and writes with that user's rights, so it reads nothing, and makes a report
nowhere, that the owner could not. Root resumes a study only in a folder that root owns and nobody
else can write, as a study says which tools run and which kernel tunables are set.

## Queries

    fsgauge query DIR                         lists the views below
    fsgauge query DIR "select ..."            prints a table; --csv and --json print data

SQL is DuckDB's. The records are read in place and cannot be changed, and a query reads no file
outside of the folder.

Operations per second of every run:

    select block, turn, system, again, cell,
           1e9 * sum(coalesce(read_operations, 0) + coalesce(write_operations, 0))
           / sum(elapsed_ns + coalesce(sync_ns, 0)) as iops
    from runs group by block, turn, position, system, again, cell order by block, turn, position

Every view holds the study's own turns. Where fsgauge starts a server, each block has turns over the
systems' paths beside them, which are no sample of the study: they are in `path_runs` and the other
views whose names begin so, and in no other view than `plan`.

The slowest bucket that each system's reads fell into:

    select system, cell, max(high_ns) from histograms where operation = 'read' group by all

## Views
"""


def reference_page() -> str:
    """The whole page."""
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
