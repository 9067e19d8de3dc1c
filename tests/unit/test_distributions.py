"""The functions of scipy.special are scipy's own, and come without the rest of it."""

from __future__ import annotations

import subprocess
import sys

APART = """
import sys
from fsgauge import distributions
assert "scipy.special" not in sys.modules and "numpy.testing" not in sys.modules
import scipy.special, scipy.optimize
for name in ("fdtrc", "fdtri", "gammaincinv", "ndtr", "nctdtrinc", "stdtr", "stdtrit"):
    assert getattr(scipy.special._ufuncs, name) is getattr(distributions, name), name
arguments = (5, 0.975)
assert scipy.special.stdtrit(*arguments) == distributions.stdtrit(*arguments)
"""
TOGETHER = """
import scipy.special
from fsgauge import distributions
assert distributions.stdtrit(5, 0.975) == scipy.special.stdtrit(5, 0.975)
"""
MOVED = """
import sys
sys.modules["scipy.special._ufuncs"] = None  # its import fails
from fsgauge import distributions
"""


def ran(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_alone_they_bring_nothing_along_and_scipy_can_be_imported_afterwards() -> None:
    assert ran(APART).returncode == 0, ran(APART).stderr


def test_where_scipy_is_there_already_it_is_asked() -> None:
    assert ran(TOGETHER).returncode == 0, ran(TOGETHER).stderr


def test_where_they_are_not_found_scipy_itself_is_imported() -> None:
    """Here it fails as well, by its own import."""
    assert "scipy/special/__init__.py" in ran(MOVED).stderr
