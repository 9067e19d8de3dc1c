"""How a model says that keys contradict each other, or that one of them would be ignored.

The keys travel with the error, so that the parser can point at their lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import PydanticCustomError


def conflict(
    what: str, keys: Sequence[str | int | tuple[str | int, ...]], *, hint: str = "", next: str = ""
) -> PydanticCustomError:
    """The error to raise in a validator.

    `keys` are names (or paths) below the model that is being checked, the one to blame first;
    `hint` stands beside its underline; `next` is the command or the edit that helps.
    """
    paths = [key if isinstance(key, tuple) else (key,) for key in keys]
    return PydanticCustomError(
        "conflict", "{what}", {"what": what, "keys": paths, "hint": hint, "next": next}
    )
