"""`fsgauge fleet-host`, which fsgauge starts on each host of a fleet."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("fleet-host", hidden=True)
@click.option("--bootstrap", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def command(bootstrap: Path | None) -> int:
    """Be a host of a fleet until the one who started it is gone."""
    from fsgauge.rig.fleet.choice import require_extra

    require_extra()
    from fsgauge.rig.fleet.host_process import serve_file, serve_standard_input

    return serve_standard_input() if bootstrap is None else serve_file(bootstrap)
