"""The archive of verdicts has every ledger, run and page, and is the same each time."""

from __future__ import annotations

import tarfile
from pathlib import Path

from fsgauge.published.ledger import ledgers
from release.verdicts import archive

ROOT = Path(__file__).parents[2]
ARCHIVES = "docs/evidence/archives"
EPOCH = 1_700_000_000
LARGEST_BYTES = 16_000_000
"""Most of it are the records of runs."""


def test_it_has_every_ledger_run_and_page(tmp_path: Path) -> None:
    packed = archive(ROOT, "0.1.0", EPOCH, tmp_path)
    assert packed.name == "fsgauge-0.1.0-verdicts.tar.xz"
    assert packed.stat().st_size < LARGEST_BYTES
    with tarfile.open(packed) as opened:
        names = [name.split("/", 1)[1] for name in opened.getnames()]
        assert {entry.mtime for entry in opened} == {EPOCH}
    kinds = "python/fsgauge/kinds"
    assert {f"{kinds}/{kind}/published.toml" for kind in ledgers()} <= set(names)
    runs = {str(path.relative_to(ROOT)) for path in ROOT.glob(f"{kinds}/*/verdicts/*.json")}
    assert runs and runs <= set(names)
    assert {"docs/published.md", "docs/evidence/runs.md", "docs/evidence/predictions.md"} <= set(
        names
    )
    archives = {str(path.relative_to(ROOT)) for path in (ROOT / ARCHIVES).glob("*.tar.xz")}
    assert archives and archives <= set(names)


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    one, two = (archive(ROOT, "0.1.0", EPOCH, folder).read_bytes() for folder in folders)
    assert one == two
