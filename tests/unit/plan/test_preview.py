"""What `fsgauge plan` is told."""

from fsgauge.plan.around import Around, Tried
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study

GIB = 1 << 30
TIB = 1 << 40


def described(noise=None, **changes):
    study = load_study("overhead-full", seed=1, **changes)
    plan = make_plan(study, size_bytes=8 * GIB)
    return describe(plan, study, noise, size_bytes=8 * GIB)


def test_a_plan_in_the_order_of_the_questions():
    facts = described()
    assert facts.baseline == "raw"
    assert facts.runs == 36 * 5 * 8
    assert facts.blocks == facts.blocks_asked == 8
    assert facts.shortest_seconds < facts.expected_seconds < facts.longest_seconds
    assert facts.storage == "a scratch file of 8 GiB in /var/tmp"
    assert facts.overwritten.startswith("nothing")
    assert any("3.6 GiB" in line for line in facts.held_equal)
    assert [line.split()[0] for line in facts.different] == ["kind", "mkfs"]
    assert facts.different[1] == "mkfs (ext4: -b 4096; xfs: default; btrfs: default)"
    alone = described(overrides=["system.xfs.mount=nodiratime"])
    assert alone.different[2] == "mount (ext4: noatime; xfs: nodiratime; btrfs: noatime)"


def test_half_the_space_is_said_where_a_system_copies_on_write():
    (space,) = [line for line in described().held_equal if line.startswith("space: ")]
    assert space.endswith(
        "btrfs keeps old extents until fully overwritten, so half the space is used on all systems"
    )
    others = described(systems=["raw", "ext4"])
    (space,) = [line for line in others.held_equal if line.startswith("space: ")]
    assert "7.2 GiB" in space and "half" not in space


def test_the_range_of_time_holds_for_every_byte_that_is_written():
    """Passes end by bytes: at 100 MiB/s all of them take as long as that says, and no less."""
    study = load_study("writers", seed=1)
    facts = describe(make_plan(study, size_bytes=8 * GIB), study, size_bytes=8 * GIB)
    assert "100 MiB/s" in facts.estimate_basis
    assert facts.longest_seconds > facts.written_bytes_estimate / (100 << 20)
    assert facts.written_bytes_estimate / (2 * GIB) < facts.shortest_seconds
    assert facts.shortest_seconds < facts.expected_seconds < facts.longest_seconds


def test_a_folder_is_neither_formatted_nor_raw():
    study = load_study("demo-user", seed=1, systems=["/mnt/other"])
    facts = describe(make_plan(study, size_bytes=GIB), study, size_bytes=GIB)
    assert not any("raw" in line for line in facts.held_equal)
    assert any("nothing is formatted" in line for line in facts.held_equal)
    assert facts.different == ["path (scratch folder: default; /mnt/other: /mnt/other)"]


def test_how_messages_are_protected_is_said_as_it_will_be():
    """ "not signed" stood there beside a server that requires it."""

    def facts(*systems, overrides=()):
        study = load_study(
            "connections", list(overrides), ["ext4", *systems], seed=1, serve="samba"
        )
        files = study.model_copy(update={"systems": study.systems[1:]})
        facts = describe(make_plan(files, size_bytes=GIB), files, size_bytes=GIB)
        (clients,) = [line for line in facts.held_equal if line.startswith("clients: ")]
        return clients, facts.different

    signed, encrypted = (
        f"{name}=ext4:server.server {option}"
        for name, option in (("s", "signing=mandatory"), ("e", "smb encrypt=required"))
    )
    clients, different = facts(signed, encrypted)
    assert "signed or encrypted as each system's server requires" in clients
    assert different[-1] == "messages (ext4: not signed; s: signed; e: encrypted)"
    assert "server (ext4: default; s: server signing = mandatory; e: server" in different[0]
    clients, different = facts()
    assert "(SMB 3.0.2, not signed)" in clients and different == []
    clients, different = facts(signed, overrides=["access.smb_signing=true"])
    assert "(SMB 3.0.2, signed)" in clients
    assert not any(line.startswith("messages") for line in different)


def test_of_a_running_server_only_what_is_true_is_said():
    """Its caches stay as they are, and nothing is made on this machine."""
    for changes in (
        {"overrides": ["access.share=nfs://filer/e"]},
        {"systems": ["a=share:access=nfs://one/e", "b=share:access=nfs://two/e"]},
    ):
        study = load_study("connections", seed=1, **changes)
        facts = describe(make_plan(study, size_bytes=8 * GIB), study, size_bytes=8 * GIB)
        words = "\n".join([*facts.held_equal, facts.overwritten])
        assert "dropped" not in words and "page cache" not in words and "scratch" not in words
        assert "the servers' caches left as they are" in words and "sent to the server" in words
        assert "through running servers (NFS version 3)" in words
        assert facts.overwritten.startswith("nothing: the run makes its own folders")
    local = load_study("connections", seed=1)
    facts = describe(make_plan(local, size_bytes=8 * GIB), local, size_bytes=8 * GIB)
    words = "\n".join(facts.held_equal)
    assert "caches dropped before each" in words and "through the page cache" in words


def test_caches_of_a_server_are_spoken_of_where_the_rig_has_one():
    """Folders that are mounted here had the server's caches dropped, "as rig.drop_caches says"."""

    def caches(*overrides, systems=(), study="sharing"):
        made = load_study(study, list(overrides), list(systems), seed=1)
        facts = describe(make_plan(made, size_bytes=GIB), made, size_bytes=GIB)
        return [line for line in facts.held_equal if line.startswith("caches")]

    own, others = caches()
    assert "of the machine that measures" in own
    assert "of a server, dropped before each run as well" in others
    assert caches("rig.drop_caches=[]")[1].startswith("caches: of a server, left warm")
    in_folders = caches(systems=["a=/mnt/a", "b=/mnt/b"])
    assert in_folders == [f"{own}; without root, those of its own file"]
    assert not any("of a server" in line for line in caches(study="two-nodes"))


def test_what_a_raw_device_does_instead_and_what_is_not_told():
    def facts(*overrides, **changes):
        study = load_study("writers", list(overrides), seed=1, **changes)
        return describe(make_plan(study, size_bytes=GIB), study, size_bytes=GIB)

    shipped = facts()
    assert not any("limit" in line for line in shipped.different)
    assert shipped.cannot_tell == []
    changed = facts('workload.access=["buffered"]', "workload.writers=[2]")
    assert changed.different[-1] == (
        "raw: the device's limit: direct overwrites by the same number of writers;"
        " buffered is direct"
    )
    assert changed.cannot_tell[0].startswith("scaling: all runs have 2 writers")
    study = load_study("writers", ['workload.access=["buffered"]'], seed=1)
    files = study.model_copy(update={"systems": study.systems[1:]})
    described = describe(make_plan(files, size_bytes=GIB), files, size_bytes=GIB)
    assert not any("limit" in line for line in described.different)


def test_unknown_noise_is_supposed_and_said_so():
    facts = described()
    assert not facts.sensitivity_known
    assert [case.noise_percent for case in facts.sensitivity] == [2, 5, 10]


def test_a_pilot_beats_the_study_and_both_beat_suppositions():
    stated = described(overrides=['plan.noise_percent="4 %"'])
    assert stated.sensitivity_known
    assert [case.noise_percent for case in stated.sensitivity] == [4]
    pilot = described(6.0, overrides=['plan.noise_percent="4 %"'])
    assert [case.noise_percent for case in pilot.sensitivity] == [6]
    needed = pilot.sensitivity[0].blocks_needed
    assert list(needed) == [5, 2, 1]
    assert 2 < needed[5] < needed[2] < needed[1]


def test_a_device_is_named_as_overwritten():
    facts = described(storage="device:ata-X_1")
    assert facts.overwritten == ("everything on ata-X_1 (must be empty; confirm with --destroy)")
    memory = described(storage="ram:8GiB")
    assert memory.storage == "memory, 8 GiB"


def test_a_cut_plan_says_what_was_asked():
    facts = described(overrides=["plan.budget=1h"])
    assert facts.blocks < facts.blocks_asked == 8


def test_of_a_model_no_time_of_this_machine_is_promised():
    from fsgauge.cli.plan_lines import time_and_bytes

    study = load_study("churn-simulated", seed=1)
    facts = describe(make_plan(study, size_bytes=64 * GIB), study, size_bytes=64 * GIB)
    assert facts.simulated and facts.overwritten == "nothing: no disk takes part"
    time, written = time_and_bytes(facts)
    assert "not estimated" in time
    assert written.startswith("written   nothing; ") and written.endswith(" in the model")
    assert "about" in time_and_bytes(described())[1]


def test_of_a_model_storage_noise_and_settings_are_said_as_they_are():
    """ "loop file in /var/tmp", the noise of a machine and "different nothing" misled a reader."""
    around = Around(block=Tried(1.0, 0.5, 2.0, "tried"))
    study = load_study("aging", seed=1)
    plan = make_plan(study, size_bytes=10 * GIB, around=around)
    facts = describe(plan, study, size_bytes=10 * GIB, around=around, one_by_one_because="a reason")
    assert facts.storage == "10 GiB in a model"
    assert facts.partners == []
    assert describe(plan, study, size_bytes=10 * GIB).storage.startswith("a scratch file of 10 GiB")
    tables = load_study("ost-years", seed=1)
    facts = describe(make_plan(tables, size_bytes=TIB), tables, size_bytes=TIB)
    assert facts.different[0].startswith("settings (1 MiB: prealloc_table = 256; 2 MiB: ")


def test_it_is_data():
    assert '"blocks_needed"' in described(3.0).model_dump_json()


def test_of_a_model_no_limit_of_time_is_promised():
    """A plan said "at most 10 min", and lives of 25 min came, for a model ends no run early."""
    study = load_study("churn-simulated", seed=1)
    plan = make_plan(study, size_bytes=64 * GIB)
    of_model = describe(plan, study, size_bytes=64 * GIB).held_equal
    assert "time: until all is read or written; in a model no time limit ends it" in of_model
    study = load_study("churn", seed=1)
    plan = make_plan(study, size_bytes=64 * GIB)
    measured = describe(plan, study, size_bytes=64 * GIB).held_equal
    assert "time: until all is read or written, at most 10 min" in measured
