"""The standard streams of a process: closed, full, without a reader, and given names that act."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from fsgauge.programs.streams import json_line

OPENED = "from fsgauge.programs.streams import open_standard_streams; open_standard_streams(); "


def python(code: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    """Python code whose streams the shell's words are for."""
    words = ["sh", "-c", f'exec "$0" -c "$1" {shell}', sys.executable, OPENED + code]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_what_is_printed_acts_on_nothing() -> None:
    code = r"import sys; print('a\x1b[2J\u202eb\nc'); sys.stderr.write('\x9b\udcff\n')"
    done = python(code)
    assert (done.returncode, done.stdout) == (0, "a\\x1b[2J\\u202eb\nc\n")
    assert done.stderr == "\\x9b\\udcff\n"


def test_the_display_moves_the_cursor() -> None:
    done = python(
        r"import sys, fsgauge.programs.streams as s; s.display(sys.stderr).write('\r\x1b[K')"
    )
    assert done.stderr.encode() in (b"\n\x1b[K", b"\r\x1b[K")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_file_gets_no_number_of_a_closed_stream(closed: str) -> None:
    code = (
        "import os, sys; found = os.open('/dev/null', 0); print(1); sys.stderr.write('2');"
        " sys.stdin.read(0); os._exit(found > 2)"
    )
    assert python(code, closed).returncode == 1


def test_a_full_output_raises_and_full_errors_do_not() -> None:
    code = (
        "import sys, fsgauge.programs.streams as s\n"
        "try: print('x', flush=True)\n"
        "except OSError as error: sys.exit(7 if error is s.output_failure() else 8)\n"
    )
    assert python(code, ">/dev/full 2>/dev/null").returncode in (7, 120)
    assert python("import sys; sys.stderr.write('x\\n')", "2>/dev/full").returncode == 0


def test_no_locale_has_too_few_letters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-c", OPENED + "print('\u00e4')"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stdout) == (0, "\\xe4\n")


def test_a_line_of_json_has_no_number_that_json_has_not() -> None:
    """`compare --json` printed Infinity for what no difference would have shown, `query` NaN."""
    said = json_line({"a": [math.inf, -math.inf, math.nan, 1.5], "b": {"c": (math.inf, "x")}})
    assert said == '{"a": [null, null, null, 1.5], "b": {"c": [null, "x"]}}'
    assert json_line({"at": datetime(2026, 11, 27, tzinfo=UTC)}).startswith('{"at": "2026-11-27')
