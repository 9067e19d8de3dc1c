"""`fsgauge import`: results of other tools, as a results folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from fsgauge.cli.choices import json_option, results_option
from fsgauge.errors import InputError, quoted
from fsgauge.exit_codes import ExitCode, ends


@click.command("import")
@ends("import")
@click.argument("files", nargs=-1, required=True, metavar="[SYSTEM=]FILE...")
@click.option("--question", default="", help="What the results are to answer; heads the page.")
@click.option(
    "--machine",
    default="",
    help="The name of the machine that measured, where the files do not say it: compare tells by it"
    " whether two folders are of one machine.",
)
@results_option
@json_option("What was stored, as JSON.")
def command(
    files: tuple[str, ...], question: str, machine: str, results: Path, as_json: bool
) -> int:
    """Store what another tool measured as a results folder that report, compare and gate read.

    Reads fio's JSON and json+, IOzone's table, bonnie++'s CSV, elbencho's CSV and JSON, and IOR's
    table, JSON and CSV. Each file is a run, and repeated runs give intervals: ext4=a1.json
    ext4=a2.json xfs=b1.json xfs=b2.json are two systems with two blocks. Files without SYSTEM= are
    runs of one.
    """
    from fsgauge.importing import import_results
    from fsgauge.progress.terminal import say
    from fsgauge.units import count

    directory, found = import_results(
        _by_system(files), results, ["fsgauge", *sys.argv[1:]], question=question, machine=machine
    )
    for left_out in found.left_out:
        say(f"left out: {left_out}")
    if found.blocks == 1:
        say("one run of each has no interval: import several runs of the same job together")
    if as_json:
        document = {
            "results": str(directory),
            "tool": found.tool,
            "blocks": found.blocks,
            "tests": found.tests,
            "left_out": found.left_out,
        }
        click.echo(json.dumps(document))
        return ExitCode.ANSWERED
    runs, tests = count(found.blocks, "run"), count(len(found.tests), "test")
    each = f" for each of {len(found.runs)} systems" * (len(found.runs) > 1)
    click.echo(f"{directory}: {runs} of {found.tool}{each}, {tests}")
    say(f"next: fsgauge report {quoted(directory)}")
    return ExitCode.ANSWERED


def _by_system(files: tuple[str, ...]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for each in files:
        system, equals, name = each.partition("=")
        if not equals or "/" in system or Path(each).exists():
            system, name = "measured", each
        if not system or not name:
            raise InputError(f"{each!r} names no file", next="fsgauge import ext4=result.json")
        found.setdefault(system, []).append(Path(name))
    return found
