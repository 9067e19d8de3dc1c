"""Cluster file systems that one node alone has mounted: their locks never leave it.

A published comparison mounted them on one node at least, and so does the study. What locks cost
between nodes is another study's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.record.records import TurnRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.evidence import finding
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import listed

_LOCAL = {"localflocks", "heartbeat=none", "lockproto=lock_nolock"}
"""Options in force of GFS2 and OCFS2 without a cluster, as /proc/mounts has them."""
MEASURED_BY = "fsgauge run two-nodes"


def with_local_locks(material: Material) -> list[str]:
    """The systems whose mount says that no other node takes part, in the plan's order."""
    local = {turn.system for turn in material.turns if _is_local(turn)}
    return [system for system in material.study.plan.systems if system in local]


def _is_local(turn: TurnRecord) -> bool:
    return bool(_LOCAL & set(turn.facts.mount_options.split(",")))


def words(systems: Sequence[str]) -> str:
    """ "gfs2 and ocfs2 are mounted on one node only, so their locks never leave it"."""
    if len(systems) == 1:
        return f"{systems[0]} is mounted on one node only, so its locks never leave it"
    return f"{listed(systems)} are mounted on one node only, so their locks never leave it"


def one_node_finding(systems: Sequence[str]) -> Iterator[Finding]:
    """That no cluster was measured."""
    if systems:
        yield finding(
            "sharing.one_node",
            "note",
            f"{words(systems)}: these rates are those of a file system that could be shared, and is"
            " not. What a cluster's lock manager costs is not in them.",
            f"{MEASURED_BY}, which has them on two nodes.",
        )
