"""Distributions of scipy.special: its compiled functions, without what its import brings along.

`import scipy.special` also loads numpy's test suite and Fortran compiler, to serve arrays of other
libraries: a quarter of a second of each command that draws an interval. Its compiled functions need
none of it. Import this where a function is needed, as one would scipy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_NAME = "scipy.special"


def _compiled() -> ModuleType:
    """They are imported within a package whose own code has not run; whoever imports it later gets
    it whole."""
    spec = find_spec(_NAME)
    if _NAME in sys.modules or spec is None:
        return import_module(_NAME)
    sys.modules[_NAME] = module_from_spec(spec)
    try:
        return import_module(f"{_NAME}._ufuncs")
    except ImportError:  # a release that keeps them elsewhere
        pass
    finally:
        sys.modules.pop(_NAME)
    return import_module(_NAME)


_found = _compiled()
fdtrc, fdtri, gammaincinv = _found.fdtrc, _found.fdtri, _found.gammaincinv
ndtr, nctdtrinc, stdtr, stdtrit = _found.ndtr, _found.nctdtrinc, _found.stdtr, _found.stdtrit
