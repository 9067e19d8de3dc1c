"""What must be equal before two folders are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.stats.folders.same_conditions import (
    Side,
    listed_differences,
    must_be_equal,
    must_be_equal_to_repeat,
    require_alike,
    unlike,
    unlike_machines,
)
from tests.synthetic import ONE_CELL, make_study
from tests.synthetic.setting import with_machine
from tests.unit.stats.test_machine_findings import limits

SMALL: dict[str, Any] = {**ONE_CELL, "blocks": 3}


def side(label: str = "a", **changes: Any) -> Side:
    study = make_study(**{**SMALL, **changes})
    return Side(label, study.study, study.turns, study.runs, study.before, study.after)


def on(one: Side, **facts: Any) -> Side:
    """The same side on a machine with these facts."""
    machine = with_machine(one.before, **facts)
    return Side("b", one.study, one.turns, one.runs, machine, one.after)


def asking(one: Side, section: str, **keys: Any) -> Side:
    """The same side with other keys in one section of its study."""
    study = dict(one.study.study)
    study[section] = {**study[section], **keys}
    record = one.study.model_copy(update={"study": study})
    return Side("b", record, one.turns, one.runs, one.before, one.after)


def test_the_same_study_again_is_comparable() -> None:
    assert require_alike(side(seed=1), side(seed=2, blocks=5), []) == []


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (side(question="Another one?"), "question"),
        (side(storage_kind="ram"), "storage.kind"),
        (side(profile="debug"), "engine-profile"),
        (on(side(), governor="powersave"), "governor"),
        (asking(side(), "workload", direct=False), "workload.direct"),
        (asking(side(), "workload", files=4), "workload.files"),
        (asking(side(), "storage", preallocate=True), "storage.preallocate"),
        (asking(side(), "plan", equivalence_percent=1), "plan.equivalence_percent"),
        (side(systems={"raw": "raw", "ext4": "ext2", "xfs": "xfs"}), "system.ext4"),
        (side(systems={"ext4": "ext4", "raw": "raw", "xfs": "xfs"}), "baseline"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_must_be_equal_is_refused_by_name_until_it_is_accepted(other: Side, name: str) -> None:
    with pytest.raises(InputError) as caught:
        require_alike(side(), other, [])
    assert any(detail.startswith(f"{name}: ") for detail in caught.value.details)
    assert f"--despite {name}" in caught.value.next
    refused = [detail.split(":")[0] for detail in caught.value.details]
    accepted = require_alike(side(), other, refused)
    assert [each.fact for each in accepted] == refused
    assert all(each.despite for each in accepted)


def test_two_kinds_of_study_are_refused_without_a_way_around() -> None:
    """Eight --despite were proposed."""
    with pytest.raises(InputError, match="two kinds of study: overhead and writers") as refused:
        require_alike(side(), asking(side(), "workload", kind="writers"), [])
    assert "--despite" not in str(refused.value.next)


def test_what_is_written_alike_is_told_by_its_value() -> None:
    """ "workload.kind: overhead / overhead" was the reason for a refusal."""
    toml = '[workload]\nwarm_up = "1 s"'
    first, second = (
        replace(each, study_toml=toml) for each in (side(), asking(side(), "workload", warm_up=7))
    )
    (found,) = [each for each in unlike(first, second) if each[0] == "workload.warm_up"]
    assert found[1] != found[2]


def test_a_key_that_an_older_folder_does_not_name_is_as_if_nothing_was_said() -> None:
    """metadata had no sync_after; a program without a name had null for it."""
    older = asking(side(), "workload", name=None, writes=None)
    newer = asking(side(), "workload", name="", writes=0, sync_after=[])
    assert require_alike(older, newer, []) == []
    for said in ({"name": "SQLite"}, {"writes": 1}, {"sync_after": ["create"]}, {"scan": False}):
        with pytest.raises(InputError, match="not comparable"):
            require_alike(older, asking(newer, "workload", **said), [])


def test_what_may_be_the_point_is_listed_and_not_refused() -> None:
    other = on(side(), kernel="Linux 6.18", tool_versions={"mkfs.ext4": "1.48"})
    assert require_alike(side(), other, []) == []
    facts = {each.fact for each in listed_differences(side(), other)}
    assert {"kernel", "mkfs.ext4"} <= facts


def test_another_place_for_the_scratch_file_is_no_other_study() -> None:
    assert require_alike(side(), asking(side(), "storage", directory="/mnt"), []) == []


def test_a_system_that_only_one_has_is_listed() -> None:
    other = side(systems={"raw": "raw", "ext4": "ext4"})
    assert require_alike(side(), other, []) == []
    assert "systems" in {each.fact for each in listed_differences(side(), other)}


def test_storage_within_a_hundredth_has_the_same_size() -> None:
    size = side().before.storage.size_bytes
    for change, differs in ((1.005, False), (1.02, True)):
        storage = side().before.storage.model_copy(update={"size_bytes": int(size * change)})
        other = on(side(), storage=storage)
        if differs:
            with pytest.raises(InputError, match="not comparable"):
                require_alike(side(), other, [])
        else:
            assert require_alike(side(), other, []) == []


@pytest.mark.parametrize("fact", ["name", "processor", "architecture", "virtual_machine"])
def test_another_machine_is_noticed(fact: str) -> None:
    assert not unlike_machines(side(), side(seed=2))
    assert unlike_machines(side(), on(side(), **{fact: "other"}))


def test_another_kernel_or_memory_that_it_reports_is_the_same_machine() -> None:
    assert not unlike_machines(side(), on(side(), kernel="Linux 7.0", memory_bytes=1 << 30))


def test_other_limits_are_listed_and_make_another_machine() -> None:
    free, quota = on(side(), limits=limits()), on(side(), limits=limits(processor_quota=0.5))
    (found,) = [each for each in listed_differences(free, quota) if each.fact == "limits"]
    assert (found.a, found.b) == ("none", "CPU quota of 0.5 processors")
    assert unlike_machines(free, quota) == ["limits"]
    assert require_alike(free, quota, []) == [], "they may be the point"
    before, after = must_be_equal_to_repeat(free), must_be_equal_to_repeat(quota)
    assert before["limits"] != after["limits"], "but no repetition"


def test_of_older_records_the_limits_are_not_known() -> None:
    old = side()
    assert "limits" not in {each.fact for each in listed_differences(old, on(old, limits=limits()))}
    assert not unlike_machines(old, on(old, limits=limits()))
    listed = listed_differences(old, on(old, limits=limits(nice=5)))
    (found,) = [each for each in listed if each.fact == "limits"]
    assert (found.a, found.b) == ("not recorded", "nice 5")


def test_another_disk_is_another_machine() -> None:
    chain = [{"kind": "device", "serial": "OTHER"}]
    storage = side().before.storage.model_copy(update={"device_chain": chain})
    assert unlike_machines(side(), on(side(), storage=storage)) == ["storage"]


def in_memory(one: Side, token: str, loop: int) -> Side:
    """The same side, as a run on memory of its own leaves it."""
    mounted = f"/run/fsgauge/fsgauge-{token}-ram"
    chain = [
        {"kind": "device", "path": f"/dev/loop{loop}"},
        {"kind": "file_system", "file_system": "tmpfs", "mount_point": mounted},
    ]
    storage = one.before.storage.model_copy(update={"device_chain": chain})
    facts = {
        "mount_source": f"/dev/loop{loop}",
        "details": {"meta-data": f"/dev/loop{loop} isize=512", "data": "bsize=4096"},
    }
    turns = [
        turn.model_copy(update={"facts": turn.facts.model_copy(update=facts)}) for turn in one.turns
    ]
    before = with_machine(one.before, storage=storage)
    return Side(one.label, one.study, turns, one.runs, before, one.after)


def test_one_command_twice_in_memory_is_the_same_machine_without_differences() -> None:
    first = in_memory(side(), "0123456789ab", 0)
    second = in_memory(side(), "ba9876543210", 1)
    assert not unlike_machines(first, second)
    assert listed_differences(first, second) == []


def test_a_name_that_is_no_fact_gets_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        require_alike(side(), side(), ["govenor"])
    assert 'did you mean "governor"?' in caught.value.details
    assert "governor" in must_be_equal(side())


def test_quantities_differ_in_the_words_of_the_study_s_file() -> None:
    """workload.duration was 30000000000 / 10000000000."""
    units = ("30 s", "10 s")
    first, second = (
        replace(
            asking(side(), "workload", duration=int(text.split()[0]) * 10**9),
            study_toml=f'[workload]\nduration = "{text}"\n',
        )
        for text in units
    )
    with pytest.raises(InputError) as refused:
        require_alike(first, second, [])
    assert refused.value.details == ("workload.duration: 30 s / 10 s",)
    (accepted,) = require_alike(first, second, ["workload.duration"])
    assert (accepted.a, accepted.b) == units
    # A folder without that file, or with a damaged one, has the raw number.
    (raw,) = require_alike(first, replace(second, study_toml="["), ["workload.duration"])
    assert (raw.a, raw.b) == ("30 s", "10000000000")
