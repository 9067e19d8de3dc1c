"""The packages that a fleet needs and a study on one machine does not."""

from __future__ import annotations

from importlib.util import find_spec

from fsgauge.errors import RigError


def require_extra() -> None:
    """Raise RigError that names the install where the packages of a fleet are missing."""
    for name in ("cryptography", "distributed"):
        if find_spec(name) is None:
            raise RigError(
                f"the fleet rig needs the package {name}, which is not installed",
                cause="it is in the extra [fleet], here and on every host",
                next="pipx inject fsgauge cryptography distributed, or pip install these two where"
                " fsgauge is installed",
            )
