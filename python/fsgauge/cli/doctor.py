"""`fsgauge doctor`: what works on this machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import json_option
from fsgauge.progress.terminal import width_of, wrapped_lines
from fsgauge.units import format_size

if TYPE_CHECKING:
    from fsgauge.engine.wire import ProbeResult
    from fsgauge.rig.host.doctor import Diagnosis


@click.command("doctor")
@click.option(
    "--directory",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("/var/tmp"),  # noqa: S108 - where a study's scratch file lies by default
    show_default=True,
    help="Where direct I/O and noise are tested.",
)
@click.option(
    "--systems", is_flag=True, help="List the file systems that can be compared here; no tests."
)
@json_option()
def command(directory: Path, systems: bool, as_json: bool) -> None:
    """Check what works here, what is missing, and which command installs it.

    Takes about twelve seconds; --systems takes none.
    """
    if systems:
        _list_systems(as_json)
        return
    from fsgauge.engine.client import Engine
    from fsgauge.rig.host.doctor import diagnose

    diagnosis = diagnose(Engine().run, directory)
    if as_json:
        click.echo(diagnosis.model_dump_json())
        return
    lines = [*_systems(diagnosis), *_machine(diagnosis)]
    for line in wrapped_lines(lines, width_of(sys.stdout), " " * 15):
        click.echo(line)


def _systems(diagnosis: Diagnosis) -> list[str]:
    works = [each.name for each in diagnosis.systems if each.standing == "works"]
    engine = diagnosis.engine
    features = []
    if engine is not None and engine.io_uring:
        used = [name.replace("_", " ") for name, on in engine.features if on]
        features.append(f"io_uring ({', '.join(used)})")
    if engine is not None and engine.direct and not diagnosis.direct_in_cache:
        grain = format_size(engine.direct_alignment_bytes or 512)
        features.append(f"direct I/O in {diagnosis.noise_directory} (aligned to {grain})")
    if diagnosis.loop_devices is None and diagnosis.root:
        features.append("loop devices")
    lines = [f"works here     {' '.join(works)}", *(f"               {each}" for each in features)]
    here = [each.summary for each in diagnosis.servers if each.standing == "works"]
    if here:
        lines.append(f"               servers for --serve: {'; '.join(here)}")
    models = [each.name for each in diagnosis.systems if each.standing == "modelled"]
    if models:
        lines.append(f"as a model     {' '.join(models)}   (--rig simulator: simulated, no disk)")
    needs: dict[tuple[str, str], list[str]] = {}
    for each in diagnosis.systems:
        if each.standing == "needs":
            needs.setdefault((each.reason, each.next), []).append(each.name)
    for (reason, remedy), names in needs.items():
        lines.append(f"works with     {' '.join(names)}: {remedy}   ({reason})")
    lines += [
        f"works with     --serve {each.name}: {each.next}   ({each.reason})"
        for each in diagnosis.servers
        if each.standing == "needs"
    ]
    lines += [
        f"does not work  {each.name}: {each.reason}"
        for each in diagnosis.systems
        if each.standing == "impossible"
    ]
    return lines


def _machine(diagnosis: Diagnosis) -> list[str]:
    lines = []
    if diagnosis.loop_devices is not None:
        lines.append(f"does not work  loop devices: {diagnosis.loop_devices}")
    engine = diagnosis.engine
    if engine is not None:
        if not engine.io_uring:
            lines.append(f"does not work  io_uring: {engine.io_uring_reason}")
        if engine.direct is False:
            lines.append(f"does not work  direct I/O in {diagnosis.noise_directory}")
        if diagnosis.direct_in_cache:
            lines.append(
                f"does not work  direct I/O in {diagnosis.noise_directory}: it goes through the"
                f" page cache ({diagnosis.direct_in_cache} were seen there)"
            )
        lines += _clock_and_cost(engine)
    if diagnosis.noise_percent is not None and diagnosis.noise_apart_percent is not None:
        near, apart = diagnosis.noise_percent, diagnosis.noise_apart_percent
        lines += _noise(near, apart, diagnosis.noise_directory)
    lines += [f"problem        {problem}" for problem in diagnosis.problems]
    return lines


def _clock_and_cost(engine: ProbeResult) -> list[str]:
    cost, read_ns = engine.null_ns_per_operation, engine.clock_ns_per_read
    if cost is None or read_ns is None:
        return []
    debug = " (a debug build: do not measure with it)" if engine.engine.profile == "debug" else ""
    return [
        f"clock          {engine.clock}, {read_ns:.0f} ns per read · engine"
        f" {cost.depth_1:.0f} ns per null I/O at depth 1, {cost.depth_32:.0f} ns at 32{debug}"
    ]


def _noise(near_percent: float, apart_percent: float, directory: str) -> list[str]:
    """How far equal runs differ, and the blocks that a study of each design needs for 5 %."""
    found = (
        f"noise          equal short runs in {directory} differ by {near_percent:.1f} % one right"
        f" after the other, by {apart_percent:.1f} % 4 to 10 s apart (standard deviation of their"
        " ratio)"
    )
    far, near = _blocks(max(near_percent, apart_percent)), _blocks(near_percent)
    if not near:
        return [found, f"{'':<15}too noisy to detect 5 %: it would take more than {_MOST}"]
    return [
        found,
        f"{'':<15}to detect 5 % takes {far or f'more than {_MOST}'} with systems one by one, {near}"
        " with plan.side_by_side",
    ]


def _blocks(noise_percent: float) -> str:
    """ "8 blocks (13 among 12 comparisons)"; "" for more than any study has."""
    from fsgauge.plan.levels import corrected
    from fsgauge.plan.power import blocks_needed, paired_percent

    spread = paired_percent(noise_percent)
    alone, among = (
        blocks_needed(5.0, spread, corrected(count)) for count in (1, TYPICAL_COMPARISONS)
    )
    if alone is None or alone > MOST_BLOCKS:
        return ""
    return f"{alone} blocks" + (
        f" ({among} among {TYPICAL_COMPARISONS} comparisons)" if among is not None else ""
    )


MOST_BLOCKS = 1000
"""Above this, the noise counts as hiding the effect: no study is that long."""
_MOST = f"{MOST_BLOCKS:,} blocks"
TYPICAL_COMPARISONS = 12
"""Four cells on three systems."""


def _list_systems(as_json: bool) -> None:
    from fsgauge.rig.host.doctor import system_standings

    standings = system_standings()
    if as_json:
        click.echo(json.dumps([each.model_dump() for each in standings]))
        return
    words = {"works": "works", "modelled": "model", "needs": "needs", "impossible": "cannot"}
    width = max(len(each.name) for each in standings)
    for each in standings:
        missing = "; ".join(part for part in (each.reason, each.next) if part)
        click.echo(f"{each.name:<{width}}  {words[each.standing]:<7} {missing or each.summary}")
