"""Nodes that are processes; ssh is a script that does here what it would do there."""

from __future__ import annotations

import selectors
import time
from pathlib import Path

import pytest

from fsgauge.agents.agents import AgentLostError, one
from fsgauge.agents.processes import Place, process_agents
from fsgauge.errors import InputError, RigError

SSH = """#!/bin/sh
while [ "$1" != host ]; do shift; done
shift
exec sh -c "$*"
"""


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "bin" / "ssh"
    script.parent.mkdir()
    script.write_text(SSH)
    script.chmod(0o755)
    monkeypatch.setenv("FSGAUGE_PATH", str(script.parent))
    return script


def test_a_place_is_a_folder_here_or_on_a_host(tmp_path: Path) -> None:
    assert Place.of("host:/mnt/x") == Place("/mnt/x", "host")
    assert Place.of("user@host:/mnt/x").words == "user@host:/mnt/x"
    assert Place.of("/mnt/a:b") == Place("/mnt/a:b")
    assert Place.of(str(tmp_path)) == Place(str(tmp_path))
    for wrong in ("-oProxyCommand=x:/mnt", "host:relative", ":/mnt"):
        with pytest.raises(InputError):
            Place.of(wrong)


def test_a_host_needs_ssh_and_python_alone(ssh: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    places = [Place(str(folder)), Place(str(folder), "host")]
    with process_agents(places, "work") as agents:
        assert one(agents, 0, 10, do="make") == {}
        assert agents.ask({0: {"do": "there"}, 1: {"do": "there"}}, 10) == {
            0: {"there": True},
            1: {"there": True},
        }
        assert one(agents, 1, 10, do="remove") == {}


def test_a_host_that_does_not_answer_says_what_ssh_said(ssh: Path, tmp_path: Path) -> None:
    ssh.write_text("#!/bin/sh\necho Permission denied >&2\nexit 255\n")
    with (
        pytest.raises(RigError, match="has ended") as refused,
        process_agents([Place(str(tmp_path), "host")], "work"),
    ):
        pass
    assert "Permission denied" in refused.value.details


def test_a_host_whose_shell_prints_a_greeting_is_said_to(ssh: Path, tmp_path: Path) -> None:
    """It ended with a traceback."""
    ssh.write_text("#!/bin/sh\necho Welcome to this machine\nsleep 60\n")
    with (
        pytest.raises(RigError, match="says what makes no sense") as refused,
        process_agents([Place(str(tmp_path), "host")], "work"),
    ):
        pass
    assert "words of its own" in refused.value.cause


def test_a_host_that_answers_nothing_again_and_again_is_not_listened_to(
    ssh: Path, tmp_path: Path
) -> None:
    """Each `null` was taken for no answer yet, and what came behind it was kept."""
    ssh.write_text("#!/bin/sh\nyes null\n")
    with (
        pytest.raises(RigError, match="says what makes no sense"),
        process_agents([Place(str(tmp_path), "host")], "work"),
    ):
        pass


def test_what_is_no_folder_is_said_at_once_of_all_places(ssh: Path, tmp_path: Path) -> None:
    """Each of them cost a minute of silence."""
    (tmp_path / "file").write_text("")
    places = [
        Place.of(f"{tmp_path}/none"),
        Place.of(str(tmp_path)),
        Place.of(f"host:{tmp_path}/file"),
    ]
    with (
        pytest.raises(
            InputError, match=f"{tmp_path}/none, host:{tmp_path}/file: none of"
        ) as refused,
        process_agents(places, "work"),
    ):
        pass
    assert refused.value.details == (f"{tmp_path}/none: ENOENT",)


def test_a_folder_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    """`coherence m1 m1` found all well; so does a link to it."""
    (tmp_path / "link").symlink_to(tmp_path)
    for again in (str(tmp_path), f"{tmp_path}/link"):
        with (
            pytest.raises(InputError, match="are one folder of one machine"),
            process_agents([Place(str(tmp_path)), Place.of(again)], "work"),
        ):
            pass


def test_a_step_that_hangs_is_given_up(ssh: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with process_agents([Place(str(tmp_path)), Place(str(tmp_path), "host")], "work") as agents:
        one(agents, 0, 10, do="lock", name="l", by="flock")
        held = {"do": "count_up", "name": "l", "times": 1, "by": "flock", "seconds": 60.0}
        with pytest.raises(AgentLostError, match="did not answer within 0 s"):
            agents.ask({1: held}, 0.3)


def test_a_host_that_answers_a_letter_at_a_time_is_given_up(
    ssh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit was looked at only where nothing had come."""
    monkeypatch.setattr("fsgauge.agents.processes._START_SECONDS", 0.5)
    ssh.write_text("#!/bin/sh\nend=$(($(date +%s) + 20))\n"
                   "while [ $(date +%s) -lt $end ]; do printf .; done\necho\n")  # fmt: skip
    began = time.monotonic()
    with (
        pytest.raises(RigError, match="did not answer within 0 s"),
        process_agents([Place(str(tmp_path), "host")], "work"),
    ):
        pass
    assert time.monotonic() - began < 15


def test_an_answer_that_is_there_is_taken_however_late_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that slept past the limit lost nodes that had answered."""
    with process_agents([Place(str(tmp_path))], "work") as agents:
        one(agents, 0, 10, do="make")
        wait = selectors.DefaultSelector.select

        def late(self: selectors.DefaultSelector, timeout: float | None = None) -> object:
            return wait(self, 10.0)

        monkeypatch.setattr(selectors.DefaultSelector, "select", late)
        assert one(agents, 0, -1.0, do="there") == {"there": True}
