"""The steps of one node, on a real folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.agents.agent import (
    MOVED,
    NO_VERSION,
    RECORD_BYTES,
    SECTOR_BYTES,
    Agent,
    content,
    record,
    records_in,
    versions_in,
)

SIZE = 8 * SECTOR_BYTES


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    made = Agent(str(tmp_path / "work"))
    assert made.done({"do": "make"}) == {}
    return made


def test_each_sector_says_which_version_it_is_of() -> None:
    assert versions_in(content(7, SIZE)) == {"7": 8}
    mixed = content(7, SIZE)[: 3 * SECTOR_BYTES] + content(8, SIZE)[3 * SECTOR_BYTES :]
    assert versions_in(mixed) == {"7": 3, "8": 5}


@pytest.mark.parametrize(
    "data",
    [
        bytes(SECTOR_BYTES),
        content(7, SIZE)[SECTOR_BYTES : 2 * SECTOR_BYTES],  # of this version, in another place
        content(7, SECTOR_BYTES)[:-1],
        content(7, SECTOR_BYTES)[:-1] + b"x",
    ],
)
def test_what_is_no_sector_of_a_version_is_none(data: bytes) -> None:
    assert versions_in(data) == {str(NO_VERSION): 1}


def test_records_are_found_and_what_is_none_is_counted() -> None:
    data = record(0, 5) + bytes(RECORD_BYTES) + record(1, 12)[:-1] + b"x" + record(1, 13)
    assert records_in(data) == ([(0, 5), (1, 13)], 2)
    assert records_in(record(1, 2)[:20]) == ([], 1)


def test_a_version_is_written_read_and_replaced(agent: Agent) -> None:
    put = {"do": "put", "name": "a", "version": 1, "size_bytes": SIZE}
    assert agent.done(put) == {}
    kept = {"do": "look_kept", "name": "a"}
    assert agent.done(kept)["versions"] == {"1": 8}
    assert agent.done({**put, "do": "replace", "version": 2}) == {}
    assert agent.done({"do": "look", "name": "a"}) == {"bytes": SIZE, "versions": {"2": 8}}
    assert agent.done(kept)["versions"] == {"1": 8}, "who has it open keeps the old one"


def test_an_error_of_the_file_system_is_an_answer(agent: Agent) -> None:
    assert agent.done({"do": "look", "name": "none"}) == {"error": "ENOENT"}
    assert agent.done({"do": "make"}) == {"error": "EEXIST"}


def test_names_are_claimed_once_and_counts_add_up(agent: Agent) -> None:
    claim = {"do": "claim", "name": "c", "count": 3}
    assert agent.done(claim) == {"won": [0, 1, 2]}
    assert agent.done(claim) == {"won": []}
    count = {"do": "count_up", "name": "n", "times": 5, "by": "flock", "seconds": 10.0}
    assert agent.done(count) == {"done": 5}
    assert agent.done({"do": "number", "name": "n"}) == {"number": 5}


def test_a_lock_is_refused_while_another_has_it(agent: Agent, tmp_path: Path) -> None:
    other = Agent(str(tmp_path / "work"))
    lock, unlock = ({"do": do, "name": "l", "by": "flock"} for do in ("lock", "unlock"))
    assert agent.done(lock) == {"granted": True}
    assert other.done(lock) == {"granted": False}
    agent.done(unlock)
    assert other.done(lock) == {"granted": True}


def test_the_folder_goes_with_its_files(agent: Agent, tmp_path: Path) -> None:
    agent.done({"do": "append", "name": "x", "node": 0, "first": 0, "count": 2, "sync": False})
    assert agent.done({"do": "remove"}) == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("instead", ["link", "folder", "link above", "folder above"])
@pytest.mark.parametrize("step", ["put", "replace", "look", "append", "claim", "lock", "remove"])
def test_what_was_put_in_the_folders_place_is_not_touched(
    tmp_path: Path, instead: str, step: str
) -> None:
    """Another user who can write the folder above may do so while root works in it."""
    (tmp_path / "shared").mkdir()
    work = tmp_path / "shared" / "work"
    agent = Agent(str(work))
    assert agent.done({"do": "make"}) == {}
    theirs = tmp_path / "theirs"
    (theirs / "work").mkdir(parents=True)
    for folder in (theirs, theirs / "work"):
        (folder / "a").write_text("precious")
    moved = work.parent if instead.endswith("above") else work
    moved.rename(tmp_path / "moved")
    if instead.startswith("link"):
        moved.symlink_to(theirs)
    else:
        theirs.rename(moved)
        theirs = moved
    words: dict[str, dict[str, object]] = {
        "put": {"version": 1, "size_bytes": SIZE},
        "replace": {"version": 1, "size_bytes": SIZE},
        "append": {"node": 0, "first": 0, "count": 1, "sync": True},
        "claim": {"count": 1},
        "lock": {"by": "flock"},
    }
    name = {} if step == "remove" else {"name": "a"}
    assert agent.done({"do": step, **name, **words.get(step, {})}) == {"error": MOVED}
    assert sorted(str(each.relative_to(theirs)) for each in theirs.rglob("*")) == [
        "a",
        "work",
        "work/a",
    ]
    assert (theirs / "work" / "a").read_text() == (theirs / "a").read_text() == "precious"


@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_no_file_elsewhere_is_written_through_a_link(
    agent: Agent, tmp_path: Path, link: str
) -> None:
    (tmp_path / "roots").write_text("precious")
    for name in ("a", "a.new"):
        if link == "hard":
            (tmp_path / "work" / name).hardlink_to(tmp_path / "roots")
        else:
            (tmp_path / "work" / name).symlink_to(tmp_path / "roots")
    words = {"name": "a", "version": 1, "size_bytes": SIZE}
    for step in ("put", "replace"):
        assert agent.done({"do": step, **words})["error"] == (
            "ELOOP" if link == "symbolic" else MOVED
        )
    assert (tmp_path / "roots").read_text() == "precious"


def test_a_folder_may_be_reached_by_a_link_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    agent = Agent(str(tmp_path / "link" / "work"))
    assert agent.done({"do": "make"}) == {} and agent.done({"do": "there"}) == {"there": True}
    assert agent.done({"do": "remove"}) == {} and agent.done({"do": "there"}) == {"there": False}
