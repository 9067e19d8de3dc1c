"""The kind `connections` as a person writes it: what is refused, where, and the way out."""

import pytest

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.study.dump import dump_study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.workload import cells_of, default_primary
from tests.unit.kinds.reading import reading

STUDY = """\
format = 1
question = "What do clients cost?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "connections"
"""


read, mistake = reading(STUDY)


def test_the_defaults_are_the_published_method():
    workload = read()
    assert isinstance(workload, ConnectionsWorkload)
    assert (workload.clients, workload.tests) == ([590], ["write", "read", "backup"])
    assert len(workload.file_sizes) == 10
    assert (workload.create, workload.dispatch, workload.verify) == (
        "then open",
        "event loop",
        True,
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['tests = ["read"]'], ["the test read needs files", 'add "write" to tests']),
        (
            ["files_per_connection = 2", "outstanding = 3"],
            ["works on 3 files at a time, and has 2", "outstanding = 2"],
        ),
        (
            ["outstanding = 1000", 'record_size = "1 MiB"'],
            ["576 GiB of memory", 'interface = "plain"'],
        ),
        (['ramp = "10 min"'], ["does not end before time_limit, 10 min"]),
        (
            ['tests = ["write", "mix"]', 'ramp = "20 s"'],
            ["does not end before mix_duration, 10 s", "a longer mix_duration"],
        ),
        (
            ['tests = ["write", "mix"]', "mix = { delete = 1, read = 1 }"],
            ["and this one creates none", "add create to the mix"],
        ),
        (["clients = 100000"], ["clients must be at most 99999"]),
        (["clients = 0"], ["clients must be at least 1"]),
        (['dispatch = "threads"', "clients = 5000"], ["as many threads; the limit is 4,096"]),
        (['dispatch = "loop"'], ['"loop" is not known', 'did you mean "event loop"?']),
        (
            ["size_weights = [1, 2]"],
            ["2 weights are given for 10 sizes", "a weight for each size"],
        ),
        (['fill = "80 %"'], ["add up to 100 %", 'fill = "75 %"']),
        (['data = "zero"'], ["zeros cannot be verified", "verify = false"]),
        (
            ['size_distribution = "log-normal"', 'median_size = "32 MiB"'],
            ["the median size is not between"],
        ),
        (
            ['tree = "shared"', "depth = 4", "fan_out = 100"],
            ["100000000 lowest directories", "fan_out = 31"],
        ),
        (["clints = 5"], ['unknown key "clints"', 'did you mean "clients"?']),
        (["record_size = 4096"], ["4096 has no unit", '"4096 B" or "4096 KiB"']),
        (["mix = { reed = 1 }", 'tests = ["write", "mix"]'], ['"reed"', 'did you mean "read"?']),
        (
            ['mix = "work"', 'tests = ["write", "mix"]'],
            ['no mix is called "work"', "home directory"],
        ),
        (["mix = {}", 'tests = ["write", "mix"]'], ["mix must have at least 1 entry"]),
        (["mix = { read = 0 }", 'tests = ["write", "mix"]'], ["must be at least 1"]),
    ],
)
def test_a_mistake_is_shown_with_what_works(lines, words):
    said = mistake(*lines)
    assert "my.toml:" in said
    for each in words:
        assert each in said, said


@pytest.mark.parametrize(
    "lines",
    [
        ['fill = "30 %"', "files_per_connection = 3"],
        ['backup_fill = "30 %"', "backup_files_per_connection = 3"],
        ['tests = ["write"]', 'backup_orders = ["inode"]'],
        ['tests = ["write"]', "verify = true"],
        ['tests = ["backup"]', 'file_sizes = ["4 KiB"]'],
        ['tests = ["backup"]', "files_per_connection = 2"],
        ["depth = 2"],
        ['think_spread = "constant"'],
        ['mix_duration = "5 s"'],
        ['mix = "home directory"'],
        ['median_size = "4 KiB"'],
        ['size_distribution = "log-normal"', 'file_sizes = ["4 KiB"]'],
        ['dispatch = "threads"', "threads = 2"],
        ['dispatch = "threads"', "outstanding = 2"],
        ['dispatch = "threads"', 'interface = "io_uring"'],
    ],
)
def test_a_key_without_effect_is_refused(lines):
    assert "would be ignored" in mistake(*lines)


def test_a_mix_has_a_name_or_weights():
    named = read('tests = ["write", "mix"]', 'mix = "home directory"')
    assert named == read('tests = ["write", "mix"]')
    assert read('tests = ["write", "mix"]', "mix = { read = 2, save = 1 }").mix == {
        "read": 2,
        "save": 1,
    }


def test_a_raw_device_has_no_files():
    said = mistake(study=STUDY.replace('name = "ext4"', 'name = "raw"'))
    assert "a study of kind connections needs files" in said
    assert "leave the raw system out" in said


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ['tests = ["write", "mix"]', "mix = { read = 2, save = 1 }", 'ramp = "2 s"'],
        ['tree = "shared"', "files_per_connection = 4", 'think = "10 ms"'],
        ['size_distribution = "log-normal"', "size_sigma = 1.5", 'tests = ["write", "stat"]'],
        ['dispatch = "threads"', "size_weights = [3, 1]", 'file_sizes = ["4 KiB", "1 MiB"]'],
        ['tests = ["backup"]', 'backup_orders = ["inode", "physical"]', "fsync = true"],
    ],
)
def test_what_is_written_back_is_the_same_study(lines):
    study = parse_study(STUDY + "\n".join(lines) + "\n", "my.toml", "my")
    assert parse_study(dump_study(study), "again.toml", "my") == study


def test_mount_options_of_a_variant_reach_its_system():
    study = load_study("connections", [], ["xfs", "xfs:mount=allocsize=64m"])
    assert [(system.name, system.mount) for system in study.systems] == [
        ("ext4 nodelalloc", "noatime,nodelalloc"),
        ("xfs", ""),
        ("xfs (allocsize=64m)", "allocsize=64m"),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("[0, 5]", "each of clients must be at least 1"),
        ("0", "clients must be at least 1"),
        ("1.5", "clients must be a whole number, not 1.5"),
        ('"many"', "clients must be a whole number, not text"),
        ("[5, 5]", "clients: the same value is given twice"),
        ("[]", "clients must have at least 1 entry, not 0"),
    ],
)
def test_clients_are_a_number_or_a_list_and_nothing_else(value, words):
    refusal = mistake(f"clients = {value}")
    assert refusal.startswith(f"error: {words}\n") and f"clients = {value}" in refusal


def test_limits_are_those_of_the_most_clients():
    assert "5,000 clients need as many threads" in mistake(
        "clients = [1, 5000]", 'dispatch = "threads"'
    )
    assert read("clients = [1, 4096]", 'dispatch = "threads"').connections == 4096


def test_a_sweep_of_clients_is_written_back_and_one_number_without_brackets():
    for lines, there in ((["clients = [2, 7]"], "clients = [2, 7]"), ([], "clients = 590")):
        study = parse_study(STUDY + "\n".join(lines) + "\n", "my.toml", "my")
        text = dump_study(study)
        assert there in text
        assert parse_study(text, "back.toml", "my") == study


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
