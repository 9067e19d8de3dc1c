"""The cases: each is a number of trials on files of its own, a step at a time on two nodes.

The first and the last node take part. Anchors: the close-to-open and lock tests of nfstest
and cthon04, the append and counter workloads of Jepsen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from fsgauge.agents.agents import AgentLostError, Agents, Answer, one
from fsgauge.coherence import log

SIZE_BYTES = 16 << 10
BEHIND_SECONDS = 120.0
"""Twice the longest time for which an NFS client usually trusts what it knows (acregmax)."""
_POLL_SECONDS = 0.25
RACE_ROUNDS, RACE_GROWTH = 3, 4
"""How often nodes that hardly met try again, each time with so many times the records."""
CASE_SECONDS = 600.0
"""A case ends after so long, with the trials that it has."""
STEP_SECONDS = 90.0
"""A step takes milliseconds; a server that has just started grants no lock for a while."""


class Pair:
    def __init__(self, agents: Agents) -> None:
        self.agents = agents
        self.places = (0, len(agents.names) - 1)

    def do(self, which: int, **step: object) -> Answer:
        return one(self.agents, self.places[which], STEP_SECONDS, **step)

    def both(self, seconds: float, *steps: dict[str, object]) -> tuple[Answer, Answer]:
        answers = self.agents.ask(dict(zip(self.places, steps, strict=True)), seconds)
        return answers[self.places[0]], answers[self.places[1]]

    def must(self, which: int, **step: object) -> Answer:
        """The same where an error of the file system ends the test."""
        answer = self.do(which, **step)
        if "error" in answer:
            raise StepFailedError(f"{step['do']}: {answer['error']}")
        return answer


class StepFailedError(Exception):
    """A step that a test rests on gave an error."""


class CaseResult(NamedTuple):
    """What became of one; `behind_seconds` is how long its reader took to see what was written,
    where that was waited for; None where it never did. `raced`: whether the other node was at work
    in the same moment; None where it need not be."""

    outcome: str
    behind_seconds: float | None = 0.0
    raced: bool | None = None


Trials = Callable[[Pair, str, int], Iterator[CaseResult]]
"""Makes so many trials, in files of that name."""


@dataclass(frozen=True)
class Case:
    """`right` is what programs on one machine see. `promise` is who promises it."""

    name: str
    title: str
    what: str
    right: str
    promise: str
    trials: Trials


def _by_name(pair: Pair, name: str, trials: int, *, written_by: str) -> Iterator[CaseResult]:
    pair.must(0, do="put", name=name, version=0, size_bytes=SIZE_BYTES)
    pair.do(1, do="look", name=name)
    for version in range(1, trials + 1):
        writer = version % 2
        pair.must(writer, do=written_by, name=name, version=version, size_bytes=SIZE_BYTES)
        seen = pair.do(1 - writer, do="look", name=name)
        yield CaseResult(log.read_outcome(seen, version, SIZE_BYTES))


def _kept_open(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    pair.must(0, do="put", name=name, version=0, size_bytes=SIZE_BYTES)
    pair.must(1, do="look_kept", name=name)
    for version in range(1, trials + 1):
        pair.must(0, do="put", name=name, version=version, size_bytes=SIZE_BYTES)
        yield _looked(pair, 1, "look_kept", name, version, is_last=version == trials)


def _new_file(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    for version in range(1, trials + 1):
        writer, own = version % 2, f"{name}-{version}"
        pair.do(1 - writer, do="look", name=own)  # it is not there, which may be remembered
        pair.must(writer, do="put", name=own, version=version, size_bytes=SIZE_BYTES)
        yield _looked(pair, 1 - writer, "look", own, version, is_last=version == trials)


def _looked(
    pair: Pair, reader: int, look: str, name: str, version: int, *, is_last: bool
) -> CaseResult:
    """Of the last version also how long after it was written the reader sees it."""

    def seen() -> str:
        return log.read_outcome(pair.do(reader, do=look, name=name), version, SIZE_BYTES)

    written, outcome = time.monotonic(), seen()
    if outcome == log.SAME or not is_last:
        return CaseResult(outcome)
    while time.monotonic() < written + BEHIND_SECONDS:
        if seen() == log.SAME:
            return CaseResult(outcome, time.monotonic() - written)
        time.sleep(_POLL_SECONDS)
    return CaseResult(outcome, None)


def _rename_kept(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    for version in range(1, trials + 1):
        own = f"{name}-{version}"
        pair.must(0, do="put", name=own, version=version, size_bytes=SIZE_BYTES)
        pair.must(1, do="look_kept", name=own)
        words = {"name": own, "version": version + 1, "size_bytes": SIZE_BYTES}
        refused = pair.do(0, do="replace", **words).get("error")
        seen = pair.do(1, do="look_kept", name=own, anew=True)
        pair.do(1, do="release")
        outcome = log.read_outcome(seen, version + 1, SIZE_BYTES)
        yield CaseResult(f"rename refused: {refused}" if refused else outcome)


def _append_by_turns(pair: Pair, name: str, trials: int, *, ask_size: bool) -> Iterator[CaseResult]:
    for number in range(trials):
        for which in (0, 1):
            step = {"node": which, "first": number, "count": 1, "sync": True}
            pair.must(which, do="append", name=name, ask_size=ask_size, **step)
    yield from _records(pair, name, trials)


def _append_at_once(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    """Of nodes that hardly met, once more with more records, as long as there is time: one may have
    ended before the other began."""
    began = time.monotonic()
    found = _appended_at_once(pair, name, trials, 0)
    for round_number in range(1, RACE_ROUNDS):
        is_wrong = any(each.outcome != log.KEPT for each in found)
        if is_wrong or log.has_raced(sum(bool(each.raced) for each in found), len(found)):
            break
        took_seconds = time.monotonic() - began
        if (1 + RACE_GROWTH) * took_seconds > CASE_SECONDS:
            break
        try:
            found = _appended_at_once(pair, name, trials, round_number)
        except (StepFailedError, AgentLostError):
            yield from found  # what was found before counts
            raise
    yield from found


def _appended_at_once(pair: Pair, name: str, trials: int, round_number: int) -> list[CaseResult]:
    own, count = f"{name}-{round_number}", trials * RACE_GROWTH**round_number
    pair.must(0, do="put", name=own, version=0, size_bytes=0)
    steps: list[dict[str, object]] = [
        {"do": "append", "name": own, "node": node, "first": 0, "count": count, "sync": True}
        for node in (0, 1)
    ]
    _require_done(pair.both(STEP_SECONDS + count, *steps))
    return list(_records(pair, own, count, at_once=True))


def _records(pair: Pair, name: str, trials: int, *, at_once: bool = False) -> Iterator[CaseResult]:
    """Both have closed the log: what it holds for who opens it then."""
    for which in (0, 1):
        pair.must(which, do="release")
    found = pair.must(1, do="records", name=name)
    sent = [(node, number) for node in (0, 1) for number in range(trials)]
    met = log.overlapped(found["records"])
    became = log.append_outcomes(found["records"], found["torn"], sent).elements()
    for at, outcome in enumerate(became):
        yield CaseResult(outcome, raced=at < met if at_once else None)


def _exclusive(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    step: dict[str, object] = {"do": "claim", "name": name, "count": trials}
    answers = pair.both(STEP_SECONDS + trials, step, step)
    _require_done(answers)
    winners = Counter(number for each in answers for number in each["won"])
    for number in range(trials):
        yield CaseResult(log.claim_outcome(winners[number]))


def _locked(pair: Pair, name: str, trials: int, *, by: str) -> Iterator[CaseResult]:
    words = {"name": name, "by": by}
    for trial in range(trials):
        holder, other = trial % 2, 1 - trial % 2
        first = pair.do(holder, do="lock", **words)
        second = pair.do(other, do="lock", **words)
        pair.do(holder, do="unlock", **words)
        after = pair.do(other, do="lock", **words)
        pair.do(other, do="unlock", **words)
        yield CaseResult(log.lock_outcome(first, second, after))


def _counter(pair: Pair, name: str, trials: int) -> Iterator[CaseResult]:
    pair.must(0, do="put", name=name, version=0, size_bytes=0)
    step: dict[str, object] = {"do": "count_up", "name": name, "times": trials, "by": "fcntl"}
    step["seconds"] = STEP_SECONDS
    answers = pair.both(2 * STEP_SECONDS, step, step)
    _require_done(answers)
    for which in (0, 1):
        pair.must(which, do="release")
    number = int(pair.must(1, do="number", name=name)["number"])
    done = sum(int(each["done"]) for each in answers)
    yield from [CaseResult(log.KEPT)] * min(number, done)
    yield from [CaseResult(log.LOST)] * max(0, done - number)
    yield from [CaseResult("never had the lock")] * (2 * trials - done)


def _require_done(answers: tuple[Answer, Answer]) -> None:
    for answer in answers:
        if "error" in answer:
            raise StepFailedError(str(answer["error"]))


CASES = {
    case.name: case
    for case in (
        Case(
            "close_to_open",
            "opened after the close",
            "one node writes a file over, syncs and closes it; then the other opens and reads it",
            log.SAME,
            "NFS by close-to-open, cluster file systems, SMB",
            partial(_by_name, written_by="put"),
        ),
        Case(
            "new_file",
            "a new file, looked for before",
            "one node finds no file of a name; the other writes one, syncs and closes it; then the"
            " first opens it",
            log.SAME,
            "cluster file systems; NFS and SMB may remember for a while that there was none",
            _new_file,
        ),
        Case(
            "kept_open",
            "kept open by the reader",
            "one node keeps a file open and reads it again each time the other has written, synced"
            " and closed it",
            log.SAME,
            "cluster file systems, SMB; NFS only after its attribute time (acregmin, 3 s and more)",
            _kept_open,
        ),
        Case(
            "rename_by_name",
            "renamed over, then opened",
            "one node renames a new file over the old one; then the other opens the name",
            log.SAME,
            "cluster file systems; NFS and SMB may keep for a while what the name was",
            partial(_by_name, written_by="replace"),
        ),
        Case(
            "rename_kept",
            "renamed over while open",
            "one node keeps a file open, the other renames a new one over it; then the first reads"
            " on, from the disk",
            log.OLD,
            "POSIX: who has it open keeps the old file; an NFS 3 server knows of no open files",
            _rename_kept,
        ),
        Case(
            "append_by_turns",
            "appended in turns",
            "both nodes keep one file open with O_APPEND, and append and sync a record in turns",
            log.KEPT,
            "cluster file systems; clients of NFS and SMB write where they take the end to be",
            partial(_append_by_turns, ask_size=False),
        ),
        Case(
            "append_after_fstat",
            "appended in turns, size asked",
            "the same, and each node asks for the size with fstat before it appends",
            log.KEPT,
            "cluster file systems, which fetch the size for it; NFS may answer from memory",
            partial(_append_by_turns, ask_size=True),
        ),
        Case(
            "append_at_once",
            "appended at once",
            "both nodes append and sync records to one file at the same time",
            log.KEPT,
            "few: the end must be found and written under one lock",
            _append_at_once,
        ),
        Case(
            "exclusive",
            "created by one alone",
            "both nodes create the same names with O_EXCL at the same time",
            "one winner",
            "cluster file systems, NFS since version 3, SMB",
            _exclusive,
        ),
        Case(
            "flock",
            "flock",
            "one node locks a file with flock, the other asks for the lock, then gets it",
            "held",
            "cluster file systems; NFS, as a lock on all bytes; not every cluster without a lock"
            " manager",
            partial(_locked, by="flock"),
        ),
        Case(
            "fcntl",
            "POSIX lock",
            "the same with fcntl",
            "held",
            "the same",
            partial(_locked, by="fcntl"),
        ),
        Case(
            "counter",
            "counter under a lock",
            "both nodes count up a number in a file they keep open, each time under a POSIX lock",
            log.KEPT,
            "who keeps locks: NFS too, which asks the server again once it has the lock",
            _counter,
        ),
    )
}
