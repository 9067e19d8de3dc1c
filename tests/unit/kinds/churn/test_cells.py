"""The cells of `churn`."""

from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.study.workload import cells_of, default_primary


def test_each_level_has_aged_and_fresh_read_before_written():
    cells = cells_of(ChurnWorkload(fills=[50, 95]))
    assert [cell.id for cell in cells] == [
        "aged-50-read",
        "aged-50-write",
        "fresh-50-read",
        "fresh-50-write",
        "aged-95-read",
        "aged-95-write",
        "fresh-95-read",
        "fresh-95-write",
    ]
    assert cells[2].name == "read, fresh, 50 % full"
    read, write = map(ChurnFactors.of, cells[2:4])
    assert (read.wear, read.fill_percent) == ("fresh", 50)
    assert (read.side, read.order, read.clients, read.share_of_reads) == (
        *("read", "directory", 1, 100),
    )
    assert (write.side, write.order, write.clients, write.share_of_reads) == ("write", None, 4, 0)
    assert (read.record_size_bytes, write.record_size_bytes) == (1 << 20, 64 << 10)


def test_the_answer_is_about_all_of_them():
    workload = ChurnWorkload(tests=["write"])
    assert default_primary(workload) == [cell.id for cell in cells_of(workload)]
    assert {ChurnFactors.of(cell).side for cell in cells_of(workload)} == {"write"}
