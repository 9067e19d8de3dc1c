"""The engine's sentences with sizes as a person reads them: it counts bytes, and has no units."""

from __future__ import annotations

import re

from fsgauge.units import format_size

_BYTES = re.compile(r"(\d+)(?: of (\d+))? bytes")


def with_sizes(text: str) -> str:
    """ "2688000 of 134217728 bytes" as "2.56 MiB of 128 MiB"."""

    def words(found: re.Match[str]) -> str:
        sizes = [format_size(int(each)) for each in found.groups() if each is not None]
        return " of ".join(sizes)

    return _BYTES.sub(words, text)
