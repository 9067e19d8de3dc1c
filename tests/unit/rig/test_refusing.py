"""All that is refused is said at once, and as a refusal: nothing was touched."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError, RefusedError, RigError
from fsgauge.rig.refusing import alike, require_none


def test_nothing_is_raised_where_nothing_is_refused() -> None:
    require_none([])


def test_every_reason_is_there_with_what_helps() -> None:
    first = RefusedError("sdb holds data", details=("sdb1",), next="lsblk")
    others = [InputError("too small", next="--set storage.size=1GiB"), RigError("no mkfs.xfs")]
    with pytest.raises(RefusedError) as raised:
        require_none([first, *others])
    assert raised.value.details == (
        "sdb1",
        "also: too small (next: --set storage.size=1GiB)",
        "also: no mkfs.xfs",
    )


def test_wrong_input_comes_first_and_decides_the_code() -> None:
    with pytest.raises(InputError) as raised:
        require_none([RigError("the engine ended", details=("a line",)), InputError("no folder")])
    assert raised.value.what == "no folder" and raised.value.exit_code == 2
    assert raised.value.details == ("also: the engine ended", "a line")


def test_a_tool_that_failed_alone_is_no_wrong_input() -> None:
    with pytest.raises(RigError):
        require_none([RigError("the engine ended")])


def together(**why: str) -> list[tuple[str, str]]:
    """Names of systems that are refused alike, and why."""
    return [(" ".join(names), said) for said, names in alike((n, n, w) for n, w in why.items())]


def test_those_that_are_refused_alike_are_together() -> None:
    words = 'mkfs.xfs refused the options of the system "{}": -l size=256m'
    assert together(**{name: words.format(name) for name in ("xfs", "lazytime")}) == [
        ("xfs lazytime", "mkfs.xfs refused its options: -l size=256m")
    ]
    found = together(a='"a" is not here', b='"b" is not here', c="another reason")
    assert found == [("a b", "the system is not here"), ("c", "another reason")]


@pytest.mark.parametrize(
    ("place", "other", "said"),
    [
        ("mkfs -I 1 /dev/loop0", "mkfs -I 1 /dev/loop12", "mkfs -I 1 DEVICE"),
        ("XFS (loop0): no", "XFS (loop3): no", "XFS (DEVICE): no"),
        (
            "/x/fsgauge-0123456789ab-trial/image: no",
            "/x/fsgauge-ba9876543210-trial/image: no",
            "/x/fsgauge-*-trial/image: no",
        ),
    ],
)
def test_what_they_were_tried_on_is_no_difference(place: str, other: str, said: str) -> None:
    assert together(a=place, b=other) == [("a b", said)]


def test_options_next_to_the_one_that_is_refused_are_no_difference() -> None:
    """ "-m reflink=0 -l size=256m" had a line of its own below "-l size=256m"."""
    words = 'mkfs refused the options of the system "{}": {}; mkfs -f {} /dev/loop1; log too big'
    both = {"a": "-l size=256m", "b": "-m reflink=0 -l size=256m"}
    assert together(**{name: words.format(name, each, each) for name, each in both.items()}) == [
        ("a b", "mkfs refused its options: -l size=256m; mkfs -f -l size=256m DEVICE; log too big")
    ]
    other = words.replace("log too big", "unknown option")
    found = {"a": words.format("a", "-l", "-l"), "b": other.format("b", "-l", "-l")}
    assert [names for names, _ in together(**found)] == ["a", "b"]


def test_a_tunable_that_is_refused_is_said_once() -> None:
    """ "ext4 (system the system): ..." was printed."""
    why = 'the kernel refused "5" for /sys/x (system "a"): no such value'
    assert together(a=why) == [("a", 'the kernel refused "5" for /sys/x: no such value')]


def test_what_is_of_no_system_stays_as_it_is() -> None:
    found = [(1, "", "/dev/loop0 is in use"), (2, "", "/dev/loop1 is in use")]
    assert [said for said, _ in alike(found)] == ["/dev/loop0 is in use", "/dev/loop1 is in use"]
