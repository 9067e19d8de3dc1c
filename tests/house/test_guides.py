"""Every command of a study's guide is one that `fsgauge` takes, for a study that is valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from fsgauge.bisect.log import Asked
from fsgauge.cli import bisect, group, rig
from fsgauge.cli.asked_program import load_of_program, program_overrides
from fsgauge.cli.asked_study import chosen_variant, study_and_folders
from fsgauge.coherence.cases import CASES
from fsgauge.pages import explain_metric
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.rig.vm.trials import sharing_systems
from fsgauge.stats.folders.condition import parse_condition
from fsgauge.study.model import LoopStorage, RamStorage
from fsgauge.study.parse import load_study
from fsgauge.study.reference import explain_key
from tests.house.test_examples import commands

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
KINDS = ["writers", "connections", "aging", "churn", "sharing", "metadata", "commits", "command"]
OF_OTHER_KINDS = ("two-nodes", "two-hosts", "writers-nfs")
"""Shipped studies that a guide shows and that are of another kind than its own."""
PAGES = [
    *("capacity", "folders", "device", "preconditioning", "servers", "vm", "nodes", "kernels"),
    *("fleet", "scaling", "clusters", "simulator", "years"),
]
"""Guides of no kind of study."""
SHOWN = [
    ("" if line.split()[2:3] and line.split()[2] in OF_OTHER_KINDS else kind, line)
    for kind in ["overhead", *KINDS, "mix"]
    for line in commands(GUIDES / f"{kind}.md")
    if line.split()[1] != "rig"
]
SHOWN += [
    (name if (name := line.split()[2]) in ["overhead", *KINDS] else "", line)
    for page in PAGES
    for line in commands(GUIDES / f"{page}.md")
    if line.split()[1] in ("run", "plan")
]
RECIPES = [line for line in commands(GUIDES.parent / "recipes.md") if " run " in line]
SHOWN += [("", line) for line in RECIPES if ".toml" not in line]


@pytest.mark.parametrize(("kind", "line"), SHOWN)
def test_every_command_shown_is_a_valid_study(
    kind: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *words = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    chosen = command.make_context(name, list(words)).params
    if name == "study":
        return
    for word in chosen["study"]:
        if word.startswith("/"):
            monkeypatch.setattr(Path, "is_dir", Path.is_absolute)
    word, *program = chosen["study"]
    typed = program_overrides(word, program, chosen["prepare"], chosen["parameters"])
    is_program = load_of_program(word, program) is not None
    study_name, folders = study_and_folders([word] if is_program else chosen["study"])
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    study = load_study(
        chosen_variant(study_name, chosen["full"], chosen["as_published"]),
        [*typed, *chosen["overrides"]],
        [*folders, *chosen["systems"]],
        chosen["storage"],
        serve=chosen.get("serve"),
        baseline=chosen.get("baseline"),
    )
    assert study.workload.kind == (kind or study.workload.kind)
    planned = with_seed(study, 1)
    if isinstance(planned.storage, LoopStorage | RamStorage):
        plan = make_plan(planned, size_bytes=planned.storage.size)
        assert plan.turns
        if planned.plan.mode == "curve":  # one of 98 min stood in a guide of five-minute studies
            said = re.search(r"# (\d+) min", line)
            minutes = int(said[1]) if said else 40
            assert plan.expected_seconds <= 60 * 1.1 * minutes


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_and_key_that_a_guide_names_is_explained(kind: str) -> None:
    text = (GUIDES / f"{kind}.md").read_text(encoding="utf-8")
    named = re.findall(r"`fsgauge explain ([\w.]+)`", text)
    assert len(named) >= 5
    for name in named:
        assert explain_key(name) if "." in name else explain_metric(name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_in_code_is_a_key(kind: str) -> None:
    """A key that a guide names alone, or with a value, is one of its workload."""
    text = (GUIDES / f"{kind}.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)(?: = [^`]*)`", text))
    assert len(named) >= 3
    for name in named:
        assert explain_key(f"workload.{name}") is not None, name


@pytest.mark.parametrize(
    "line", commands(GUIDES / "coherence.md") + commands(GUIDES / "failure.md")
)
def test_every_command_of_coherence_and_failure_is_one(line: str) -> None:
    family, name, *words = shlex.split(line, comments=True)[1:]
    assert family == "rig"
    command = rig.command.commands[name]
    chosen = command.make_context(name, words, resilient_parsing=name == "build").params
    known = sharing_systems()
    assert set(chosen.get("names", ())) <= set(known)


def test_every_case_and_system_of_coherence_is_in_its_guide() -> None:
    text = (GUIDES / "coherence.md").read_text(encoding="utf-8")
    assert [name for name in CASES if f"`{name}`" not in text] == []
    assert all(f"`{name}`" in text or name in text for name in sharing_systems())


def test_the_bisection_that_is_shown_is_one_of_a_study() -> None:
    (line,) = (
        each for each in commands(GUIDES / "kernels.md") if each.split()[1:3] == ["rig", "bisect"]
    )
    chosen = bisect.command.make_context("bisect", shlex.split(line)[3:]).params
    asked = Asked(
        study=chosen["study"],
        overrides=list(chosen["overrides"]),
        system=chosen["system"],
        storage=chosen["storage"],
        seed=chosen["seed"],
        good=chosen["good"],
        bad=chosen["bad"],
        limits=list(chosen["limits"]),
    )
    study = bisect.studied(asked, asked.bad, 6)
    kernels = {system.name: system.kernel for system in study.systems}
    assert kernels == {"good": asked.good, "tried": asked.bad} and study.plan.blocks == 6
    assert [parse_condition(text).metric for text in asked.limits] == ["iops"]


FIO_JOB = "[backends]\nrw=randrw\nbs=8k\nsize=64m\nruntime=5\n[log]\nrw=write\nsize=8m\nruntime=5\n"


@pytest.mark.parametrize("line", commands(GUIDES / "fio.md"))
def test_every_command_of_the_guide_of_jobs_is_taken(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs and command lines become studies that are valid; the others have their options."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db.fio").write_text(FIO_JOB, encoding="utf-8")
    name, *words = shlex.split(line, comments=True)[1:]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    if name != "study":
        command.make_context(name, list(words), resilient_parsing=name in ("report", "compare"))
        return
    made = [word for word in words if word != "--check"]  # tests of its own run both
    command.main(made, standalone_mode=False)
    (study,) = tmp_path.glob("*.toml")
    assert load_study(str(study)).question.startswith("How do these file systems compare")
