"""The effective study reads back to the same study, whatever it is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.study.dump import dump_study
from fsgauge.study.model import (
    DeviceStorage,
    LoopStorage,
    PathStorage,
    PlanSettings,
    RamStorage,
    Study,
    System,
)
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.shipped import shipped_studies

letters = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")
lines = st.text(letters, min_size=1, max_size=30).filter(str.strip)
options = st.text(letters, max_size=30)
sizes = st.integers(16 << 20, 2**63 - 1)
paths = lines.map(lambda text: "/" + text)
durations = st.integers(10**9, 2**62)
percents = st.floats(0.001, 50, allow_nan=False)


def sweep(values, most=4):
    return st.lists(values, min_size=1, max_size=most, unique=True)


def systems_of(system):
    return st.lists(system, min_size=1, max_size=3, unique_by=lambda one: one.name)


storages = st.one_of(
    st.builds(LoopStorage, size=sizes, directory=paths, preallocate=st.booleans()),
    st.builds(RamStorage, size=sizes),
    st.builds(DeviceStorage, device=lines),
)
formatted = st.builds(
    System,
    name=lines,
    kind=st.sampled_from(["ext4", "xfs"]),
    mkfs=options,
    mount=options,
    tunables=st.dictionaries(
        st.from_regex(r"queue/[a-z_]{1,9}|/sys/fs/ext4/\{device\}/[a-z_]{1,9}", fullmatch=True),
        st.from_regex(r"[A-Za-z0-9 _.:,+-]{1,20}", fullmatch=True),
        max_size=3,
    ),
)
mounted = st.builds(System, name=lines, kind=st.just("mounted"), path=st.none() | paths)
workloads = st.fixed_dictionaries(
    {},
    optional={
        "patterns": sweep(
            st.sampled_from(["read", "write", "rw", "randread", "randwrite", "randrw"])
        ),
        "block_sizes": sweep(st.integers(1, 1 << 21).map(lambda sectors: sectors * 512)),
        "queue_depths": sweep(st.integers(1, 32768)),
        "jobs": sweep(st.integers(1, 1024)),
        "read_percent": st.integers(1, 99),
        "distribution": st.sampled_from(["uniform", "zipf"]),
        "zipf_theta": st.floats(0.001, 10, allow_nan=False),
        "interface": st.sampled_from(["auto", "io_uring"]),
        "files": st.integers(1, 10_000),
        "fill": st.integers(1, 100),
        "data": st.sampled_from(["incompressible", "zero"]),
        "rate": st.floats(1000, 1e9, allow_nan=False),
        "arrival": st.sampled_from(["constant", "exponential"]),
        "warm_up": st.integers(0, 2**62),
        "duration": durations,
    },
)
plans = st.builds(
    PlanSettings,
    blocks=st.integers(2, 1000),
    seed=st.none() | st.integers(0, 2**53 - 1),
    budget=st.none() | durations,
    stop_interval=st.none() | percents,
    equivalence_percent=percents,
    noise_percent=st.none() | percents,
)


def effective(values):
    """Keys that have no effect carry their defaults, as in a study that was read from a file."""
    for key in OverheadWorkload(**values).inapplicable():
        values.pop(key, None)
    return OverheadWorkload(**values)


@settings(deadline=None, max_examples=150)
@given(lines, storages, systems_of(formatted), workloads, plans)
def test_round_trip(text, storage, systems, workload, plan):
    round_trip(text, storage, systems, workload, plan)


@settings(deadline=None, max_examples=50)
@given(lines, systems_of(mounted), workloads, plans)
def test_round_trip_of_a_folder(text, systems, workload, plan):
    round_trip(text, PathStorage(path="/mnt", size=1 << 30), systems, workload, plan)


def round_trip(text, storage, systems, workload, plan):
    study = Study(
        format=1,
        name=text,
        question=text,
        storage=storage,
        systems=systems,
        workload=effective(workload),
        plan=plan,
    )
    assert parse_study(dump_study(study), "study.toml", "study") == study


def test_every_key_is_named():
    text = dump_study(load_study("overhead"))
    for model in (LoopStorage, System, OverheadWorkload, PlanSettings):
        for key in model.model_fields:
            assert f"\n{key} = " in text or f"\n# {key}: " in text


def test_why_a_key_is_empty_is_said_once_for_all_systems():
    text = dump_study(load_study("overhead"))
    assert text.count("[[system]]") > 2
    assert text.count("# rig: the kernel of the machine") == 1


def test_a_quantity_is_written_with_the_unit_of_its_type():
    text = dump_study(load_study("aging", ["plan.stop_interval=5%", "workload.levels=['5 %']"]))
    assert '\nstop_interval = "5 %"\n' in text
    assert '\nlevels = ["5 %"]\n' in text
    assert '\nrate_fill = "90 %"\n' in text


def test_shipped_studies_round_trip_through_a_file(tmp_path):
    for name in shipped_studies():
        study = load_study(name, seed=3)
        path = tmp_path / "study.toml"
        path.write_text(dump_study(study), encoding="utf-8")
        assert load_study(str(path)) == study
        assert study.name == name


def test_a_record_reads_back_without_a_complaint_about_defaults():
    study = load_study("overhead", seed=3)
    stored = study.model_dump(mode="json", by_alias=True)
    assert Study.model_validate(stored) == study
