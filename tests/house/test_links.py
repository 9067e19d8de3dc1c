"""Every link of a Markdown file leads to a file of the repository, and to a heading that it has."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def pages() -> list[Path]:
    """Every Markdown file that git knows or would take."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).exists()]


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them; equal ones are numbered."""
    found: list[str] = []
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    for heading in HEADING.findall(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.append(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return {
        anchor + (f"-{before}" if (before := found[:place].count(anchor)) else "")
        for place, anchor in enumerate(found)
    }


def dead(page: Path, root: Path = ROOT) -> list[str]:
    """Links of a page that lead nowhere."""
    wrong = []
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or not target.is_relative_to(root):
            wrong.append(f"{page.relative_to(root)}: {link}: no such file")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{page.relative_to(root)}: {link}: no such heading")
    return wrong


def test_every_link_leads_somewhere() -> None:
    found = [each for page in pages() for each in dead(page)]
    assert found == [], "\n".join(found)


def test_a_dead_link_and_a_dead_anchor_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b`: c, and d\n\n# Same\n\n# Same\n\n```sh\n# no heading\n[no](link.md)\n```\n\n"
        "[x](#a-b-c-and-d) [x](#same-1) [`x`](other.md#other) [x](https://example.org/none)\n"
        "[x](#no-heading) [x](none.md) [x](other.md#none) [x](../)\n"
    )
    assert dead(page, tmp_path) == [
        "page.md: #no-heading: no such heading",
        "page.md: none.md: no such file",
        "page.md: other.md#none: no such heading",
        "page.md: ../: no such file",
    ]


def test_every_page_of_the_docs_is_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        names = (link.partition("#")[0] for link in LINK.findall(text))
        waiting += [
            path for name in names if name and (path := (page.parent / name).resolve()).exists()
        ]
    assert [page for page in (ROOT / "docs").rglob("*.md") if page not in reached] == []
