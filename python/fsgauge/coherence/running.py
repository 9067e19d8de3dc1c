"""The cases of one system, one after the other, each bounded in time; and those of folders. A file
system that is mounted at several places is one system: folders of this machine or of hosts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from fsgauge.agents.agents import AgentLostError, Agents, folder_name, one
from fsgauge.agents.processes import Place, process_agents
from fsgauge.coherence.cases import CASE_SECONDS, CASES, STEP_SECONDS, Pair, StepFailedError
from fsgauge.coherence.log import Counted, Examined
from fsgauge.errors import InputError, RigError, nearest

SEEN_SECONDS = 75.0
"""An NFS client may remember for a minute that a folder was not there."""
_GONE_SECONDS = 15.0
"""A client of SMB closes a file a second after its program did, and until then it is there."""
_POLL_SECONDS = 0.5


def chosen_cases(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in CASES:
            raise InputError(
                f'"{name}" is not among the cases',
                details=(f"they are: {', '.join(CASES)}",),
                next=f"--case {next(iter([*nearest(name, CASES), *CASES]))}",
            )
    return [name for name in CASES if not names or name in names]


def _make_folder(agents: Agents, seen_seconds: float) -> None:
    """Seen by all nodes. RigError where it cannot be made."""
    made = one(agents, 0, STEP_SECONDS, do="make")
    if "error" in made:
        raise RigError(
            f"{agents.names[0]} cannot make a folder there: {made['error']}",
            cause="it is not there, or it may not be written",
            next="findmnt -T FOLDER",
        )
    for at in range(1, len(agents.names)):
        _require_seen(agents, at, seen_seconds)


def _remove_folder(agents: Agents) -> None:
    """With its files. RigError where something stays."""
    for at in range(1, len(agents.names)):
        one(agents, at, STEP_SECONDS, do="release")
    ends = time.monotonic() + _GONE_SECONDS
    while True:
        removed = one(agents, 0, STEP_SECONDS, do="remove")
        if removed.get("error") != "ENOTEMPTY" or time.monotonic() > ends:
            break
        time.sleep(_POLL_SECONDS)
    if removed.get("error", "ENOENT") != "ENOENT":
        raise RigError(
            f"{agents.names[0]} cannot remove its folder: {removed['error']}",
            cause="another user can write in the folder above, or the file system refused",
            next="ls -la FOLDER, and remove there what begins with fsgauge-shared-",
        )


def _require_seen(agents: Agents, at: int, seen_seconds: float) -> None:
    ends = time.monotonic() + seen_seconds
    while not one(agents, at, STEP_SECONDS, do="there").get("there"):
        if time.monotonic() > ends:
            raise InputError(
                f"{agents.names[at]} does not see the folder that {agents.names[0]} has made",
                details=(f"it was looked for during {seen_seconds:.0f} s",),
                cause="the two are not the same file system, or one of them is not mounted",
                next="findmnt -T FOLDER, on both: they must be mounts of one export or one disk",
            )
        time.sleep(_POLL_SECONDS)


def run_case(agents: Agents, system: str, case: str, trials: int) -> tuple[Counted, bool]:
    """One case; the second value is whether the nodes are still of use."""
    counts: Counter[str] = Counter()
    began, fault = time.monotonic(), ""
    behind: float | None = 0.0
    raced: int | None = None
    is_lost = is_hang = False
    try:
        for trial in CASES[case].trials(Pair(agents), case, trials):
            counts[trial.outcome] += 1
            if trial.raced is not None:
                raced = (raced or 0) + trial.raced
            if trial.behind_seconds != 0:
                behind = trial.behind_seconds
            if time.monotonic() - began > CASE_SECONDS:
                fault = f"ended after {CASE_SECONDS:.0f} s"
                break
        for at in range(len(agents.names)):
            one(agents, at, STEP_SECONDS, do="release")
    except StepFailedError as error:
        fault = str(error)
    except AgentLostError as error:
        fault, is_lost = error.with_last_words, True
        is_hang = not error.has_ended
    counted = Counted(
        system=system,
        case=case,
        counts=dict(counts),
        trials=trials,
        elapsed_ns=round((time.monotonic() - began) * 1e9),
        behind_ns=None if behind is None else round(behind * 1e9),
        fault=fault,
        is_hang=is_hang,
        raced=raced,
    )
    return counted, not is_lost


def run_cases(
    agents: Agents,
    system: str,
    cases: Sequence[str],
    trials: int,
    tell: Callable[[Counted], None],
    *,
    seen: Callable[[], None] = lambda: None,
    seen_seconds: float = SEEN_SECONDS,
) -> tuple[list[str], bool]:
    """Each of them, told as it ends. Gives those that the nodes did not live to see, and whether
    the nodes are still of use: if not, the folder is still there. The other nodes have
    `seen_seconds` to see it; `seen` is called once they do.

    InputError where a node does not see what the first has made.
    """
    is_alive = True
    try:
        _make_folder(agents, seen_seconds)
        seen()
        for at, case in enumerate(cases):
            counted, is_alive = run_case(agents, system, case, trials)
            tell(counted)
            if not is_alive:
                return list(cases[at + 1 :]), False
    except AgentLostError:
        is_alive = False
        raise
    finally:
        if is_alive:
            _remove_folder(agents)
    return [], True


NAME = "shared"
FOLDER_SEEN_SECONDS = 5.0
"""On one file system a new folder is seen at once: no client has asked for its name before."""


def try_folders(
    folders: Sequence[str],
    cases: Sequence[str],
    trials: int,
    tell: Callable[[Examined | Counted], None],
) -> None:
    """The first and the last take part; the others only have to see the files.

    InputError for less than two places, for one that is no folder or is named twice, and where they
    are not one file system. RigError where a place does not answer any more: its folder is then
    left there.
    """
    if len(folders) < 2:
        raise InputError(
            "one node reads what another one wrote, and there is one folder",
            next="fsgauge rig coherence a:/mnt/shared b:/mnt/shared",
        )
    places = [Place.of(each) for each in folders]
    folder = folder_name()
    with process_agents(places, folder) as agents:
        found = Examined(name=NAME, words=" and ".join(agents.names))
        _, is_alive = run_cases(
            agents,
            NAME,
            cases,
            trials,
            tell,
            seen=lambda: tell(found),
            seen_seconds=FOLDER_SEEN_SECONDS,
        )
    if not is_alive:
        raise RigError(
            f"{places[0].words}/{folder} is left: a node did not answer",
            cause="its mount hangs, or the connection to it was lost",
            next=f"remove {folder} once the file system answers",
        )
