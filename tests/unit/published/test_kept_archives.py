"""Archives in the repository: whoever judges them again comes to what the pages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.published.archive import publication_named, read_archive
from fsgauge.published.runs import run_of

ARCHIVES = sorted((Path(__file__).parents[3] / "docs/evidence/archives").glob("*.tar.xz"))


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name)
def test_each_run_in_it_says_what_is_kept_of_it(path: Path) -> None:
    archived = read_archive(path)
    folder, ledger = publication_named(archived.contents.publication)
    assert path.name == f"{ledger.publication.name}.tar.xz"
    assert set(archived.runs) == set(archived.contents.studies) != set()
    for study, run in archived.runs.items():
        assert run == run_of(folder, study), f"scripts/verdicts RESULTS-DIR of {study}"


def test_there_is_one_that_a_sceptic_can_begin_with() -> None:
    assert "sonexion.tar.xz" in {path.name for path in ARCHIVES}
