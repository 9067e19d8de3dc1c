"""`fsgauge published`: what published studies claim, run here, and judged again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import consent_choices, file_option, json_option, results_option
from fsgauge.errors import InputError
from fsgauge.exit_codes import ExitCode

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent
    from fsgauge.published.ledger import Claim, Ledger
    from fsgauge.published.runs import JudgedRun

_RUN = "run"


@click.command("published")
@click.argument("words", metavar="[STUDY|ID | run PUBLICATION]", nargs=-1)
@json_option()
@file_option(
    "--judge", "ARCHIVE", "Judge the claims again, from an archive that `published run` made."
)
@click.option("--storage", metavar="SPEC", help="With run: storage of what runs on this host.")
@click.option(
    "--yes", "-y", is_flag=True, help="With run: begin without a question, however long it takes."
)
@click.option(
    "--plan",
    "plan_only",
    is_flag=True,
    help="With run: what each part takes, or why it cannot be run here; run nothing.",
)
@consent_choices
@results_option
def command(
    words: tuple[str, ...],
    as_json: bool,
    judge: Path | None,
    storage: str | None,
    yes: bool,
    plan_only: bool,
    consent: Consent | None,
    results: Path,
) -> int:
    """Print what the published studies claim, and the verdict on each claim here.

    STUDY is a study with a publication (connections): its claims, a line each. ID is a claim
    (N-06): in full, with its figures. Without either, the claims of all studies.

    run PUBLICATION (nss, flash, sonexion, clusters, closson) says what each part takes, and what
    this machine cannot run and why; asks where it takes long; then runs every part that it can, and
    writes a page of verdicts and an archive of records. The same command goes on where it was
    interrupted.
    """
    from fsgauge.published.ledger import find

    is_run = judge is None and words[:1] == (_RUN,)
    given = [("--storage", storage), ("--yes", yes), ("--plan", plan_only), ("--destroy", consent)]
    of_run = next((name for name, value in given if value), None)
    if of_run is not None and not is_run:
        raise InputError(f"{of_run} is for published run", next="fsgauge published run nss")
    if as_json and is_run:
        raise InputError(
            "published run prints no JSON", next="fsgauge published --judge ARCHIVE --json"
        )
    if judge is not None:
        return _judge_again(judge, words, as_json=as_json)
    if is_run:
        from fsgauge.cli.published_run import run_publication

        return run_publication(words[1:], results, storage, consent, yes=yes, plan_only=plan_only)
    if len(words) > 1:
        raise InputError(
            f"published takes one study or id, and was given {len(words)}",
            next=f"fsgauge published {words[0]}",
        )
    _print(find(words[0] if words else ""), as_json=as_json)
    return ExitCode.ANSWERED


def _print(
    found: list[tuple[str, Ledger, list[Claim]]],
    runs: Mapping[str, JudgedRun] | None = None,
    *,
    as_json: bool,
) -> None:
    from fsgauge.published import page

    if as_json:
        claims = [page.as_json(folder, claim, runs) for folder, _, each in found for claim in each]
        click.echo(json.dumps(claims, indent=1, ensure_ascii=False))
        return
    for folder, ledger, each in found:
        for line in page.text_of(folder, ledger, each, runs):
            click.echo(line)


def _judge_again(path: Path, words: tuple[str, ...], *, as_json: bool) -> int:
    from fsgauge.published.archive import publication_named, read_archive

    archived = read_archive(path)
    folder, ledger = publication_named(archived.contents.publication)
    claims = [ledger.of(_id_in(ledger, word)) for word in words] or ledger.claim
    _print([(folder, ledger, claims)], archived.runs, as_json=as_json)
    for each in archived.contents.left_out if not as_json else ():
        click.echo(f"  not run  {each.study}: {each.why}")
    return ExitCode.ANSWERED


def _id_in(ledger: Ledger, word: str) -> str:
    ids = [claim.id for claim in ledger.claim]
    if word.upper() not in ids:
        raise InputError(
            f'the archive\'s publication has no claim "{word}"',
            details=(f"{ids[0]} to {ids[-1]}",),
            next=f"fsgauge published {ledger.publication.name}",
        )
    return word.upper()
