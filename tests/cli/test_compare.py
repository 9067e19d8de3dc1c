"""`fsgauge compare` and `fsgauge history` from their words to their exit codes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsgauge.cli import main
from tests.synthetic import ONE_CELL, make_study

from .conftest import Run

SLOW_ENGINE = str(Path(__file__).with_name("slow_engine.py"))
SMALL: dict[str, Any] = {**ONE_CELL, "blocks": 6}
GATE = "ratio(iops, randread, 4 KiB) < 0.95"


def stored(folder: Path, *, cost: float = 0.0, day: int = 0, **changes: Any) -> str:
    """A results folder with a planted cost of xfs."""

    def effect(system: str, cell: object) -> float:
        return 1 - cost if system == "xfs" else 1.0

    made = make_study(**{**SMALL, "effect": effect, **changes})
    started = made.study.started_unix_ns + day * 86_400 * 10**9
    study = made.study.model_copy(update={"started_unix_ns": started})
    return str(replace(made, study=study).write(folder))


def beside(results: Path, day: int, **changes: Any) -> str:
    """A folder of that day among the results, named as a run would."""
    name = f"overhead-2026-11-{day + 1:02}-120000"
    return stored(results / name, seed=40 + day, day=day, **changes)


def test_earlier_folders_beside_a_show_how_sittings_differ(fsgauge: Run, tmp_path: Path) -> None:
    """ "How sittings differ is not known", next to ten folders that showed it."""
    results = tmp_path / "results"
    earlier = [beside(results, day) for day in range(6)]
    a, b = beside(results, 10), beside(results, 11, cost=0.2)
    beside(results, 12)
    done = fsgauge("compare", a, b)
    assert "How sittings differ is that of 6 earlier folders of this study" in done.stdout
    assert "worse" in done.stdout
    told = json.loads(fsgauge("compare", a, b, "--json").stdout)["comparison"]
    assert told["folders_beside"] == 6 and told["sittings_known"]
    alone = fsgauge("compare", a, b, "--alone").stdout
    assert "nothing is called better or worse" in alone
    # Four are too few, and neither a changed folder nor one of another study counts.
    (Path(earlier[0]) / "study.json").write_text("{}")
    Path(earlier[1]).rename(results / "other-2026-11-02-120000")
    assert "nothing is called better or worse" in fsgauge("compare", a, b).stdout


@pytest.fixture
def measured(fsgauge: Run, small: list[str], tmp_path: Path) -> Any:
    """Runs the small study and gives its folder."""

    def run(*more: str, **environment: str) -> str:
        done = fsgauge(*small, *more, **environment)
        assert done.returncode == 0, done.stderr
        page = done.stdout.splitlines()[-1].removeprefix("report: ")
        return str((tmp_path / page).parent)

    return run


@pytest.fixture
def known(fsgauge: Run, tmp_path: Path) -> list[str]:
    """Options that name a gate that knows how sittings differ."""
    days = [stored(tmp_path / f"day{day}", seed=40 + day, day=day) for day in range(5)]
    file = str(tmp_path / "gate.json")
    done = fsgauge("gate", "accept", *days, "--file", file)
    assert done.returncode == 0, done.stderr
    return ["--gate", file]


@pytest.mark.long
def test_a_slower_engine_in_one_sitting_decides_nothing(fsgauge: Run, measured: Any) -> None:
    """How sittings differ is not known: what one shows may be the hour's. With a gate's accepted
    runs, or more folders, it is decided: below."""
    before, slow = measured(), measured("--seed", "9", FSGAUGE_ENGINE=SLOW_ENGINE)
    passed = fsgauge("compare", before, slow, "--fail-if", GATE, FSGAUGE_ENGINE="/nowhere")
    assert passed.returncode == 0 and "cannot be decided" in passed.stderr
    asked = ("--fail-if", GATE, "--on-undecided", "fail")
    failed = fsgauge("compare", before, slow, *asked, FSGAUGE_ENGINE="/nowhere")
    assert failed.returncode == 4, failed.stderr
    assert (
        "undecided  ratio(iops, randread, 4 KiB) < 0.95: randread 4 KiB, depth 1" in failed.stdout
    )
    assert "undecided (how sittings differ is not known)" in failed.stdout
    page = Path(failed.stdout.splitlines()[-1].removeprefix("page: "))
    assert page == Path(slow) / "comparison.html"


def test_the_table_has_values_ratios_and_verdicts(
    fsgauge: Run, tmp_path: Path, known: list[str]
) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2, cost=0.3)
    done = fsgauge("compare", a, b)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "depth 32, xfs" in line)
    assert line.count("IOPS") == 2 and " to " in line
    assert line.endswith("undecided (how sittings differ is not known)")
    told = fsgauge("compare", a, b, *known)
    line = next(line for line in told.stdout.splitlines() if "depth 32, xfs" in line)
    assert told.returncode == 0 and line.endswith("worse"), told.stderr
    assert "that of the gate's accepted runs" in told.stdout
    assert "until each side has 3 sittings" in done.stdout
    assert "ratio (95 %)" in done.stdout and "to raw" in done.stdout


def test_json_is_one_document_with_comparison_limits_and_page(
    fsgauge: Run, tmp_path: Path, known: list[str]
) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2, cost=0.3)
    out = tmp_path / "out"
    done = fsgauge("compare", a, b, *known, "--json", "--fail-if", GATE, "--output", str(out))
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    outcomes = {each["system"]: each["outcome"] for each in document["limits"]}
    assert outcomes["xfs"] == "crossed"
    told = fsgauge("compare", a, b, *known, "--fail-if", GATE, "--output", str(out)).stdout
    (line,) = (each for each in told.splitlines() if each.startswith("crossed"))
    assert re.search(r"depth 32, xfs: [\d.]+ k to [\d.]+ k IOPS, 0\.7\d? \(", line), line
    assert document["comparison"]["decides"] == "direct"
    assert Path(document["page"]) == out / "comparison.html"
    assert not (Path(b) / "comparison.html").exists()
    assert json.loads((out / "comparison.json").read_text()) == document["comparison"]


def test_a_gate_of_too_few_sittings_is_refused_with_what_it_lacks(
    fsgauge: Run, tmp_path: Path
) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2)
    file = str(tmp_path / "gate.json")
    assert fsgauge("gate", "accept", a, "--file", file).returncode == 0
    done = fsgauge("compare", a, b, "--gate", file)
    assert done.returncode == 2 and "from 1 of the 5 sittings" in done.stderr
    assert f"next: fsgauge gate accept DIR --file {file}" in done.stderr


def test_what_cannot_be_decided_is_said_and_fails_where_that_is_asked_for(
    fsgauge: Run, tmp_path: Path, known: list[str]
) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2, cost=0.05)
    gate = ("compare", a, b, *known, "--fail-if", 'ratio(iops, "xfs") < 0.95')
    said = "1 of 1 tests of limits cannot be decided, which"
    passed = fsgauge(*gate)
    assert passed.returncode == 0 and f"warning: {said} passes" in passed.stderr
    failed = fsgauge(*gate, "--on-undecided", "fail")
    assert failed.returncode == 4 and f"error: {said} fails" in failed.stderr
    held = (*gate[:-1], "ratio(iops) < 0.5", "--on-undecided", "fail")
    found = fsgauge(*held)
    assert found.returncode == 0 and not found.stderr
    alone = fsgauge(*held[:3], *held[5:])
    assert alone.returncode == 4 and "nothing shows how sittings differ" in alone.stdout


def test_several_sittings_of_each_side_are_compared(fsgauge: Run, tmp_path: Path) -> None:
    a, *more_a, b, more_b, last_b = (
        stored(tmp_path / f"{day}", seed=60 + day, day=day, cost=0.3 if day > 2 else 0.0)
        for day in range(6)
    )
    more = [each for one in more_a for each in ("--more-a", one)]
    done = fsgauge("compare", a, b, *more, "--more-b", more_b, "--more-b", last_b)
    assert done.returncode == 0, done.stderr
    assert "A was measured in 3 sittings and B in 3 sittings" in done.stdout
    line = next(line for line in done.stdout.splitlines() if "depth 32, xfs" in line)
    assert line.endswith("worse")
    assert "2: 18 complete blocks in 3 sittings" in Path(b, "comparison.html").read_text()


def test_unlike_folders_are_refused_and_the_page_names_what_was_accepted(
    fsgauge: Run, tmp_path: Path
) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2, question="Other?")
    refused = fsgauge("compare", a, b)
    assert refused.returncode == 2
    assert "question: How much" in refused.stderr
    assert "--despite question" in refused.stderr
    assert not (Path(b) / "comparison.html").exists()
    accepted = fsgauge("compare", a, b, "--despite", "question")
    assert accepted.returncode == 0
    assert "warning: compared despite question" in accepted.stderr
    assert "compared despite question" in (Path(b) / "comparison.html").read_text()


def test_the_folder_above_the_results_is_led_to_the_newest_in_it(
    fsgauge: Run, tmp_path: Path
) -> None:
    """`--results before` makes before/overhead-DATE, and `compare before after` is typed."""
    for name in ("b-2026-11-01-120000", "a-2026-11-02-120000"):
        stored(tmp_path / "before" / name)
    (tmp_path / "after").mkdir()
    done = fsgauge("compare", str(tmp_path / "before"), str(tmp_path / "after"))
    newest = tmp_path / "before" / "a-2026-11-02-120000"
    assert done.returncode == 2 and done.stderr.endswith(f"next: name it: {newest}\n")
    assert "holds 2 of them, the newest of which is" in done.stderr
    for command in (["report"], ["query"]):
        said = fsgauge(*command, str(tmp_path / "before"), *(["select 1"] * (command == ["query"])))
        assert str(newest) in said.stderr, said.stderr


def test_a_machine_that_changed_under_its_name_is_judged_by_ratios(
    fsgauge: Run, tmp_path: Path, known: list[str]
) -> None:
    """Both ratios had to agree, and what made all systems slower decided nothing."""
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2, cost=0.3)
    done = fsgauge("compare", a, b, *known, "--despite", "machine")
    assert done.returncode == 0, done.stderr
    assert "Because the machine counts as another one (--despite machine), the" in done.stdout
    assert " % of raw, 30 % slower (" in done.stdout


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (["--fail-if", "ratio(iop) < 1"], 'did you mean "iops"?'),
        (["--fail-if", "ratio(iops, randwrite) < 1"], 'no pattern "randwrite"'),
        (["--fail-if", "1"], '"ratio" is missing'),
        (["--fail-if", ""], "a word of the command is empty"),
        (["--despite", "wether"], "is not one of the facts that must be equal"),
    ],
)
def test_wrong_words_end_in_two(fsgauge: Run, tmp_path: Path, more: list[str], part: str) -> None:
    a, b = stored(tmp_path / "a", seed=1), stored(tmp_path / "b", seed=2)
    done = fsgauge("compare", a, b, *more)
    assert done.returncode == 2
    assert part in done.stderr and "next: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_against_itself_and_one_that_is_none_are_refused(
    fsgauge: Run, tmp_path: Path
) -> None:
    a = stored(tmp_path / "a", seed=1)
    assert "given twice" in fsgauge("compare", a, a).stderr
    assert fsgauge("compare", a, str(tmp_path)).returncode == 2


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=60))
def test_garbage_conditions_end_in_two_and_never_in_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """In this process: 200 interpreters would take minutes. No folder is there to be read."""
    monkeypatch.setattr("sys.argv", ["fsgauge", "compare", "a", "b", f"--fail-if=ratio({text}"])
    with pytest.raises(SystemExit) as ended:
        main()
    words = capsys.readouterr().err
    assert ended.value.code == 2
    assert words.startswith("error: ")
    assert "Traceback" not in words and "itself failed" not in words


def test_a_history_names_the_step_and_writes_its_page(fsgauge: Run, tmp_path: Path) -> None:
    folders = [
        stored(tmp_path / f"{day:02d}", seed=40 + day, day=day, cost=0.2 if day >= 5 else 0.0)
        for day in range(10)
    ]
    done = fsgauge("history", *reversed(folders))
    assert done.returncode == 0, done.stderr
    first = r"Since 05, 4 KiB random reads at depth 32 on xfs are [\d.]+ % slower \("
    assert re.match(first, done.stdout), done.stdout
    assert "worse   randread 4 KiB, depth 32, xfs: 0.8" in done.stdout
    assert "since 05" in done.stdout
    assert done.stdout.splitlines()[-1] == f"page: {tmp_path / '09' / 'history.html'}"
    assert (tmp_path / "09" / "history.html").is_file()
    document = json.loads(fsgauge("history", *folders, "--json").stdout)
    assert [len(each["steps"]) for each in document["series"]] == [0, 1]


def test_one_folder_is_no_history(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("history", stored(tmp_path / "a", seed=1))
    assert done.returncode == 2
    assert "at least two" in done.stderr
