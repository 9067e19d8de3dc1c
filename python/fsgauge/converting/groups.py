"""Groups of clients as a study of unlike groups has them, with where each key comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from itertools import count as counted

from fsgauge.converting.fio_options import Fate
from fsgauge.converting.job_file import Option
from fsgauge.errors import InputError
from fsgauge.study.file_sizes import weighted
from fsgauge.study.wording import as_details
from fsgauge.units import count, exact_duration, exact_size, parse_size

Value = str | int | float | bool | list[str] | list[int] | dict[str, int]
Keys = Mapping[str, tuple[Value, Sequence[Option | None]]]
"""Keys of a table, with the options that each comes from."""
SYSTEMS = ("ext4", "xfs")
"""What is compared unless --system says otherwise: no job of another tool names any."""
USUAL_DURATION_NS = 10 * 10**9
"""Of a group whose tool ends by bytes, and not by time."""
ALIKE = 0.55
"""Of names of options: two that share less are another's, such as -q and -z."""
_LONGEST_NAME = 40
_UNDONE_BY = {"create": "unlink", "unlink": "create"}


def free_name(wanted: str, taken: Collection[str]) -> str:
    """One that a group may have, and none has: sections of fio may be called alike."""
    bare = re.sub(r"[^A-Za-z0-9_ -]+", "-", wanted).strip(" -")[:_LONGEST_NAME] or "job"
    folders = {name.replace(" ", "-") for name in taken}
    names = chain([bare], (f"{bare[: _LONGEST_NAME - 5]} {number}" for number in counted(2)))
    return next(each for each in names if each.replace(" ", "-") not in folders)


@dataclass
class Group:
    """One table of [[workload.group]]: its keys, and the options that each comes from. `after` is
    the group that it waits for; `duration_ns` is None where the tool says none."""

    name: str
    keys: dict[str, Value] = field(default_factory=dict)
    sources: dict[str, list[Option]] = field(default_factory=dict)
    duration_ns: int | None = None
    warm_up_ns: int = 0
    start_after_ns: int = 0
    after: str = ""
    bytes_of_files: int = 0

    @property
    def jobs(self) -> int:
        return int(str(self.keys.get("jobs", 1)))

    def put_jobs(self, jobs: int, *sources: Option | None) -> None:
        """How many do it at the same time; one is usual."""
        if jobs > 1:
            self.put("jobs", jobs, *sources)

    @property
    def operations(self) -> Mapping[str, int]:
        """With their weights, once they are put."""
        found = self.keys.get("operations")
        return found if isinstance(found, dict) else {}

    @property
    def is_plain(self) -> bool:
        """Whether it reads and writes blocks alone."""
        return bool(self.operations) and self.operations.keys() <= {"read", "write"}

    @property
    def is_mixed(self) -> bool:
        return self.does("read") and self.does("write")

    def does(self, operation: str) -> bool:
        return operation in self.operations

    def put_operations(
        self, weights: Mapping[str, int], findings: Findings, *sources: Option | None
    ) -> None:
        """By weight. Files that a tool makes or removes once are made and removed in turns."""
        found = dict(weights)
        for one, other in _UNDONE_BY.items():
            if one in weights and other not in weights:
                found[other] = weights[one]
                what = "files are removed and made again for the whole time: read the latency of"
                findings.note(next(iter(sources), None) or one, f"{what} {one}")
        self.put("operations", found, *sources)

    def follow(self, other: Group, *sources: Option | None) -> None:
        """Begin when another one has ended."""
        self.after = other.name
        self.put("after", other.name, *sources)

    def put_files(
        self, count: int, size_bytes: int, *, own: bool, sources: Sequence[Option | None] = ()
    ) -> None:
        """Equal files; with `own`, so many of each job. Operations on names draw from one set."""
        jobs = self.jobs
        if own and not self.is_plain:
            count, own = count * jobs, False
        if jobs > 1 and self.is_plain:
            self.put("files_of_jobs", "own" if own else "shared", *sources)
        if count > 1:
            self.put("files", count, *sources)
        self.put("file_sizes", exact_size(size_bytes), *sources)
        self.bytes_of_files = count * size_bytes * (jobs if own else 1)

    def share_files(self, owner: Group, findings: Findings, *sources: Option | None) -> None:
        """Work on the files of another group, or on files like them where those cannot be shared:
        only groups that read and write share files, and none that each job has alone."""
        is_own = "own" in (self.keys.get("files_of_jobs"), owner.keys.get("files_of_jobs"))
        if self.is_plain and owner.is_plain and not is_own:
            for key in ("files", "file_sizes", "files_of_jobs"):
                self.keys.pop(key, None)
            self.bytes_of_files = 0
            self.put("files_of", owner.name, *sources)
            return
        what = f"the group {self.name} has files of its own, like those of {owner.name}"
        findings.note(next(iter(sources), None) or "shared files", what)
        for key in ("files", "file_sizes", "files_of_jobs" if self.is_plain else "size_weights"):
            if key in owner.keys:
                self.put(key, owner.keys[key], *owner.sources.get(key, []))
        self.bytes_of_files = max(self.bytes_of_files, owner.bytes_of_files)

    def put_drawn(
        self, what: str, drawn: Sequence[tuple[int, int]], *sources: Option | None
    ) -> None:
        """Sizes of its "block"s, "write_block"s or "file"s in bytes, by weight."""
        sizes, weights = [exact_size(size) for size, _ in drawn], [weight for _, weight in drawn]
        self.put(f"{what}_sizes", sizes if len(sizes) > 1 else sizes[0], *sources)
        if len(set(weights)) > 1:
            self.put(_weights_of(what), weights, *sources)

    def drawn(self, what: str) -> list[tuple[int, int]]:
        """The same as it was put, or none."""
        sizes, weights = self.keys.get(f"{what}_sizes", []), self.keys.get(_weights_of(what), [])
        texts = sizes if isinstance(sizes, list) else [sizes]
        shares = weights if isinstance(weights, list) else []
        return weighted([parse_size(str(text)) for text in texts], [int(each) for each in shares])

    def last(self, duration_ns: int, source: Option | None) -> None:
        """Set the measured time of the group, and the option that gives it; None for none."""
        self.duration_ns, self.sources["duration"] = duration_ns, [source] if source else []

    def put(self, key: str, value: Value, *sources: Option | None) -> None:
        """Set a key; None stands for an option that is not there."""
        self.keys[key] = value
        self.sources[key] = [each for each in sources if each is not None]


def _weights_of(what: str) -> str:
    return "size_weights" if what == "file" else f"{what}_weights"


@dataclass(frozen=True)
class Note:
    """What differs from the tool, in a sentence, and the option that it is about."""

    option: str
    place: str
    text: str

    @property
    def told(self) -> str:
        return f"{self.place} {self.option}: {self.text}".lstrip()


@dataclass
class Findings:
    """What is said of a conversion. Each option of a line is told once, however many jobs it is
    for. `without` are those that the user gave up; `refusals` would make another load, and why."""

    without: frozenset[str] = frozenset()
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)
    refusals: dict[tuple[str, int, str], tuple[Option, str]] = field(default_factory=dict)
    carried: set[tuple[str, int, str]] = field(default_factory=set)
    unknown: dict[tuple[str, int, str], InputError] = field(default_factory=dict)

    def take(self, option: Option, fate: Fate, why: str) -> None:
        """Carry an option over, note or refuse it, as its tool's table of options says."""
        if fate == "refused":
            self.refuse(option, why)
        elif fate == "noted":
            self.note(option, why)
        elif fate == "carried":
            self.carry(option)

    def carry(self, option: Option) -> None:
        self.carried.add(option.key)

    def note(self, about: Option | str | None, text: str) -> None:
        """Something differs: of an option, or of what stands in no line."""
        name, place = (about.name, about.place) if isinstance(about, Option) else (about or "", "")
        self.notes.setdefault((name, text), Note(name, place, text))

    def refuse(self, option: Option, why: str) -> None:
        """It would be another load, unless the user gave it up."""
        if option.name in self.without:
            self.note(option, f"left out, as asked: {why}")
            return
        self.refusals.setdefault(option.key, (option, why))

    def raise_unknown(self) -> None:
        """Raise one InputError for all that the tool does not know, with the place of each."""
        if not self.unknown:
            return
        first, *others = (self.unknown[place] for place in sorted(self.unknown))
        if not others:
            raise first
        lines = [line for each in others[:_MOST_UNKNOWN] for line in as_details(each.location)]
        more = len(others) - _MOST_UNKNOWN
        raise InputError(
            f"{first.what}, nor {count(len(others), 'other')} of this job",
            location=first.location,
            details=(*lines, f"and {more} more") if more > 0 else tuple(lines),
            cause="they are misspelt, or of another version of fio",
            next=first.next,
        )

    def note_unused(self) -> None:
        """Notes each option of --without that the job does not have."""
        used = {name for name, _ in self.notes}
        for name in sorted(self.without - used):
            self.note(name, "left out, as asked, but the job does not have it")

    def raise_refusals(self, command: str = "") -> None:
        """Raise one InputError for all of them; `command` is what takes --without."""
        if not self.refusals:
            return
        (first, why), *others = self.refusals.values()
        names = list(dict.fromkeys(option.name for option, _ in self.refusals.values()))
        left_out = f"the same command without {', '.join(names)}"
        if not NEEDED.isdisjoint(names):
            left_out = "change these lines, or measure it with the tool itself"
        elif command:
            left_out = " ".join([command, *(f"--without {name}" for name in names)])
        raise InputError(
            f"{first.name} would make another load here: {why}",
            location=first.location(),
            details=tuple(f"{each.place}: {each.name} too: {its}" for each, its in others[:12]),
            cause=f"{count(len(self.refusals), 'option')} of the job for which a study has no key",
            next=left_out,
        )


_MOST_UNKNOWN = 12
"""So many are shown besides the first; each takes two lines."""
NEEDED = {"ioengine", "rw", "readwrite", "program", "size", "filesize", "bs", "blocksize",
          "operation"}  # fmt: skip
"""Without them there is no load to speak of."""


@dataclass(frozen=True)
class Whole:
    """A load that one kind of study has as it is: its keys of [workload], and what files take."""

    kind: str
    keys: dict[str, Value]
    bytes_of_files: int


@dataclass(frozen=True)
class Converted:
    """A job of another tool: its groups, or the `whole` load of another kind, and what is said of
    them; `workload` and `plan` are keys of all groups together."""

    title: str
    tool: str
    groups: list[Group]
    findings: Findings
    seed: int | None = None
    whole: Whole | None = None
    workload: Keys = field(default_factory=dict)
    plan: Keys = field(default_factory=dict)

    def times_ns(self) -> tuple[int, int]:
        """Warm-up and duration of the mix; a group gets its own where groups do not begin and end
        together."""
        known = [group.duration_ns for group in self.groups if group.duration_ns]
        usual = known[0] if known else USUAL_DURATION_NS
        chained = any(group.after for group in self.groups)
        apart = chained or any(group.start_after_ns for group in self.groups)
        if not apart and set(known) <= {usual}:
            warm_ups_ns = {group.warm_up_ns for group in self.groups}
            if len(warm_ups_ns) > 1:
                what = "all groups warm up for as long as the one that does longest"
                self.findings.note("ramp_time", what)
            return max(warm_ups_ns), usual
        ends: dict[str, int] = {}
        for group in self.groups:
            begin = ends.get(group.after, 0) + group.start_after_ns
            own = group.duration_ns or USUAL_DURATION_NS
            ends[group.name] = begin + own
            if chained or group.duration_ns:
                group.put("duration", exact_duration(own), *group.sources.get("duration", []))
            if group.warm_up_ns:
                what = "groups that do not begin and end together count from their start"
                self.findings.note("ramp_time", what)
        return 0, max(ends.values())


_SHOWN = 48
"""So much of what a key is from stands in a line of the study that is shown cut."""


@contextmanager
def at_lines_of_job(converted: Converted) -> Iterator[None]:
    """An InputError of the study within is at the lines of the job, where the study's keys come
    from some; an option of the command line keeps its place."""
    try:
        yield
    except InputError as error:
        shown = (error.location.text if error.location else "", *error.details)
        lists = chain.from_iterable(group.sources.values() for group in converted.groups)
        given = list(chain.from_iterable(lists))
        cited = [each for line in shown for each in given if each.cited[:_SHOWN] in line]
        if cited:
            first, *others = dict.fromkeys(cited)
            kept = (line for line in error.details if line.startswith("--"))
            also = (f"{each.place}:{each.column}: {each.text}" for each in others)
            error.location, error.details = first.location(), (*also, *kept)
        raise
