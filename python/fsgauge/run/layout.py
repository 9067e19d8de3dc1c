"""The layout of a turn's system, scanned and recorded where the study asks for it.

Before the first run and after the last one; caches are settled again before every run, so what
the scan read is not what the load finds in memory.
"""

from __future__ import annotations

import time
from typing import Literal

from fsgauge.engine import EngineFaultError
from fsgauge.record import ScanRecord, Turn
from fsgauge.rig import PreparedSystem
from fsgauge.run.campaign import Campaign
from fsgauge.wire import ScanJob

_WORST_FILES = 3


def scan_layout(
    campaign: Campaign, turn: Turn, prepared: PreparedSystem, when: Literal["before", "after"]
) -> None:
    """Scan and record; what cannot be scanned is recorded as that. A bare device has no layout."""
    if not campaign.study.workload.scan:
        return
    folder = campaign.rig.layout_folder(prepared)
    if folder is None:
        return
    result, fault, started_unix_ns = None, None, time.time_ns()
    try:
        result = campaign.engine.scan(ScanJob(path=folder, top=_WORST_FILES))
    except EngineFaultError as error:
        fault = error.fault
    campaign.folder.write_scan(
        ScanRecord(
            block=turn.block,
            turn=turn.turn,
            system=turn.system,
            again=turn.again,
            when=when,
            result=result,
            fault=fault,
            started_unix_ns=started_unix_ns,
        )
    )
