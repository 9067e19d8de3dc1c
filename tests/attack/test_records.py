"""Records that are not what was written: named, refused with exit code 3, or gone on with by name.

Before, a halved `elapsed_ns` made the headline "199 %", and a flipped digit ended in "fsgauge
itself failed". FSGAUGE_FUZZ_EXAMPLES=N tries N damages instead of a few.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.cli import group
from fsgauge.errors import FsgaugeError
from fsgauge.report import write_report
from fsgauge.report.compared import read_sides
from fsgauge.stats.folders.compare import compare_sides
from fsgauge.stats.read import read_stored
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.query import asked
from fsgauge.store.rows import histograms
from fsgauge.store.seals import ChangedError, understood
from tests.attack.budget import budget
from tests.sealing import compacted, seal
from tests.synthetic import make_study

CHANGED = ["--despite", "changed-records"]
NUMBERS = [0, -1, 1, 2**31, 2**63, 2**64, 10**30, 1e308, -1e-300, 0.5]
STRANGE = [*NUMBERS, None, True, "", "../../etc/passwd", "\0", "é" * 50, [], {}, [[[]]], {"a": {}}]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two blocks, one of them in Parquet; whole and sealed."""
    place = tmp_path_factory.mktemp("written") / "study"
    study = make_study(blocks=2, queue_depths=(1,), block_sizes=(4096,), patterns=("randread",))
    seal(study.write(place), "started")
    compacted(place, 0)
    return place


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "study"))


def halve_time(folder: Path) -> str:
    """The attack of the review: half the time, twice the rate."""
    path = next(folder.glob("records/001-*/00-*.json"))
    record = json.loads(path.read_text())
    record["parts"][0]["slices"][0]["result"]["elapsed_ns"] //= 2
    path.write_text(json.dumps(record))
    return str(path.relative_to(folder))


def other_scheme(folder: Path) -> str:
    """Histograms of different schemes."""
    path = next(folder.glob("records/001-*/00-*.json"))
    path.write_text(path.read_text().replace('"sub_bucket_bits":', '"sub_bucket_bits": 1'))
    return str(path.relative_to(folder))


def flip_parquet(folder: Path) -> str:
    path = folder / "series" / "000-counts.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 4
    path.write_bytes(content)
    return "series/000-counts.parquet"


def remove_run(folder: Path) -> str:
    path = next(folder.glob("records/001-*/00-*.json"))
    path.unlink()
    return str(path.relative_to(folder))


def add_run(folder: Path) -> str:
    path = next(folder.glob("records/001-*/00-*.json"))
    shutil.copy(path, path.with_name("07-more.json"))
    return str(path.with_name("07-more.json").relative_to(folder))


def exchange_runs(folder: Path) -> str:
    first, second, *_ = sorted(folder.glob("records/001-*/00-*.json"))
    content = first.read_text()
    first.write_text(second.read_text())
    second.write_text(content)
    return str(first.relative_to(folder))


def change_study(folder: Path) -> str:
    path = folder / "study.toml"
    path.write_text(path.read_text().replace("8 GiB", "9 GiB"))
    return "study.toml"


def change_journal(folder: Path) -> str:
    path = folder / "journal.ndjson"
    path.write_text(re.sub('"sha256": "[0-9a-f]', '"sha256": "g', path.read_text(), count=1))
    return "journal.ndjson: line 1"


def remove_journal(folder: Path) -> str:
    """Without checksums nothing can be told: that is no way around them."""
    (folder / "journal.ndjson").unlink()
    return "journal.ndjson has no checksums"


CHANGES = [
    *(halve_time, other_scheme, flip_parquet, remove_run, add_run, exchange_runs),
    *(change_study, change_journal, remove_journal),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_named_and_refused_by_every_command(
    written: Path, folder: Path, change: Callable[[Path], str]
) -> None:
    name = change(folder)
    for words in (
        ["report", folder],
        ["compare", written, folder],
        ["history", written, folder],
        ["query", folder, "select count(*) from runs"],
    ):
        error = CliRunner().invoke(group, [str(word) for word in words]).exception
        assert isinstance(error, ChangedError), error
        assert error.exit_code == 3
        assert any(name in detail for detail in error.details)
        assert "were changed after they were written" in error.what
        assert "--despite changed-records" in error.next
    assert not (folder / "report.html").exists()


def test_a_changed_record_that_is_accepted_is_on_the_first_screen(
    written: Path, folder: Path
) -> None:
    name = halve_time(folder)
    page = write_report(folder, accept_changed=True).read_text(encoding="utf-8")
    first_screen = page[page.index('id="first-screen"') : page.index("</header>")]
    assert name in first_screen and "Not valid: records were changed" in first_screen
    report = json.loads((folder / "report.json").read_text())
    assert report["findings"][0]["code"] == "records.changed"
    assert not report["sureness"]["valid"]
    other = folder.rename(folder.with_name("changed"))
    done = CliRunner().invoke(group, ["compare", str(written), str(other), *CHANGED])
    assert "warning: changed is not valid: records were changed" in done.output, done.output
    assert name in (other / "comparison.html").read_text(encoding="utf-8")
    done = CliRunner().invoke(group, ["query", str(other), "select 1", *CHANGED])
    assert f"warning: {name}: this record was changed" in done.output


def test_a_study_that_nobody_changed_is_read_without_a_word(folder: Path) -> None:
    assert read_results(folder).changes == ()


def test_a_folder_may_be_moved_and_copied(folder: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(folder, tmp_path / "copied to [another] place"))
    assert read_results(copied).changes == ()


DAMAGE = st.sampled_from(["bits", "cut", "value", "key", "gone", "copied"])


@pytest.mark.fuzz
@budget(25)
@given(data=st.data())
def test_whatever_is_damaged_ends_in_words(
    written: Path, tmp_path: Path, data: st.DataObject
) -> None:
    """Refused in a sentence, or the same records; accepted, numbers or a sentence."""
    folder = tmp_path / "study"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(written, folder)
    for _ in range(data.draw(st.integers(1, 3))):
        damage(folder, data)
    said = words_of(lambda: read_results(folder))
    if said is None:
        assert runs_of(read_results(folder)) == runs_of(read_results(written))
    words_of(lambda: judged(read_results(folder, accept_changed=True)))
    words_of(lambda: compared(written, folder))
    words_of(lambda: every_view(folder))


def damage(folder: Path, data: st.DataObject) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files))
    kind = data.draw(DAMAGE)
    content = bytearray(path.read_bytes())
    if kind in ("value", "key"):
        kind = "bits" if path.suffix != ".json" else kind
    match kind:
        case "bits":
            for _ in range(data.draw(st.integers(1, 4))):
                if content:
                    place = data.draw(st.integers(0, len(content) - 1))
                    content[place] = data.draw(st.integers(0, 255))
            path.write_bytes(content)
        case "cut":
            path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        case "gone":
            path.unlink()
        case "copied":
            path.write_bytes(data.draw(st.sampled_from(files)).read_bytes())
        case _:
            try:
                document = json.loads(content)
            except ValueError:
                return
            path.write_text(json.dumps(mutated(document, data, whole=kind == "key")))


def mutated(document: Any, data: st.DataObject, *, whole: bool) -> Any:
    """The document with one value, somewhere deep in it, taken out or replaced."""
    if isinstance(document, dict) and document:
        key = data.draw(st.sampled_from(sorted(document)))
        if whole and data.draw(st.booleans()):
            return {name: value for name, value in document.items() if name != key}
        return document | {key: mutated(document[key], data, whole=whole)}
    if isinstance(document, list) and document:
        place = data.draw(st.integers(0, len(document) - 1))
        changed = mutated(document[place], data, whole=whole)
        return [*document[:place], changed, *document[place + 1 :]]
    return data.draw(st.sampled_from(STRANGE))


def words_of(work: Callable[[], object]) -> str | None:
    """What an error says; None where there is none. Anything else fails the test."""
    try:
        work()
    except FsgaugeError as error:
        assert error.exit_code in (2, 3)
        assert error.what and (error.cause or error.next)
        return error.render()
    return None


def runs_of(stored: StoredStudy) -> list[str]:
    return [run.model_dump_json(exclude={"parts"}) for run in stored.runs]


def judged(stored: StoredStudy) -> None:
    """Everything that a report asks of the records, without its pictures."""
    with understood(stored.changes):
        for run in stored.runs:
            for each in histograms(run.result).values() if run.result else ():
                list(each.counts)
        read_stored(stored)


def compared(first: Path, second: Path) -> None:
    sides = read_sides([first, second], accept_changed=True)
    with understood(tuple(change for side in sides for change in side.changes)):
        compare_sides(*sides)


def every_view(folder: Path) -> None:
    for view in ("runs", "histograms", "intervals", "journal", "plan"):
        with asked(folder, f"from {view}", accept_changed=True) as answer:
            list(answer.batches())
