"""The calls of the eight loads of unlike.fio, as lists that a plain loop in C goes through."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FILE_BYTES = 32 << 20
CALLS = 1 << 16
"""Of each load, around and around: 256 MiB at least, eight times the file."""
PAGE_BYTES = 4096
PAGES = FILE_BYTES // PAGE_BYTES
Calls = npt.NDArray[np.uint64]
"""A row a call: offset and size in bytes, and 1 where it writes."""


def unlike_calls() -> dict[str, tuple[Calls, bool]]:
    """By load, in the order of the job file; and whether fdatasync follows a write."""
    generator = np.random.default_rng(1)
    step = np.arange(CALLS)

    def anywhere() -> npt.NDArray[np.int64]:
        return generator.integers(0, PAGES, CALLS)

    def hot(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return generator.permutation(PAGES)[ranks]

    def writes(share: float) -> npt.NDArray[np.bool_]:
        return generator.random(CALLS) < share

    weights = 1 / np.arange(1, PAGES + 1) ** 0.9
    zipf = generator.choice(PAGES, CALLS, p=weights / weights.sum())
    pareto = (generator.random(CALLS) ** (np.log(0.2) / np.log(0.8)) * PAGES).astype(np.int64)
    sizes = generator.choice([1, 4, 16], CALLS, p=[0.6, 0.3, 0.1])
    strays = np.where(generator.random(CALLS) < 0.3, anywhere(), step % PAGES)
    return {
        "index": (calls(hot(zipf), 1, 0), False),
        "heap": (calls(anywhere() // 2 * 2, 2, writes(0.3)), False),
        "log": (calls(step * 2 % PAGES, 2, 1), True),
        "scan": (calls(step * 16 % PAGES, 16, 0), False),
        "mail": (calls(anywhere(), sizes, writes(0.5)), False),
        "session": (calls(hot(pareto), 1, 0), False),
        "recording": (calls(step * 4 % PAGES, 4, 1), False),
        "archive": (calls(strays, 1, 0), False),
    }


def calls(at: npt.NDArray[np.int64], pages: npt.ArrayLike, writes: npt.ArrayLike) -> Calls:
    """Each from page `at` on, inside of the file."""
    table = np.empty((CALLS, 3), dtype=np.uint64)
    table[:, 0] = np.minimum(at, PAGES - np.asarray(pages)) * PAGE_BYTES
    table[:, 1] = np.asarray(pages) * PAGE_BYTES
    table[:, 2] = writes
    return table
