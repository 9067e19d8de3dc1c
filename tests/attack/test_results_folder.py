"""A results folder that another user has laid out for root: links, pipes, devices, hard links.

Before, `report` wrote through a planted link, printed what a link led to, and waited for ever at a
pipe; `resume` as root did what another user's study said.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.crosscheck.sitting import CrosscheckFolder
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.plain_files import PlainFolder, write_whole
from fsgauge.report import write, write_report
from fsgauge.report.compared import read_sides
from fsgauge.report.logged import write_pages
from fsgauge.store import ResultsFolder, read_results
from fsgauge.store.query import asked
from tests.laboratory import NoDiskEngine, resume, run
from tests.sealing import compacted
from tests.synthetic import make_study

pytestmark = pytest.mark.usefixtures("blank_pictures")

SECRET = "the root of all"  # noqa: S105 - it opens nothing
NOBODY = 65534
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("written")
    study = make_study(blocks=2, queue_depths=(1,), block_sizes=(4096,), patterns=("randread",))
    return study.write(place / "study")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "study"))


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file of root's that nothing here may read aloud or change."""
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o600)
    yield path
    assert path.read_text() == SECRET


def given_to(folder: Path, uid: int = NOBODY) -> Path:
    """The folder and all that is in it belongs to another user, who can also reach it."""
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)
    return folder


def in_bounded_time(work: Callable[[], Any]) -> str:
    """What an error said, or nothing; a test's failure where it is not done in time."""

    def too_long(_number: int, _frame: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE_SECONDS)
    try:
        work()
    except FsgaugeError as error:
        said = f"{error.exit_code}: {error.render()}"
    else:
        return ""
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert SECRET not in said
    return said


def replace(path: Path, kind: str, victim: Path) -> None:
    """Lay something else in the place of a file."""
    path.unlink(missing_ok=True)
    {
        "link to a secret": lambda: path.symlink_to(victim),
        "link to nothing": lambda: path.symlink_to(path.parent / "nothing"),
        "link to an endless device": lambda: path.symlink_to("/dev/zero"),
        "device": lambda: os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5)),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }[kind]()


KINDS = ["link to a secret", "link to an endless device", "pipe", "folder"]
NAMES = [
    "study.toml",
    "study.json",
    "environment-before.json",
    "journal.ndjson",
    "records/000-00-*/turn.json",
    "records/000-00-*/00-*.json",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_record_that_is_no_plain_file_is_refused_in_words(
    folder: Path, victim: Path, kind: str, name: str
) -> None:
    """With --despite changed-records too: that accepts other content, not another kind of file."""
    path = next(folder.glob(name))
    replace(path, kind, victim)
    for accept in (False, True):
        said = in_bounded_time(lambda: read_results(folder, accept_changed=accept))  # noqa: B023
        assert said[:1] in ("2", "3"), said
        assert "cause:" in said and "next:" in said


@pytest.mark.parametrize("kind", [*KINDS, "link to nothing"])
def test_a_report_is_written_through_no_link(folder: Path, victim: Path, kind: str) -> None:
    """Nor through the names under which it was begun: they could be foreseen."""
    (folder / "charts").mkdir()
    names = ("report.html", "report.json", "charts/forest.svg")
    for name in (*names, ".report.html.new", ".report.json.new"):
        replace(folder / name, kind, victim)
    said = in_bounded_time(lambda: write_report(folder))
    if kind == "folder":
        assert said.startswith("3: ") and "in its place" in said
    else:
        assert said == ""
        assert all((folder / name).is_file() for name in names)
        assert not any((folder / name).is_symlink() for name in names)


@pytest.mark.parametrize("name", ["charts", "records", "records/000-00-raw", "series"])
def test_a_folder_that_is_a_link_is_not_entered(folder: Path, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    if (folder / name).exists():
        (folder / name).rename(elsewhere)
    else:
        elsewhere.mkdir()
    before = sorted(elsewhere.rglob("*"))
    (folder / name).symlink_to(elsewhere)
    said = in_bounded_time(lambda: write_report(folder))
    assert said[:1] in ("2", "3")
    assert sorted(elsewhere.rglob("*")) == before


def test_a_file_too_large_to_be_a_record_is_not_read(folder: Path) -> None:
    with (folder / "study.toml").open("wb") as file:
        file.truncate(1 << 40)
    for accept in (False, True):
        said = in_bounded_time(lambda: read_results(folder, accept_changed=accept))  # noqa: B023
        assert "too large" in said


@pytest.mark.parametrize("kind", ["link to a secret", "pipe", "hard link"])
def test_no_journal_but_the_folders_own_is_written(tmp_path: Path, victim: Path, kind: str) -> None:
    """`resume` appended its lines to whatever journal.ndjson led to."""
    directory = run(tmp_path / "results", cut_short()).directory
    journal = directory / "journal.ndjson"
    if kind == "hard link":
        os.link(journal, tmp_path / "other")
    else:
        replace(journal, kind, victim)
    before = (tmp_path / "other").read_bytes() if kind == "hard link" else b""
    assert in_bounded_time(lambda: resume(directory)).startswith("3: ")
    assert kind != "hard link" or (tmp_path / "other").read_bytes() == before


def cut_short() -> NoDiskEngine:
    left = [None] * 22

    def before(_job: object) -> None:
        if not left:
            raise RigError("the machine stood still")
        left.pop()

    return NoDiskEngine(0, before)


@pytest.mark.root
@pytest.mark.parametrize(
    "what",
    ["all is another user's", "one file is", "a folder is open", "a file is open", "group"],
)
def test_root_does_not_go_on_with_what_another_user_can_write(tmp_path: Path, what: str) -> None:
    """Its study.json said which kernel tunables root sets: `core_pattern` runs any program."""
    directory = run(tmp_path / "results", cut_short()).directory
    record = next(directory.glob("records/000-*/00-*.json"))
    {
        "all is another user's": lambda: given_to(directory),
        "one file is": lambda: os.chown(record, NOBODY, NOBODY),
        "a folder is open": lambda: record.parent.chmod(0o777),
        "a file is open": lambda: (directory / "study.json").chmod(0o666),
        "group": lambda: (directory / "study.json").chmod(0o664),
    }[what]()
    before = (directory / "journal.ndjson").read_bytes()
    with pytest.raises(InputError, match="root does not resume") as refused:
        resume(directory)
    assert refused.value.details and refused.value.cause and refused.value.next
    assert (directory / "journal.ndjson").read_bytes() == before


@pytest.mark.root
def test_a_report_by_root_is_written_with_the_rights_of_the_folders_owner(folder: Path) -> None:
    given_to(folder)
    write_report(folder)
    made = [folder / "report.html", folder / "report.json", folder / "charts"]
    assert {path.stat().st_uid for path in made} == {NOBODY}
    assert (os.geteuid(), os.getegid()) == (0, 0)


@pytest.mark.root
def test_root_writes_no_report_where_the_owner_could_not(folder: Path) -> None:
    given_to(folder)
    folder.chmod(0o555)
    with pytest.raises(RigError, match="cannot write the report"):
        write_report(folder)
    assert os.geteuid() == 0
    assert not (folder / "report.html").exists()


@pytest.mark.root
@pytest.mark.parametrize("name", ["study.toml", "environment-before.json"])
def test_root_reads_no_file_that_the_folders_owner_could_not(
    folder: Path, victim: Path, name: str
) -> None:
    """A hard link is a plain file; its content is still root's alone."""
    (folder / name).unlink()
    os.link(victim, folder / name)
    given_to(folder)
    os.chown(victim, 0, 0)
    for work in (
        lambda: write_report(folder, accept_changed=True),
        lambda: read_sides([folder], accept_changed=True),
        lambda: ask(folder),
    ):
        said = in_bounded_time(work)
        assert "Permission denied" in said, said


def ask(folder: Path) -> None:
    with asked(folder, "select * from environment", accept_changed=True) as answer:
        for rows in answer.batches():
            assert SECRET not in str(rows)


@pytest.mark.root
def test_root_reads_no_hard_link_in_a_folder_of_its_own_that_is_open_to_all(
    folder: Path, victim: Path
) -> None:
    (folder / "study.toml").unlink()
    os.link(victim, folder / "study.toml")
    folder.chmod(0o777)
    said = in_bounded_time(lambda: write_report(folder, accept_changed=True))
    assert "hard link in a folder that others can write" in said


@pytest.mark.root
def test_pages_of_root_in_another_users_folder_are_that_users(tmp_path: Path, victim: Path) -> None:
    """--output, --page and the records of `age` go through the same door."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "comparison.html").symlink_to(victim)
    (place / ".scan.html.new").symlink_to(victim)
    given_to(place)
    write_pages(place / "deeper", {"charts/a.svg": "a"})
    write_pages(place, {"comparison.html": "page"})
    write_whole(place / "scan.html", "page")
    made = [place / "deeper/charts/a.svg", place / "comparison.html", place / "scan.html"]
    assert {path.lstat().st_uid for path in made} == {NOBODY}
    assert all(path.read_text() in ("a", "page") for path in made)


def test_an_output_below_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(RigError, match="cannot write into"):
        write_pages(tmp_path / "link" / "deeper", {"a.html": "a"})
    assert not (tmp_path / "nothing").exists()


def test_names_do_not_lead_out_of_the_folder(folder: Path, victim: Path) -> None:
    with PlainFolder.opened(folder) as opened:
        for name in ("../secret", "records/../../secret", "./study.toml", "records//x"):
            with pytest.raises(InputError):
                opened.read(name)
    assert victim.exists()


def test_a_folder_exchanged_while_it_is_written_is_not_written(tmp_path: Path) -> None:
    """Its writer holds the folder itself, not its name."""
    with ResultsFolder.created(tmp_path, "study") as folder:
        folder.write("study.json", "{}")
        folder.directory.rename(tmp_path / "moved")
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        folder.directory.symlink_to(elsewhere)
        folder.write("records/x/00-y.json", "{}")
        folder.discard()
        assert list(elsewhere.iterdir()) == []
        assert (tmp_path / "moved/records/x/00-y.json").read_text() == "{}"


@pytest.mark.parametrize("instead", ["nothing", "folder", "link"])
@pytest.mark.parametrize("last", [False, True])
def test_a_study_whose_folder_is_renamed_ends_and_says_where_its_records_are(
    tmp_path: Path, instead: str, last: bool
) -> None:
    """It measured to the end, and ended with "there is no folder", exit 2."""
    results, loads = tmp_path / "results", 0
    whole = 3 * 4 * 4  # blocks, turns, cells

    def renamed(_: Any) -> None:
        nonlocal loads
        loads += 1
        if loads == (whole if last else 2):
            results.rename(tmp_path / "moved")
            if instead == "folder":
                results.mkdir()
            elif instead == "link":
                results.symlink_to("/etc")

    with pytest.raises(RigError, match="was renamed or replaced") as ended:
        run(results, NoDiskEngine(0, renamed), blocks=3)
    assert loads == (whole if last else whole // 3), "no block is begun afterwards"
    (where,) = ended.value.details
    records = Path(where.removeprefix("what was written until then is in "))
    assert records.parent == tmp_path / "moved"
    assert (records / "study.json").is_file()


def exchanged(folder: Path, by: str, place: Path) -> Path:
    """Another folder in the place of this one, reached as `by` says; gives the victim."""
    victim = place / "victim"
    victim.mkdir()
    (victim / "report.html").write_text("root's own")
    folder.rename(place / "moved")
    if by == "a link of the user":
        folder.symlink_to(victim)
        os.lchown(folder, NOBODY, NOBODY)
    elif by == "a link of root":
        folder.symlink_to(victim)
    else:
        victim.rename(folder)
        return folder
    return victim


@pytest.mark.parametrize("by", ["a link of the user", "a link of root", "another folder"])
@pytest.mark.root
def test_a_report_goes_into_no_folder_but_the_one_that_was_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Its folder was opened by its path again to write: by then it led to a folder of root's,
    and root, who has that owner's rights, replaced report.html there.
    """
    given_to(folder)
    victims: list[Path] = []
    real = write.render_page

    def swapping(*facts: Any) -> str:
        page = real(*facts)
        victims.append(exchanged(folder, by, tmp_path))
        return page

    monkeypatch.setattr(write, "render_page", swapping)
    said = in_bounded_time(lambda: write_report(folder))
    assert said.startswith("2: ") and "cause:" in said and "next:" in said
    assert [path.name for path in victims[0].rglob("*")] == ["report.html"]
    assert (victims[0] / "report.html").read_text() == "root's own"
    assert not (tmp_path / "moved/report.html").exists()


def test_rows_come_from_no_folder_but_the_one_that_was_read(folder: Path, tmp_path: Path) -> None:
    """They are read when they are first asked for, long after the records were."""
    compacted(folder, 0)
    run_of_rows = read_results(folder).runs[0]
    folder.rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", folder)
    assert run_of_rows.result is not None
    rows = run_of_rows.result.intervals
    said = in_bounded_time(lambda: list(rows))
    assert said.startswith("2: ") and "is not the folder whose records were read" in said


@pytest.mark.root
@pytest.mark.parametrize("way", ["results", "output", "file", "below", "crosscheck"])
def test_root_follows_no_link_of_a_user_to_a_folder_of_another(tmp_path: Path, way: str) -> None:
    """`fsgauge run` by root in a user's folder wrote to wherever the user's link `results` led."""
    victim, place = tmp_path / "victim", tmp_path / "place"
    (victim / "deeper").mkdir(parents=True)
    place.mkdir()
    (place / "results").symlink_to("../victim")
    given_to(place)

    def create() -> None:
        with ResultsFolder.created(place / "results", "study") as folder:
            folder.write("study.json", "{}")

    said = in_bounded_time(
        {
            "results": create,
            "crosscheck": lambda: CrosscheckFolder(place / "results", "study"),
            "output": lambda: write_pages(place / "results" / "new", {"a.html": "a"}),
            "file": lambda: write_whole(place / "results" / "a.html", "a"),
            "below": lambda: write_whole(place / "results" / "deeper" / "a.html", "a"),
        }[way]
    )
    assert "a link of another user leads there" in said, said
    assert [path.name for path in victim.rglob("*")] == ["deeper"]


@pytest.mark.root
def test_root_follows_its_own_links_and_a_users_to_that_users_folder(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "of root").symlink_to(folder)
    assert write_report(tmp_path / "of root").is_file()
    given_to(folder)
    link = tmp_path / "of the user"
    link.symlink_to("of root")
    os.lchown(link, NOBODY, NOBODY)
    assert write_report(link).is_file()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "symbolic links" in in_bounded_time(lambda: write_report(loop))


@pytest.mark.root
def test_a_folder_made_for_pages_is_the_one_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made, then opened by its path: a user who replaced it led root anywhere."""
    place, victim = tmp_path / "place", tmp_path / "victim"
    place.mkdir()
    victim.mkdir()
    given_to(place)
    real = PlainFolder.make_folder

    def swapping(folder: PlainFolder, name: str) -> None:
        real(folder, name)
        if name == "new":
            (place / "new").rename(place / "moved")
            (place / "new").symlink_to(victim)

    monkeypatch.setattr(PlainFolder, "make_folder", swapping)
    said = in_bounded_time(lambda: write_pages(place / "new", {"a.html": "a"}))
    assert "link" in said
    assert list(victim.iterdir()) == []


@pytest.mark.parametrize("kind", [*KINDS, "link to nothing"])
def test_a_query_names_an_added_record_that_is_no_plain_file(
    folder: Path, victim: Path, kind: str
) -> None:
    """DuckDB said it in its own words, or waited at a pipe, with --despite changed-records."""
    turn = next(folder.glob("records/000-00-*"))
    replace(turn / "99-added.json", kind, victim)
    for work in (lambda: ask(folder), lambda: read_sides([folder], accept_changed=True)):
        said = in_bounded_time(work)
        assert said.startswith("2: ") and "99-added.json: it is " in said, said
