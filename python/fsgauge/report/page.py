"""From results, records and drawings to one self-contained HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from fsgauge.machine import Machine
from fsgauge.record import EnvironmentRecord, StudyRecord, TurnRecord
from fsgauge.report import words
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import page_of
from fsgauge.report.sureness import integrity_lines, sureness_lines
from fsgauge.report.tables import layout_lines, number_tables, ratio_words
from fsgauge.report.theme import GLYPHS, system_colours, system_shapes, template
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import format_duration, format_size
from fsgauge.wire import LayoutResult

SHAPES = {
    "circle": "●",
    "square": "■",
    "triangle-up": "▲",
    "diamond": "◆",
    "triangle-down": "▼",
    "cross": "✚",
    "stroke": "▬",
}


def render_page(results: Results, stored: StoredStudy, drawings: dict[str, Drawing]) -> str:
    """The whole page as text; it asks nothing of the network."""
    return template("page.html.j2").render(page_values(results, stored, drawings))


def page_values(
    results: Results, stored: StoredStudy, drawings: dict[str, Drawing]
) -> dict[str, Any]:
    """What the templates of a results folder take."""
    page = page_of(results)
    return {
        "results": results,
        "headline": page.headline(results),
        "drawings": drawings,
        "glyphs": GLYPHS,
        "legend": _legend(results),
        "sureness": sureness_lines(results, stored.runs),
        "repeat": repeat_command(stored.study),
        "command": shlex.join(stored.study.command),
        "measured_on": words.moment(stored.study.started_unix_ns),
        "rig": rig_sentence(stored.study, stored.environment_before),
        "storage": stored.environment_before.storage,
        "tables": number_tables(results),
        "layouts": layout_lines(results),
        "layout_ratio": ratio_words,
        "page": page,
        "lead": page.lead(drawings),
        "own": results.own,
        **page.values(results, stored),
        "integrity": integrity_lines(results.systems, stored.runs),
        "systems": made_systems(results, stored.turns),
        "environment": environment_rows(stored.environment_before, stored.environment_after),
        "chain": stored.environment_before.storage.device_chain,
        "study": stored.study,
        "study_toml": stored.study_toml,
        "words": words,
    }


def repeat_command(study: StudyRecord) -> str:
    """What was typed, with the seed that was used."""
    command = list(study.command)
    if not any(word == "--seed" or word.startswith("--seed=") for word in command):
        command += ["--seed", str(study.plan.seed)]
    return shlex.join(command)


def rig_sentence(study: StudyRecord, environment: EnvironmentRecord) -> str:
    """The rig's machines in a line; a virtual one is named as such."""
    alone = len(environment.machines) == 1
    machines = [
        _machine_words(each) if alone else f"{each.role}: {_machine_words(each)}"
        for each in environment.machines
    ]
    return f"{study.rig} rig, {'; '.join(machines)}"


def _machine_words(machine: Machine) -> str:
    cores = "1 core" if machine.processor_count == 1 else f"{machine.processor_count} cores"
    parts = [machine.kernel, cores, f"{format_size(machine.memory_bytes)} memory"]
    if machine.virtual_machine:
        parts.append(f"inside a virtual machine ({machine.virtual_machine})")
    return ", ".join(parts)


def environment_rows(
    before: EnvironmentRecord, after: EnvironmentRecord | None
) -> list[tuple[str, str, str]]:
    """(fact, before, after where it differs); of several machines, each fact names the role."""
    rows = []
    for machine in before.machines:
        later = after.of_role(machine.role) if after is not None else None
        prefix = "" if len(before.machines) == 1 else f"{machine.role}: "
        rows += [(prefix + name, was, now) for name, was, now in _machine_rows(machine, later)]
    return rows


def _machine_rows(before: Machine, after: Machine | None) -> list[tuple[str, str, str]]:
    facts = {
        "name": "host",
        "kernel": "kernel",
        "architecture": "architecture",
        "distribution": "distribution",
        "processor": "processor",
        "processor_count": "processors",
        "governor": "frequency governor",
        "memory_bytes": "memory",
        "virtual_machine": "virtual machine",
        "load_average": "load average",
        "clock_source": "clock source",
    }
    rows = []
    for key, name in facts.items():
        value = _fact(before, key)
        later = _fact(after, key) if after is not None else value
        rows.append((name, value, later if later != value else ""))
    rows += [(tool, version, "") for tool, version in before.tool_versions.items()]
    return rows


def _fact(machine: Machine, key: str) -> str:
    value = getattr(machine, key)
    if value is None:
        reason = machine.missing.get(key, "")
        return f"none ({reason})" if reason else "none"
    return format_size(value) if key == "memory_bytes" else str(value)


def made_systems(results: Results, turns: Sequence[TurnRecord]) -> list[dict[str, Any]]:
    """How each system was made, from its first turn."""
    first: dict[str, TurnRecord] = {}
    for turn in turns:
        first.setdefault(turn.system, turn)
    made = []
    for name in results.systems:
        if name not in first:
            continue
        turn = first[name]
        facts = turn.facts
        rows = {
            "kind": facts.kind,
            "made by": shlex.join(facts.mkfs_command) or "nothing",
            "mount options in force": facts.mount_options or "not mounted",
            **{f"tunable {key}": value for key, value in facts.tunables.items()},
            **facts.details,
            "size": format_size(facts.size_bytes),
            "free before the files": format_size(facts.free_bytes) if facts.free_bytes else "",
            "block size": format_size(facts.block_size_bytes) if facts.block_size_bytes else "",
            "filled": _filled(turn.layout) if turn.layout is not None else "",
            "start state": "; ".join(turn.start_state),
        }
        made.append({"name": name, "rows": {key: text for key, text in rows.items() if text}})
    return made


def _filled(layout: LayoutResult) -> str:
    files = f"{layout.files} {'file' if layout.files == 1 else 'files'}"
    return f"{format_size(layout.size_bytes)} in {files}, {format_duration(layout.elapsed_ns)}"


def _legend(results: Results) -> list[dict[str, str]]:
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    return [
        {"name": system, "colour": colours[system], "shape": SHAPES[shapes[system]]}
        for system in results.systems
    ]
