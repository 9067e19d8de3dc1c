"""Requests that strace saw are sorted and compared: equal within chance, or not."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fsgauge.converting.check import Requests, collected, compared, distance
from fsgauge.errors import InputError

TRACE = """\
100 execve("/usr/bin/fsgauge", [...], 0x7ff) = 0
100 clone3({flags=CLONE_VM}, 88) = 101
101 execve("/usr/bin/fsgauge-engine", [...], 0x7ff) = 0
101 read(0<pipe:[1]>, "{\\"format\\":1,\\"kind\\":\\"layout\\"}", 65536) = 31
101 pwrite64(5</x/log/f0>, ""..., 1048576, 0) = 1048576
100 clone3({flags=CLONE_VM}, 88) = 102
102 execve("/usr/bin/fsgauge-engine", [...], 0x7ff) = 0
102 read(0<pipe:[2]>, "{\\"format\\":1,\\"kind\\":\\"mix\\"}", 65536) = 28
102 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 103
103 pwrite64(5</x/log/f0>, ""..., 8192, 16384) = 8192
103 fdatasync(5</x/log/f0>) = 0
103 pread64(6</x/data/f0>,  <unfinished ...>
102 read(3</x/other>, "", 16) = 0
103 <... pread64 resumed>""..., 4096, 0) = 4096
"""


def owner(path: str) -> str | None:
    return next((name for name in ("log", "data") if f"/{name}/" in path), None)


def test_the_mix_alone_is_counted_not_what_laid_its_files_out() -> None:
    found = collected(TRACE.splitlines(), owner, only_mix=True)
    assert found["log"].kinds == Counter(write=1, fdatasync=1)
    assert found["log"].sizes == Counter({("write", 8192): 1})
    assert found["data"].sizes == Counter({("read", 4096): 1})


def drawn(seed: int, share: float, count: int) -> Requests:
    chance, found = random.Random(seed), Requests()
    for _ in range(count):
        kind = "read" if chance.random() < share else "write"
        found.add(kind, 4096, 4096 * chance.randrange(1024), 4 << 20)
    return found


def test_the_same_draws_are_equal() -> None:
    _, apart = compared("a", drawn(1, 0.7, 5000), drawn(2, 0.7, 8000))
    assert apart == 0


def test_another_mix_is_unlike() -> None:
    lines, apart = compared("a", drawn(1, 0.7, 5000), drawn(2, 0.5, 8000))
    assert apart >= 1
    assert "kinds unlike" in lines[0]


def test_another_size_is_unlike() -> None:
    difference, bound = distance(Counter({4096: 100}), Counter({8192: 100}))
    assert difference == 1.0 > bound


def test_nothing_on_one_side_is_no_answer() -> None:
    with pytest.raises(InputError, match="no request that strace saw"):
        compared("a", Requests(), drawn(1, 0.5, 10))
