"""The view of what people look for first: IOPS, bandwidth and p99 of each run.

A run has a row for each slice and machine in `runs`, and its latencies are buckets in `histograms`.
Here both are put together: slices follow one another, machines work at the same time, and a
percentile is that of all operations of the run: of response times where the run has them, as in a
report ('response' is the least of its two words).
"""

from __future__ import annotations

from fsgauge.record.series import SAMPLES_BEYOND
from fsgauge.store.columns import KEYS, WHICH, View, at

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
"""Read from the views `runs` and `histograms`, which are there before it."""

RATES = View(
    "rates",
    "a run: how fast it was, over all its slices and machines",
    "rates",
    (
        *KEYS,
        at("position", "BIGINT", "run within the turn, in order of time"),
        *WHICH,
        at("cell", "VARCHAR", "the cell's id"),
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
