"""The cells of connections: one order whatever the list says, and what the answer is about."""

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.study.workload import cells_of, default_primary


def test_the_order_is_that_of_the_work():
    workload = ConnectionsWorkload(
        tests=["backup", "mix", "stat", "read", "write"], backup_orders=["physical", "directory"]
    )
    assert {cell.id: cell.name for cell in cells_of(workload)} == {
        "write": "write",
        "read": "read",
        "stat": "stat",
        "mix": "mix",
        "backup-fill": "backup fill",
        "backup-physical": "backup, physical order",
        "backup-directory": "backup, directory order",
    }
    assert [cell.id for cell in cells_of(workload)][:4] == ["write", "read", "stat", "mix"]
    last = cells_of(ConnectionsWorkload(tests=["delete", "write"]))[-1]
    assert (last.id, last.factors["test"]) == ("delete", "delete")


def test_a_cell_says_who_works_and_how():
    workload = ConnectionsWorkload(clients=7, outstanding=3, record_size=8192)
    write, read, fill, backup = map(ConnectionsFactors.of, cells_of(workload))
    assert (write.clients, write.outstanding, write.record_size_bytes) == (7, 3, 8192)
    assert (write.read_percent, read.read_percent, fill.read_percent) == (0, 100, 0)
    assert (backup.clients, backup.outstanding, backup.record_size_bytes) == (1, 1, 1 << 20)
    assert (backup.test, backup.order, write.order) == ("backup", "directory", None)


def test_a_mix_says_its_share_of_reads():
    mix = {"read": 3, "save": 1, "stat": 9}
    assert reads(mix) == 75
    names = {"stat": 1, "list": 2}
    assert reads(names) == 100


def reads(mix):
    mixed = cells_of(ConnectionsWorkload(tests=["write", "mix"], mix=mix))[1]
    return ConnectionsFactors.of(mixed).share_of_reads


def test_the_answer_is_about_the_published_tests():
    both = ConnectionsWorkload(backup_orders=["inode", "directory"])
    assert default_primary(both) == ["write", "read", "backup-inode"]
    assert default_primary(ConnectionsWorkload(tests=["write", "stat"])) == ["write"]
    assert default_primary(ConnectionsWorkload(tests=["backup"])) == ["backup-directory"]


def test_every_number_of_hosts_has_all_tests_with_every_number_of_clients() -> None:
    workload = ConnectionsWorkload(clients=[10, 200], tests=["write"], hosts=[2, 1])
    assert {cell.id: cell.name for cell in cells_of(workload)} == {
        "write-c10-hosts1": "write with 10 clients, 1 host",
        "write-c200-hosts1": "write with 200 clients, 1 host",
        "write-c10-hosts2": "write with 10 clients, 2 hosts",
        "write-c200-hosts2": "write with 200 clients, 2 hosts",
    }
    assert default_primary(workload) == ["write-c200-hosts2"]


def test_every_number_of_clients_has_all_tests_the_fewest_first() -> None:
    workload = ConnectionsWorkload(clients=[200, 10], tests=["write", "read", "backup"])
    cells = cells_of(workload)
    of_ten = ["write-c10", "read-c10", "backup-fill-c10", "backup-directory-c10"]
    assert [cell.id for cell in cells] == [*of_ten, *(i.replace("10", "200") for i in of_ten)]
    factors = [ConnectionsFactors.of(cell) for cell in cells]
    assert [each.clients for each in factors] == [10, 10, 10, 1, 200, 200, 200, 1]
    assert [each.swept_clients for each in factors] == [10] * 4 + [200] * 4
    assert default_primary(workload) == ["write-c200", "read-c200", "backup-directory-c200"]


def test_one_number_of_clients_is_in_no_name() -> None:
    for clients in (590, [590]):
        workload = ConnectionsWorkload.model_validate({"clients": clients})
        assert workload.model_dump()["clients"] == 590
        assert [cell.id for cell in cells_of(workload)][:2] == ["write", "read"]
        assert "swept_clients" not in cells_of(workload)[0].factors
