"""Sheets of paper and pictures by the Chromium that is here: one page, whole, without network."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fsgauge.chromium import as_pdf, as_png, find_chromium
from fsgauge.report.write import read_report, write_report
from tests.browser.opened import Open
from tests.cli.conftest import Run, fsgauge  # noqa: F401 - a fixture
from tests.synthetic import make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_churn import make_churn
from tests.synthetic_connections import make_connections
from tests.synthetic_writers import make_writers

pytestmark = [pytest.mark.browser, pytest.mark.long]

MANY = {"raw": "raw"} | {f"ext4 variant {number}": "ext4" for number in range(29)}
FEW_CELLS: dict[str, Any] = {
    "patterns": ("randread", "randwrite"),
    "block_sizes": (4096,),
    "queue_depths": (1, 32),
    "blocks": 3,
}
ONE_CELL = FEW_CELLS | {"patterns": ("randread",), "queue_depths": (32,)}
SHEET_PIXELS = 255 / 25.4 * 96
A4_POINTS = (595, 842)


MAKE: dict[str, Callable[[], Any]] = {
    "typical": lambda: make_study(**FEW_CELLS),
    "many": lambda: make_study(systems=MANY, **ONE_CELL),
    "one": lambda: make_study(systems={"ext4": "ext4"}, **ONE_CELL),
    "aging": lambda: make_aging(levels=(5, 50), blocks=3, maps=False),
    "churn": lambda: make_churn(blocks=3),
    "writers": lambda: make_writers(blocks=3, systems={"ext4": "ext4", "xfs": "xfs"}),
    "connections": lambda: make_connections(clients=60, blocks=3),
}


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A study's results folder by its name, made when it is first asked for."""
    place = tmp_path_factory.mktemp("studies")

    @cache
    def made(name: str) -> Path:
        return MAKE[name]().write(place / name)

    return made


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def size_of(pdf: bytes) -> tuple[int, int]:
    found = re.search(rb"/MediaBox\s*\[\s*0 0 ([0-9.]+) ([0-9.]+)\s*\]", pdf)
    assert found is not None
    return round(float(found[1])), round(float(found[2]))


SHEETS = [
    *(("summary", study) for study in MAKE),
    *(("disclosure", study) for study in ("typical", "many", "connections")),
]


@pytest.mark.parametrize(("form", "study"), SHEETS)
def test_a_sheet_fits_a4_and_letter_and_nothing_sticks_out(
    opened: Open,
    folder_of: Callable[[str], Path],
    tmp_path: Path,
    artifacts: Path,
    study: str,
    form: str,
) -> None:
    file = tmp_path / "sheet.html"
    file.write_text(getattr(read_report(folder_of(study)), form)(), encoding="utf-8")
    found = opened(file, 1200, 800)
    page = found.page
    assert found.complaints == []
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        box = page.locator("main").bounding_box()
        assert box is not None and box["height"] <= SHEET_PIXELS + 1, media
        sticking_out = page.evaluate(
            """() => {
              const edge = document.querySelector("main").getBoundingClientRect().right + 1;
              return [...document.querySelectorAll("main *")]
                .filter((each) => each.getBoundingClientRect().right > edge && !each.closest("svg"))
                .map((each) => each.outerHTML.slice(0, 80));
            }"""
        )
        assert sticking_out == []
    page.screenshot(path=artifacts / f"{form}-{study}.png", full_page=True)
    pdf = page.pdf(path=artifacts / f"{form}-{study}.pdf", prefer_css_page_size=True)
    assert pages_of(pdf) == 1


def test_what_is_cut_is_counted(
    opened: Open, folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    report = read_report(folder_of("many"))
    sheet = report.summary()
    file = tmp_path / "sheet.html"
    file.write_text(sheet, encoding="utf-8")
    page = opened(file, 1200, 800).page
    for name in ("primary", "options"):
        all_rows = sheet.partition(f'<table id="{name}">')[2].partition("</table>")[0]
        shown = page.locator(f"#{name} tbody tr").count()
        cut = all_rows.count("<tr>") - 1 - shown
        said = page.locator(f".cut:has(#{name}) .more").inner_text()
        assert cut > 0 and said.startswith(f"{cut} more line")


def test_the_command_makes_one_page_and_a_picture_1200_wide(
    fsgauge: Run,  # noqa: F811
    folder_of: Callable[[str], Path],
    artifacts: Path,
) -> None:
    pdf, png = artifacts / "command.pdf", artifacts / "command.png"
    done = fsgauge("report", str(folder_of("typical")), "--pdf", str(pdf), "--png", str(png))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == [f"pdf: {pdf}", f"png: {png}"]
    content = pdf.read_bytes()
    assert pages_of(content) == 1
    assert size_of(content) == A4_POINTS
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert width == 1200 and 300 < height < 1200


def test_the_picture_ends_with_the_first_screen(
    opened: Open, folder_of: Callable[[str], Path]
) -> None:
    page = write_report(folder_of("typical"))
    bottom = opened(page, 1200, 800).bottom_of("#first-screen")
    program = find_chromium()
    assert program is not None
    text = page.read_text(encoding="utf-8")
    picture = as_png(program, text, width_pixels=1200, part="#first-screen", below_pixels=18)
    height = struct.unpack(">I", picture[20:24])[0]
    assert abs(height - (bottom + 18)) <= 2


def test_nothing_is_asked_of_the_network() -> None:
    program = find_chromium()
    assert program is not None
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        address = f"http://127.0.0.1:{port}/seen.png"
        script = f"<script>fetch('{address}').catch(() => 0)</script>"
        pdf = as_pdf(program, f"<p>page</p><img src='{address}'>{script}")
        assert pages_of(pdf) == 1
        with pytest.raises(TimeoutError):
            server.accept()
