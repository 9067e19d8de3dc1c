"""How many times one writer's writes several do, in few words, behind the rates of many systems.

"Two writers do 1.37 times the writes of one on xfs (1.30 to 1.44); a disk's IOPS limit sets it on
ext3; too noisy to tell on ext4."
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.writers.analysis.answer import interval_words, lead_group, says_nothing
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.record.records import Cell
from fsgauge.stats.estimate import ends
from fsgauge.stats.wording import NAMED_SYSTEMS, listed, number_words


def in_short(scaling: Scaling, primary: Sequence[Cell], margin_percent: float) -> str:
    """The sentence; "" where no block has the fewest writers and the most."""
    group = lead_group(scaling, primary)
    lines = [line for line in scaling.lines if line.group == group]
    changes = {
        line.system: scaling.together(change) or change
        for line in lines
        if (change := line.points[-1].change) is not None
    }
    causes = {line.system: line.limited_by for line in lines if line.system in changes}
    free = [each for each in changes.items() if not causes[each[0]]]
    told = [each for each in free if not says_nothing(each[1], margin_percent)]
    noisy = [system for system, change in free if says_nothing(change, margin_percent)]
    shown = ends(told) if len(told) > NAMED_SYSTEMS else told
    of_one = f" the writes of {number_words(lines[0].points[0].writers)}"
    parts = [
        f"{change.value:.2f} times{of_one if at == 0 else ''} on {system}"
        f" ({interval_words(change, margin_percent)})"
        for at, (system, change) in enumerate(shown)
    ]
    many = f"{number_words(lines[0].points[-1].writers)} writers"
    clauses = [f"{many} do {listed(parts)}"] if parts else []
    subject = "that" if parts else f"what {many} do over {number_words(lines[0].points[0].writers)}"
    for cause in dict.fromkeys(filter(None, causes.values())):
        of_cause = [system for system, each in causes.items() if each == cause]
        clauses.append(f"{cause} sets {subject} on {listed(of_cause)}")
    if noisy:
        ratio = "" if clauses else f" {subject}"
        clauses.append(f"too noisy to tell{ratio} on {listed(noisy)}")
    said = "; ".join(clauses)
    return f"{said[:1].upper()}{said[1:]}." if said else ""
