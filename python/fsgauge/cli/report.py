"""`fsgauge report`: the page of a results folder made again; sheets of it for paper and chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.chromium import as_pdf, as_png, find_chromium
from fsgauge.cli.choices import F, despite_choice
from fsgauge.errors import InputError, RigError, quoted
from fsgauge.exit_codes import ExitCode, ends, gravest, of_report
from fsgauge.plain_files import write_whole
from fsgauge.programs.interruption import interruptible

if TYPE_CHECKING:
    from fsgauge.report.write import Report
    from fsgauge.store import StoredStudy

BESIDE = ""
"""In place of FILE: the file has its usual name and is in the results folder."""


def _no_folder(_context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """FILE follows its option, so a folder there is one whose report is wanted."""
    if value and Path(value).is_dir():
        raise InputError(
            f"--{option.name} takes a file, and {value} is a folder",
            next=f"fsgauge report {quoted(value)} --{option.name}",
        )
    return value


def _sheet(name: str, text: str) -> Callable[[F], F]:
    return click.option(
        f"--{name}",
        is_flag=False,
        flag_value=BESIDE,
        metavar="[FILE]",
        callback=_no_folder,
        help=text,
    )


@click.command("report")
@ends("run")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@_sheet("pdf", "Also a summary on one sheet of paper, for A4 and US letter. Needs Chromium.")
@_sheet("png", "Also the first screen as a picture for a chat, 1200 pixels wide. Needs Chromium.")
@_sheet("markdown", "Also the answer and a table of the main numbers, for a pull request.")
@_sheet(
    "disclosure",
    "Also a sheet that says how it was measured, as readers of SNIA and IO500 results expect it:"
    " FILE.html, or FILE.pdf, which needs Chromium.",
)
@click.option(
    "--set",
    "disk",
    multiple=True,
    metavar="KEY=VALUE",
    help="Predict rates (study aging) for another disk: workload.disk.window=16. Nothing that was"
    " measured can be set.",
)
@despite_choice()
def command(
    directories: tuple[Path, ...],
    pdf: str | None,
    png: str | None,
    markdown: str | None,
    disclosure: str | None,
    disk: tuple[str, ...],
    accept_changed: bool,
) -> int:
    """Rebuild the report of each results folder from its records, a sweep's from its points.

    Needs no root, engine or disk, and works on another machine years later. Without FILE, --pdf
    writes summary.pdf into the folder, --png first-screen.png, --markdown summary.md, --disclosure
    disclosure.html.
    """
    from fsgauge.cli.execution import report_in, said
    from fsgauge.cli.sweeping import page_of_sweep
    from fsgauge.report.write import read_report
    from fsgauge.store.seals import understood
    from fsgauge.sweep.folder import is_sweep

    asked = {"pdf": pdf, "png": png, "markdown": markdown, "disclosure": disclosure}
    for name, file in asked.items():
        if file and len(directories) > 1:
            raise InputError(
                f"--{name} {file} is one file, for {len(directories)} folders",
                next=f"--{name} alone writes one into each folder",
            )
    if disclosure and Path(disclosure).suffix not in (".html", ".pdf"):
        raise InputError(
            f"--disclosure {disclosure} is neither HTML nor PDF",
            next="--disclosure FILE.html, or --disclosure FILE.pdf",
        )
    codes: list[ExitCode] = []
    for directory in directories:
        if is_sweep(directory):
            _require_page_alone(directory, asked, disk)
            answer, code = page_of_sweep(directory)
            click.echo(answer)
            codes.append(code)
            continue
        report = read_report(directory, disk, accept_changed=accept_changed)
        with understood(report.stored.changes):
            page = report.write()
            click.echo(said(report.results.answer, report.results.lines, page))
            if markdown is not None:
                table = report.markdown()
                click.echo(f"markdown: {write_sheet(report.stored, 'summary.md', table, markdown)}")
            _write_sheets(report, pdf, png, disclosure)
            codes.append(of_report(report_in(directory)))
    return gravest(codes)


def _require_page_alone(directory: Path, asked: dict[str, str | None], disk: Sequence[str]) -> None:
    """A sweep has no sheets, and no layouts of its own."""
    options = [name for name, file in asked.items() if file is not None]
    options += ["set"] if disk else []
    if options:
        raise InputError(
            f"--{options[0]} is for one study, and {directory} is a sweep of several",
            next=f"fsgauge report {quoted(directory)}/points/001/STUDY-DATE --{options[0]}",
        )


def _write_sheets(report: Report, pdf: str | None, png: str | None, disclosure: str | None) -> None:
    stored = report.stored
    if disclosure is not None:
        sheet = report.disclosure()
        is_pdf = Path(disclosure).suffix == ".pdf"
        content = on_paper(stored, sheet, "disclosure") if is_pdf else sheet
        click.echo(f"disclosure: {write_sheet(stored, 'disclosure.html', content, disclosure)}")
    if pdf is not None:
        printed = on_paper(stored, report.summary(), "summary")
        click.echo(f"pdf: {write_sheet(stored, 'summary.pdf', printed, pdf)}")
    if png is not None:
        picture = first_screen(stored, report.page())
        click.echo(f"png: {write_sheet(stored, 'first-screen.png', picture, png)}")


PICTURE_WIDTH_PIXELS = 1200
_EDGE_PIXELS = 18
_PACKAGE = "apt-get install chromium (Debian), dnf install chromium (Fedora)"


def on_paper(stored: StoredStudy, sheet: str, name: str) -> bytes:
    """A sheet (HTML) as PDF. Without Chromium the sheet is left as NAME.html; RigError names it."""
    from fsgauge.report.write import write_beside

    if find_chromium() is None:
        write_beside(stored, {f"{name}.html": sheet})
    program = _chromium("makes the PDF", f"print {stored.directory / f'{name}.html'}")
    with interruptible():
        return as_pdf(program, sheet)


def first_screen(stored: StoredStudy, page: str) -> bytes:
    """The first screen of the page (HTML) as PNG; RigError without Chromium."""
    program = _chromium("takes the picture", f"take it of {stored.directory / 'report.html'}")
    with interruptible():
        return as_png(
            program,
            page,
            width_pixels=PICTURE_WIDTH_PIXELS,
            part="#first-screen",
            below_pixels=_EDGE_PIXELS,
        )


def _chromium(does: str, otherwise: str) -> str:
    if (program := find_chromium()) is not None:
        return program
    what = f"Chromium is not installed, which {does}"
    raise RigError(what, next=f"{_PACKAGE}; or {otherwise} in any browser")


def write_sheet(stored: StoredStudy, usual: str, content: str | bytes, file: str) -> Path:
    """Write FILE, or where it is "" the usual name into the folder; gives the path."""
    if not file:
        from fsgauge.report.write import write_beside

        write_beside(stored, {usual: content})
        return stored.directory / usual
    write_whole(Path(file), content)
    return Path(file)
