"""`fsgauge systems`."""

from __future__ import annotations

import json

import click


@click.command("systems")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def command(as_json: bool) -> None:
    """The file systems that can be compared here, and the command that adds the others."""
    from fsgauge.rig.host.doctor import system_standings

    standings = system_standings()
    if as_json:
        click.echo(json.dumps([each.model_dump() for each in standings]))
        return
    words = {"works": "works", "needs": "needs", "impossible": "cannot"}
    for each in standings:
        missing = "; ".join(part for part in (each.reason, each.next) if part)
        click.echo(f"{each.name:<9} {words[each.standing]:<7} {missing or each.summary}")
