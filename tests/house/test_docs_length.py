"""A guide is what its user needs: so many words, and no more. `pytest -rP` prints the numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDE_WORDS = 1_200
"""A page that is read in five minutes."""
ARCHITECTURE_WORDS = 950
"""Two screens."""
USERS_WORDS = 45_000
"""All that a user may be asked to read."""
CHANGELOG_LINES = 60
CELL_WORDS = 60
"""More is a paragraph, which a table hides."""
NOT_READ_THROUGH = ("reference", "evidence")
"""Folders of tables and of what was tried: looked up, not read. The ledger is one page more."""


def words(page: Path) -> int:
    """As `wc -w` counts them, commands and tables included."""
    return len(page.read_text(encoding="utf-8").split())


def users_pages() -> list[Path]:
    """What a user reads: the pages at the root and in docs, but for what is looked up."""
    docs = [
        page
        for page in DOCS.rglob("*.md")
        if page.relative_to(DOCS).parts[0] not in NOT_READ_THROUGH and page != DOCS / "published.md"
    ]
    return sorted([*ROOT.glob("*.md"), *docs])


def test_a_guide_is_read_in_five_minutes() -> None:
    counted = {page.name: words(page) for page in sorted((DOCS / "guides").glob("*.md"))}
    for name, count in counted.items():
        print(f"{count:6,}  {name}")
    assert {name: count for name, count in counted.items() if count > GUIDE_WORDS} == {}


def test_the_map_is_two_screens() -> None:
    assert words(DOCS / "architecture.md") <= ARCHITECTURE_WORDS


def test_all_that_a_user_reads() -> None:
    total = sum(words(page) for page in users_pages())
    looked_up = sum(words(page) for page in DOCS.rglob("*.md")) - sum(
        words(page) for page in users_pages() if page.is_relative_to(DOCS)
    )
    print(f"{total:,} words for users in {len(users_pages())} pages; {looked_up:,} to look up")
    assert total <= USERS_WORDS


def test_the_changelog_is_what_a_user_gets() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= CHANGELOG_LINES


@pytest.mark.parametrize("page", users_pages(), ids=lambda page: page.name)
def test_no_cell_of_a_table_is_a_paragraph(page: Path) -> None:
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [cell.strip() for row in rows for cell in row.split("|")]
    assert [cell for cell in cells if len(cell.split()) > CELL_WORDS] == []
