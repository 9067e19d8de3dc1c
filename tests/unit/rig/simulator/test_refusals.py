"""What the simulator refuses, as the command line shows it."""

from __future__ import annotations

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
