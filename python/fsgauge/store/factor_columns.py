"""What SQL sees of a cell: one column for each factor, and for each role of them."""

from __future__ import annotations

from typing import get_args

from fsgauge.record.factors import Role, counting, declarations
from fsgauge.store.columns import Column, at

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
