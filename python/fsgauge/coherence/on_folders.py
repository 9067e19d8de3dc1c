"""One file system that is mounted at several places: folders of this machine or of hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.coherence.log import Counted, Examined
from fsgauge.coherence.running import run_cases
from fsgauge.errors import InputError, RigError
from fsgauge.hands.hands import folder_name
from fsgauge.hands.processes import Place, process_hands

NAME = "shared"
SEEN_SECONDS = 5.0
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
            next="fsgauge coherence a:/mnt/shared b:/mnt/shared",
        )
    places = [Place.of(each) for each in folders]
    folder = folder_name()
    with process_hands(places, folder) as hands:
        found = Examined(name=NAME, words=" and ".join(hands.names))
        _, is_alive = run_cases(
            hands,
            NAME,
            cases,
            trials,
            tell,
            seen=lambda: tell(found),
            seen_seconds=SEEN_SECONDS,
        )
    if not is_alive:
        raise RigError(
            f"{places[0].words}/{folder} is left: a node did not answer",
            next=f"remove {folder} once the file system answers",
        )
