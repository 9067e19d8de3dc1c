"""How long a fuzzer tries: a few examples in every test run, many in `make fuzz`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

VARIABLE = "FSGAUGE_FUZZ_EXAMPLES"


def examples(usual: int) -> int:
    """How many examples to try; `usual` where the environment does not say."""
    return int(os.environ.get(VARIABLE, usual))


def budget(usual: int, **more: Any) -> settings:
    """Settings of a hypothesis test: no deadline of an example, for the machine may be busy.

    The same examples in every test run; others each time where a number was asked for.
    """
    return settings(
        max_examples=examples(usual),
        deadline=None,
        derandomize=VARIABLE not in os.environ,
        database=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )
