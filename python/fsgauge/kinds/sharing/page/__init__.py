"""What the page shows of a study of kind sharing: faults of systems, and what limited each rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fsgauge.kinds.sharing.analysis import cautions
from fsgauge.kinds.sharing.analysis.cautions import MEASURED_BY
from fsgauge.kinds.sharing.analysis.faults import words
from fsgauge.kinds.sharing.analysis.limits import by_place
from fsgauge.kinds.sharing.analysis.model import CellMemory, RatioToNfs, Sharing, SystemFaults
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.tests import TESTS
from fsgauge.published.ledger import Ledger, ledger_of
from fsgauge.record.records import Cell
from fsgauge.report import table_parts
from fsgauge.report.kind_page import KindPage
from fsgauge.report.words import share_text, value
from fsgauge.stats.results import Results
from fsgauge.stats.rig_limits import BY_RIG, WORDS, Limit
from fsgauge.stats.wording import listed, ratio_range
from fsgauge.units import exact_size, format_size


class SharingPage(KindPage):
    sections = ("sharing/sections.html.j2",)
    facts = "sharing/facts.html.j2"
    draws_every_ratio = True

    def values(self, results: Results) -> dict[str, Any]:
        local = Sharing.within(results).local_locks
        return {
            "sharing_one_node": cautions.words(local) if local else "",
            "sharing_cluster_command": MEASURED_BY,
            "sharing_elsewhere": elsewhere(local),
            "sharing_published": published_tables(results, ledger_of("sharing")),
            "sharing_faults": faults_table(results),
            "sharing_tests": _tests_table(results),
            "sharing_limits": _limits_table(results),
            "sharing_memory": _memory_table(results),
            "sharing_rates": rates_table(results),
            "sharing_processor": _processor_table(results),
        }


PAGE = SharingPage()


def rates_table(results: Results) -> list[table_parts.Table]:
    rates = results.measured
    units = {metric.name: metric.unit for metric in results.metrics}
    limits = by_place(Sharing.within(results).limits)

    def rate_of(cell: Cell, system: str) -> table_parts.TableCell:
        metric = SharingFactors.of(cell).metric
        found = rates.get((cell.id, system, metric))
        if found is None:
            return table_parts.NOTHING
        text = partial(value, unit=units[metric])
        limit: Limit = limits.get((cell.id, system), "unknown")
        below = [table_parts.interval_text(found, text), WORDS[limit] if limit in BY_RIG else ""]
        return table_parts.TableCell(text(found.value), "; ".join(filter(None, below)))

    return table_parts.Rows(results.cells).by_system(
        "test-rates",
        "By test and system",
        "As IOzone and Bonnie++ print them: bytes a second of tests that go through a file, and"
        " seeks or empty files a second. Geometric means over blocks, with 95 % intervals, and what"
        " limited the rate where it was the rig. A † marks a system that gives up durability.",
        ("test", lambda cell: cell.name),
        results.systems,
        rate_of,
    )


def faults_table(results: Results) -> list[table_parts.Table]:
    return table_parts.Rows(Sharing.within(results).faults).tables(
        "faults",
        "How systems held",
        "A system that cannot be set up, is not what its name says (a service of it has ended),"
        " crashes, hangs, or gives errors or wrong data has failed in that turn; the others go on,"
        " and it comes again in the next block.",
        [
            ("system", "", lambda each: each.system),
            ("runs measured", "", lambda each: f"{each.reached} of {each.planned}"),
            ("faults", "", _faults),
        ],
    )


def _faults(each: SystemFaults) -> table_parts.TableCell:
    """Of the first fault what happened, and the last words of who failed."""
    what, *details = each.first.split("; ")
    return table_parts.TableCell(words(each), "; ".join([what, *details[-1:]]))


def _limits_table(results: Results) -> list[table_parts.Table]:
    limits = Sharing.within(results).limits
    if all(each.limit == "unknown" for each in limits):
        return []
    return table_parts.Rows(limits).tables(
        "limits",
        "What limited each rate",
        "An emulated processor that works without a pause gives the emulation's rates; a disk that"
        " does all that its limit allows makes systems equal. A ratio is claimed where no"
        " emulated processor was the limit and the two do not meet the same limit of a disk:"
        " requests and bytes are limits of their own, and so is each disk. Counts hold everywhere."
        " Each share is that of the disk that came nearest to that limit; a little over 100 % is a"
        " short burst, which the limit lets through. The processor is that of the node that"
        " measures: how busy the server's was is not known.",
        [
            *table_parts.place_of(results),
            ("limit", "", lambda each: WORDS[each.limit]),
            ("processor busy", "", lambda each: share_text(each.processor_share)),
            ("of a disk's IOPS", "", lambda each: share_text(each.iops_share)),
            ("of its bandwidth", "", lambda each: share_text(each.bandwidth_share)),
            ("which disk", "", lambda each: each.disk),
        ],
    )


def _memory_table(results: Results) -> list[table_parts.Table]:
    return table_parts.Rows(Sharing.within(results).memory).tables(
        "memory",
        "Files next to memory",
        "A file that is not twice the memory of a client and its server makes its cell a cache"
        " test, and so does a write that is not flushed. Where caches are emptied before each run,"
        " a small file is read from disks all the same; what a run reads ahead or writes together"
        " is up to memory. Of a server that is not among the study's machines nothing is counted."
        " The publication held its files of 2 GB against the memory of one machine, 1 GB: with that"
        " of its server they too are cache tests.",
        [
            ("cell", "", lambda each: results.cell(each.cell).name),
            (
                "file",
                "",
                lambda each: exact_size(each.file_bytes).replace(" ", "\N{NO-BREAK SPACE}"),
            ),
            ("client", "", lambda each: _memory_of(each, served=False)),
            ("server", "", lambda each: _memory_of(each, served=True)),
            ("file, of the memory", "", _of_memory),
            ("verdict", "", _memory_verdict),
        ],
    )


def _memory_of(each: CellMemory, *, served: bool) -> str:
    """ "node2: 961 MiB"; "none known" of a server that is not among the machines."""
    found = [
        f"{name}: {format_size(size_bytes)}"
        for name, size_bytes in each.memory_bytes.items()
        if (name in each.servers) is served
    ]
    return ", ".join(found) or "none known"


def _of_memory(each: CellMemory) -> str:
    """Percent of the memory that was counted; from 200 on the file is larger than caches."""
    return f"{100 * each.file_bytes / sum(each.memory_bytes.values()):.3g} %"


def _memory_verdict(each: CellMemory) -> str:
    if not each.is_cache_test:
        return "larger than caches"
    reasons = ["small file"] * each.is_small + ["not flushed"] * each.is_unflushed
    return f"cache test ({', '.join(reasons)})"


def _processor_table(results: Results) -> list[table_parts.Table]:
    """A line a cell, a column a system: the share that Bonnie++ prints beside each of its rates."""
    own = Sharing.within(results)
    shares = {(each.cell, each.system): each.test_share for each in own.limits}
    return table_parts.Rows(results.cells).by_system(
        "test-processor",
        "Share of CPU of each test",
        "The processor time of the test's own processes, user and system, of the time that it took:"
        " what Bonnie++ prints as %CP. What the kernel's own threads did for it is not in it. Means"
        " over runs.",
        ("test", lambda cell: cell.name),
        results.systems,
        lambda cell, system: table_parts.TableCell(share_text(shares.get((cell.id, system)))),
    )


def _tests_table(results: Results) -> list[table_parts.Table]:
    names = list(dict.fromkeys(SharingFactors.of(cell).test for cell in results.cells))
    return table_parts.Rows([TESTS[name] for name in names]).tables(
        "tests",
        "What each test does",
        "As its program does it, carried out by the engine of fsgauge.",
        [
            ("test", "", lambda test: test.title),
            ("does", "", lambda test: test.does),
            ("known from", "", lambda test: test.program),
        ],
    )


_MOST = 3
Says = Callable[[Results, Sharing], str]


def published_tables(results: Results, ledger: Ledger) -> list[table_parts.Table]:
    """A line a conclusion; [] where nothing was compared with NFS."""
    own = Sharing.within(results)
    facts = {claim.id: claim.fact for claim in ledger.claim}
    return table_parts.Rows(_CONCLUSIONS if own.to_nfs else ()).tables(
        "published",
        "Published, and here",
        f'"{ledger.publication.title}" prints graphs without numbers, so only its conclusions are'
        " given here, in words. Ours are ratios to NFS within each block, corrected for the number"
        " of comparisons, without those that the rig sets. fsgauge published C-14 prints a claim.",
        [
            ("here", "", lambda name: _CONCLUSIONS[name](results, own)),
            (
                "published, in our words",
                table_parts.ELSEWHERE,
                lambda name: table_parts.TableCell(facts[name], name),
            ),
        ],
    )


def _which(verdict: str, word: str, results: Results, own: Sharing) -> str:
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
    failed = [f"{each.system}: {words(each)}" for each in own.faults if each.counts]
    return f"{listed(failed)}." if failed else "No system failed."


_CONCLUSIONS: dict[str, Says] = {
    "C-14": partial(_which, "better", "faster"),
    "C-16": partial(_which, "worse", "slower"),
    "C-17": _failed,
}


def elsewhere(systems: Sequence[str]) -> list[tuple[str, str]]:
    """What this study leaves to others, and the command of each; `systems` have local locks."""
    of_cluster = f", and {listed(systems)} in their cluster" if systems else ""
    return [
        (f"two nodes against one{of_cluster}", MEASURED_BY),
        ("direct writers over NFS", "fsgauge run writers-nfs"),
        ("what a node reads that another wrote", "fsgauge rig coherence"),
        ("a node or the server dies", "fsgauge rig failure"),
    ]
