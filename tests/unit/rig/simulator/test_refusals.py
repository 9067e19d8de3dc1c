"""What the simulator refuses, as the command line shows it."""

from __future__ import annotations

import re

from click.testing import CliRunner

from fsgauge.cli.plan import command


def planned(*arguments: str) -> tuple[int, list[str]]:
    done = CliRunner().invoke(command, [*arguments, "--rig", "simulator"])
    return done.exit_code or done.return_value or 0, done.output.splitlines()


def test_a_plan_is_not_printed_below_a_refusal() -> None:
    """Forty lines of a plan without times followed, and the refusal was off the screen."""
    lines = planned("churn", "--storage", "loop:100TiB")[1]
    assert lines[0] == "fsgauge run would refuse this study, for 1 reason:"
    assert lines[1] == "refused   the device has 100 TiB, and disks-8+2-2012 holds 31.1 TiB"
    assert not any(line.startswith(("takes", "order")) for line in lines)
    assert len(lines) < 8


def test_a_plan_of_what_can_be_simulated_is_printed() -> None:
    lines = planned("aging", "--set", "plan.blocks=2", "--storage", "simulated:1GiB")[1]
    assert any(line.startswith("takes") for line in lines)


def test_storage_of_another_kind_has_the_size_of_the_usual_disks_at_most() -> None:
    lines = planned("aging", "--storage", "loop:100TiB")[1]
    assert "the device has 100 TiB, and disks-8+2-2012 holds 31.1 TiB" in lines[1]


def test_what_a_real_storage_has_beside_its_size_is_refused_and_not_dropped() -> None:
    lines = planned("aging", "--set", "storage.iops=500 IOPS")[1]
    assert "the simulator has no model of storage.iops" in lines[1]
    assert any("leave iops out" in line for line in lines)


def test_a_mix_is_told_what_the_simulator_takes_and_each_of_those_is_taken() -> None:
    """ "it knows no latencies" did not say why files that are appended to have no layout here."""
    lines = planned("mix")[1]
    said = " ".join(line.strip() for line in lines)
    assert "a study of kind mix has no model" in lines[1]
    assert "how far each load gets while others run takes latencies, and it knows none" in said
    (named,) = re.findall(r"where they lie \((.*?)\)", said)
    assert len(named.split(", ")) == 3
    for kind in named.split(", "):
        small = ("--set", "plan.blocks=2", "--storage", "simulated:1GiB", "--system", "ext4")
        assert not any("refuse" in line for line in planned(kind, *small)[1]), kind


def test_files_that_are_empty_are_refused_and_not_made_in_no_time() -> None:
    """They were: "ext4 does 20000000 M files/s in creates", and that it did nothing."""
    lines = planned("metadata", "--set", 'workload.operations=["create"]')[1]
    assert "a study of kind metadata has no model" in lines[1]
