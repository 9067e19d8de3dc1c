"""Cases on real files, by nodes that do as one machine, and by nodes with planted faults."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fsgauge.agents.agent import Agent, record
from fsgauge.agents.agents import AgentLostError, Answer, Step
from fsgauge.coherence import cases, running
from fsgauge.coherence import running as on_folders_module
from fsgauge.coherence.cases import CASES
from fsgauge.coherence.log import Counted, Examined
from fsgauge.coherence.page import is_right
from fsgauge.coherence.running import chosen_cases, run_cases
from fsgauge.coherence.running import try_folders as on_folders
from fsgauge.errors import InputError, RigError

TRIALS = 4


class InTurn:
    """Nodes in this process, one after the other; `kinds` are their agents."""

    def __init__(self, folder: Path, *kinds: type[Agent]) -> None:
        self.names = [f"node{at}" for at in range(len(kinds))]
        self._agents = [kind(str(folder / "work")) for kind in kinds]

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        return {at: self._agents[at].done(dict(step)) for at, step in steps.items()}


class Remembers(Agent):
    """A client that reads again what it has read once, and appends where it takes the end to be:
    where its own last record ends, or where it was told when it asked for the size."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._seen: dict[str, Any] = {}
        self._end = 0

    def do_look_kept(self, name: str, anew: bool = False) -> dict[str, Any]:
        if name not in self._seen:
            self._seen[name] = super().do_look_kept(name, anew)
        return dict(self._seen[name])

    def do_append(
        self,
        name: str,
        node: int,
        first: int,
        count: int,
        sync: bool,
        beside: str = "",
        ask_size: bool = False,
    ) -> dict[str, Any]:
        descriptor = self._keep(name, os.O_WRONLY | os.O_CREAT)
        for number in range(first, first + count):
            if ask_size:
                self._end = os.fstat(descriptor).st_size
            self._end += os.pwrite(descriptor, record(node, number), self._end)
        return {"whole": count}


class Generous(Agent):
    """Every lock is granted, and every name created."""

    def do_lock(self, name: str, by: str) -> dict[str, Any]:
        return {"granted": True}

    def do_claim(self, name: str, count: int) -> dict[str, Any]:
        return {"won": list(range(count))}


class Hangs(Agent):
    def do_look_kept(self, name: str, anew: bool = False) -> dict[str, Any]:
        raise AgentLostError("node1 did not answer within 90 s")


def counted(folder: Path, *kinds: type[Agent], wanted: list[str]) -> dict[str, Counted]:
    found: list[Counted] = []
    rest, is_alive = run_cases(InTurn(folder, *kinds), "s", wanted, TRIALS, found.append)
    assert (rest, is_alive) == ([], True)
    assert list(folder.iterdir()) == []
    return {each.case: each for each in found}


@pytest.fixture
def host(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """A host that ssh reaches: here. FSGAUGE_PATH has the script."""
    script = tmp_path_factory.mktemp("bin") / "ssh"
    script.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n')
    script.chmod(0o755)
    monkeypatch.setenv("FSGAUGE_PATH", str(script.parent))
    return "host"


def test_on_one_machine_every_case_is_right(tmp_path: Path, host: str) -> None:
    found: list[Counted] = []

    def tell(each: Counted | Examined) -> None:
        if isinstance(each, Counted):
            found.append(each)

    on_folders([str(tmp_path), f"{host}:{tmp_path}"], list(CASES), TRIALS, tell)
    assert [each.case for each in found] == list(CASES)
    assert [each for each in found if is_right(each) is False] == []
    assert list(tmp_path.iterdir()) == []


def test_a_client_that_remembers_reads_old_and_loses_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "BEHIND_SECONDS", 0.3)
    wanted = ["close_to_open", "kept_open", "append_by_turns"]
    found = counted(tmp_path, Agent, Remembers, wanted=wanted)
    assert is_right(found["close_to_open"])
    assert found["kept_open"].counts == {"old": TRIALS}
    assert found["kept_open"].behind_ns is None, "it never sees it"
    assert found["append_by_turns"].counts["lost"] > 0


def test_a_client_that_asks_for_the_size_first_loses_nothing(tmp_path: Path) -> None:
    """OCFS2 lost half of what two nodes appended in turns: it takes the end before it has the lock
    that brings the size up to date. fstat takes that lock."""
    wanted = ["append_by_turns", "append_after_fstat"]
    found = counted(tmp_path, Remembers, Remembers, wanted=wanted)
    assert found["append_by_turns"].counts["lost"] > 0
    assert is_right(found["append_after_fstat"])


def test_nodes_that_append_one_after_the_other_did_not_race_however_often_they_try(
    tmp_path: Path,
) -> None:
    """In this process one agent has ended before the other begins."""
    (found,) = counted(tmp_path, Agent, Agent, wanted=["append_at_once"]).values()
    assert found.raced == 0 and is_right(found) is None
    assert found.counts == {"kept": 2 * TRIALS * cases.RACE_GROWTH ** (cases.RACE_ROUNDS - 1)}


def test_what_was_kept_counts_where_trying_again_fails(tmp_path: Path) -> None:
    """A device that filled up as the nodes tried again took the first records with it."""

    class FillsUp(Agent):
        def do_append(self, *given: Any, count: int, **more: Any) -> dict[str, Any]:
            if count > TRIALS:
                raise OSError(errno.ENOSPC, "no space left")
            return super().do_append(*given, count=count, **more)

    (found,) = counted(tmp_path, FillsUp, FillsUp, wanted=["append_at_once"]).values()
    assert found.counts == {"kept": 2 * TRIALS}
    assert "ENOSPC" in found.fault or "no space" in found.fault


def test_they_try_again_as_long_as_a_case_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "CASE_SECONDS", 0.0)
    (found,) = counted(tmp_path, Agent, Agent, wanted=["append_at_once"]).values()
    assert found.counts == {"kept": 2 * TRIALS} and found.raced == 0


def test_a_file_that_goes_a_moment_later_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over SMB a log that the other node had just closed was still there for a second."""
    monkeypatch.setattr(running, "_POLL_SECONDS", 0.0)
    tries: list[str] = []

    class ClosesLate(Agent):
        def do_remove(self) -> None:
            tries.append("remove")
            if len(tries) < 3:
                raise OSError(errno.ENOTEMPTY, "not empty")
            super().do_remove()

    counted(tmp_path, ClosesLate, Agent, wanted=["flock"])
    assert len(tries) == 3


def test_locks_and_names_that_two_get_are_counted(tmp_path: Path) -> None:
    found = counted(tmp_path, Agent, Generous, wanted=["flock", "exclusive"])
    assert found["flock"].counts == {"granted twice": TRIALS}
    assert found["exclusive"].counts == {"several winners": TRIALS}


def test_a_node_that_hangs_ends_its_case_and_the_others_are_left(tmp_path: Path) -> None:
    found: list[Counted] = []
    agents = InTurn(tmp_path, Agent, Hangs)
    rest, is_alive = run_cases(agents, "s", ["kept_open", "flock"], TRIALS, found.append)
    assert (rest, is_alive) == (["flock"], False)
    assert found[0].is_hang and "did not answer" in found[0].fault


def test_a_case_is_bounded_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "CASE_SECONDS", 0.0)
    found = counted(tmp_path, Agent, Agent, wanted=["flock"])
    assert found["flock"].fault == "ended after 0 s" and sum(found["flock"].counts.values()) == 1


def test_two_folders_that_are_not_one_are_refused_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_folders_module, "SEEN_SECONDS", 0.0)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    told: list[Counted | Examined] = []
    with pytest.raises(InputError, match="does not see the folder"):
        on_folders([str(tmp_path / "a"), str(tmp_path / "b")], ["flock"], 1, told.append)
    assert told == []
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", tmp_path / "b"]


def test_one_folder_no_folder_and_an_unknown_case_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is one folder"):
        on_folders([str(tmp_path)], ["flock"], 1, lambda _: None)
    with pytest.raises(InputError, match="none: not a folder"):
        on_folders([str(tmp_path / "none"), str(tmp_path)], ["flock"], 1, lambda _: None)
    (tmp_path / "work").mkdir()
    with pytest.raises(RigError, match="cannot make a folder there: EEXIST"):
        run_cases(InTurn(tmp_path, Agent, Agent), "s", ["flock"], 1, lambda _: None)
    with pytest.raises(InputError, match='"nothing" is not among'):
        chosen_cases(["nothing"])
    assert chosen_cases(["flock", "new_file"]) == ["new_file", "flock"]


def test_names_of_cases_have_no_blank() -> None:
    assert all(name == case.name and " " not in name for name, case in CASES.items())
    assert cases.SIZE_BYTES % 512 == 0
