"""What [storage] of a model and settings of a system refuse: its place, and what helps."""

from __future__ import annotations

import pytest

from fsgauge.devices import device_named, device_names
from fsgauge.errors import InputError
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.storage import SimulatedStorage

FILE = """\
format = 1
question = "What does a window cost?"
[storage]
kind = "simulated"
size = "1 GiB"
model = "disk-2012"
parameters = { window = 16 }
[[system]]
name = "a"
kind = "ldiskfs"
settings = { prealloc_table = "256" }
[workload]
kind = "churn"
"""


@pytest.mark.parametrize(
    ("before", "after", "what", "place", "hint"),
    [
        ("window = 16", "windo = 16", 'no parameter "windo"', (7, 24), '"window"'),
        ("disk-2012", "disk-2013", 'model: "disk-2013" is not known', (6, 9), '"disk-2012"'),
    ],
)
def test_a_device_that_no_model_has_is_named_where_it_stands(
    before: str, after: str, what: str, place: tuple[int, int], hint: str
) -> None:
    """Both were refused without file, line or column, and `--without a` was the advice."""
    with pytest.raises(InputError, match=what) as refused:
        parse_study(FILE.replace(before, after, 1), "mine.toml", "mine")
    found = refused.value.location
    assert found is not None
    assert (found.path, found.line, found.column) == ("mine.toml", *place)
    assert hint in found.hint
    assert refused.value.next in ("fsgauge explain disk-2012", "fsgauge explain storage.model")


@pytest.mark.parametrize("kind", ["simulated", "loop", "ram"])
def test_a_bare_size_is_answered_with_one_that_is_allowed(kind: str) -> None:
    """ "10 B" and "10 KiB" were proposed, and storage has at least 16 MiB."""
    with pytest.raises(InputError, match='size: "10" has no unit') as refused:
        load_study("churn", [], [], f"{kind}:10", 1)
    assert refused.value.location is not None
    assert refused.value.location.hint == 'did you mean "10 GiB"?'
    assert load_study("churn", [], [], f"{kind}:10g", 1).storage.size == 10 << 30


def test_a_study_takes_every_model() -> None:
    for model in device_names():
        end = '"\ntimes = "longest"' if device_named(model).has_range else '"'
        studied = parse_study(FILE.replace('disk-2012"', f"{model}{end}"), "mine.toml", "mine")
        assert isinstance(studied.storage, SimulatedStorage)
        assert studied.storage.model == model


def test_a_stripe_larger_than_a_device_is_refused() -> None:
    """It was accepted: with stripes of 1 GiB on 32 MiB, all of a small file lay on one device. One
    as large as the device was accepted for longer: no file system has so much free."""
    size = 'size = "64 MiB"\ndevices = 2\nstripe_size = '
    text = FILE.replace('size = "1 GiB"', f'{size}"1 GiB"')
    with pytest.raises(InputError, match="a stripe of 1 GiB leaves no room on a device") as refused:
        parse_study(text, "mine.toml", "mine")
    assert refused.value.location is not None
    assert (refused.value.location.line, refused.value.location.column) == (7, 15)
    assert "each of 2 has 32 MiB" in refused.value.what
    with pytest.raises(InputError, match="a stripe of 32 MiB leaves no room on a device"):
        parse_study(FILE.replace('size = "1 GiB"', f'{size}"32 MiB"'), "mine.toml", "mine")
    parse_study(FILE.replace('size = "1 GiB"', f'{size}"16 MiB"'), "mine.toml", "mine")


@pytest.mark.parametrize(
    ("kind", "what", "model"),
    [
        ("ext4", '"ext4" is a file system that is mounted', "ext4-6.18"),
        ("xfs", '"xfs" is a file system that is mounted', "xfs-6.18"),
        ("ext9", 'no model is called "ext9"', "ext4-6.18"),
        ("ldisk", 'no model is called "ldisk"', "ldiskfs"),
    ],
)
def test_settings_of_a_kind_without_a_model_name_the_model(
    kind: str, what: str, model: str
) -> None:
    """Whatever the kind was, "ext4-6.18" was proposed."""
    with pytest.raises(InputError, match=what) as refused:
        parse_study(FILE.replace('"ldiskfs"', f'"{kind}"'), "mine.toml", "mine")
    found = refused.value.location
    assert found is not None
    assert (found.line, found.column) == (10, 8)
    assert refused.value.next.startswith(f'kind = "{model}"')


def test_a_parameter_of_a_model_is_set_on_the_command_line() -> None:
    """`fsgauge explain disk-2012` named storage.parameters, and --set had no such key."""
    simulated = load_study(
        "aging", ["storage.parameters.window=16"], [], "simulated:1GiB", 1
    ).storage.model_dump()
    assert simulated["parameters"] == {"window": 16.0}
    for override, what in [
        ("storage.parameters.windo=16", 'no parameter "windo"'),
        ("storage.parameters.window=many", "window must be a number"),
        ("storage.parameters.=1", "unknown key"),
        ("workload.levels.first=1", "unknown key"),
    ]:
        with pytest.raises(InputError, match=what) as refused:
            load_study("aging", [override], [], "simulated:1GiB", 1)
        assert refused.value.location is not None
