"""What views read from: JSON documents, parts of them, and rows from JSON and Parquet together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fsgauge.record.quantiles import SAMPLES_BEYOND
from fsgauge.record.series import INTERVAL_COLUMNS
from fsgauge.store.columns import OF_RUN, View, at
from fsgauge.store.parquet import quoted, quoted_path
from fsgauge.store.rows import HISTOGRAMS, OF_CLIENTS

_LEAST_BUFFER_BYTES = 1 << 20
"""DuckDB sets aside twice the largest document for each place where a view names the files."""
_OF_RUN = "block, turn, position"
_KEYS = f"{_OF_RUN}, part, slice"
_PLACE = ", ".join(f"CAST(json->>'$.{key}' AS BIGINT) AS {key}" for key in _OF_RUN.split(", "))
_PLACE += ", part, slice"
_COUNTED = "STRUCT(operations BIGINT, size_bytes BIGINT, latency_sum_ns BIGINT)"
_INTERVAL = (
    "STRUCT(start_ns BIGINT, elapsed_ns BIGINT, warm_up BOOLEAN,"
    f" read {_COUNTED}, write {_COUNTED})[]"
)


def documents(files: Sequence[Path], *, lines: bool = False) -> str:
    """Whole JSON documents, `json` and `filename`; of a file of lines, all that are whole."""
    if not files:
        return "(SELECT NULL::JSON AS json, '' AS filename WHERE false)"
    names = ", ".join(quoted_path(path) for path in files)
    largest_bytes = max(_LEAST_BUFFER_BYTES, *(path.lstat().st_size + 1 for path in files))
    form = "newline_delimited', ignore_errors=true" if lines else "unstructured'"
    reader = (
        f"read_json_objects([{names}], format='{form}, filename=true,"
        f" maximum_object_size={largest_bytes})"
    )
    return f"(SELECT json, filename FROM {reader} WHERE json IS NOT NULL)"  # noqa: S608


def elements(files: Sequence[Path], place: str) -> str:
    """The elements of a list inside each document."""
    return f"(SELECT unnest(CAST(json->'$.{place}' AS JSON[])) AS json FROM {documents(files)})"  # noqa: S608


def slices(runs: Sequence[Path]) -> str:
    """The slices of all runs: the run's `json`, `machine`, `part` and `slice` from 0, `began_ns`
    since the run began, `sync_ns` that it was synced for, what the CPU quota `throttled`, and the
    slice's `result`. A run that failed has one, with none of these.
    """
    parts = "coalesce(nullif(CAST(json->'$.parts' AS JSON[]), []), [NULL])"
    within = "coalesce(CAST(of_machine->'$.slices' AS JSON[]), [NULL])"
    by_machine = (
        f"SELECT json, unnest({parts}) AS of_machine, unnest(range(len({parts}))) AS part"  # noqa: S608
        f" FROM {documents(runs)}"
    )
    by_slice = (
        f"SELECT json, of_machine, part, unnest({within}) AS of_slice,"  # noqa: S608
        f" unnest(range(len({within}))) AS number FROM ({by_machine})"
    )
    return (
        "(SELECT json, of_machine->>'$.machine' AS machine, part,"  # noqa: S608
        " if(of_slice IS NULL, NULL, number) AS slice,"
        " CAST(of_slice->>'$.start_ns' AS BIGINT) AS began_ns,"
        " CAST(of_slice->>'$.sync_ns' AS BIGINT) AS sync_ns,"
        " of_slice->'$.throttled' AS throttled,"
        f" of_slice->'$.result' AS result FROM ({by_slice}))"
    )


def elements_of_runs(runs: Sequence[Path], place: str) -> str:
    """The elements of a list inside the results of each run: `element`, its `number` from 0, and
    the columns of `slices`.

    The list is small (jobs, faulty blocks), so it stays in the JSON also when a block is finished.
    """
    listed = f"CAST(result->'$.{place}' AS JSON[])"
    return (
        f"(SELECT *, unnest({listed}) AS element,"  # noqa: S608
        f" unnest(range(len({listed}))) AS number FROM {slices(runs)})"
    )


def counts_source(directory: Path, runs: Sequence[Path], marked: Sequence[str]) -> str:
    """Histogram rows of all runs with the bounds of their bucket; `of_clients` marks those of
    single operations of many clients. `marked` are the blocks whose rows are in Parquet, as their
    files are named. Those of syncs and companions stay in the JSON.
    """
    names = f"[{', '.join(quoted(name) for name in HISTOGRAMS)}]"
    inside_runs = _still_inside(runs, marked)
    parts = [
        f"SELECT {_PLACE}, {quoted(name)} AS histogram,"  # noqa: S608
        f" unnest(CAST(result->'$.{name}_latency.counts' AS BIGINT[][]))"
        f" AS pair FROM {inside_runs}"
        for name in HISTOGRAMS
        if not name.startswith(OF_CLIENTS)
    ]
    parts += [
        f"SELECT {_KEYS}, {quoted(OF_CLIENTS)} || (element->>'$.operation')"  # noqa: S608
        f" || '.{latency}' AS histogram,"
        f" unnest(CAST(element->'$.{latency}_latency.counts' AS BIGINT[][])) AS pair"
        f" FROM (SELECT {_PLACE}, unnest(CAST(result->'$.clients.operations' AS JSON[]))"
        f" AS element FROM {inside_runs})"
        for latency in ("service", "response")
    ]
    parts += [
        f"SELECT {_PLACE}, 'sync.service' AS histogram,"  # noqa: S608
        " unnest(CAST(result->'$.sync.latency.counts' AS BIGINT[][])) AS pair"
        f" FROM {slices(runs)}",
        f"SELECT {_KEYS}, (element->>'$.role') || '.service' AS histogram,"  # noqa: S608
        " unnest(CAST(element->'$.latency.counts' AS BIGINT[][])) AS pair"
        f" FROM (SELECT {_PLACE}, unnest(CAST(result->'$.companions' AS JSON[])) AS element"
        f" FROM {slices(runs)})",
    ]
    inside = (
        f"SELECT {_KEYS}, histogram, pair[1] AS bucket, pair[2] AS operations"  # noqa: S608
        f" FROM ({' UNION ALL '.join(parts)})"
    )
    stored = _stored(
        directory, marked, "counts", f"{names}[histogram + 1] AS histogram, bucket, operations"
    )
    return (
        "(SELECT *, replace(split_part(histogram, '.', 1), 'client_', '') AS operation,"  # noqa: S608
        " starts_with(histogram, 'client_') AS of_clients,"
        " split_part(histogram, '.', 2) AS latency,"
        " CASE WHEN octave < 2 THEN bucket ELSE (within + (1 << bits)) * width END AS low_ns,"
        " low_ns + width - 1 AS high_ns FROM (SELECT *,"
        " CAST(pow(2, greatest(octave, 1) - 1) AS HUGEINT) AS width FROM"
        " (SELECT *, bucket >> bits AS octave, bucket & ((1 << bits) - 1) AS within"
        f" FROM ({_first(inside)}{stored}) JOIN ({_first(_runs(runs))}) USING ({_KEYS}))))"
    )


def intervals_source(directory: Path, runs: Sequence[Path], marked: Sequence[str]) -> str:
    flat = ", ".join(
        f"row.{name.replace('_', '.', 1) if name.startswith(('read_', 'write_')) else name}"
        f" AS {name}"
        for name in INTERVAL_COLUMNS
    )
    inside = (
        f"SELECT {_KEYS}, {flat} FROM (SELECT {_PLACE},"  # noqa: S608
        f" unnest(CAST(result->'$.intervals' AS {_INTERVAL})) AS row"
        f" FROM {_still_inside(runs, marked)})"
    )
    stored = _stored(directory, marked, "intervals", ", ".join(INTERVAL_COLUMNS))
    since_the_run = "* REPLACE (start_ns + began_ns AS start_ns)"
    return (
        f"(SELECT {since_the_run} FROM ({_first(inside)}{stored})"  # noqa: S608
        f" JOIN ({_first(_runs(runs))}) USING ({_KEYS}))"
    )


def _first(select: str) -> str:
    """A SELECT whose columns are there before it is joined: else each row takes its whole document
    along, which is 3 GiB for 72 runs of many clients."""
    return f"SELECT * FROM (WITH own AS MATERIALIZED ({select}) FROM own)"  # noqa: S608


def _still_inside(runs: Sequence[Path], marked: Sequence[str]) -> str:
    """Slices of runs whose block has no Parquet."""
    return slices([path for path in runs if path.parent.name.split("-")[0] not in set(marked)])


def _stored(directory: Path, marked: Sequence[str], kind: str, chosen: str) -> str:
    if not marked:
        return ""
    files = [directory / "series" / f"{name}-{kind}.parquet" for name in marked]
    names = ", ".join(quoted_path(path) for path in files)
    block = rf"CAST(regexp_extract(filename, '(\d+)-{kind}\.parquet$', 1) AS BIGINT) AS block"
    return (
        f" UNION ALL SELECT {block}, turn, position, part, slice, {chosen}"  # noqa: S608
        f" FROM read_parquet([{names}], filename=true)"
    )


def _runs(runs: Sequence[Path]) -> str:
    bits = "->>'$.{0}.service_latency.sub_bucket_bits'"
    return (
        f"SELECT {_PLACE}, machine, began_ns, json->>'$.system' AS system,"  # noqa: S608
        " CAST(json->>'$.again' AS BOOLEAN) AS again, json->>'$.cell.id' AS cell,"
        f" CAST(coalesce(result{bits.format('read')}, result{bits.format('write')},"
        f" result{bits.format('clients.operations[0]')}) AS BIGINT) AS bits"
        f" FROM {slices(runs)}"
    )


_RUN = ("block", "turn", "position", "system", "again", "cell")
_BY_RUN = ", ".join(_RUN)
_LATENCY = """\
SELECT {run}, CASE WHEN total - ceil(0.99 * total) >= {fewest} THEN
    min(CASE WHEN below >= ceil(0.99 * total) THEN middle_ns END) / 1e6 END AS p99
FROM (SELECT {run}, (low_ns + high_ns) / 2 AS middle_ns,
        sum(operations) OVER (PARTITION BY {run}, latency ORDER BY high_ns) AS below,
        sum(operations) OVER (PARTITION BY {run}, latency) AS total
    FROM histograms WHERE operation IN ({of})
    QUALIFY latency = min(latency) OVER (PARTITION BY {run}))
GROUP BY {run}, total"""

RATES_SOURCE = f"""(SELECT * FROM (
    SELECT {_BY_RUN}, sum(rate) AS iops, sum(whole) AS files, sum(bytes) AS bandwidth
    FROM (SELECT {_BY_RUN}, machine,
            1e9 * sum(coalesce(read_operations + write_operations, read_operations,
                write_operations)) / sum(elapsed_ns + coalesce(sync_ns, 0)) AS rate,
            1e9 * sum(files) / sum(elapsed_ns + coalesce(sync_ns, 0)) AS whole,
            1e9 * sum(coalesce(read_size_bytes + write_size_bytes, read_size_bytes,
                write_size_bytes))
                / sum(elapsed_ns + coalesce(sync_ns, 0)) AS bytes
        FROM runs GROUP BY {_BY_RUN}, machine)
    GROUP BY {_BY_RUN})
LEFT JOIN (SELECT * RENAME (p99 AS p99_ms) FROM (
    {_LATENCY.format(run=_BY_RUN, fewest=SAMPLES_BEYOND, of="'read', 'write'")})) USING ({_BY_RUN})
LEFT JOIN (SELECT * RENAME (p99 AS sync_p99_ms) FROM (
    {_LATENCY.format(run=_BY_RUN, fewest=SAMPLES_BEYOND, of="'sync'")})) USING ({_BY_RUN})
ORDER BY block, turn, position)"""  # noqa: S608 - our own words
"""Read from the views `runs` and `histograms`, which are there before it. A run has a row for each
slice and machine in the one, and its latencies are buckets in the other: slices follow one another,
machines work at the same time, and a percentile is that of all operations of the run, of response
times where the run has them, as in a report ('response' is the least of its two words)."""

RATES = View(
    "rates",
    "a run: how fast it was, over all its slices and machines",
    "rates",
    (
        *OF_RUN,
        at("iops", "DOUBLE", "reads and writes per second; time of writing back counts"),
        at("files", "DOUBLE", "whole files of many clients per second, the same way"),
        at("bandwidth", "DOUBLE", "bytes per second"),
        at(
            "p99_ms",
            "DOUBLE",
            "of reads and writes, the response where there is one; null with too few",
        ),
        at("sync_p99_ms", "DOUBLE", "of fsync, fdatasync; null with too few"),
    ),
)
