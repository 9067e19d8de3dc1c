"""From results, records and drawings to one self-contained HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from hashlib import sha256
from itertools import takewhile
from typing import Any

from fsgauge.devices.words import value_words
from fsgauge.durability import MARK
from fsgauge.engine.wire import LayoutResult
from fsgauge.record.command import FOREIGN
from fsgauge.record.limits import memory_is_limited
from fsgauge.record.machine import (
    Machine,
    SimulatedNumber,
    StorageFacts,
    cached_direct_cautions,
    title_of,
)
from fsgauge.record.records import EnvironmentRecord, StudyRecord, TurnRecord
from fsgauge.report import tables, words
from fsgauge.report.charts.law import no_law
from fsgauge.report.draw import Drawing
from fsgauge.report.durability import durability_lines, marked_page
from fsgauge.report.faults import fault_tables
from fsgauge.report.hosts import host_tables, hosts_sentence, over_hosts_tables
from fsgauge.report.labels import MANY, labels_of
from fsgauge.report.load_curve import page_of
from fsgauge.report.race import race_values
from fsgauge.report.sureness import in_short, integrity_lines, next_step, sureness_lines
from fsgauge.report.tables import sync_tables
from fsgauge.report.theme import GLYPHS, asset, template
from fsgauge.report.traffic import counts_tables, traffic_tables
from fsgauge.stats.differences import first_turns, space_for_data, words_of
from fsgauge.stats.planned import level_of
from fsgauge.stats.results import Results
from fsgauge.stats.sentence import model_words, proof_lines
from fsgauge.stats.storage_findings import storage_words
from fsgauge.stats.wording import listed
from fsgauge.store import StoredStudy
from fsgauge.units import (
    count,
    format_duration,
    format_size,
    grouped,
    moment,
    plural,
    some_of,
)

_NAMED_HOSTS = 4


def render_page(results: Results, stored: StoredStudy, drawings: dict[str, Drawing]) -> str:
    made = template("page.html.j2", results.systems, results.baseline)
    return marked_page(made.render(page_values(results, stored, drawings)), results)


def render_summary(results: Results, stored: StoredStudy, drawings: dict[str, Drawing]) -> str:
    sheet = template("summary.html.j2", results.systems, results.baseline)
    made = sheet.render(
        page_values(results, stored, drawings),
        primary=tables.primary_lines(results),
        own_tables=page_of(results).summary_tables(results),
        warnings=[finding for finding in results.findings if finding.level != "note"],
        study_sha256=study_sha256(stored),
        sheet_style=asset("sheet.css"),
        sheet_script=asset("sheet.js"),
    )
    return marked_page(made, results)


def page_values(
    results: Results, stored: StoredStudy, drawings: dict[str, Drawing]
) -> dict[str, Any]:
    page = page_of(results)
    sureness, repeat = sureness_lines(results, stored.runs), repeat_command(stored.study)
    return {
        "results": results,
        **simulated_values(results),
        "headline": page.headline(results),
        "drawings": drawings,
        "glyphs": GLYPHS,
        "legend": _legend(results),
        "ranks": tables.rank_tables(results, level_of(stored.study)) if page.ranked else [],
        "many": len(results.systems) > MANY,
        "durability": durability_lines(results),
        "weak_mark": MARK if results.durability.systems else "",
        "sureness": sureness,
        "sure_in_short": in_short(sureness),
        "next_step": next_step(results, sureness, repeat),
        "repeat": repeat,
        "command": shlex.join(stored.study.command),
        "measured_on": moment(stored.study.started_unix_ns),
        "rig": rig_sentence(stored.study, stored.before),
        "storage": stored.before.storage,
        "different": [words_of(each) for each in results.differences],
        "storage_words": _storage(results, stored.before.storage),
        "tables": tables.number_tables(results),
        "sync_tables": sync_tables(results, stored.runs),
        "layouts": tables.layout_lines(results),
        "hosts_sentence": hosts_sentence(results),
        "host_tables": host_tables(results),
        "over_hosts_tables": over_hosts_tables(results),
        "traffic_tables": traffic_tables(results),
        "counts_tables": counts_tables(results),
        "no_host_law": no_law([each.fit for each in results.host_scaling]),
        "fault_tables": fault_tables(results),
        "layout_ratio": tables.ratio_words,
        "page": page,
        "lead": page.lead(drawings),
        "own": results.own,
        **page.values(results),
        **page.of_records(results, stored),
        **race_values(results, stored),
        "integrity": integrity_lines(results.systems, stored.runs),
        "systems": made_systems(results, stored.turns),
        "environment": environment_rows(stored.before, stored.after),
        "chain": stored.before.storage.device_chain,
        "study": stored.study,
        "study_toml": stored.study_toml,
        "words": words,
    }


def _storage(results: Results, storage: StorageFacts) -> str:
    """The storage on the first screen, with what its measured noise says of the numbers, and direct
    I/O that is none."""
    floor = results.noise_of(results.primary_metrics[results.primary_cells[0]])
    words = storage_words(storage.sentence, storage.kind, floor)
    return "; ".join([words, *cached_direct_cautions(storage.cached_direct)])


def study_sha256(stored: StoredStudy) -> str:
    """Of the file study.toml in the folder, as `sha256sum` prints it."""
    return sha256(stored.study_toml.encode()).hexdigest()


def repeat_command(study: StudyRecord) -> str:
    """What was typed, with the seed that was used."""
    command = list(study.command)
    ours = takewhile(lambda word: word != "--", command)
    if study.rig != FOREIGN and not any(
        word == "--seed" or word.startswith("--seed=") for word in ours
    ):
        at = command.index("--") if "--" in command else len(command)  # a program's own follow
        command[at:at] = ["--seed", str(study.plan.seed)]
    return shlex.join(command)


def rig_sentence(study: StudyRecord, environment: EnvironmentRecord) -> str:
    """The rig's machines in a line, those that are alike together; a virtual one says so. Of a
    simulation the models, which are all that its numbers are of."""
    simulation = environment.load.simulation
    if simulation is not None:
        return f"{study.rig}, models of version {simulation.model_version}"
    alike = grouped(
        (_machine_words(each), title_of(each, environment.machines))
        for each in environment.machines
    )
    alone = len(environment.machines) == 1
    machines = [
        text if alone else f"{some_of(titles, _NAMED_HOSTS)}: {text}"
        for text, titles in alike.items()
    ]
    return f"{study.rig} rig, {'; '.join(machines)}"


def _machine_words(machine: Machine) -> str:
    if not machine.memory_bytes:
        return "a machine that is not recorded"
    cores = count(machine.processor_count, "core")
    parts = [machine.kernel, cores, f"{format_size(machine.memory_bytes)} memory"]
    if machine.virtual_machine:
        parts.append(f"inside a virtual machine ({machine.virtual_machine})")
    limits = f", under limits: {listed(machine.limited_to)}" if machine.limited_to else ""
    return ", ".join(parts) + limits


def environment_rows(
    before: EnvironmentRecord, after: EnvironmentRecord | None
) -> list[tuple[str, str, str]]:
    """(fact, before, after where it differs); of several machines, each fact names its machine, and
    hosts of which a fact is the same share a row."""
    if len(before.machines) == 1:
        machine = before.machines[0]
        later = after.of_role(machine.role) if after is not None else None
        return _machine_rows(machine, later)
    shared: dict[tuple[str, str, str], list[str]] = {}
    for machine in before.machines:
        later = after.of_role(machine.role) if after is not None else None
        for row in _machine_rows(machine, later):
            shared.setdefault(row, []).append(title_of(machine, before.machines))
    return [
        (f"{some_of(titles, _NAMED_HOSTS)}: {name}", was, now)
        for (name, was, now), titles in shared.items()
    ]


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
        "limits": "limits",
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
    reason = machine.missing.get(key, "")
    if (value is None or reason) and key != "limits":
        return f"none ({reason})" if reason else "none"
    if key == "limits":
        return listed(machine.limited_to) or ("none" if machine.limits else "not recorded")
    if key == "load_average":
        return f"{value:.2f}"
    if key != "memory_bytes":
        return str(value)
    limits = machine.limits
    of_all = limits.machine_memory_bytes if memory_is_limited(limits) else None
    of = f" of {format_size(of_all)}" if of_all else ""
    return f"{format_size(machine.memory_bytes)}{of}"


def made_systems(results: Results, turns: Sequence[TurnRecord]) -> list[dict[str, Any]]:
    first = first_turns(turns)
    made = []
    for name in results.systems:
        if name not in first:
            continue
        turn = first[name]
        facts = turn.facts
        rows = {
            "kind": facts.kind,
            "made by": shlex.join(facts.mkfs_command)
            or ("nothing: it is used as it is" if facts.kind == "mounted" else "nothing"),
            "mount options in force": facts.mount_options or "not mounted",
            **{f"tunable {key}": value for key, value in facts.tunables.items()},
            **facts.details,
            "size": format_size(facts.size_bytes),
            "space for data": format_size(room) if (room := space_for_data(turn)) else "",
            "block size": format_size(facts.block_size_bytes) if facts.block_size_bytes else "",
            "filled": _filled(turn.layout) if turn.layout is not None else "",
            "start state": "; ".join(turn.start_state),
        }
        made.append({"name": name, "rows": {key: text for key, text in rows.items() if text}})
    return made


def _filled(layout: LayoutResult) -> str:
    files = f"{layout.files} {plural(layout.files, 'file')}"
    return f"{format_size(layout.size_bytes)} in {files}, {format_duration(layout.elapsed_ns)}"


def _legend(results: Results) -> list[dict[str, Any]]:
    """All systems in the order of the study; `whole` where the label is the whole name."""
    labels = labels_of(results.systems)
    return [{"name": name, "whole": labels[name] == name} for name in results.systems]


_ORIGINS = {
    "printed": "",
    "assumed": "assumed",
    "fitted": "fitted to a published result, which it cannot prove",
}


def simulated_values(results: Results) -> dict[str, Any]:
    """What the templates take; the line is empty where the results were measured."""
    simulation = results.simulation
    if simulation is None:
        return {"simulated_line": "", "proofs": [], "device_rows": [], "device_words": ""}
    return {
        "simulated_line": model_words(simulation),
        "proofs": proof_lines(simulation, results.systems),
        "device_words": f"{simulation.device}: {simulation.device_words}",
        "device_rows": [_number_row(each) for each in simulation.numbers],
    }


def _number_row(number: SimulatedNumber) -> tuple[str, str, str, str, str]:
    source = "changed in this study" if number.is_changed else number.source
    origin = "" if number.is_changed else _ORIGINS[number.origin]
    value = value_words(number.value, number.unit)
    return number.name, value, number.what, source, origin
