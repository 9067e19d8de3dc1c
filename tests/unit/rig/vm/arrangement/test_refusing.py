"""What of a study over nodes is refused before any is started."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.rig.refusing import refused_by
from fsgauge.rig.vm.arrangement.refusing import looks, require_modules
from fsgauge.rig.vm.arrangement.roles import arrangements
from fsgauge.rig.vm.cache import Kernel, KernelFacts
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.unit.rig.vm.arrangement.given import ours, study

pytestmark = pytest.mark.usefixtures(ours.__name__)
SERVED = "system.ext4.rig.reached_by=served"
SHARED = "system.ext4.rig.volume=shared"
STRIPED = ("system.raw.rig.volume=stripe", "system.ext4.rig.volume=stripe")
OVER = "system.ext4.rig.reached_by=over"
SAME = 'workload.host_files=["same"]'

CASES: list[tuple[Callable[[], Study], str, str]] = [
    (lambda: study(SHARED, nodes=2), "2 nodes would mount it at once", "kind clustered, --set"),
    (lambda: study(SERVED), "needs a server for Served", "rig.nodes=2"),
    (
        lambda: study(SERVED, 'rig.roles=["load", "load"]', nodes=2),
        "of the study's 2 nodes none is one",
        'rig.roles=["server", "load"]',
    ),
    (
        lambda: study(OVER),
        "needs 2 nodes that drive the load",
        "rig.nodes=2",
    ),
    (
        lambda: study(SERVED, "system.ext4.rig.volume=remote", nodes=2),
        "is on a disk by network, and would be made on the server to be reached by Served",
        "system.ext4.rig.volume=disk",
    ),
    (
        lambda: study(SAME, "workload.hosts=[2]", nodes=2),
        'cannot work on the same files of "ext4"',
        "per-host",
    ),
    (
        lambda: study(SERVED, systems=("raw", "ext4"), nodes=2),
        '"raw" is a bare disk',
        "--baseline",
    ),
    (
        lambda: study(STRIPED[1], systems=("raw", "ext4")),
        '"raw" is a bare disk',
        "--set system.raw.rig.volume=stripe, if all are on it; or --baseline",
    ),
    (
        lambda: study(*STRIPED, "rig.remount=true", systems=("raw", "ext4")),
        "none of the study's is",
        "caches are dropped",
    ),
    (lambda: study(systems=("a=old",)), "old can only be read", "fsgauge rig test old"),
    (lambda: study("workload.hosts=[4]", nodes=2), "asks for 4 hosts", ""),
    (
        lambda: study(SERVED, "rig.drop_caches=['disk']", nodes=2),
        "no system of the study has a cache on a disk",
        "leave it out",
    ),
    (
        lambda: study(SERVED, "system.ext4.rig.mount=rsize=4096", nodes=2),
        "system.ext4.rig.mount would be ignored: ext4 on a disk of its own, reached by Served",
        "system.ext4.mount",
    ),
    (
        lambda: study("system.ext4.rig.mount=rsize=4096"),
        "system.ext4.rig.mount would be ignored",
        "leave it out",
    ),
    (lambda: study("rig.remount=true", nodes=2), "none of the study's is", "caches are dropped"),
]


def refused(given: Study) -> list[FsgaugeError]:
    return refused_by(looks(given))


@pytest.mark.parametrize(("given", "what", "helps"), CASES, ids=[each[1][:25] for each in CASES])
def test_it_says_what_helps(given: Callable[[], Study], what: str, helps: str) -> None:
    texts = [error.render() for error in refused(given())]
    assert any(what in text and helps in text for text in texts), texts


FINE: list[Callable[[], Study]] = [
    lambda: study(nodes=2),
    lambda: study(SHARED),
    lambda: study(SERVED, nodes=2),
    lambda: study(SERVED, SAME, "workload.hosts=[2]", nodes=3),
    lambda: study(SAME, "workload.hosts=[2]", systems=("a=clustered",), nodes=2),
    lambda: study(SERVED, SHARED, nodes=3),
    lambda: study("system.ext4.rig.volume=remote", nodes=2),
    lambda: study(SERVED, "system.ext4.rig.volume=disk", nodes=2),
    lambda: study(SERVED, "rig.remount=true", nodes=2),
    lambda: study(*STRIPED, systems=("raw", "ext4")),
    lambda: study(OVER, "system.ext4.rig.mount=rsize=4096", nodes=2),
]


@pytest.mark.parametrize("given", FINE)
def test_what_can_be_is_not_refused(given: Callable[[], Study]) -> None:
    assert refused(given()) == []


def test_a_kernel_without_the_module_of_a_layer_is_refused() -> None:
    (found,) = arrangements(study(systems=("a=clustered",), nodes=2))
    facts = KernelFacts(package="linux-image-1", version="1", recipe="", modules=["ext4"])
    with pytest.raises(RigError, match="linux-image-1 has no clustered-fs, which Clustered needs"):
        require_modules(found, Kernel(Path("/none"), facts))
    has = facts.model_copy(update={"modules": ["clustered_fs"]})
    require_modules(found, Kernel(Path("/none"), has))


def test_programs_are_those_of_the_guest() -> None:
    def of(program: str) -> list[str]:
        changes = [f'workload.program=["{program}"]', "workload.packages={}"]
        return [each.render() for each in refused(load_study("command", changes))]

    assert any("there is no pgbench in the virtual machine" in text for text in of("pgbench"))
    for there in ("sh", "dd", "sort", "./made-by-a-step"):
        assert not any("in the virtual machine" in text for text in of(there)), there
