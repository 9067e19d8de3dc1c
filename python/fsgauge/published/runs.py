"""Runs that claims were judged by: small records beside the studies that were run.

kinds/KIND/verdicts/STUDY.toml is the study, STUDY.json what was observed: no raw data, but all that
a verdict is made from, under which kernel, on which storage, when.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from fsgauge import kinds
from fsgauge.errors import InputError, quoted
from fsgauge.exit_codes import ExitCode
from fsgauge.published.ledger import Claim, Observable, Part, ledgers
from fsgauge.published.observe import Observation, observe, why_none
from fsgauge.record.machine import Simulation, is_over_network
from fsgauge.stats.layouts import Seeks, seeks_of
from fsgauge.stats.read import read_stored
from fsgauge.stats.results import Results
from fsgauge.stats.rig_limits import EMULATED
from fsgauge.stats.run_checks import starved
from fsgauge.stats.storage_findings import file_set_bytes
from fsgauge.stats.wording import listed
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.parse import load_study
from fsgauge.units import count


class NotValidError(InputError):
    """A run that was measured, and is not valid: a finding, and no claim is judged by it."""

    exit_code = ExitCode.FINDING


class Observed(Observation):
    """An observation, and the claim and the trial or prediction that it is for, by its words."""

    claim: str
    trial: str


class Silent(Part):
    """A claim and its trial or prediction to which a run says nothing, and why."""

    claim: str
    trial: str
    why: str


class Starved(Part):
    """A system whose load waited for processors, and the words that name those cells: their test,
    their pattern."""

    system: str
    words: dict[str, str]

    def is_of(self, about: Observable, systems: Collection[str]) -> bool:
        """Whether a trial compares it: numbers of a cell may be what the trial varies."""
        words = ((name, each) for name, each in about.cells.items() if isinstance(each, str))
        return self.system in systems and all(
            self.words.get(name, each) == each for name, each in words
        )


FORMAT: Literal[2] = 2


class JudgedRun(Part):
    """One run of a study of verdicts. `study_sha256` is that of the study file's text.

    `simulated` names models and device of a simulation, "" where it was measured. `beyond_memory`:
    whether its files were larger than the memory of the machine that has them; `network`, whether
    hosts of their own drove the load.
    """

    format: Literal[2] = FORMAT
    study: str
    study_sha256: str
    date: str
    fsgauge: str
    kernel: str
    machine: str
    storage: str
    heads: Seeks
    blocks: int
    seed: int
    findings: list[str]
    starved: list[Starved] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whose load waited for processors in a run; None where that was not kept."""
    beyond_memory: Literal["yes", "no", "unknown"] = "unknown"
    network: bool = False
    simulated: str = Field(default="", exclude_if=lambda value: not value)
    observed: list[Observed]
    silent: list[Silent] = Field(default=[], exclude_if=lambda value: not value)

    def starves(self, about: Observable) -> bool:
        """Whether the load waited for processors in a run of what a trial compares."""
        if self.starved is None:
            return True
        seen = [each for each in self.observed if each.trial == about.words]
        systems = {system for each in seen for system in (each.system, each.over)}
        return not seen or any(each.is_of(about, systems) for each in self.starved)

    def of(self, claim: Claim, about: Observable) -> list[Observed]:
        return [e for e in self.observed if (e.claim, e.trial) == (claim.id, about.words)]

    def why_silent(self, claim: Claim, about: Observable) -> str:
        """Why it says nothing to a trial, and what is missing."""
        own = (e.why for e in self.silent if (e.claim, e.trial) == (claim.id, about.words))
        kvm = "; a machine where KVM works is missing" * (EMULATED in self.machine)
        return next(own, f"its run has no such ratio, or the rig's limits set it{kvm}")

    def read_anew(self, results: Results, folder: str) -> JudgedRun:
        """The same run, with all that its results say themselves taken from them."""
        said = {
            "blocks": results.sureness.blocks_complete,
            "findings": _findings(results),
            "simulated": _models(results.simulation),
            "observed": observed(results, folder),
            "silent": silent(results, folder),
        }
        return self.model_copy(update=said)


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_of(folder: str, study: str) -> JudgedRun | None:
    """The run that is kept of a study; None before the first. Raises InputError when damaged."""
    path = kinds.verdict_files(folder).get(f"{study}.json")
    if path is None:
        return None
    try:
        return JudgedRun.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        raise InputError(
            f"{path} is not the record of a judged run",
            details=(str(error),),
            cause="it was edited, or another version of fsgauge wrote it",
            next=f"scripts/verdicts RESULTS-DIR of {study} writes it again",
        ) from error


def judge(directory: Path, results: Results | None = None) -> tuple[Path, JudgedRun]:
    """What a results folder says to the claims that its study is for, and where to keep it.

    `results` are its own, where they are known already.

    Raises InputError for a folder of another study, of one that was changed, or without an answer.
    """
    stored = read_results(directory)
    results = results or read_stored(stored)
    folder, path = _study_of(results, directory)
    _require_as_shipped(stored, path, directory)
    if not results.sureness.valid:
        raise NotValidError(
            f"the run in {directory} is not valid: {results.sureness.invalid_reason}",
            next=f"fsgauge run {quoted(path)}",
        )
    return path.with_suffix(".json"), _judged(stored, results, folder, path)


def _study_of(results: Results, directory: Path) -> tuple[str, Path]:
    known = {
        name.removesuffix(".toml"): (folder, path)
        for folder in ledgers()
        for name, path in kinds.verdict_files(folder).items()
        if name.endswith(".toml")
    }
    if results.study not in known:
        raise InputError(
            f'{directory} holds the study "{results.study}", which judges no claim',
            details=tuple(sorted(known)),
            next=f"fsgauge run {quoted(next(iter(known.values()))[1])}"
            if known
            else "fsgauge published",
        )
    return known[results.study]


def _require_as_shipped(stored: StoredStudy, path: Path, directory: Path) -> None:
    """Systems, workload and rig are the file's: a model, or an emulated machine, is no measurement
    of another one, nor is a network that is slower. Storage, blocks and seed may be the user's own.
    """
    study = load_study(str(path))
    shipped = study.model_dump(mode="json", by_alias=True)
    ran: dict[str, Any] = stored.study.study
    parts = ("system", "workload", *(["rig"] if stored.study.rig == "vm" else []))
    changed = [part for part in parts if ran.get(part) != shipped.get(part)]
    rig = "simulator" if study.is_simulated else "vm" if study.rig is not None else "host"
    if stored.study.rig not in (rig, "simulator" if study.is_simulated else "fleet"):
        raise InputError(
            f"the study in {directory} was run on the rig {stored.study.rig}, and its claims are"
            f" judged by runs on the rig {rig}",
            next=f"fsgauge run {quoted(path)} --rig {rig}",
        )
    if changed:
        raise InputError(
            f"the study in {directory} is not {path.name}: {' and '.join(changed)} differ",
            next=f"fsgauge run {quoted(path)}",
        )


def _judged(stored: StoredStudy, results: Results, folder: str, path: Path) -> JudgedRun:
    machine = stored.before.load
    storage = stored.before.storage
    virtual = f", virtual ({machine.virtual_machine})" if machine.virtual_machine else ""
    limits = f", under limits: {listed(machine.limited_to)}" if machine.limited_to else ""
    started = datetime.fromtimestamp(stored.study.started_unix_ns / 1e9, tz=UTC)
    return JudgedRun(
        study=results.study,
        study_sha256=sha256_of(path),
        date=started.date().isoformat(),
        fsgauge=stored.study.fsgauge_version,
        kernel=machine.kernel.split(" #")[0],
        machine=f"{count(machine.processor_count, 'processor')}{virtual}{limits}",
        storage=storage.sentence,
        heads=seeks_of(storage),
        blocks=results.sureness.blocks_complete,
        seed=stored.study.plan.seed,
        beyond_memory=_beyond_memory(stored),
        network=stored.study.rig == "fleet" and is_over_network(stored.before.machines),
        findings=_findings(results),
        starved=_starved(stored),
        simulated=_models(results.simulation),
        observed=observed(results, folder),
        silent=silent(results, folder),
    )


def _starved(stored: StoredStudy) -> list[Starved]:
    found: list[Starved] = []
    for run in stored.runs:
        if run.result and starved(run, run.result):
            factors = run.cell.factors.items()
            words = {name: each for name, each in factors if isinstance(each, str)}
            each = Starved(system=run.system, words=words)
            found += [each] if each not in found else []
    return sorted(found, key=lambda each: (each.system, *each.words.values()))


def _findings(results: Results) -> list[str]:
    return sorted({each.code for each in results.findings if each.level != "note"})


def _beyond_memory(stored: StoredStudy) -> Literal["yes", "no", "unknown"]:
    size_bytes = file_set_bytes(stored.turns, stored.runs, stored.steps)
    if size_bytes is None:
        return "unknown"
    return "yes" if size_bytes > stored.before.below.memory_bytes else "no"


def _models(simulation: Simulation | None) -> str:
    if simulation is None:
        return ""
    changed = [f"{e.name} = {e.value:g}" for e in simulation.numbers if e.is_changed]
    device = f"{simulation.device} with {', '.join(changed)}" if changed else simulation.device
    return f"models of version {simulation.model_version}, {device}"


def observed(results: Results, folder: str) -> list[Observed]:
    return [
        Observed(claim=claim.id, trial=about.words, **seen.model_dump())
        for claim in ledgers()[folder].claim
        for about in _asked(claim, results.study)
        for seen in observe(about, results)
    ]


def silent(results: Results, folder: str) -> list[Silent]:
    """What they say nothing to, of the claims that their study is for."""
    return [
        Silent(claim=claim.id, trial=about.words, why=why_none(about, results))
        for claim in ledgers()[folder].claim
        for about in _asked(claim, results.study)
        if not observe(about, results)
    ]


def _asked(claim: Claim, study: str) -> list[Observable]:
    trials = [each for each in claim.trials if each.study == study]
    return [*trials, *(each for each in claim.predictions if study in each.studies)]
