"""Finding studies, and the ones that come with fsgauge."""

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.turns import make_plan
from fsgauge.record.quantiles import operations_needed
from fsgauge.study.other_tools import studies_called
from fsgauge.study.parse import load_study, parse_study, shipped_study
from fsgauge.study.shipped import (
    shipped_studies,
    shipped_texts,
    study_meant,
    template,
    variant_of,
)

MIXES = (
    "build",
    "design",
    "fileserver",
    "mail",
    "oltp",
    "video",
    "virtual-machines",
    "web",
)


def refused(path):
    with pytest.raises(InputError) as refusal:
        load_study(str(path))
    return refusal.value.render()


def test_the_shipped_studies():
    published = {"overhead", "writers", "connections", "aging", "sharing"}
    quick = published | {"churn", "commits", "metadata", "mix", "command"}
    variants = {f"{name}-full" for name in quick} | {f"{name}-as-published" for name in published}
    variants |= {f"{name}-virtual" for name in quick - {"sharing", "command"}}
    demos = {"demo", "demo-memory", "demo-user"}
    others = {"postgresql", "small-files", "two-hosts", "churn-simulated", "years", "ost-years"}
    others |= {"two-hosts-full", "two-nodes", "two-nodes-full", "writers-nfs"}
    others |= {"writers-nfs-as-published"}
    others |= {f"mix-{name}" for name in MIXES}
    others |= {"capacity", "metadata-hard", "metadata-hard-full"}
    others |= {f"command-{name}" for name in ("git-clone", "git-status", "compile", "tar")}
    others |= {"command-rsync", "command-pgbench"}
    assert set(shipped_studies()) == quick | variants | demos | others
    assert list(shipped_studies()) == sorted(shipped_studies())
    assert all(question.endswith("?") for question in shipped_studies().values())


@pytest.mark.parametrize("name", MIXES)
def test_a_shipped_mix_says_where_its_weights_come_from(name):
    head = shipped_texts()[f"mix-{name}"].split("format =")[0]
    assert "filebench, workloads/" in head or "choice" in head
    load_study(f"mix-{name}")


def test_a_variant_has_its_study_s_name_before_its_own():
    assert variant_of("overhead", "full") == "overhead-full"
    with pytest.raises(InputError, match='"churn" has no variant --as-published') as refusal:
        variant_of("churn", "as-published")
    assert (
        refusal.value.cause
        == "these have: aging, connections, overhead, sharing, writers, writers-nfs"
    )


def test_overhead_is_the_published_method():
    study = load_study("overhead-as-published")
    workload = study.workload
    assert [system.kind for system in study.systems] == ["raw", "ext4"]
    assert workload.patterns == ["randread", "randwrite", "randrw"]
    assert (workload.read_percent, workload.files, workload.queue_depths) == (70, 16, [1, 32, 64])
    assert (min(workload.block_sizes), max(workload.block_sizes)) == (512, 1 << 20)
    assert study.systems[1].mkfs == "-b 4096"
    assert study.systems[1].mount == "noatime,nobarrier"


def test_aging_is_the_published_method():
    study = load_study("aging-as-published")
    assert [system.allocation_chunk for system in study.systems] == [1 << n for n in range(20, 24)]
    assert {system.kind for system in study.systems} == {"ext4"}
    assert study.workload.files == 20
    assert study.workload.levels == list(range(5, 101, 5))


def test_connections_is_the_published_method():
    study = load_study("connections-as-published")
    workload = study.workload
    assert [system.mount for system in study.systems] == ["noatime,nodelalloc", "noatime"]
    assert {system.kind for system in study.systems} == {"ext4"}
    assert (workload.clients, workload.record_size, workload.create) == ([590], 4096, "then open")
    assert workload.file_sizes == [1024 << n for n in range(2, 12)]
    assert workload.backup_file_size == 1 << 20
    assert (workload.files_per_connection, workload.backup_files_per_connection) == (1000, 50)
    assert (study.access.server, workload.backup_access) == ("samba", "path")


def test_the_template_is_a_study():
    assert parse_study(template(), "template.toml", "template").systems[0].name == "ext4"


def test_the_template_s_commented_lines_are_right_too():
    """Whoever removes the "# " before a setting must not meet an error."""
    swapped = {
        '# rate = "1000 IOPS"': 'rate = "1000 IOPS"',
        '# budget = "1 h"': 'budget = "1 h"',
        '# mkfs = "-b 4096"': 'mkfs = "-b 4096"',
        '# primary = ["randread 4 KiB, depth 32"]': 'primary = ["randread 4 KiB, depth 32"]',
    }
    text = template()
    for old, new in swapped.items():
        assert old in text
        text = text.replace(old, new)
    study = parse_study(text, "template.toml", "template")
    assert study.plan.primary == ["randread 4 KiB, depth 32"]


def test_a_name_that_does_not_exist():
    said = refused("overhed")
    assert 'there is no study "overhed"' in said
    assert "next: fsgauge plan overhead" in said
    assert 'there is no file "my.toml"' in refused("my.toml")
    assert 'there is no file "db.fio"' in refused("db.fio")
    assert "next: fsgauge plan mix-mail" in refused("mix-mial"), "the study mix is not like it"
    refused("")
    refused("\x00")


def test_the_nearest_three_are_found_by_name_by_question_and_by_other_words():
    said = refused("postgre")
    assert said.splitlines()[1].startswith("  postgresql: ")
    assert len(said.splitlines()) <= 5 and said.endswith("next: fsgauge plan postgresql")
    assert "  small-files: " in refused("mai")
    assert "-full: " not in refused("overhed-ful")
    assert refused("xyzzy").endswith("next: fsgauge study list")
    said = refused("astes")
    assert "fastest" not in said and said.endswith("next: fsgauge study list"), "no part of a word"


def test_programs_and_words_lead_to_a_study(tmp_path, monkeypatch):
    assert {study_meant(word) for word in ("postgres", "PGBENCH", "commit")} == {"postgresql"}
    assert study_meant("overhead") == "overhead"
    assert (study_meant("hyperfine"), study_meant("varmail")) == ("command", "mix-mail")
    assert (study_meant("dd"), study_meant("smb")) == ("overhead", "sharing")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "commit").write_text("")
    assert study_meant("commit") == "commit", "a file of that name is meant"
    assert set(studies_called().values()) <= set(shipped_studies())
    assert not set(studies_called()) & set(shipped_studies())


def test_files_that_are_no_studies(tmp_path):
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (2 << 20))
    assert "more than 1 MiB are not read" in refused(large)
    latin = tmp_path / "latin.toml"
    latin.write_bytes('a = "é"\nb = "\xe9"\n'.encode() + b'c = "\xe9"\n')
    said = refused(latin)
    assert "is not UTF-8 text" in said
    assert ":3:6 | " in said
    assert refused(tmp_path).startswith("error: there is no file")


def test_a_file_s_name_is_the_study_s_name(tmp_path):
    path = tmp_path / "nightly.toml"
    path.write_text(template())
    assert load_study(str(path)).name == "nightly"


def test_postgresql_has_a_p99_of_a_disk_that_commits_in_10_ms():
    """A p99 needs 1,000 commits: those of all blocks are taken where a run has fewer."""
    study = load_study("postgresql", seed=1)
    commits = study.plan.blocks * study.workload.duration // 10_000_000
    assert commits >= operations_needed("p99")
    plan = make_plan(study, size_bytes=study.storage.size)
    assert plan.expected_seconds < 300, "and it takes less than five minutes"


def test_the_shipped_studies_read_without_their_places_are_the_same():
    for name, text in shipped_texts().items():
        study = shipped_study(name, text)
        assert study == load_study(name)
        assert study.question == shipped_studies()[name]
