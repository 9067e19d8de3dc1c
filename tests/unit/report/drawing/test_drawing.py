"""The child that draws: asked again and again, and dead at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsgauge.report import drawing
from fsgauge.report.drawing import NotDrawn, svgs_of

ECHOES = "import json, sys\nfor line in sys.stdin: print(json.dumps({'svg': line}), flush=True)"
REFUSES = 'import sys\nfor line in sys.stdin: print(\'{"error": "no\\\\nway"}\', flush=True)'
DIES = "import os\nos.abort()"
HANGS = "import time\ntime.sleep(600)"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Has another program in the child's place."""
    started = subprocess.Popen
    monkeypatch.setattr(drawing, "_children", [])

    def put(code: str) -> None:
        def popen(_: list[str], **more: object) -> subprocess.Popen[bytes]:
            return started([sys.executable, "-c", code], **more)  # type: ignore[call-overload,no-any-return]

        monkeypatch.setattr(drawing.subprocess, "Popen", popen)

    yield put
    drawing._end()


def test_one_child_draws_all(program: Callable[[str], None]) -> None:
    """Both questions, and its answer to the first, are larger than a pipe."""
    program(ECHOES)
    drawing.begin()
    (begun,) = drawing._children
    for number in range(2):
        wide, narrow = svgs_of(
            [{"a": number, "wide": "x" * (1 << 20)}, {"a": number, "large": "x" * (1 << 20)}]
        )
        assert (json.loads(wide)["a"], len(json.loads(wide)["wide"])) == (number, 1 << 20)
        assert json.loads(narrow)["a"] == number
    assert drawing._children == [begun]


def test_why_there_is_no_picture(program: Callable[[str], None]) -> None:
    program(REFUSES)
    with pytest.raises(NotDrawn, match="no way"):
        svgs_of([{}])


def test_a_child_that_dies_is_replaced_a_few_times(program: Callable[[str], None]) -> None:
    program(DIES)
    for _ in range(drawing._MOST_CHILDREN):
        with pytest.raises(NotDrawn, match="signal 6"):
            svgs_of([{"large": "x" * (1 << 20)}])
    with pytest.raises(NotDrawn, match="before it"):
        svgs_of([{}])
    assert len(drawing._children) == drawing._MOST_CHILDREN


def test_a_child_that_hangs_is_ended(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "_LONGEST_SECONDS", 0.2)
    program(HANGS)
    with pytest.raises(NotDrawn, match="took longer"):
        svgs_of([{}])
    assert drawing._children[-1].returncode == -signal.SIGKILL


def test_a_late_picture_is_not_drawn_in_the_next_ones_place(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first form came in time and the second did not: it would come with the next chart."""
    late = "import sys, time\nfor line in sys.stdin:\n"
    late += '    print(\'{"svg": "late"}\', flush=True)\n    time.sleep(2)'
    program(late)
    monkeypatch.setattr(drawing, "_LONGEST_SECONDS", 1.0)
    with pytest.raises(NotDrawn, match="took longer"):
        svgs_of([{}, {}])
    monkeypatch.setattr(drawing, "_LONGEST_SECONDS", 60.0)
    program(ECHOES)
    assert [json.loads(each) for each in svgs_of([{"a": 1}, {"b": 2}])] == [{"a": 1}, {"b": 2}]


def test_half_an_answer_is_no_picture(program: Callable[[str], None]) -> None:
    program('import sys\nsys.stdin.readline()\nprint(\'{"svg": "a"}\', flush=True)')
    with pytest.raises(NotDrawn, match="exit code 0"):
        svgs_of([{}, {}])


def test_a_machine_that_starts_no_child_has_no_picture(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first that could not be started left a place that was taken for a child."""
    program(ECHOES)

    def refused(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(drawing, "start", refused)
    drawing.begin()
    with pytest.raises((NotDrawn, OSError)):
        svgs_of([{}, {}])
    drawing._end()


def test_the_child_is_not_given_what_it_could_die_of(tmp_path: Path) -> None:
    """And is isolated: nothing of the working folder or the environment is imported."""
    (tmp_path / "json.py").write_text("raise SystemExit('planted')")
    code = (
        "from fsgauge.report.drawing import svgs_of\n"
        "chart = {'data': {'values': [{'a': 'x\\x1b\\u202e\\ud800\\x00'}]}, 'mark': 'text',"
        " 'encoding': {'text': {'field': 'a'}}}\n"
        "print('x\\\\x1b' in svgs_of([chart])[0])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "True\n", done.stderr


def test_a_child_that_does_not_read_is_ended(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question is larger than the pipe: writing it has the same limit of time."""
    monkeypatch.setattr(drawing, "_LONGEST_SECONDS", 0.2)
    program(HANGS)
    with pytest.raises(NotDrawn, match="took longer"):
        svgs_of([{"large": "x" * (1 << 20)}])
    assert drawing._children[-1].returncode == -signal.SIGKILL
