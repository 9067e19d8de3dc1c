"""Tests that need root or Chromium: skipped with the reason and the switch; in CI they must run.

Tests run beside one another (scripts/test), so no test empties the machine's caches but those that
are about just that: the others would read Python and the tools from disk anew, again and again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from fsgauge.machine.device.loop_devices import loops_available
from fsgauge.machine.ledger.ledger_folder import STATE_VARIABLE
from tests.command_server import leave_pictures_blank
from tests.long import TOO_LATE, is_too_late, long_tests

KEEP_CACHES = "FSGAUGE_KEEP_CACHES"
os.environ[KEEP_CACHES] = "1"


@pytest.fixture(autouse=True, scope="session")
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands remember between them (the noise of storage) stays out of the user's folder."""
    before = os.environ.get(STATE_VARIABLE)
    os.environ[STATE_VARIABLE] = str(tmp_path_factory.mktemp("remembered") / "state")
    yield
    os.environ.pop(STATE_VARIABLE)
    if before is not None:
        os.environ[STATE_VARIABLE] = before


def _missing_for_root() -> str | None:
    return "root" if os.geteuid() else loops_available()


def _missing_for_browser() -> str | None:
    return None if shutil.which("chromium") else "chromium: apt-get install chromium"


_NEEDS = {
    "root": (_missing_for_root, "FSGAUGE_TEST_ROOT"),
    "browser": (_missing_for_browser, "FSGAUGE_TEST_BROWSER"),
}


@pytest.fixture
def blank_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are made without drawing, for tests of their words: drawing is most of the work."""
    leave_pictures_blank(monkeypatch.setattr)


@pytest.fixture
def dropped_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's caches are emptied where a run by root empties them."""
    monkeypatch.delenv(KEEP_CACHES)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before `-m "not long"` chooses."""
    listed = long_tests()
    for item in items:
        if item.nodeid.partition("[")[0] in listed:
            item.add_marker(pytest.mark.long)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Long tests that a slow machine had no time for are counted, not passed over."""
    skipped = terminalreporter.stats.get("skipped", [])
    if late := sum(TOO_LATE in str(each.longrepr) for each in skipped):
        terminalreporter.write_line(f"{late} not run: {TOO_LATE}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail where skipping is not allowed."""
    if item.get_closest_marker("long") and is_too_late():
        pytest.skip(TOO_LATE)
    for marker, (missing, switch) in _NEEDS.items():
        if item.get_closest_marker(marker) is None or (reason := missing()) is None:
            continue
        if os.environ.get(switch) == "1" or (marker == "root" and os.environ.get("CI") == "true"):
            pytest.fail(f"this test must run here and cannot: it needs {reason}")
        pytest.skip(f"needs {reason}; {switch}=1 makes that a failure")
