"""Requests that strace saw are sorted and compared: equal within chance, or not."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from fsgauge.converting import check
from fsgauge.converting.check import Requests, collected, compared, compared_sections, distance
from fsgauge.errors import InputError

TRACE = """\
fallocate(5</x/log/f0>, 0, 0, 1048576) = 0
pwrite64(5</x/log/f0>, ""..., 8192, 16384) = 8192
fdatasync(5</x/log/f0>) = 0
pread64(6</x/data/f1>, ""..., 4096, 8192) = 4096
pread64(6</x/data/f0>, ""..., 4096, 0) = 4096
pread64(6</x/data/f0>, ""..., 4096, 4096) = 4096
+++ exited with 0 +++
fallocate(7</x/data/f0>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 4096, 512) = 0
"""


def test_requests_are_sorted_by_the_folder_of_their_file() -> None:
    found = collected(TRACE.splitlines())
    assert found["log"].kinds == Counter(write=1, fdatasync=1)
    assert found["log"].sizes == Counter({("write", 8192): 1})
    assert found["data"].sizes == Counter({("read", 4096): 3, ("trim", 512): 1})
    assert found["data"].steps == Counter(
        {("read", 8192): 1, ("read", 0): 2, ("trim", -4096): 1}
    ), "a request goes on where the one before it in its file has ended"


def drawn(seed: int, share: float, count: int) -> Requests:
    chance, found = random.Random(seed), Requests()
    for _ in range(count):
        kind = "read" if chance.random() < share else "write"
        found.add(kind, 4096, 4096 * chance.randrange(1024), "f0")
    return found


def in_order(step: int, count: int) -> Requests:
    found = Requests()
    for number in range(count):
        found.add("read", 4096, (number * step) % (4 << 20), "f0")
    return found


def hot(seed: int, shift: int, power: float = 1.0) -> Requests:
    """Places of which one is hot, the next half so, and so on; `shift` is where they lie."""
    chance, found = random.Random(seed), Requests()
    weights = [1 / (rank + 1) ** power for rank in range(1024)]
    for rank in chance.choices(range(1024), weights, k=20_000):
        found.add("read", 4096, 4096 * ((rank * 389 + shift) % 1024), "f0")
    return found


def test_the_same_draws_are_equal() -> None:
    assert compared("a", drawn(1, 0.7, 5000), drawn(2, 0.7, 8000))[1] == []
    assert compared("a", in_order(4096, 5000), in_order(4096, 9000))[1] == []


def test_another_mix_is_unlike() -> None:
    lines, apart = compared("a", drawn(1, 0.7, 5000), drawn(2, 0.5, 8000))
    assert "kinds" in apart
    assert "kinds unlike" in lines[0]


def test_another_order_of_the_same_places_is_unlike() -> None:
    assert compared("a", in_order(4096, 5000), in_order(-4096, 5000))[1] == ["steps"]
    assert compared("a", in_order(4096, 5000), in_order(8192, 5000))[1] == ["steps"]
    assert "steps" in compared("a", in_order(4096, 5000), drawn(1, 1.0, 5000))[1]


def test_of_hot_places_anywhere_it_counts_how_hot_they_are() -> None:
    here, there = hot(1, 0), hot(2, 517)
    assert "offsets" in compared("a", here, there)[1]
    assert compared("a", here, there, is_scattered=True)[1] == []
    assert "offsets" in compared("a", here, hot(3, 0, 0.5), is_scattered=True)[1]


def test_another_turn_of_the_files_is_unlike() -> None:
    """Of files in turns each request is in another file; of drawn ones a fourth in the same."""

    def of_files(turn: int) -> Requests:
        chance, found = random.Random(turn), Requests()
        for number in range(8000):
            file = number // turn % 4 if turn else chance.randrange(4)
            found.add("read", 4096, 4096 * chance.randrange(1024), f"f{file}")
        return found

    lines, apart = compared("a", of_files(1), of_files(1))
    assert apart == [] and len(lines) == 5
    for other in (0, 2, 8):
        assert compared("a", of_files(1), of_files(other))[1] == ["turns"], other
    assert len(compared("a", drawn(1, 0.7, 5000), drawn(2, 0.7, 8000))[0]) == 4, "one file"


def test_another_size_is_unlike() -> None:
    difference, bound = distance(Counter({4096: 100}), Counter({8192: 100}))
    assert difference == 1.0 > bound


def test_nothing_on_one_side_is_no_answer() -> None:
    with pytest.raises(InputError, match="no request that strace saw"):
        compared("a", Requests(), drawn(1, 0.5, 10))


def test_what_fio_does_once_for_each_file_has_no_requests(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[a]\nioengine=filestat\nfilesize=4k\n", encoding="utf-8")
    with pytest.raises(InputError, match="filestat is done once for each file"):
        list(compared_sections(tmp_path / "job.fio"))


def test_what_is_given_up_is_asked_of_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def of_fio(small: Path, *_: object) -> dict[str, Requests]:
        asked.append(small.read_text(encoding="utf-8"))
        return {}

    monkeypatch.setattr(check, "find_tool", lambda program: program)
    monkeypatch.setattr(check, "_of_fio", of_fio)
    monkeypatch.setattr(check, "_of_study", lambda *_: ({}, set()))
    job = tmp_path / "job.fio"
    job.write_text("[a]\nrw=randread\nsize=1m\nblocksize=8k\n", encoding="utf-8")
    with pytest.raises(InputError, match="no request"):
        list(compared_sections(job, without=frozenset({"bs"})))
    assert "rw=randread" in asked[0] and "blocksize" not in asked[0]
