"""What was published and what our runs say to it, as one archive next to the packages.

The package has the ledgers and observations too, for `fsgauge published`; the archive has the pages
as well, for whoever reads without installing, and the archives of runs, for whoever judges again.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

_HELD = (
    "python/fsgauge/kinds/*/published.toml",
    "python/fsgauge/kinds/*/verdicts/*",
    "docs/published.md",
    "docs/evidence/*.md",
    "docs/evidence/archives/*",
)


def archive(sources: Path, version: str, epoch_seconds: int, out: Path) -> Path:
    """Write fsgauge-VERSION-verdicts.tar.xz to `out`; the same sources give the same bytes.

    `epoch_seconds` is the time of every file.
    """
    path = out / f"fsgauge-{version}-verdicts.tar.xz"
    with tarfile.open(path, "w:xz") as packed:
        for pattern in _HELD:
            for file in sorted(sources.glob(pattern)):
                name = f"fsgauge-{version}-verdicts/{file.relative_to(sources)}"
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = file.stat().st_size, epoch_seconds
                with file.open("rb") as text:
                    packed.addfile(entry, text)
    return path
