"""Memory that the kernel takes back by itself.

On a virtual machine whose kernel runs DAMON with the scheme pageout, a plain loop that wrote 3.5
GiB took between 2.35 and 7.6 s, and nothing on the page said why.
"""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.facts.reclaim import reclaimer


def kdamond(home: Path, state: str, action: str) -> Path:
    scheme = home / "0/contexts/0/schemes/0"
    scheme.mkdir(parents=True)
    (scheme / "action").write_text(f"{action}\n")
    (home / "0/state").write_text(f"{state}\n")
    return home / "0/state"


def test_a_scheme_that_pages_out_is_found_while_it_is_on(tmp_path: Path) -> None:
    state = kdamond(tmp_path, "on", "pageout")
    assert reclaimer(tmp_path, tmp_path / "none") == str(state)
    state.write_text("off\n")
    assert reclaimer(tmp_path, tmp_path / "none") is None


def test_a_scheme_that_only_counts_takes_nothing(tmp_path: Path) -> None:
    kdamond(tmp_path, "on", "stat")
    assert reclaimer(tmp_path, tmp_path / "none") is None


def test_the_module_of_its_own(tmp_path: Path) -> None:
    enabled = tmp_path / "enabled"
    for word, found in (("Y", str(enabled)), ("N", None)):
        enabled.write_text(f"{word}\n")
        assert reclaimer(tmp_path / "none", enabled) == found
