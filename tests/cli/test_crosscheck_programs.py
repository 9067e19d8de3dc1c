"""`fsgauge crosscheck --with bonnie++`, with a program that prints what a real one has printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

RECORDED = Path(__file__).parents[1] / "unit/kinds/sharing/peers"
BLOCK = """--set=workload.tests=["put_block","get_block"]"""


@pytest.fixture
def with_bonnie(tmp_path: Path) -> str:
    """FSGAUGE_PATH for one that prints the line that FSGAUGE_BONNIE_PRINTS names."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "bonnie++"
    script.write_text(f'#!/bin/sh\ncat "{RECORDED}/bonnie-2.00a-$FSGAUGE_BONNIE_PRINTS.csv"\n')
    script.chmod(0o755)
    return str(folder)


@pytest.fixture
def words(place: Path) -> list[str]:
    system = [f"--system={place}", "--set", "storage.size=64MiB"]
    return ["crosscheck", "sharing", *system, "--pairs=4", "--with=bonnie++"]


def test_what_was_compared_ends_with_0_and_says_what_was_left_out(
    fsgauge: Run, words: list[str], with_bonnie: str
) -> None:
    done = fsgauge(*words, FSGAUGE_PATH=with_bonnie, FSGAUGE_BONNIE_PRINTS="whole")
    assert done.returncode == 0, done.stderr
    assert "Output by block, 64 KiB records of 8 MiB: " in done.stdout
    assert "left out, for bonnie++ does not have them: Write; Rewrite; Read; Reread" in done.stderr


def test_a_comparison_of_nothing_is_no_success(
    fsgauge: Run, words: list[str], with_bonnie: str
) -> None:
    """It once ended with 0 where Bonnie++ had been too fast to say any rate, in all six pairs."""
    done = fsgauge(*words, BLOCK, FSGAUGE_PATH=with_bonnie, FSGAUGE_BONNIE_PRINTS="file")
    assert done.returncode == 3, done.stderr
    assert "too fast to say a rate in 1 of 1" in done.stdout, "the other pairs are spared"
    assert "nothing could be compared: in none of 2 cells" in done.stderr
    assert "next: --storage ram:8GiB --set 'workload.file_sizes=" in done.stderr


def test_tests_that_a_program_lacks_lead_to_those_that_it_has(
    fsgauge: Run, words: list[str], with_bonnie: str
) -> None:
    done = fsgauge(
        *words,
        """--set=workload.tests=["putc","getc"]""",
        FSGAUGE_PATH=with_bonnie,
        FSGAUGE_BONNIE_PRINTS="whole",
    )
    assert done.returncode == 2
    assert "none of the study's tests: Output by character; Input by character" in done.stderr
    assert """--set 'workload.tests=["put_byte","get_byte"]'""" in done.stderr


def test_the_limits_of_a_virtual_disk_are_left_out(
    fsgauge: Run, with_bonnie: str, tmp_path: Path
) -> None:
    """The study as it is shipped was refused, with `next: --rig vm`, an option that is not here."""
    chosen = ["--without=ext3", "--storage=loop:64MiB", "--with=bonnie++"]
    done = fsgauge("crosscheck", "sharing", *chosen, FSGAUGE_PATH=with_bonnie)
    assert done.returncode == 2
    assert "every system of the study needs nodes" in done.stderr
    done = fsgauge(
        *("crosscheck", "sharing", "--with=bonnie++", "--storage=loop:16MiB"),
        FSGAUGE_PATH=with_bonnie,
        FSGAUGE_BONNIE_PRINTS="whole",
    )
    assert "left out, for they need nodes: nfs, cachefs" in done.stderr
    assert "the limits of the storage" in done.stderr
    assert "--rig" not in done.stderr
