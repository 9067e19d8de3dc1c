"""Runs by which claims are judged: what is kept of them, and which folders are refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.published import runs
from fsgauge.published.ledger import ledgers
from fsgauge.published.runs import JudgedRun, judge, run_of, sha256_of
from fsgauge.stats.results import Results
from fsgauge.store import read_results
from fsgauge.study.parse import load_study
from tests.synthetic import make_study

STUDIES = [
    (folder, name.removesuffix(".toml"))
    for folder in ledgers()
    for name in kinds.verdict_files(folder)
    if name.endswith(".toml")
]
KEPT = [
    (folder, name.removesuffix(".json"))
    for folder in ledgers()
    for name in kinds.verdict_files(folder)
    if name.endswith(".json")
]


def verdict_study(folder: str, study: str) -> Path:
    return kinds.verdict_files(folder)[f"{study}.toml"]


@pytest.mark.parametrize(("folder", "study"), STUDIES)
def test_each_study_of_verdicts_is_valid_and_asked_for(folder: str, study: str) -> None:
    loaded = load_study(str(verdict_study(folder, study)))
    assert study.startswith(loaded.workload.kind)  # a claim may be tested by another kind
    claims = ledgers()[folder].claim
    tried = {trial.study for claim in claims for trial in claim.trials}
    predicted = {one for claim in claims for each in claim.predictions for one in each.studies}
    assert study in tried | predicted and not tried & predicted
    assert (loaded.storage.kind == "simulated") == (study in predicted)


@pytest.mark.parametrize(("folder", "study"), KEPT)
def test_what_is_kept_is_of_the_study_as_it_is_and_of_claims_that_are_there(
    folder: str, study: str
) -> None:
    run = run_of(folder, study)
    assert run is not None
    stale = f"{study} was changed since it ran: run it and scripts/verdicts again"
    assert run.study_sha256 == sha256_of(verdict_study(folder, study)), stale
    asked = {
        (claim.id, about.words)
        for claim in ledgers()[folder].claim
        for about in (
            *(trial for trial in claim.trials if trial.study == study),
            *(each for each in claim.predictions if study in each.studies),
        )
    }
    assert {(each.claim, each.trial) for each in run.observed} <= asked


def test_there_is_a_study_for_every_kind_with_trials() -> None:
    folders = {folder for folder, each in ledgers().items() if any(c.trials for c in each.claim)}
    assert {folder for folder, _ in STUDIES} == folders


def test_a_folder_of_another_study_is_refused(tmp_path: Path) -> None:
    folder = make_study(blocks=2).write(tmp_path / "results")
    with pytest.raises(InputError) as refusal:
        judge(folder)
    said = refusal.value.render()
    assert "which judges no claim" in said and "overhead-at-scale" in said


def test_a_study_that_was_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_study(blocks=2)
    folder = made.write(tmp_path / "results")
    shipped = verdict_study("overhead", "overhead-at-scale")
    files = {f"{made.study.plan.study}.toml": shipped}
    monkeypatch.setattr(kinds, "verdict_files", lambda folder: files)
    with pytest.raises(InputError, match="system and workload differ"):
        judge(folder)


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_network_of_another_delay_is_another_rig(tmp_path: Path, is_changed: bool) -> None:
    path = verdict_study("overhead", "overhead-two-nodes-at-scale")
    own = ["rig.network.delay=50 ms"] if is_changed else []
    asked = load_study(str(path), own).model_dump(mode="json", by_alias=True)
    made = make_study(blocks=2)
    record = made.study.model_copy(update={"rig": "vm", "study": asked})
    stored = read_results(replace(made, study=record).write(tmp_path / "results"))
    if not is_changed:
        runs._require_as_shipped(stored, path, tmp_path)
        return
    with pytest.raises(InputError, match=r"at-scale\.toml: rig differ"):
        runs._require_as_shipped(stored, path, tmp_path)


@pytest.mark.parametrize(
    ("folder", "study", "rig", "wanted"),
    [
        ("aging", "aging-at-scale", "simulator", "host"),
        ("aging", "aging-at-scale", "vm", "host"),
        ("aging", "aging-predicted", "host", "simulator"),
        ("writers", "writers-nfs-at-scale", "host", "vm"),
    ],
)
def test_a_run_on_another_rig_is_refused(
    folder: str, study: str, rig: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of disks has heads, and so has a virtual disk by its kernel: S-27 was confirmed."""
    made = make_study(blocks=2)
    ran = replace(made, study=made.study.model_copy(update={"rig": rig}))
    shipped = verdict_study(folder, study)
    files = {f"{made.study.plan.study}.toml": shipped}
    monkeypatch.setattr(kinds, "verdict_files", lambda folder: files)
    with pytest.raises(InputError, match=f"judged by runs on the rig {wanted}") as refusal:
        judge(ran.write(tmp_path / "results"))
    assert refusal.value.next == f"fsgauge run {shipped} --rig {wanted}"


def test_no_record_is_no_run_and_a_damaged_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_of("sharing", "anything") is None
    damaged = tmp_path / "x.json"
    damaged.write_text('{"format": 1}')
    monkeypatch.setattr(kinds, "verdict_files", lambda folder: {"x.json": damaged})
    with pytest.raises(InputError, match="is not the record of a judged run"):
        run_of("overhead", "x")


def test_what_is_kept_is_small() -> None:
    assert Results.model_fields.keys() & JudgedRun.model_fields.keys() <= {
        "study",
        "format",
        "findings",
    }


def test_predictions_are_of_the_models_of_today() -> None:
    """The page of predictions went on to say version 1 when the models were of version 2."""
    source = Path(__file__).parents[3] / "crates/fsgauge-simulate/src/proof.rs"
    version = re.search(r"MODEL_VERSION: u32 = (\d+);", source.read_text("utf-8"))
    assert version is not None
    kept = [run_of(folder, study) for folder, study in KEPT]
    simulated = {run.study: run.simulated for run in kept if run is not None and run.simulated}
    assert simulated
    stale = {
        study: words
        for study, words in simulated.items()
        if not words.startswith(f"models of version {version[1]}, ")
    }
    assert not stale, "run these with --rig simulator, then scripts/verdicts RESULTS-DIR"
