"""`fsgauge published`."""

from __future__ import annotations

import json

import click


@click.command("published")
@click.argument("name", metavar="[STUDY|ID]", required=False, default="")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def command(name: str, as_json: bool) -> None:
    """Print what the published studies claim, and the verdict on each claim here.

    STUDY is a study with a publication (connections): its claims, a line each. ID is a claim
    (N-06): in full, with its figures. Without either, the claims of all studies.
    """
    from fsgauge.published import page
    from fsgauge.published.ledger import find

    found = find(name)
    if as_json:
        claims = [page.as_json(folder, claim) for folder, _, each in found for claim in each]
        click.echo(json.dumps(claims, indent=1, ensure_ascii=False))
        return
    for folder, ledger, each in found:
        for line in page.text_of(folder, ledger, each):
            click.echo(line)
