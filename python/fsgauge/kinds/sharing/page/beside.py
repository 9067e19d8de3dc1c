"""What the publication concludes, and what this study has to say to it, line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.kinds.sharing.analysis.cautions import MEASURED_BY
from fsgauge.kinds.sharing.analysis.faults import words as fault_words
from fsgauge.kinds.sharing.analysis.model import RatioToNfs, Sharing
from fsgauge.published.ledger import Ledger
from fsgauge.report.table_parts import ELSEWHERE, Rows, Table, TableCell
from fsgauge.stats.results import Results
from fsgauge.stats.wording import listed, ratio_range

_MOST = 3
Says = Callable[[Results, Sharing], str]


def published_tables(results: Results, ledger: Ledger) -> list[Table]:
    """A line a conclusion; [] where nothing was compared with NFS."""
    own = Sharing.of(results)
    if own is None or not own.to_nfs:
        return []
    facts = {claim.id: claim.fact for claim in ledger.claim}
    return Rows(_CONCLUSIONS).tables(
        "published",
        "Published, and here",
        f'"{ledger.publication.title}" prints graphs without numbers, so only its conclusions are'
        " given here, in words. Ours are ratios to NFS within each block, corrected for the number"
        " of comparisons, without those that the rig sets. fsgauge published C-14 prints a claim.",
        [
            ("here", "", lambda name: _CONCLUSIONS[name](results, own)),
            ("published, in our words", ELSEWHERE, lambda name: TableCell(facts[name], name)),
        ],
    )


def _faster(results: Results, own: Sharing) -> str:
    return _which(results, own, "better", "faster")


def _slower(results: Results, own: Sharing) -> str:
    return _which(results, own, "worse", "slower")


def _which(results: Results, own: Sharing, verdict: str, word: str) -> str:
    """ "Faster than nfs in 2 of 14 comparisons: gfs2 in Write, 1.20 (1.11 to 1.30); ..."."""
    claimed = [each for each in own.to_nfs if not each.limited_by]
    found = sorted(
        (each for each in claimed if each.verdict == verdict),
        key=lambda each: each.ratio,
        reverse=verdict == "better",
    )
    left = len(own.to_nfs) - len(claimed)
    beside = f"; the rig sets {left} more" if left else ""
    nfs = own.to_nfs[0].nfs
    if not found:
        return f"Known to be {word} than {nfs} in none of {len(claimed)} comparisons{beside}."
    named = "; ".join(_one(results, each) for each in found[:_MOST])
    more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
    where = f"in {len(found)} of {len(claimed)} comparisons"
    return f"{word.capitalize()} than {nfs} {where}: {named}{more}{beside}."


def _one(results: Results, each: RatioToNfs) -> str:
    where = results.cell(each.cell).name
    return f"{each.system} in {where}, {each.ratio:.2f} ({ratio_range(each.low, each.high)})"


def _failed(_: Results, own: Sharing) -> str:
    failed = [f"{each.system}: {fault_words(each)}" for each in own.faults if each.counts]
    return f"{listed(failed)}." if failed else "No system failed."


_CONCLUSIONS: dict[str, Says] = {"C-14": _faster, "C-16": _slower, "C-17": _failed}


def elsewhere(systems: Sequence[str]) -> list[tuple[str, str]]:
    """What this study leaves to others, and the command of each; `systems` have local locks."""
    of_cluster = f", and {listed(systems)} in their cluster" if systems else ""
    return [
        (f"two nodes against one{of_cluster}", MEASURED_BY),
        ("direct writers over NFS", "fsgauge run writers-nfs"),
        ("what a node reads that another wrote", "fsgauge rig coherence"),
        ("a node or the server dies", "fsgauge rig failure"),
    ]
