"""The disclosure sheet: what was measured, on what and how, on one page.

The list follows what readers of device results expect: the test report header of the SNIA Solid
State Storage Performance Test Specification 2.0.2 (device, firmware, capacity, write cache,
platform, purge, preconditioning, data pattern, outstanding I/O, steady state), and the submission
rules of IO500 (clients, durability of writes, data set, what is needed to repeat it). It is made
from records alone: what they do not say is "not recorded".
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from fsgauge.engine.wire import Engine
from fsgauge.record.machine import StorageFacts
from fsgauge.report import words
from fsgauge.report.disclosed_load import Rows, cache_rows, load_rows, steady_rows
from fsgauge.report.page import environment_rows, made_systems, study_sha256
from fsgauge.report.theme import asset, template
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import count, exact_percent, format_duration, format_size, moment, some_of

_MOST_CELLS = 8
_MOST_WARNINGS = 6


@dataclass(frozen=True)
class Group:
    """One heading of the sheet; a value of None was not recorded."""

    heading: str
    rows: Rows


def render_disclosure(results: Results, stored: StoredStudy) -> str:
    return template("disclosure.html.j2").render(
        results=results,
        study=stored.study,
        measured_on=moment(stored.study.started_unix_ns),
        study_sha256=study_sha256(stored),
        groups=disclosed(results, stored),
        sheet_style=asset("sheet.css"),
        sheet_script=asset("sheet.js"),
    )


def disclosed(results: Results, stored: StoredStudy) -> list[Group]:
    before, after = stored.before, stored.after
    versions = before.load.tool_versions
    host: Rows = [
        (name, _host_value(name, value))
        for name, value, _ in environment_rows(before, after)
        if name not in versions
    ]
    return [
        Group("What was measured", _measured(results, stored)),
        Group("Device", device_rows(before.storage)),
        Group("Host", host),
        Group("Load", load_rows(stored)),
        Group("Data and caches", cache_rows(stored)),
        Group("Preconditioning", _preconditioning(stored)),
        Group("Steady state", steady_rows(results, stored.runs)),
        Group("Repetition", _repetition(results)),
        Group("Limits", _limits(results, before.storage)),
        Group("Versions", _versions(stored)),
    ]


def _host_value(name: str, value: str) -> str | None:
    """A machine that is not virtual, or not limited, says so; another fact that is none could not
    be read."""
    if name.endswith(("virtual machine", "limits")) or not value.startswith("none"):
        return value
    reason = value.removeprefix("none").strip()
    return f"not recorded {reason}" if reason else None


def _measured(results: Results, stored: StoredStudy) -> Rows:
    cells = [results.cell(cell).name for cell in results.primary_cells]
    names = {metric.name: metric.label for metric in results.metrics}
    primary = dict.fromkeys(results.primary_metrics[cell] for cell in results.primary_cells)
    rows: Rows = [
        ("question", results.question),
        ("systems", "; ".join(_system_words(each) for each in made_systems(results, stored.turns))),
        ("baseline", results.baseline),
        ("primary cells", some_of(cells, _MOST_CELLS)),
        ("primary numbers", ", ".join(names.get(name, name) for name in primary)),
    ]
    servers = {turn.server.name: turn.server.version for turn in stored.turns if turn.server}
    rows += [(f"server {name}", version) for name, version in servers.items()]
    return rows


def _system_words(made: dict[str, Any]) -> str:
    rows = made["rows"]
    options = rows["mount options in force"]
    parts = [
        rows["made by"] if rows["made by"] != "nothing" else rows["kind"],
        *([f"mounted {options}"] if options != "not mounted" else []),
        *(
            f"{name.removeprefix('tunable ')} {text}"
            for name, text in rows.items()
            if name.startswith("tunable ")
        ),
    ]
    return f"{made['name']} ({', '.join(parts)})"


def device_rows(storage: StorageFacts) -> Rows:
    """The storage and the disk at the bottom of it; a virtual disk says little of itself."""
    links = storage.device_chain
    nothing: dict[str, Any] = {}
    disk = next((link for link in reversed(links) if link.get("kind") == "device"), nothing)
    between = [_link_words(link) for link in links if link is not disk]
    spins = {"0": "no", "1": "yes"}.get(str(disk.get("rotational")))
    sectors = [disk.get(f"{kind}_block_size_bytes") for kind in ("logical", "physical")]
    return [
        ("storage", f"{storage.sentence}; {format_size(storage.size_bytes)} for each system"),
        ("above the device", "; ".join(between) or "nothing"),
        ("device", _text(disk.get("path"))),
        ("vendor", _text(disk.get("vendor"))),
        ("model", _text(disk.get("model"))),
        ("serial or WWID", _text(disk.get("serial") or disk.get("wwid"))),
        ("firmware", _text(disk.get("firmware_rev") or disk.get("rev"))),
        ("capacity", format_size(disk["size_bytes"]) if "size_bytes" in disk else None),
        ("rotational", spins),
        ("write cache", _text(disk.get("write_cache"))),
        ("flash type, memory in it", None),
        ("scheduler", _text(disk.get("scheduler"))),
        ("requests queued", _text(disk.get("nr_requests"))),
        ("sectors", f"{sectors[0]} B logical, {sectors[1]} B physical" if all(sectors) else None),
    ]


def _link_words(link: dict[str, Any]) -> str:
    if link.get("kind") == "file_system":
        kind = link.get("file_system", "a file system that is not visible")
        options = f" ({link['mount_options']})" if "mount_options" in link else ""
        return f"{kind} at {link.get('mount_point', link.get('path'))}{options}"
    direct = ", direct I/O" if link.get("direct_io") else ""
    size = f", {format_size(link['size_bytes'])}" if link.get("size_bytes") else ""
    return f"{link.get('path') or link.get('name', 'a device')}{size}{direct}"


def _text(value: object) -> str | None:
    return None if value in (None, "") else str(value)


def _preconditioning(stored: StoredStudy) -> Rows:
    """What the storage had been through when each turn began, in the words of the records."""
    ways = dict.fromkeys("; ".join(turn.start_state) for turn in stored.turns)
    steps = dict.fromkeys(step.what for step in stored.steps)
    done = stored.before.storage.preconditioning
    asked = stored.study.study.get("storage", {}).get("precondition")
    purge = written = "not asked for" if asked == "none" else None
    if done is not None:
        purge = done.purge
        written = (
            f"{format_size(done.written_bytes)} sequentially in"
            f" {format_size(done.block_size_bytes)}, in {format_duration(done.elapsed_ns)}"
        )
    return [
        ("purge before the study", purge),
        ("written before the study", written),
        ("before each turn", " / ".join(ways) or None),
        ("before cells", some_of(list(steps), 3) or _rounds(stored) or "nothing"),
    ]


def _rounds(stored: StoredStudy) -> str:
    """How the cells' own load preconditioned the device; "" where that was not asked for."""
    done = [run.preconditioning for run in stored.runs if run.preconditioning is not None]
    if not done:
        return ""
    most = max(len(each.rounds) for each in done)
    reached = sum(each.reached for each in done)
    return f"the cell's own load, up to {most} rounds; steady before {reached} of {len(done)} runs"


def _repetition(results: Results) -> Rows:
    sure = results.sureness
    margin = next((entry.margin_percent for entry in results.comparisons), None)
    floor = results.noise_of(results.primary_metrics[results.primary_cells[0]])
    return [
        ("blocks", f"{sure.blocks_complete} complete of {sure.blocks_planned} planned"),
        (
            "runs",
            f"{sure.runs_complete} complete of {sure.runs_planned} planned,"
            f" {sure.runs_failed} failed",
        ),
        ("order", "random within each block; the baseline twice in each"),
        ("intervals", "95 %, t over logarithms of block ratios, corrected for all comparisons"),
        ("margin of equivalence", exact_percent(margin) if margin is not None else None),
        ("noise floor", words.noise(floor, results.baseline) if floor is not None else None),
    ]


def _limits(results: Results, storage: StorageFacts) -> Rows:
    grave = [finding.sentence for finding in results.findings if finding.level != "note"]
    rows: Rows = [("validity", results.sureness.invalid_reason or "no doubt that voids it")]
    rows += [("storage", caution) for caution in storage.cautions]
    rows += [("warning", sentence) for sentence in grave[:_MOST_WARNINGS]]
    if len(grave) > _MOST_WARNINGS:
        rows.append(("", f"{count(len(grave) - _MOST_WARNINGS, 'more warning')} in report.html"))
    return rows


def _versions(stored: StoredStudy) -> Rows:
    engine = engine_of(stored)
    build = f"{engine.version}, {engine.profile} build" if engine else None
    return [
        ("fsgauge", stored.study.fsgauge_version),
        ("engine", build),
        ("engine commit", _text(engine.commit) if engine else None),
        ("engine target", _text(engine.target) if engine else None),
        *stored.before.load.tool_versions.items(),
        ("command", shlex.join(stored.study.command)),
        ("seed", str(stored.study.plan.seed)),
        ("SHA-256 of study.toml", study_sha256(stored)),
    ]


def engine_of(stored: StoredStudy) -> Engine | None:
    return next((run.result.engine for run in stored.runs if run.result is not None), None)
