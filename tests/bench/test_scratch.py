"""Two benches at once would measure and sweep up one another; nothing is left of one."""

import os
from pathlib import Path

import pytest

import scratch
from side_by_side import Failed


def test_a_second_bench_is_refused_until_the_first_is_done() -> None:
    try:
        lock = scratch.the_only_bench()
    except Failed:
        pytest.skip("a bench is running on this machine")
    with pytest.raises(Failed, match="another bench is running here"):
        scratch.the_only_bench()
    os.close(lock)
    os.close(scratch.the_only_bench())


@pytest.mark.root
@pytest.mark.skipif(not scratch.ZRAM.exists(), reason="this kernel has no zram")
def test_nothing_is_left_of_an_ext4_on_zram(tmp_path: Path) -> None:
    directory = tmp_path / "bench"
    try:
        with scratch.Scratch(directory) as made:
            folder = made.ext4_on_zram()
            device = Path(f"/sys/block/zram{os.minor(folder.stat().st_dev)}")
            assert folder.is_dir() and device.exists()
    except Failed:
        pytest.skip("a bench is running on this machine")
    assert not directory.exists() and not device.exists()
