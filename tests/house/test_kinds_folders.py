"""A kind's folder has the one shape, and its shipped studies keep to what they promise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge import kinds
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.record.records import Plan
from fsgauge.study.model import LoopStorage, PathStorage, Study
from fsgauge.study.parse import load_study
from fsgauge.study.shipped import shipped_names
from fsgauge.workload.assumed import EXPECTED, Speed

PARTS = {"README", "__init__", "keys", "factors", "method", "analysis", "page", "studies"}
"""Modules, packages where one file is too small for them, and what is no code."""
LEDGER = {"published.toml", "verdicts"}
QUICK_SECONDS = 15 * 60
QUICK_SECONDS_OF_NODES = 20 * 60
"""In virtual machines, whose disks are limited."""
QUICK_BYTES = 20 << 30
BYTES_OF = dict.fromkeys(
    ("postgresql", "commits", "mix", "mix-mail", "mix-fileserver", "mix-virtual-machines"), 80 << 30
)
"""Where a disk that commits in 10 ms decides how long runs are: storage that commits in 50 us, as
the planner takes it to do, writes so much meanwhile."""
SHORTEST_SECONDS = 0.5
"""Below it no rate is steady; at 20 GiB for 15 turns there is no room for much more."""
OF_NAMES = ("metadata", "metadata-hard")
"""Their first operation is that long; what comes after it is over when the same files are done."""
LEAST_BLOCKS = 5
LEAST_BLOCKS_OF_NODES = 3
"""Of a quick study in virtual machines, whose systems take time: as many as a verdict needs."""
QUICK = sorted(
    name
    for name in shipped_names()
    if not name.endswith(("-full", "-as-published", "-virtual"))
    and not load_study(name).is_simulated
)
"""What a person runs who knows a study's name and no more. Simulated ones write nothing."""
VIRTUAL = [f"{kind}-virtual" for kind in kinds.names() if kind not in ("sharing", "command")]
"""Of every kind whose own study is not for virtual machines."""
VIRTUAL_SECONDS = 5 * 60
"""Before what an emulated processor adds."""


def folder(kind: str) -> Path:
    return Path(str(kinds.part(kind, "keys").__file__)).parent


def entries(kind: str, within: str = ".") -> set[str]:
    return {
        entry.name for entry in (folder(kind) / within).iterdir() if entry.name != "__pycache__"
    }


def planned(name: str) -> tuple[Study, Plan]:
    study = with_seed(load_study(name), 1)
    assert isinstance(study.storage, LoopStorage | PathStorage)
    return study, make_plan(study, size_bytes=study.storage.size)


def variants(kind: str) -> list[str]:
    return sorted(name.removesuffix(".toml") for name in entries(kind, "studies"))


@pytest.mark.parametrize("kind", kinds.names())
def test_a_folder_has_the_one_shape(kind: str) -> None:
    found = entries(kind)
    assert {Path(name).stem for name in found} >= PARTS
    assert found >= LEDGER or not LEDGER & found, "a ledger of claims has studies that test them"
    for name in found - {"README.md", "studies"} - LEDGER:
        module = folder(kind) / name
        assert module.suffix == ".py" or (module / "__init__.py").is_file(), name


@pytest.mark.parametrize("kind", kinds.names())
def test_studies_have_one_name_for_each_purpose(kind: str) -> None:
    required, published = {kind, f"{kind}-full"}, f"{kind}-as-published"
    simulated, virtual = f"{kind}-simulated", f"{kind}-virtual"
    assert required <= set(variants(kind)) <= {*required, published, simulated, virtual}
    if entries(kind) >= LEDGER:
        assert published in variants(kind)
    studies = {name: load_study(name) for name in variants(kind)}
    assert {study.workload.kind for study in studies.values()} == {kind}
    studies.pop(simulated, None)  # of models, and so with a question of its own
    assert len({study.question for study in studies.values()}) == 1, "one question, many methods"


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_study_takes_minutes_and_few_bytes(name: str) -> None:
    """By the planner's own estimate: the rates that `fsgauge plan` names."""
    assert EXPECTED.bytes_per_second == 800 << 20
    study, plan = planned(name)
    assert plan.expected_seconds <= (QUICK_SECONDS_OF_NODES if study.rig else QUICK_SECONDS)
    assert plan.expected_written_bytes <= BYTES_OF.get(name, QUICK_BYTES)
    assert study.plan.blocks >= (LEAST_BLOCKS_OF_NODES if study.rig else LEAST_BLOCKS)
    unpaced = plan.curve is not None
    assert len({turn.block for turn in plan.turns}) == study.plan.blocks + unpaced


def limited(speed: Speed, storage: LoopStorage | PathStorage) -> Speed:
    """The speed of a virtual machine's disk, which its host holds back."""
    if isinstance(storage, LoopStorage) and storage.bandwidth:
        speed = replace(speed, bytes_per_second=storage.bandwidth)
    if isinstance(storage, LoopStorage) and storage.iops:
        speed = replace(speed, latency_seconds=1 / storage.iops)
    return speed


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_study_s_runs_are_long_enough(name: str) -> None:
    from fsgauge.plan.space import layout_bytes, planned_room
    from fsgauge.study.workload import cells_of
    from fsgauge.workload import method_of

    study, _ = planned(name)
    assert isinstance(study.storage, LoopStorage | PathStorage)
    size_bytes = study.storage.size
    method = method_of(study.workload).in_room(planned_room(study, size_bytes))
    space = layout_bytes(study, size_bytes)
    speed = limited(EXPECTED, study.storage) if study.rig else EXPECTED
    cells = cells_of(study.workload)
    for cell in cells[:1] if method.at_once or name in OF_NAMES else cells:
        assert method.run_seconds(cell, space, speed) >= SHORTEST_SECONDS, cell.id


@pytest.mark.parametrize("name", VIRTUAL)
def test_the_study_in_virtual_machines_is_over_in_minutes_by_its_disk_s_limits(name: str) -> None:
    study, plan = planned(name)
    assert isinstance(study.storage, LoopStorage)
    assert study.storage.iops and study.storage.bandwidth, "or a plan would not know them"
    assert plan.expected_seconds <= VIRTUAL_SECONDS
    assert study.plan.blocks >= LEAST_BLOCKS_OF_NODES


@pytest.mark.parametrize("kind", kinds.names())
def test_the_other_studies_plan_more(kind: str) -> None:
    _, quick = planned(kind)
    for name in set(variants(kind)) - {f"{kind}-simulated", f"{kind}-virtual"}:
        study, plan = planned(name)
        quick_of_nodes = study.rig is not None and name == kind
        assert study.plan.blocks >= (LEAST_BLOCKS_OF_NODES if quick_of_nodes else LEAST_BLOCKS)
        if name != kind:
            assert plan.expected_written_bytes > quick.expected_written_bytes
