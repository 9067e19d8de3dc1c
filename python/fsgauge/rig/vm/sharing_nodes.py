"""Two nodes that share files, and a server: systems stand on them one after the other."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.kinds import DEFAULT
from fsgauge.rig.vm.arrangement.roles import arrangement_of, roles_of
from fsgauge.rig.vm.rig import VmRig
from fsgauge.rig.vm.session import VmSession
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import RigKeys

_SYSTEMS = Path(__file__).with_suffix(".toml")


@cache
def sharing_systems() -> dict[str, System]:
    found = tomllib.loads(_SYSTEMS.read_text(encoding="utf-8"))
    return {name: System.model_validate({"name": name, **keys}) for name, keys in found.items()}


def chosen(names: Sequence[str]) -> list[System]:
    """Those that are named; all without names. InputError for one that is not there."""
    known = sharing_systems()
    for name in names:
        if name not in known:
            raise InputError(
                f'"{name}" is not among the systems that two nodes share here',
                details=(f"they are: {', '.join(known)}",),
                next="fsgauge rig coherence FOLDER FOLDER tests what is mounted",
            )
    return [known[name] for name in dict.fromkeys(names or known)]


def study_over(systems: Sequence[System], rig: RigKeys) -> Study:
    """A small study with these systems, as nodes are tried with."""
    base = load_study(DEFAULT, [], [], "loop:320MiB", 0)
    return base.model_copy(update={"systems": list(systems), "rig": rig})


def study_of(systems: Sequence[System]) -> Study:
    """A study that is never measured: it says which nodes there are, and what stands on them."""
    study = study_over(systems, RigKeys(nodes=2))
    if roles_of(study).server is None:
        return study
    return study.model_copy(update={"rig": RigKeys(nodes=3)})


def has_server(system: System) -> bool:
    return roles_of(study_of([system])).server is not None


def node_returns(system: System) -> bool:
    """Whether a node that was without power can be a part of it again."""
    above = arrangement_of(study_of([system]), system).reached_by
    return above is None or above.returns


@contextmanager
def nodes_for(
    systems: Sequence[System],
    kernel: str | None,
    say: Callable[[str], None],
    *,
    keep_logs: bool = False,
) -> Iterator[VmSession]:
    """Nodes on which each of the systems may stand; started when the first one does. `keep_logs`
    is for disks that are to lose what was not flushed.

    InputError, RigError for what cannot be, before anything is started.
    """
    study, rig = study_of(systems), VmRig(say, kernel)
    rig.check(study, None)
    with rig.started(study) as session:
        session.has_logs = keep_logs
        yield session
