"""Text from outside: what acts on a terminal or deceives a reader is seen for what it is."""

from __future__ import annotations

import pytest

from fsgauge.errors import RigError, escaped, escaped_below
from fsgauge.report.theme import template

ACTING = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\udc80\ud800",
]


@pytest.mark.parametrize("letter", ACTING, ids=lambda letter: f"U+{ord(letter):04X}")
def test_what_acts_is_escaped_and_the_rest_stays(letter: str) -> None:
    shown = escaped(f"käse{letter}日本 a b")
    assert shown.isprintable() and shown.startswith("käse\\") and shown.endswith("日本 a b")
    shown.encode("utf-8")


def test_lines_are_kept_where_they_are_ours() -> None:
    assert escaped("one\ntwo\x1b") == "one\\ntwo\\x1b"
    assert escaped("one\ntwo\x1b", "\n") == "one\ntwo\\x1b"


def test_below_lists_and_tables() -> None:
    found = escaped_below({"a\x1b": ["\u202e", 1, None, {"b": "fine"}]})
    assert found == {"a\\x1b": ["\\u202e", 1, None, {"b": "fine"}]}


def test_a_name_in_an_error_begins_no_line_of_its_own() -> None:
    error = RigError(
        "no \x1b[2J file x\nnext: rm -rf /", details=("\u202ed",), cause="c\r", next="n\n"
    )
    lines = error.render().split("\n")
    assert [line.partition(":")[0] for line in lines] == ["error", "  \\u202ed", "cause", "next"]
    assert all(line.isprintable() for line in lines)


def test_a_page_shows_what_it_is_given() -> None:
    made = template("page.html.j2").environment.from_string("{{ a }}{{ b }}")
    assert made.render(a="x\x1b\u202e<", b="\n\t") == "x\\x1b\\u202e&lt;\n\t"


def test_an_error_without_a_next_command_has_that_of_its_kind() -> None:
    class Lost(RigError):
        usual_next = "fsgauge doctor"

    assert Lost("x").render().endswith("next: fsgauge doctor")
    assert Lost("x", next="make setup").next == "make setup"
    assert RigError("x").next == ""
