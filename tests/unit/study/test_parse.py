"""Mistakes in a study file: the message, the place and the way out, as a person reads them."""

import random

import pytest

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.shipped import template

STUDY = """\
format = 1
question = "Does noatime matter?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[[system]]
name = "ext4, noatime"
kind = "ext4"
mount = "noatime"

[workload]
patterns = ["randread"]
queue_depths = [1, 32]

[plan]
blocks = 6
"""


def read(old="", new=""):
    assert old in STUDY
    return parse_study(STUDY.replace(old, new, 1) if old else STUDY, "my.toml", "my")


def mistake(old, new):
    with pytest.raises(InputError) as refusal:
        read(old, new)
    return refusal.value.render()


def test_a_study():
    study = read()
    assert study.name == "my"
    assert [system.kind for system in study.systems] == ["ext4", "ext4"]
    assert study.workload.duration == 10**10
    assert study.plan.blocks == 6


def test_an_unknown_key_as_the_design_shows_it():
    assert mistake("queue_depths =", "blocksizes = ") == (
        'error: unknown key "blocksizes"\n'
        "  my.toml:17:1 | blocksizes =  [1, 32]\n"
        '               | ^^^^^^^^^^ did you mean "block_sizes"?\n'
        "next: fsgauge explain workload.block_sizes"
    )


def test_a_conflict_shows_both_lines():
    assert mistake('["randread"]', '["randread"]\ninterface = "psync"') == (
        "error: interface psync does one operation at a time, and a queue depth is 32\n"
        '  my.toml:17:13 | interface = "psync"\n'
        "                |             ^^^^^^^\n"
        "  my.toml:18:20 | queue_depths = [1, 32]\n"
        "                |                    ^^\n"
        'next: interface = "auto", or queue_depths = [1] with more jobs'
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("blocks = 6", 'blocks = 6\nmount = "x"', "it belongs in [[system]]"),
        ("blocks = 6", 'blocks = 6\nbudget = "2h 5"', "write a number and a unit"),
        ("blocks = 6", "blocks = 1", "blocks must be at least 2"),
        ("blocks = 6", "blocks = true", "blocks must be a whole number, not true or false"),
        ("blocks = 6", 'blocks = "6"', "blocks must be a whole number, not text"),
        ("blocks = 6", "blocks = 6.0", "blocks must be a whole number, not 6.0"),
        ("blocks = 6", 'blocks = 6\nprimary = ["randred 4 KiB, depth 1"]', "did you mean"),
        ("blocks = 6", "blocks = 6\nequivalence_percent = 3", 'did you mean "3 %"?'),
        ("blocks = 6", 'blocks = 6\nequivalence_percent = "60 %"', "must be at most 50 %"),
        ('kind = "loop"', 'kind = "lop"', 'did you mean "loop"?'),
        ('kind = "loop"', "", '[storage] has no key "kind"'),
        ('kind = "loop"', 'kind = "ram"\ndirectory = "/x"', 'only storage of kind "loop" has it'),
        ('kind = "loop"', 'kind = "loop"\nsize = "8 MiB"', "size must be at least 16 MiB"),
        ('kind = "loop"', 'kind = "loop"\nsize = "8gb"', 'did you mean "8 GiB" or "8 GB"?'),
        ('kind = "loop"', 'kind = "loop"\ndirectory = "tmp"', "the path must begin with /"),
        ('kind = "loop"', 'kind = "device"', '[storage] has no key "device"'),
        (
            'kind = "loop"',
            'kind = "path"\npath = "/x"',
            "needs a device of its own, and the storage is a folder: /x",
        ),
        ('kind = "ext4"', "", "has no kind"),
        ('kind = "ext4"', 'kind = "Ext 4"', "is not a kind of system"),
        ('kind = "ext4"', 'kind = "raw"', "mount would be ignored: raw is the bare device"),
        ('kind = "ext4"', 'kind = "ext4"\npath = "/x"', "path would be ignored"),
        ('mount = "noatime"', 'kind = "mounted"', '"kind" is given twice'),
        ('name = "ext4, noatime"', 'name = "ext4"', 'two systems are called "ext4"'),
        ('name = "ext4, noatime"', 'name = " "', "it is empty"),
        ('name = "ext4, noatime"', 'name = "a\\nb"', "cannot be printed"),
        ("format = 1", "format = 2", "this file's format is 2, and this fsgauge reads format 1"),
        ("format = 1", "", '"my.toml" has no key "format"'),
        ("question", "qestion", 'did you mean "question"?'),
        ("[workload]", "[worklod]", 'did you mean "workload"?'),
        ("[[system]]", "[system]", '"system" is given twice'),
        ("[plan]", "[plan]\n[plan]", '"plan" is given twice'),
        ('["randread"]', '["randreed"]', 'did you mean "randread"?'),
        ('["randread"]', "[]", "patterns must have at least 1 entry, not 0"),
        ('["randread"]', '"randread"', 'write ["randread"]'),
        ("[1, 32]", "[1, 32, 1]", "the same value is given twice"),
        ("[1, 32]", "[1, 0.5]", "each of queue_depths must be a whole number, not 0.5"),
        ("[1, 32]", "[1, 0]", "each of queue_depths must be at least 1"),
        ("[1, 32]", "[1]\nduration = 10", 'did you mean "10 ms" or "10 s"?'),
        ("[1, 32]", "[1]\nduration = 10 s", 'in quotes: duration = "10 s"'),
        ("[1, 32]", '[1]\nduration = "0 s"', "duration must be at least 10 ms"),
        (
            "[1, 32]",
            '[1]\nread_percent = "70 %"',
            "read_percent would be ignored: no pattern is mixed",
        ),
        ("[1, 32]", "[1]\nzipf_theta = 1.1", 'the distribution is not "zipf"'),
        ("[1, 32]", '[1]\ndistribution = "zipf"\nzipf_theta = 0.0', "must be more than 0"),
        ("[1, 32]", '[1]\narrival = "constant"', "arrival would be ignored: there is no rate"),
        ("[1, 32]", '[1]\nblock_sizes = ["100 B"]', "direct I/O moves whole sectors of 512 B"),
        ("Does noatime matter?", "x" * 301, "must have at most 300 characters, not 301"),
        ("[1, 32]", '[1]\nblock_sizes = ["2 GiB"]', "must be at most 1 GiB"),
        ("[1, 32]", "[1]\njobs = [" + ", ".join(map(str, range(1, 102))) + "]", "at most 100"),
        (
            'patterns = ["randread"]',
            'patterns = ["read"]\ndistribution = "zipf"',
            "distribution would be ignored: no pattern is random",
        ),
        (
            'patterns = ["randread"]',
            'patterns = ["randrw"]\nread_percent = "100 %"',
            'write the pattern "randread" instead',
        ),
        (
            'patterns = ["randread"]',
            'patterns = ["rw"]\nread_percent = "0 %"',
            'write the pattern "write" instead',
        ),
    ],
)
def test_mistakes(old, new, expected):
    said = mistake(old, new)
    assert expected in said
    assert said.startswith("error: ")
    assert "\nnext: " in said
    assert "my.toml" in said


def test_what_is_unusual_but_right():
    assert read("[1, 32]", '[1]\nblock_sizes = ["100 B"]\ndirect = false').workload.direct is False
    paced = read("[1, 32]", '[1]\nrate = "1 k IOPS"\narrival = "constant"').workload
    assert (paced.rate, paced.arrival) == (1000, "constant")
    hot = read("[1, 32]", '[1]\ndistribution = "zipf"\nzipf_theta = 0.9').workload
    assert hot.zipf_theta == 0.9


def test_a_large_sweep_is_refused():
    sweep = "[" + ", ".join(map(str, range(1, 41))) + "]"
    said = mistake("[1, 32]", f"{sweep}\njobs = {sweep}")
    assert "the sweep has 6400 cells, and 1000 is the limit" in said


def test_several_mistakes_show_the_first():
    said = mistake("[1, 32]", '[1]\nfiles = 0\nfill = "0 %"')
    assert "files must be at least 1" in said
    assert "1 more mistake after this one" in said


def test_a_mistake_in_the_last_line_without_its_end():
    with pytest.raises(InputError) as refusal:
        parse_study(STUDY + 'primary = ["x', "my.toml", "my")
    location = refusal.value.location
    assert location is not None
    assert (location.line, location.text) == (21, 'primary = ["x')


def test_windows_line_ends_and_control_characters_keep_columns():
    with pytest.raises(InputError) as refusal:
        parse_study(STUDY.replace("\n", "\r\n").replace("blocks =", "\tblocs ="), "my.toml", "my")
    location = refusal.value.location
    assert location is not None
    assert (location.line, location.column, location.text) == (20, 2, " blocs = 6")


TOKENS = (
    *"[]{},.#=\"'\n\r\t\\-1",
    "[[", "]]", '"""', "'''", "\\u12", "1e9", "1979-05-27", "true", "nan", "0x", "é", "\x00",
    "\u2028", "4 KiB", "system", "workload", "a.b.c", "storage", "name", "plan", "\x0c",
)  # fmt: skip


def test_damaged_files_are_refused_and_never_crash():
    """1000 studies with a few random edits, and 1000 heaps of fragments; the seed is fixed."""
    chance = random.Random(7)
    base = template()
    refused = 0
    for number in range(2000):
        text = base
        if number % 2:
            text = "".join(chance.choices(TOKENS, k=chance.randrange(60)))
        else:
            for _ in range(chance.randrange(1, 5)):
                start = chance.randrange(len(text) + 1)
                end = start + chance.choice((0, 0, 1, 3, 30))
                text = text[:start] + chance.choice((*TOKENS, "")) + text[end:]
        try:
            parse_study(text, "my.toml", "my")
        except InputError as refusal:
            refused += 1
            said = refusal.render().splitlines()
            assert said[0].startswith("error: ")
            assert said[-1].startswith("next: ")
    assert refused > 1200


def test_a_changed_key_of_the_command_line_may_conflict_with_the_file():
    with pytest.raises(InputError) as refusal:
        load_study("overhead", ["workload.interface=psync"])
    said = refusal.value.render()
    assert "  --set | workload.interface=psync\n        |                    ^^^^^" in said
    assert "overhead.toml:" in said


def test_unicode_is_counted_in_characters(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text(STUDY.replace("blocks = 6", '"é" = 1'), encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        load_study(str(path))
    location = refusal.value.location
    assert location is not None
    assert (location.line, location.column, location.width) == (20, 1, 3)


def test_a_budget_that_is_set_as_advised_counts_before_the_option() -> None:
    """A refusal names --set plan.budget, which is put behind the --budget that was refused."""
    study = load_study("overhead", ["plan.budget=2min"], budget="1min")
    assert study.plan.budget == 120 * 10**9
