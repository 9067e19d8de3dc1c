"""What stands in the way just above the limit: seen in the first run of each block that is over it.

In this order: the emulated processor or a disk's limit, as the rig set them; the processors, of the
machine or of the threads that drive the load; the time of the operations themselves (service),
where that alone is over the limit; else the queue, in which they wait for one of its places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fsgauge.record.curve import Curve
from fsgauge.record.records import RunRecord
from fsgauge.stats.curve.blocks import BlockCurve
from fsgauge.stats.curve.model import LimitedBy
from fsgauge.stats.curve.point import operation_of
from fsgauge.stats.histogram import quantile_ns
from fsgauge.stats.metrics import QUANTILES, service_times
from fsgauge.stats.rig_limits import BY_RIG, WORDS, Place, RigLimit
from fsgauge.units import format_duration

BUSY = 0.9
"""From this share of their time on, processors have none left."""


def limited_by(
    curves: Sequence[BlockCurve], curve: Curve, limits: Mapping[Place, RigLimit]
) -> tuple[LimitedBy, str]:
    """What was seen in most blocks of one system and load, with its words; "" where no run was over
    the limit and the engine offered every rate."""
    first = [
        next((p.run for p in each.points if p.is_over(curve.limit_ns)), None) for each in curves
    ]
    over = [run for run in first if run is not None]
    if not over:
        late = any(point.is_late for each in curves for point in each.points)
        return ("engine", "the engine's own pace") if late else ("", "")
    rig = limits.get((curves[0].load, curves[0].system))
    if rig is not None and rig.limit in BY_RIG:
        return "rig", WORDS[rig.limit]
    found = Counter(_seen(run, curve) for run in over).most_common(1)[0][0]
    return found, _words(found, over[0], curve)


def _seen(run: RunRecord, curve: Curve) -> LimitedBy:
    result = run.result
    if result is None:
        return "queue"
    machine, threads = result.machine_cpu, result.cpu
    own_ns, of_ns = threads.user_ns + threads.system_ns, threads.threads * result.elapsed_ns
    if machine.busy_ns >= BUSY * machine.total_ns > 0 or own_ns >= BUSY * of_ns > 0:
        return "processors"
    services = service_times(result, operation_of(run.cell))
    took_ns = [quantile_ns(each, QUANTILES[curve.quantile]) or 0.0 for each in services]
    return "service" if max(took_ns, default=0.0) > curve.limit_ns else "queue"


def _words(found: LimitedBy, run: RunRecord, curve: Curve) -> str:
    if found == "processors":
        return "the processors: those of the load's threads have no time left"
    if found == "service":
        return f"the operations: their own time is above {format_duration(curve.limit_ns)}"
    at_once = len(run.result.jobs) if run.result is not None else 1
    depth = at_once * (run.load.queue_depth if run.load is not None else 1)
    places = "one operation at a time" if depth == 1 else f"all {depth} places are taken"
    return f"the queue: {places}"
