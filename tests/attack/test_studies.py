"""Study files of somebody else: whatever they hold, a study or a sentence with its place.

The fuzzers take shipped studies apart, and make TOML of the keys that there are. Their budget is
seconds; FSGAUGE_FUZZ_EXAMPLES=20000 lets them look for longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.cli.plan_lines import brief_lines, method_lines
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan, with_seed
from fsgauge.rig.host.tunables import check_tunables
from fsgauge.study.dump import dump_study
from fsgauge.study.keys import all_dotted
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study
from fsgauge.study.shipped import find_study, shipped_studies
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import check_options
from tests.attack.budget import budget
from tests.attack.hostile_options import MKFS, MOUNT, SAMBA, TUNABLES

fuzzed = budget(120)
SHIPPED = {name: find_study(name)[1] for name in shipped_studies()}
HEAD = 'format = 1\nquestion = "?"\n'
BODY = (
    '[storage]\nkind = "loop"\nsize = "1 GiB"\n[[system]]\nname = "ext4"\n'
    '[workload]\nkind = "overhead"\n'
)
HOSTILE = {
    "nothing": "",
    "a byte of zero": HEAD + "\0" + BODY,
    "no TOML at all": "#!/bin/sh\nrm -rf /\n",
    "an open string": HEAD + 'name = "' + BODY,
    "a mark of byte order": "\ufeff" + HEAD + BODY,
    "text from right to left": HEAD.replace("?", "\u202e?") + BODY,
    "half of a pair": HEAD + 'name = "\\ud800"\n' + BODY,
    "a code point that is none": HEAD + 'name = "\\UFFFFFFFF"\n' + BODY,
    "an escape of a terminal": HEAD + 'name = "\\u001b[2J"\n' + BODY,
    "deep lists": HEAD + "name = " + "[" * 5000 + "]" * 5000 + "\n" + BODY,
    "deep tables": HEAD + "[" + "a." * 3000 + "a]\n" + BODY,
    "deep inline tables": HEAD + "name = " + "{a=" * 2000 + "1" + "}" * 2000 + "\n" + BODY,
    "a long key": HEAD + "k" * 200_000 + " = 1\n" + BODY,
    "a long value": HEAD + f'name = "{"x" * 500_000}"\n' + BODY,
    "many systems": HEAD + BODY + '[[system]]\nname = "x"\nkind = "ext4"\n' * 400,
    "a key twice": HEAD + HEAD + BODY,
    "a table twice": HEAD + BODY + BODY,
    "a table over a value": HEAD + BODY + "[format.x]\ny = 1\n",
    "a number without end": HEAD + BODY + "duration = " + "9" * 5000 + "\n",
    "a hexadecimal number without end": HEAD + BODY + "rate = 0x" + "f" * 5000 + "\n",
    "such a number in a list": HEAD + BODY + "patterns = [0x" + "f" * 5000 + "]\n",
    "a quantity of 400 digits": HEAD + BODY + "duration = " + "9" * 400 + "\n",
    "infinity": HEAD + BODY + "rate = inf\n",
    "not a number": HEAD + BODY + "rate = nan\n",
    "less than nothing": HEAD + BODY + 'duration = "-1 s"\n',
    "a huge quantity": HEAD + BODY + f'duration = "{"9" * 400} d"\n',
    "a quantity of powers": HEAD + BODY + 'duration = "1e999 s"\n',
    "a date": HEAD + BODY + "duration = 1979-05-27T07:32:00Z\n",
    "a path with a zero": HEAD + BODY.replace('"1 GiB"', '"1 GiB"\ndirectory = "/a\\u0000b"'),
    "a folder above": HEAD + BODY.replace('"1 GiB"', '"1 GiB"\ndirectory = "../../etc"'),
    "a device that is a file": HEAD + BODY.replace('"loop"', '"device"\ndevice = "/etc/passwd"'),
    "a kind with a path": HEAD + BODY.replace('"ext4"', '"x"\nkind = "../../evil"'),
    "a kind with dots": HEAD + BODY.replace('"ext4"', '"x"\nkind = "os.path"'),
    "a kind that is a module": HEAD + BODY.replace('"ext4"', '"x"\nkind = "support"'),
    "a command in a name": HEAD + BODY.replace('"ext4"', '"$(id)`id`;id"'),
    "markup in a name": HEAD + BODY.replace('"ext4"', '"<script>alert(1)</script>"\nkind = "xfs"'),
    "a form in a name": HEAD + BODY.replace('"ext4"', '"{x!r:>99999999}%s%n"\nkind = "xfs"'),
    "an address with a password": HEAD + BODY + 'target = "smb://a:secret@h/s"\n',
    "a format of tomorrow": HEAD.replace("1", "2") + BODY,
    "true for a number": HEAD.replace("1", "true") + BODY,
}


def judged(text: str) -> Study | None:
    """The study, or None where it was refused as it should be: with a place, and exit code 2."""
    try:
        study = parse_study(text, "hostile.toml", "hostile")
    except InputError as error:
        located = error.location is not None and error.location.path == "hostile.toml"
        assert located or "in hostile.toml" in error.details, error.render()
        assert error.exit_code == 2
        if error.location is not None:
            assert error.location.line >= 1 and error.location.column >= 1
        return None
    return study


def harmless(study: Study) -> None:
    """What is accepted can be written down, and names no other device in an option."""
    dump_study(study)
    for system in study.systems:
        try:
            kind = find_kind(system.kind)
            check_tunables(system)
            if isinstance(kind, FileSystem):
                check_options(kind, system.mkfs, system.mount, system.name)
        except FsgaugeError as error:
            assert error.exit_code == 2
            continue
        for text in (system.mkfs, system.mount, *system.tunables.values()):
            assert "/" not in text or not isinstance(kind, FileSystem), text
        for text in system.server.values():
            assert "/" not in text and "%" not in text, text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_study_is_one_or_is_refused(name: str) -> None:
    study = judged(HOSTILE[name])
    if study is not None:
        harmless(study)


def _with_system(**values: str) -> str:
    lines = "".join(f"{key} = '{value}'\n" for key, value in values.items())
    return HEAD + BODY.replace('name = "ext4"\n', 'name = "s"\n' + lines)


@pytest.mark.parametrize("kind", sorted(MKFS.keys() | MOUNT.keys()))
def test_a_hostile_option_passes_no_check(kind: str) -> None:
    """Parsed or not: it never reaches the tool."""
    found = find_kind(kind)
    assert isinstance(found, FileSystem)
    tried = [("mkfs", text) for text in MKFS.get(kind, [])]
    tried += [("mount", text) for text in MOUNT.get(kind, [])]
    for key, text in tried:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        study = judged(
            _with_system(kind=kind).replace(f"'{kind}'\n", f"'{kind}'\n{key} = \"{quoted}\"\n")
        )
        if study is None:
            continue
        (system,) = study.systems
        try:
            check_options(found, system.mkfs, system.mount, system.name)
        except InputError:
            continue
        pytest.fail(f"{key} = {text!r} of {kind} passed")


def _cut(text: str, places: list[int], pieces: list[str]) -> str:
    """Pieces put at places, over what was there or between."""
    for place, piece in zip(places, pieces, strict=False):
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + (place // 7) % 5 :]
    return text


def _lines(text: str, places: list[int], pieces: list[str]) -> str:
    """Lines left out, doubled, swapped, and values replaced."""
    lines = text.splitlines()
    for number, place in enumerate(places):
        at = place % max(len(lines), 1)
        if not lines:
            break
        if place % 4 == 0:
            del lines[at]
        elif place % 4 == 1:
            lines.insert(at, lines[place // 4 % len(lines)])
        elif "=" in lines[at]:
            lines[at] = lines[at].partition("=")[0] + "= " + pieces[number % len(pieces)]
    return "\n".join(lines)


hostile_words = st.sampled_from(
    [
        *(text for texts in MKFS.values() for text in texts),
        *(text for texts in MOUNT.values() for text in texts),
        *(word for pair in (*TUNABLES, *SAMBA) for word in pair),
    ]
)
values = st.one_of(
    st.sampled_from(["[]", "{}", "-1", "0", "1e400", "nan", "true", '""', "[[]]", "{a.b=1}", "'"]),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=12).map(repr),
    hostile_words.map(lambda word: "'" + word.replace("'", "") + "'"),
    hostile_words.map(lambda word: f'["{word}", 1]'),
)
pieces = st.lists(
    values | st.text(max_size=4) | st.sampled_from(list("[]{}=\"'\n#.,\\\0\r\ufeff")),
    min_size=1,
    max_size=4,
)
places = st.lists(st.integers(0, 1 << 16), min_size=1, max_size=4)


@pytest.mark.fuzz
@fuzzed
@given(st.sampled_from(sorted(SHIPPED)), st.sampled_from([_cut, _lines]), places, pieces)
def test_a_shipped_study_taken_apart(
    name: str, change: Callable[[str, list[int], list[str]], str], at: list[int], put: list[str]
) -> None:
    study = judged(change(SHIPPED[name], at, put))
    if study is not None:
        harmless(study)


keys = st.sampled_from(sorted({name.rpartition(".")[2] for name in all_dotted()} | {"kind", "x.y"}))
headers = st.sampled_from(
    [
        "[storage]",
        "[[system]]",
        "[workload]",
        "[plan]",
        "[workload.disk]",
        "[system]",
        "[x]",
        "[[a.b]]",
    ]
)
kinds = st.sampled_from(
    [
        *("loop", "ram", "device", "path", "share", "raw", "ext4", "xfs", "mounted"),
        *("overhead", "writers", "connections", "aging", "churn"),
    ]
)
lines_of_toml = st.one_of(
    headers,
    st.builds("{} = {}".format, keys, values),
    st.builds('kind = "{}"'.format, kinds),
    st.builds("tunables = {{ '{}' = '{}' }}".format, hostile_words, hostile_words),
    st.builds("server = {{ '{}' = '{}' }}".format, hostile_words, hostile_words),
)


@pytest.mark.fuzz
@fuzzed
@given(st.lists(lines_of_toml, max_size=20), st.booleans())
def test_a_study_made_of_its_keys(lines: list[str], begun: bool) -> None:
    study = judged((HEAD + BODY if begun else "") + "\n".join(lines))
    if study is not None:
        harmless(study)


SAFE = re.compile(r"[A-Za-z0-9_.,:=^%-]*")
near_options = st.lists(
    st.sampled_from(
        [
            *(piece for texts in MKFS.values() for text in texts for piece in text.split(" ")),
            *(
                "-b",
                "4096",
                "-E",
                "stride=4",
                "-O",
                "^extent",
                "-d",
                "agcount=8",
                "--data",
                "single",
            ),
            *("noatime", "compress=zstd", "barrier=0", "-K", "'", '"', "\\", "/dev/sda", "LABEL=x"),
        ]
    )
    | st.text(max_size=6),
    max_size=5,
)


@pytest.mark.fuzz
@fuzzed
@given(
    st.sampled_from(sorted(MKFS)), near_options, near_options, st.sampled_from(["", " ", ",", "="])
)
def test_options_that_pass_are_words(
    name: str, mkfs: list[str], mount: list[str], between: str
) -> None:
    """Whatever is accepted consists of letters, digits and a few marks, in every word."""
    kind = find_kind(name)
    assert isinstance(kind, FileSystem)
    for one, two in ((f"{between or ' '}".join(mkfs), ""), ("", f"{between or ','}".join(mount))):
        try:
            check_options(kind, one, two, "s")
        except InputError:
            continue
        for word in (one + " " + two).replace("'", "").replace('"', "").replace("\\", "").split():
            assert SAFE.fullmatch(word), word


def test_the_studies_that_are_shipped_pass() -> None:
    """The lists must not be so strict that a study of our own is refused."""
    for name, text in SHIPPED.items():
        study = parse_study(text, name, name)
        for system in study.systems:
            kind = find_kind(system.kind)
            check_tunables(system)
            if isinstance(kind, FileSystem):
                check_options(kind, system.mkfs, system.mount, system.name)


PROGRAM = """
[workload]
kind = "command"
name = "git clone"
program = ["sh", "-c", "touch /stolen\\ndestroyed nothing"]
prepare = ["touch /prepared\\nequal     caches"]
finish = ["touch /finished"]
"""


def test_a_study_that_runs_programs_is_told_as_one() -> None:
    """Its name was told, and not what it starts; nor can a line of it be taken for the plan's."""
    study = parse_study(HEAD + BODY.partition("[workload]")[0] + PROGRAM, "evil.toml", "evil")
    plan = make_plan(with_seed(study, 1), size_bytes=1 << 30)
    found = describe(plan, study, size_bytes=1 << 30)
    brief = "\n".join(brief_lines(found, "", None))
    assert "(starts: sh -c 'touch /stolen; 4 more lines: --verbose)" in brief
    whole = "\n".join(method_lines(found))
    for word in ("touch /stolen", "touch /prepared", "touch /finished"):
        assert word in whole
    assert "\ndestroyed nothing" not in whole and "\nequal     caches\n" not in whole
