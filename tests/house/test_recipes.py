"""Every recipe of docs/recipes.md is run as it is printed, small, and shows what the page shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fsgauge.access.ganesha import GANESHA
from fsgauge.access.samba import SAMBA
from fsgauge.rig.host.serving import lack_of
from fsgauge.study.shipped import shipped_studies
from tests.house.small import PLACES, STUDIES
from tests.house.test_examples import commands
from tests.needs import need, need_mkfs

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "recipes.md"
TEN = 10
SECONDS = 280
SENTENCES = range(2, 6)


@dataclass(frozen=True)
class Recipe:
    """A question of the page: its commands, what they print, and the rest of its text."""

    question: str
    script: str
    shown: str
    text: str


def recipes() -> list[Recipe]:
    """The page's headings that ask something, in order."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        question, _, text = section.partition("\n")
        if question.endswith("?"):
            scripts, texts = (
                re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL)
                for kind in ("sh", "text")
            )
            rest = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
            # What a later command prints, as the sentence before it says, follows what these print.
            found.append(Recipe(question, "".join(scripts), texts[0], rest))
    return found


RECIPES = recipes()
each_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.question)


ALIKE = {"ready:": {"ready:", "too"}, "after": {"after", "after:", "before:"}}
"""How a line may begin where runs are few, or one did little: a gate has learnt too little, a side
of a comparison is told first."""


def test_there_are_ten() -> None:
    assert len(RECIPES) == TEN
    used = {line.split()[2] for line in commands(PAGE) if line.split()[1] == "run"}
    assert {"postgresql", "small-files"} <= used & set(shipped_studies())


@each_recipe
def test_a_recipe_has_its_parts(recipe: Recipe) -> None:
    """Commands, what they print, how to read it in a few sentences, when it does not apply."""
    assert "fsgauge " in recipe.script
    assert recipe.shown.strip()
    (read,) = re.findall(r"^\*\*How to read it\.\*\* (.*)$", recipe.text, flags=re.MULTILINE)
    assert len(re.findall(r"\.(?: |$)", read)) in SENTENCES
    assert len(re.findall(r"^\*\*When not\.\*\* .+$", recipe.text, flags=re.MULTILINE)) == 1


@pytest.mark.long
@pytest.mark.root
@each_recipe
def test_a_recipe_works(recipe: Recipe, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """In a shell, line by line; every line that the page shows begins as one of these does.

    Of several runs whose folders no later command reads, the first is measured and the others are
    planned in full, since they differ in their words alone.
    """
    if "xfs" in recipe.script:
        need_mkfs("xfs")
    for word, server in (("samba", SAMBA), ("ganesha", GANESHA)):
        if word in recipe.script and lack_of(server):
            need(server.install)
    places = folders(tmp_path / "places")
    if "/dev/" in recipe.script:
        places["/dev/disk/by-id/nvme-X"], places["SERIAL"] = request.getfixturevalue("device")
    script = measured_once(recipe.script)
    done = run_small(script, tmp_path, places)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = [line for line in done.stdout.splitlines() if line.startswith("answer: ")]
    assert len(answers) == script.count("fsgauge run ")
    printed = done.stdout.replace(places["/srv"], "/srv")
    begun = {beginning(line) for line in printed.splitlines()}
    shown = [line for line in recipe.shown.splitlines() if line and line[:3] not in ("   ", "...")]
    missing = [line for line in shown if not begun & ALIKE.get(beginning(line), {beginning(line)})]
    assert missing == [], done.stdout


def measured_once(script: str) -> str:
    """The script with `plan` for all but the first run, unless a folder is named for them.

    A gate learns from one run in place of five: it says so, and goes on.
    """
    lines = script.replace("\\\n", " ").splitlines()
    runs = [line for line in lines if line.startswith("fsgauge run ") and "--results" not in line]
    for line in runs[1:]:
        lines[lines.index(line)] = line.replace("fsgauge run ", "fsgauge plan ")
    return "\n".join(lines).replace("for run in 1 2 3 4 5;", "for run in 1;")


def beginning(line: str) -> str:
    """The first word of a line, without its numbers. A line that is set in goes on with another."""
    return re.sub(r"\d+", "0", line.split(maxsplit=1)[0]) if line.strip() else ""


def folders(below: Path) -> dict[str, str]:
    """The page's folders, and a folder of this machine for each; there is a file in /srv."""
    names = ("/srv", "/srv/data", "/mnt/a", "/mnt/b", "/mnt/nfs")
    places = {name: str(below / name.strip("/").replace("/", "-")) for name in names}
    for place in places.values():
        Path(place).mkdir(parents=True)
    Path(places["/srv"], "a file").write_bytes(b"something" * 1000)
    return places


def run_small(
    script: str, folder: Path, places: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """The script in a shell whose fsgauge is the small one."""
    ours = f'set -eu\nfsgauge() {{ "{sys.executable}" -m tests.house.small "$@"; }}\n'
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        ["bash", "-c", ours + script],
        cwd=folder,
        env={**os.environ, PLACES: json.dumps(places), "PYTHONPATH": ":".join(paths)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_every_study_that_is_small_is_shipped() -> None:
    assert set(STUDIES) <= set(shipped_studies())
