"""Programs of others and interpreters of our own: where they are found, and how they are started.
No other part of the package starts a process (tests/house/test_programs.py)."""

from fsgauge.programs.finding import (
    PASSWORD_VARIABLE,
    PATH_VARIABLE,
    child_environment,
    clean_own_environment,
    engine_environment,
    find_engine,
    search_path,
)
from fsgauge.programs.starting import Process, end_process, interpreter, isolated, run_to_end, start

__all__ = [
    "PASSWORD_VARIABLE",
    "PATH_VARIABLE",
    "Process",
    "child_environment",
    "clean_own_environment",
    "end_process",
    "engine_environment",
    "find_engine",
    "interpreter",
    "isolated",
    "run_to_end",
    "search_path",
    "start",
]
