"""Every place that the locator names holds what a TOML reader finds under that path."""

import tomllib

import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from fsgauge.study.locate import locate, repeated_key
from fsgauge.study.shipped import shipped_studies, template

WRITTEN = """\
# comment with "quotes" and [brackets]
top = "a # b"
a.b."c d" = 1  # dotted
text = \"\"\"
two "" lines \\\" = [
\"\"\"\"
literal = '''x'''
'quoted key' = 'C:\\'
date = 1979-05-27 07:32:00
[table]
list = [ # comment
  1, [2, 3], { x = 1, y.z = [4] },
]
[table.inner]
key = true
[[system]]
name = "one"
[system.tunables]
k = "v"
[[system]]
name = "two"
[[system.deep]]
n = 1
[[system.deep]]
n = 2
"""


def entries(value, path=()):
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        items = []
    for step, entry in items:
        yield (*path, step), entry
        yield from entries(entry, (*path, step))


def assert_places(text):
    found = locate(text)
    expected = dict(entries(tomllib.loads(text)))
    assert set(found) == set(expected)
    for path, spans in found.items():
        start, end = spans.value
        if spans.key != spans.value:
            assert tomllib.loads(f"x = {text[start:end]}")["x"] == leaf(
                expected, path, text[start:end]
            )
        if isinstance(path[-1], str):
            name = text[spans.key[0] : spans.key[1]]
            assert tomllib.loads(f"{name} = 0") == {path[-1]: 0}


def leaf(expected, path, written):
    """A dotted key's value belongs to its last part: a.b = 1 also makes the table a."""
    value = expected[path]
    while isinstance(value, dict) and not written.startswith("{"):
        value = next(iter(value.values()))
    return value


def test_all_forms():
    assert_places(WRITTEN)
    assert_places(WRITTEN.replace("\n", "\r\n"))


def test_the_shipped_studies():
    from fsgauge.study.shipped import find_study

    for name in shipped_studies():
        assert_places(find_study(name)[1])
    assert_places(template())


keys = st.text(min_size=1, max_size=6)
scalars = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.text(max_size=12))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(keys, values, max_size=5))
def test_any_document(data):
    assert_places(tomlkit.dumps(data))


def test_repetition():
    text = "[a]\nx = 1\n[b]\ny = 1\ny = 2\n"
    start, end = repeated_key(text)
    assert text[start:end] == "y"
    assert text[:start].count("\n") == 4
    assert repeated_key("[a.b]\n[a]\n[[c]]\n[[c]]\n") is None
    assert repeated_key('x = "unfinished') is None
