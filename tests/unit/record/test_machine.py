"""What the machines of a study say of where its load came from."""

from __future__ import annotations

from fsgauge.record.machine import ONE_MACHINE, is_over_network
from tests.synthetic import make_study


def test_processes_of_one_machine_are_no_hosts_that_a_network_joins() -> None:
    """A fleet that was tried out on one machine decided what needs a network."""
    (machine,) = make_study(blocks=2).before.machines
    assert machine.storage is not None
    second = machine.model_copy(update={"role": "load 2"})
    assert not is_over_network([machine])
    assert is_over_network([machine, second])
    facts = machine.storage.model_copy(update={"cautions": [ONE_MACHINE]})
    assert not is_over_network([machine.model_copy(update={"storage": facts}), second])
    served = machine.model_copy(update={"role": "server"})
    assert not is_over_network([machine, served])
