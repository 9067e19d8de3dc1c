"""What a table that SQL sees is made of: columns, each with its meaning. A column is a place in the
record's JSON and a type; rows of finished blocks come from Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from fsgauge.record.factors import Role, counting, declarations


@dataclass(frozen=True)
class Column:
    """`place` is where the record's JSON has the value, or SQL when it begins with "="."""

    name: str
    type: str
    place: str
    meaning: str

    @property
    def sql(self) -> str:
        if self.place.startswith("="):
            return f"CAST({self.place[1:]} AS {self.type}) AS {self.name}"
        arrow = "->" if self.type == "JSON" else "->>"
        return f"CAST(json{arrow}'$.{self.place}' AS {self.type}) AS {self.name}"


@dataclass(frozen=True)
class View:
    """A table: what a row is, and its columns. `source` names what the rows are read from.

    `twin_of` names the view with the same columns whose rows are the study's own turns; this one
    has those of the turns over paths beside a server.
    """

    name: str
    row: str
    source: str
    columns: tuple[Column, ...]
    twin_of: str | None = None


def at(name: str, type: str, meaning: str, place: str = "") -> Column:
    """A value of the record's JSON, at its own name or at a place in it."""
    return Column(name, type, place or name, meaning)


def measured(name: str, type: str, meaning: str, place: str = "") -> Column:
    """A value of a slice's result, at its own name or at a place in it."""
    arrow = "->" if type == "JSON" else "->>"
    return Column(name, type, f"=result{arrow}'$.{place or name}'", meaning)


def of_element(name: str, type: str, meaning: str) -> Column:
    """A value of the list's element that the row is about."""
    return Column(name, type, f"=element->>'$.{name}'", meaning)


BUCKET = (
    at("bucket", "BIGINT", "index of the bucket"),
    at("low_ns", "UBIGINT", "smallest latency in the bucket"),
    at("high_ns", "UBIGINT", "largest latency in the bucket"),
    at("operations", "BIGINT", "operations in the bucket"),
)
KEYS = (
    at("block", "BIGINT", "block of the plan, from 0"),
    at("turn", "BIGINT", "turn within the block, in order of time"),
)
WHICH = (
    at("system", "VARCHAR", "the system's name"),
    at("again", "BOOLEAN", "second turn of the baseline in its block (A/A)"),
)
OVER_PATH = Column(
    "over_path",
    "BOOLEAN",
    "=coalesce(json->>'$.over_path', 'false')",
    "next to a server: the same over the system's path; not part of the study's sample",
)
SLICE = (
    Column("machine", "VARCHAR", "=machine", "the machine that measured"),
    Column("slice", "BIGINT", "=slice", "stretch of time on that machine, from 0"),
)
_RUN = (*KEYS, at("position", "BIGINT", "run within the turn, in order of time"), *WHICH)
OF_RUN = (*_RUN, at("cell", "VARCHAR", "the cell's id"))
PLACE = (*OF_RUN, *SLICE)
SERVED = (
    at(
        "server_user_ns",
        "BIGINT",
        "the private server's processor time with all clients in",
        "server.user_ns",
    ),
    at("server_system_ns", "BIGINT", "the same, in the kernel", "server.system_ns"),
    at("server_connecting_ns", "BIGINT", "both, while clients connect", "server.connecting_ns"),
    at("server_leaving_ns", "BIGINT", "both, while clients disconnect", "server.leaving_ns"),
    at("server_memory_bytes", "BIGINT", "its memory, proportional (PSS)", "server.memory_bytes"),
    at("server_processes", "BIGINT", "its processes, at most", "server.processes"),
    at("listen_drops", "BIGINT", "connections its socket refused", "server.listen_drops"),
    at("server_restarts", "BIGINT", "how often it died", "server.restarts"),
    measured("protocol", "VARCHAR", "what clients spoke", "clients.network.protocol"),
    measured(
        "reconnections",
        "BIGINT",
        "connections that were lost and made again",
        "clients.network.reconnections",
    ),
)
"""What a run through a server has; null on paths."""
IN_RUN = (*_RUN, at("cell", "VARCHAR", "the cell's id", "cell.id"), *SLICE)
"""The place as a run's own record tells it."""


_IN_ROLES: dict[Role, tuple[str, str, str]] = {
    "pattern": ("pattern", "VARCHAR", "what is done: randread, write, backup fill, ..."),
    "size": ("block_size_bytes", "BIGINT", "bytes of one operation, of many clients of a record"),
    "depth": ("queue_depth", "BIGINT", "operations in flight, of each of those that work at once"),
    "jobs": ("jobs", "BIGINT", "how many work at once: jobs, writers, streams or clients"),
    "hosts": ("hosts", "BIGINT", "how many hosts took part; null where all of the study did"),
}


def of_factors(place: str) -> tuple[Column, ...]:
    """The columns of a cell whose factors lie at a place of the record's JSON."""
    own = {name: factor for name, factor in declarations() if factor.role is None}
    numbers = counting()
    return (
        *(_in_role(role, place) for role in get_args(Role)),
        *(
            at(
                factor.column or name,
                "BIGINT" if name in numbers else "VARCHAR",
                factor.label,
                f"{place}.{name}",
            )
            for name, factor in own.items()
        ),
    )


def _in_role(role: Role, place: str) -> Column:
    """Whatever each kind calls it; a record has one of these factors."""
    name, type_, meaning = _IN_ROLES[role]
    factors = dict.fromkeys(name for name, factor in declarations() if factor.role == role)
    values = ", ".join(f"json->>'$.{place}.{factor}'" for factor in factors)
    return Column(name, type_, f"=coalesce({values})", meaning)
