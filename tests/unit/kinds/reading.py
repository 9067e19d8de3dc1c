"""Keys of [workload] as the last lines of a study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import parse_study


def reading(of: str) -> tuple[Callable[..., Any], Callable[..., str]]:
    """The workload of a study with these lines behind it, and what is said of a mistake in them."""

    def read(*lines: str, study: str = of) -> Any:
        return parse_study(study + "\n".join(lines) + "\n", "my.toml", "my").workload

    def mistake(*lines: str, study: str = of) -> str:
        with pytest.raises(InputError) as refusal:
            read(*lines, study=study)
        return refusal.value.render()

    return read, mistake
