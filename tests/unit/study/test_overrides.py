"""Changes of the command line meet the checks of a file."""

import random

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study


def refused(**changes):
    with pytest.raises(InputError) as refusal:
        load_study("overhead", **changes)
    return refusal.value.render()


def names(**changes):
    return [system.name for system in load_study("overhead", **changes).systems]


def test_set():
    study = load_study(
        "overhead",
        [
            "workload.duration=5s",
            "workload.queue_depths=[1,32]",
            "plan.blocks=4",
            "storage.kind=ram",
        ],
    )
    assert study.workload.duration == 5 * 10**9
    assert study.workload.queue_depths == [1, 32]
    assert study.plan.blocks == 4
    assert study.storage.kind == "ram"


def test_a_size_that_storage_says_already_is_not_set_again():
    text = refused(overrides=["storage.size=2GiB"], storage="ram:512MiB")
    assert "the size of the storage is given twice" in text
    assert "--storage ram:512MiB" in text
    study = load_study("overhead", ["storage.size=2GiB"], storage="ram")
    assert study.storage.size == 2 << 30


def test_the_published_ext4_is_one_change_away():
    study = load_study("overhead", ["system.ext4.mount=noatime,nobarrier"])
    assert [system.mount for system in study.systems] == [
        "",
        "noatime,nobarrier",
        "noatime",
        "noatime",
    ]


def test_text_stays_text_where_the_key_takes_it():
    study = load_study("overhead", ["name=2024", "question=true", "system.ext4.mkfs=4"])
    assert (study.name, study.question, study.systems[1].mkfs) == ("2024", "true", "4")
    assert load_study("overhead", ['name="2024"']).name == "2024"


def test_a_system_is_found_by_a_name_with_dots_and_gets_tunables():
    study = load_study(
        "overhead",
        ["system.v1.2.tunables.queue/scheduler=none"],
        systems=["v1.2=ext4"],
    )
    assert study.systems[1].tunables == {"queue/scheduler": "none"}


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("workload.durations=5s", 'did you mean "workload.duration"?'),
        ("fil=16%", 'did you mean "workload.fill"?'),
        ("workload.duration=5", "--set | workload.duration=5\n"),
        ("workload.block_sizes=[4KiB", 'write ["4KiB"]'),
        ("workload.block_sizes=4096", 'did you mean "4096 B" or "4096 KiB"?'),
        ("workload.block_sizes=[4096]", 'did you mean "4096 B" or "4096 KiB"?'),
        ("workload.block_sizes=x", 'write a number and a unit: "1 MiB"'),
        ("workload.duration=" + "9" * 400, '"99999999999999999999..." has no unit'),
        ("workload.duration=-5", 'write a number and a unit: "10 s"'),
        ("workload.duration=true", '"true" is not a duration'),
        ("workload.rate=2000 M IOPS", "rate must be at most 1000000000 IOPS"),
        ("workload.rate=0 IOPS", "rate must be more than 0 IOPS"),
        ("plan.stop_interval=60 %", "stop_interval must be at most 50 %"),
        ("workload={}", '"workload" is a section'),
        ("storage=loop", "write storage.KEY=VALUE"),
        ("format=2", "this fsgauge reads format 1"),
        ("system.ext5.mount=x", "systems: raw, ext4, xfs, btrfs"),
        ("system.ext4.mout=x", 'did you mean "mount"?'),
        ("nonsense", "write KEY=VALUE"),
        ("=5", 'unknown key ""'),
    ],
)
def test_set_refused(override, expected):
    said = refused(overrides=[override])
    assert expected in said
    assert "--set | " in said


@pytest.mark.parametrize(
    ("override", "table", "value"),
    [("blocks=7", "plan", 7), ("duration=3s", "workload", 3 * 10**9), ("fill=20%", "workload", 20)],
)
def test_a_key_that_one_table_has_needs_no_table(override, table, value):
    """People type `--set blocks=7`, and only one key of the study can be meant."""
    found = load_study("overhead", [override]).model_dump(by_alias=True)[table]
    assert found[override.partition("=")[0]] == value


@pytest.mark.parametrize("override", ["kind=ram", "window=16", "mount=noatime"])
def test_a_key_that_several_tables_have_does(override):
    assert "unknown key" in refused(overrides=[override])


@pytest.mark.parametrize("override", ["repeatedly=5", "user=nobody", "elephants=50"])
def test_nothing_far_is_proposed(override):
    """`--set repeat=5` was answered with: did you mean "format"?"""
    assert "did you mean" not in refused(overrides=[override])


def test_the_baseline_stays():
    assert names(systems=["ext4", "xfs:mount=noatime"]) == ["raw", "ext4", "xfs (noatime)"]
    assert names(systems=["ext4", "raw"]) == ["raw", "ext4"]


def test_a_system_by_its_name_keeps_its_options():
    study = load_study("overhead", systems=["ext4"])
    assert (study.systems[1].mkfs, study.systems[1].mount) == ("-b 4096", "noatime")


def test_the_format_may_be_said_again():
    assert load_study("demo", ["format=1"]).format == 1


def test_mistakes_in_kept_systems_still_point_into_the_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text(
        'format=1\nquestion="?"\n[storage]\nkind="loop"\n[[system]]\nname="raw"\n'
        '[[system]]\nname="a"\nkind="ext4"\n[[system]]\nname="b"\nkind="xfs"\nmout=""\n[workload]\n'
    )
    with pytest.raises(InputError) as refusal:
        load_study(str(path), systems=["b"])
    assert refusal.value.location is not None
    assert refusal.value.location.line == 13


def test_a_folder_needs_mounted_systems():
    assert "storage is a folder" in refused(storage="/tmp")
    assert names(storage="/tmp", systems=["/dev", "other=/tmp"]) == ["/dev", "other"]


def test_storage_of_the_same_kind_keeps_its_other_keys():
    study = load_study("demo", storage="loop:2GiB", overrides=["storage.preallocate=true"])
    assert (study.storage.size, study.storage.directory) == (2 << 30, "/var/tmp")
    assert load_study("demo", storage="ram").storage.kind == "ram"


def test_the_seed():
    assert load_study("overhead", seed=7).plan.seed == 7
    assert "--seed | -1" in refused(seed=-1)


def test_any_option_is_applied_or_refused():
    chance = random.Random(3)
    fragments = (
        "=",
        ".",
        ":",
        ";",
        "[",
        "]",
        '"',
        "\n",
        "\x00",
        "1",
        "ext4",
        "/",
        "tmp",
        "loop",
        "é",
    )
    keys = (
        "workload.duration",
        "plan.blocks",
        "storage",
        "system.ext4.tunables.x",
        "system",
        "name",
    )
    for _ in range(300):
        text = "".join(chance.choices(fragments, k=chance.randrange(5)))
        changes = chance.choice(
            ({"overrides": [chance.choice(keys) + text]}, {"systems": [text]}, {"storage": text})
        )
        try:
            load_study("overhead", **changes)
        except InputError as refusal:
            assert refusal.render().splitlines()[-1].startswith("next: ")


def test_what_cannot_be_printed_is_refused_before_it_garbles_a_message():
    assert "cannot be printed" in refused(storage="/lo\nop")
    assert "cannot be printed" in refused(overrides=["name=\x1b[2J"])


def test_one_line_for_a_list_of_lines_is_proposed_as_it_was_typed():
    """`--set prepare=true` was answered with: write ["True"]."""
    with pytest.raises(InputError) as refusal:
        load_study("command", ["prepare=true"])
    assert 'write ["true"]' in refusal.value.render()


def test_an_optional_number_that_is_none_is_left_out():
    assert load_study("metadata", ["workload.stonewall=none"]).workload.stonewall is None
    hard = load_study("metadata-hard", ["stonewall=none"])
    assert hard.workload.stonewall is None
    with pytest.raises(InputError):
        load_study("metadata", ["workload.entries=none"])


def test_several_values_of_a_key_that_has_one_are_compared_by_folders():
    """ "direct must be true or false, not a list", and nothing of how both are compared."""
    for key, values in {"direct": "[true, false]", "files": "[1, 2]"}.items():
        with pytest.raises(InputError) as refused:
            load_study("overhead", [f"workload.{key}={values}"])
        said = f"run the study with each, then fsgauge compare A B --despite workload.{key}"
        assert said in refused.value.render()
