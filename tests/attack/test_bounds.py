"""Studies, files and folders of absurd size: refused before any work, with the number allowed.

Before, 100,000 years kept `plan` for two minutes, and so did 100,000 hosts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.cost import require_few_runs
from fsgauge.report.compared import read_sides
from fsgauge.report.draw import _step_of
from fsgauge.rig.fleet.choice import read_hosts
from fsgauge.rig.fleet.launcher.kubernetes import read_pods
from fsgauge.study.parse import load_study, parse_study
from tests.attack.test_results_folder import in_bounded_time
from tests.attack.test_sweeps_and_bisections import STUDY

MANY = 100_000


def years(count: int) -> str:
    return STUDY.replace("[0, 1]", f"[{', '.join(f'{each / MANY:g}' for each in range(count))}]")


def profiles(count: int) -> str:
    listed = ", ".join(f'"median_size={each + 4} KiB"' for each in range(count))
    return years(100).replace("[plan]", f"profiles = [{listed}]\n[plan]")


def systems(count: int) -> str:
    more = "".join(f'[[system]]\nname = "s{each}"\nkind = "buddy"\n' for each in range(count))
    return STUDY.replace("[workload]", f"{more}[workload]")


STUDIES: dict[str, tuple[str, str]] = {
    "years": (years(MANY), "10,000 are allowed"),
    "some years": (years(101), "100"),
    "points": (profiles(6), "the sweep has 600 points, and 500 are allowed"),
    "systems": (systems(20_000), "10,000 are allowed"),
    "some systems": (systems(201), "200"),
    "lines": (STUDY + "\n" * MANY, "10,000 are allowed"),
    "comments": (STUDY + "#\n" * MANY, "10,000 are allowed"),
    "depth": (STUDY + "x = " + "[" * MANY, "not TOML"),
    "dots": (STUDY + ".".join("a" * MANY) + " = 1", "not TOML"),
    "a name": (STUDY.replace('"s"', f'"{"x" * 300}"', 1), "80"),
    "a string": (STUDY.replace('"S?"', f'"{"x" * 300_000}"', 1), "300"),
}


@pytest.mark.parametrize("what", STUDIES)
def test_a_study_of_absurd_size_is_refused_with_what_is_allowed(tmp_path: Path, what: str) -> None:
    text, says = STUDIES[what]
    path = tmp_path / "s.toml"
    path.write_text(text)
    said = in_bounded_time(lambda: load_study(str(path)))
    assert said.startswith("2: ") and says in said, said[:400]


def test_a_study_of_too_many_runs_names_the_blocks_that_fit() -> None:
    text = STUDY.replace("[sweep]\nyears = [0, 1]\n", "").replace("blocks = 2", "blocks = 1000")
    text = text.replace('kind = "churn"\n', 'kind = "churn"\nfills = [FILLS]\n')
    text = text.replace("FILLS", ", ".join(f'"{each} %"' for each in range(40, 80)))
    with pytest.raises(InputError, match="runs, and 100,000 are allowed") as refused:
        require_few_runs(parse_study(text, "s.toml", "s"))
    assert refused.value.next.startswith("--set plan.blocks=")


def test_one_setting_of_the_command_line_is_bounded_too() -> None:
    with pytest.raises(InputError, match=r"--set has .* and 10,000 are allowed"):
        load_study("overhead", [f"workload.queue_depths=[{'1,' * MANY}]"])


FILES: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "hosts": (
        read_hosts,
        "".join(f'[[host]]\nname = "h{each}"\n' for each in range(MANY)),
        "lists 100,000 hosts, and 10,000 are allowed",
    ),
    "keys of hosts": (read_hosts, "a = 1\n" * (2 * MANY), "100,000 are allowed"),
    "a string": (read_hosts, f'listen = "{"x" * (100 << 20)}"', "more than 4 MiB are not read"),
    "pods": (read_pods, f'image = "x"\nlisten = "y"\nhosts = {MANY}', "hosts"),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_of_absurdly_many_hosts_is_refused(tmp_path: Path, what: str) -> None:
    read, text, says = FILES[what]
    path = tmp_path / "hosts.toml"
    path.write_text(text)
    said = in_bounded_time(lambda: read(path))
    assert said.startswith("2: ") and says in said, said[:400]


def test_folders_at_a_time_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1,001 folders are given, and 1,000 are allowed"):
        read_sides([tmp_path / str(each) for each in range(1001)])


def test_of_many_points_some_are_drawn() -> None:
    assert [_step_of([{}] * count) for count in (0, 1, 20_000, 20_001, 60_000)] == [1, 1, 1, 2, 3]
