"""Labels of systems: what differs is kept, every label is there once."""

from __future__ import annotations

from fsgauge.report.labels import LONGEST, in_two_lines, labels_of, shared_end, shortened
from fsgauge.report.theme import looks


def options(count: int) -> list[str]:
    return [f"ext4 (noatime, data=ordered, commit={seconds})" for seconds in range(1, count + 1)]


def test_few_short_names_stay() -> None:
    names = ["raw", "ext4", "xfs (noatime)", "a=b"]
    assert labels_of(names) == {name: name for name in names}


def test_thirty_sets_of_options_are_named_by_what_differs() -> None:
    names = ["ext4", *options(29)]
    labels = labels_of(names)
    assert labels["ext4"] == "ext4"
    assert labels[names[1]].endswith("commit=1") and len(labels[names[1]]) <= LONGEST
    assert len(set(labels.values())) == 30

    same = labels_of(options(30))
    assert list(same.values())[:2] == ["commit=1", "commit=2"]


def test_families_keep_their_name_where_there_are_several() -> None:
    names = [*options(5), *(name.replace("ext4", "xfs") for name in options(5)), "raw"]
    labels = labels_of(names)
    assert labels[names[0]] == "ext4 commit=1" and labels[names[5]] == "xfs commit=1"
    assert labels["raw"] == "raw"


def test_an_option_and_its_value_are_one_word() -> None:
    """The page had "ext4 -b, 1024", as if 1024 were an option."""
    names = [f"ext4 -b {size} -O {feature}" for size in (1024, 4096) for feature in ("^dir", "dir")]
    labels = labels_of([*names, *(f"xfs -K -b size={size}" for size in range(4))])
    assert labels[names[0]] == "ext4 -b 1024, -O ^dir"
    assert labels["xfs -K -b size=3"] == "xfs -b size=3"


def test_paths_are_named_by_their_ends() -> None:
    paths = ["/var/tmp/fsgauge-bench-0a1b2c/first/fs", "/var/tmp/fsgauge-bench-0a1b2c/second/fs"]
    assert list(labels_of(paths).values()) == ["first/fs", "second/fs"]


def test_what_would_be_the_same_label_is_the_whole_name() -> None:
    long = "a name that is the same at its begin and its end, not in the {} middle of it all"
    names = [long.format(which) for which in ("first", "other")]
    assert len(set(labels_of(names).values())) == 2


def test_the_middle_is_left_out() -> None:
    text = "/home/someone/results/overhead-2026-11-23-002758"
    short = shortened(text, 24)
    assert len(short) <= 24 and short.startswith("/home/") and short.endswith("23-002758")
    assert shortened("short") == "short" and len(shortened(text)) <= LONGEST


def test_forty_systems_have_a_mark_each() -> None:
    names = [f"system {number}" for number in range(41)]
    found = looks(names, names[0])
    assert len({(each.colour, each.shape) for each in found.values()}) == 41
    assert len({found[name].colour for name in names[1:8]}) == 7


def test_what_names_end_with_is_shared_after_a_comma_alone() -> None:
    assert shared_end(["a, 64 KiB, fast", "b, 64 KiB, fast", "b, 64 KiB, fast"]) == "64 KiB, fast"
    assert shared_end(["a, 4 KiB", "b, 64 KiB"]) == ""
    assert shared_end(["fast", "a, fast"]) == "", "a name is never left empty"
    assert shared_end(["a, fast"]) == "", "one name has no other to share with"


def test_a_name_that_is_too_wide_goes_on_in_a_second_line() -> None:
    """Small panels were called "Create, rand… files"."""
    name = "Create, random order, 1024 files"
    assert in_two_lines(name, 40) == [name]
    assert in_two_lines(name, 20) == ["Create, random", "order, 1024 files"]
    assert in_two_lines(name, 14) == ["Create, random", shortened("order, 1024 files", 14)]
    assert in_two_lines("a" * 30, 14) == [shortened("a" * 30, 14)]
