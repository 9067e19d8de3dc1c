"""A fault that clients met because their private server died: said as what it was."""

from __future__ import annotations

from fsgauge.access.server.kind import ServerKind
from fsgauge.engine.wire import EngineFault
from fsgauge.record.private_server import ServerRun


def explained(fault: EngineFault, kind: ServerKind, used: ServerRun) -> EngineFault:
    """The fault as the server's, where it aborted or died in that run; what clients saw is its
    cause. Its code and errno stay those that the engine gave."""
    if used.aborts:
        what = f"{kind.title}'s {kind.daemon} aborted: {'; '.join(used.aborts)}"
    elif used.restarts:
        what = f"{kind.title}'s {kind.daemon} exited or was killed"
    else:
        return fault
    told = "the last lines of its log are in the run's record"
    return fault.model_copy(
        update={"what": what, "cause": f"{fault.what}; {told}", "next": kind.where_it_aborts}
    )
