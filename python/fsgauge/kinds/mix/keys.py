"""The workload `mix`: groups of unlike clients side by side, each of them a cell."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from fsgauge.errors import did_you_mean, nearest
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.kinds.mix.group import Group
from fsgauge.kinds.mix.shares import require_contents, require_places
from fsgauge.record.factors import LARGE_BYTES
from fsgauge.record.records import Cell
from fsgauge.study import sweep
from fsgauge.study.base import OneLine, OneOrSwept, conflict
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, exact_duration

MOST_GROUPS = 64
_SHORTEST_WINDOW_NS = 200_000_000
_LEAST_NS, _STEP_NS, _SECOND_NS = 10_000_000, 1_000_000, 1_000_000_000
"""The shortest time of a group, and that of which proposed ones are multiples."""
_MOST_SHORTER = 6
_RATES = {"operations": "iops", "commits": "iops", "bandwidth": "bandwidth"}
_WORK = "operations"
_PARTS = ("mean", "p50", "p99", "p999")
_OF_GROUP = re.compile(r"(?P<what>.+?) of (?P<group>.+)")


class Judged(NamedTuple):
    group: str
    metric: str
    what: str


class MixWorkload(WorkloadKeys):
    """Unlike groups of clients, all at once; one cell a group."""

    question_of_folders: ClassVar[str] = "How do these file systems carry this mix of clients?"
    pace: ClassVar[str] = "group.rate"

    kind: Literal["mix"] = Field(
        "mix", description="The load: groups of unlike clients that work side by side."
    )
    primary: OneOrSwept[OneLine] | None = Field(
        None,
        description='What the answer is about: "operations of GROUP", "commits of GROUP" (of one'
        ' that syncs), "bandwidth of GROUP", or a latency: "write p99 of GROUP" with mean, p50, p99'
        " or p999 of any of its operations, or of sync. Default: the operations of the first group"
        " (its commits where each write is synced; its bandwidth with blocks of 128 KiB or more; of"
        " a paced one, their p99).",
    )
    warm_up: DurationNs = Field(
        2_000_000_000, description="Load of all groups before what is measured; not counted."
    )
    steady_window: Annotated[DurationNs, Field(ge=_SHORTEST_WINDOW_NS)] | None = Field(
        None,
        description="The warm-up ends as soon as the rate of every group was steady for so long,"
        " and warm_up is the longest that it may take. Steady: five rounds range over at most 20 %"
        " of their mean, their line moves at most 10 %, and nothing changed by 5 % for good."
        " Default: none; all of warm_up.",
    )
    duration: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        10_000_000_000, description="The measured part of each run."
    )
    fill: Annotated[sweep.Fill, Field(le=95)] | None = Field(
        None,
        description="Share of each system that is taken before the load begins, at most 95 %: by"
        " the groups' files, as far as these may grow, and by others that are written"
        " once. Default: none; the groups' files alone.",
    )
    scan: bool = Field(False, description=sweep.SCAN)
    group: Annotated[list[Group], Field(min_length=1, max_length=MOST_GROUPS)] = Field(
        description="The groups, a [[workload.group]] each.",
    )

    def cells(self) -> list[Cell]:
        return [self._cell(group) for group in self.group]

    def default_primary(self) -> list[str]:
        named = dict.fromkeys(each.group for each in self.judged())
        return [cell.id for cell in self.cells() if cell.factors["group"] in named]

    def paced_loads(self) -> list[Cell]:
        """The groups that the answer is about; the others run beside them as they are."""
        primary = self.default_primary()
        return [cell for cell in self.cells() if cell.id in primary]

    def against_curve(self) -> tuple[str | tuple[str | int, ...], str] | None:
        paced = {each.group: each for each in map(MixFactors.of, self.paced_loads())}
        for index, group in enumerate(self.group):
            for key in ("rate", "bandwidth", "think") if group.name in paced else ():
                if getattr(group, key):
                    why = f'of "{group.name}" would be ignored: a curve sets the pace itself'
                    return ("group", index, key), why
            is_of_commits = group.name in paced and paced[group.name].waited_for == "commit"
            if is_of_commits and group.sync_every > 1:
                return ("group", index, "sync_every"), sweep.WAITS_AS_RATES_FALL
        return None

    def judged(self) -> list[Judged]:
        """What `primary` says, or the usual; raises a conflict for what is not there."""
        if not self.primary:
            return [_usually_judged(self.group[0])]
        judged = [self._judged(index, text) for index, text in enumerate(self.primary)]
        names = [each.group for each in judged]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise conflict(
                    f'"{name}" is judged by one number, and two are named', [("primary", index)]
                )
        return judged

    def named(self, name: str) -> Group:
        return next(group for group in self.group if group.name == name)

    def needs_files(self) -> tuple[str, str, str] | None:
        """Blocks that are read and written have a place on a bare device, names have none."""
        if self.fill:
            return "fill", "nothing but the groups takes space of it", "leave fill out"
        of_names = [group.name for group in self.group if not group.is_plain]
        if of_names:
            reason = f'the group "{of_names[0]}" does more than read and write'
            return "group", reason, "leave such groups out"
        return None

    def keys_agree(self) -> None:
        folders = [folder_of(group.name) for group in self.group]
        for index, group in enumerate(self.group):
            if folders[index] in folders[:index]:
                raise conflict(f'two groups are called "{group.name}"', [("group", index, "name")])
        for index, group in enumerate(self.group):
            self._files_are_there(index, group)
            require_contents(group, index)
            require_places(group, self.named(group.files_of or group.name), index)
        for index, group in enumerate(self.group):
            self._begins_in_time(index, group)
            self._warms_up_with_all(index, group)
            self._has_something_to_do(index, group)
        self.judged()

    def chain(self, group: Group) -> list[Group]:
        """The groups that it comes after, the nearest first; ends where it comes round."""
        found: list[Group] = []
        while group.after is not None and len(found) <= len(self.group):
            group = self.named(group.after)
            found.append(group)
        return found

    def span_ns(self, group: Group) -> tuple[int, int, int]:
        """When it begins after the start of the mix, its warm-up, and how long it is measured."""
        before = self.chain(group)
        begin = sum(each.start_after for each in (group, *before))
        begin += sum(each.duration or 0 for each in before)
        if group.duration is not None:
            return begin, 0, group.duration
        if begin <= self.warm_up:
            return begin, self.warm_up - begin, self.duration
        return begin, 0, self.warm_up + self.duration - begin

    def _files_are_there(self, index: int, group: Group) -> None:
        for key in ("files_of", "after"):
            name = getattr(group, key)
            if name is None:
                continue
            names = [each.name for each in self.group if each.name != group.name]
            if name not in names:
                near = nearest(name, names)
                raise conflict(
                    f'there is no other group "{name}"',
                    [("group", index, key)],
                    hint=did_you_mean(near) if near else f"groups: {', '.join(names) or 'none'}",
                )
        if group.files_of is None:
            return
        other = self.named(group.files_of)
        if other.files_of is not None or not (other.is_plain and group.is_plain):
            raise conflict(
                f'the files of "{other.name}" cannot be shared: only groups that read and write'
                " blocks share files, those of the group that has them",
                [("group", index, "files_of")],
                next="name the group that has the files",
            )
        if other.files_of_jobs == "own" and other.jobs > 1:
            raise conflict(
                f'each job of "{other.name}" has files of its own',
                [("group", index, "files_of")],
                next=f'files_of_jobs = "shared" in "{other.name}"',
            )
        group.require_one_synced(other.files, "files_of", "group", index)
        if other.verify and group.changes_files:
            verified = next(at for at, each in enumerate(self.group) if each is other)
            raise conflict(
                f'what "{other.name}" writes is verified, and "{group.name}" writes over it',
                [("group", index, "files_of"), ("group", verified, "verify")],
                next=f'verify = false in "{other.name}", or files of its own for "{group.name}"',
            )
        if group.files_in_turns and other.files == 1:
            raise conflict(
                f'"{other.name}" has one file',
                [("group", index, "files_in_turns"), ("group", index, "files_of")],
                next="leave files_in_turns out",
            )
        if min(other.file_sizes) < group.largest_block_bytes:
            raise conflict(
                f'a block is larger than a file of "{other.name}"',
                [("group", index, "block_sizes")],
            )

    def _begins_in_time(self, index: int, group: Group) -> None:
        before = self.chain(group)
        if group in before:
            raise conflict(
                f'"{group.name}" would begin after its own end', [("group", index, "after")]
            )
        for each in before:
            if each.duration is None:
                raise conflict(
                    f'"{group.name}" never begins: "{each.name}" goes on to the end of the mix',
                    [("group", index, "after")],
                    next=f'a duration for "{each.name}"',
                )
        begin, warm_up, duration = self.span_ns(group)
        end = self.warm_up + self.duration
        if begin >= end or begin + warm_up + duration > end:
            raise conflict(
                f'"{group.name}" begins after {exact_duration(begin)} and takes'
                f" {exact_duration(warm_up + max(duration, 0))}, and the mix ends after"
                f" {exact_duration(end)}"
                if duration > 0
                else f'"{group.name}" would never begin: the mix ends after {exact_duration(end)}',
                [("group", index, "duration" if group.duration else "start_after"), "duration"],
                next=self._in_time(),
            )

    def _in_time(self) -> str:
        """The options with which all groups end in time: a longer mix; or shorter groups, all by
        one factor, where that leaves each of them a time."""
        end = self.warm_up + self.duration
        ends = [(group, self.span_ns(group)) for group in self.group]
        longest = max(begin + (group.duration or _SECOND_NS) for group, (begin, *_) in ends)
        longer = f"--set workload.duration={_typed(longest - self.warm_up)}"
        factor = min(self._factor(group, end) for group in self.group)
        shorter = {
            group.name: int(group.duration * factor) // _STEP_NS * _STEP_NS
            for group in self.group
            if group.duration is not None
        }
        if not shorter or len(shorter) > _MOST_SHORTER or min(shorter.values()) < _LEAST_NS:
            return longer
        each = (
            shlex.quote(f"workload.group.{name}.duration={_typed(duration_ns)}")
            for name, duration_ns in shorter.items()
        )
        return " ".join([f"{longer}; or", *(f"--set {one}" for one in each)])

    def _factor(self, group: Group, end_ns: int) -> Fraction:
        """By which the durations up to a group's end have to shrink; more than 1 where none has."""
        parts = [group, *self.chain(group)]
        lasting = sum(each.duration or _LEAST_NS for each in parts)
        return Fraction(end_ns - sum(each.start_after for each in parts), lasting)

    def _warms_up_with_all(self, index: int, group: Group) -> None:
        if self.steady_window is None:
            return
        if self.steady_window > self.warm_up:
            raise conflict(
                f"{exact_duration(self.steady_window)} are not within a warm-up of"
                f" {exact_duration(self.warm_up)}",
                ["steady_window", "warm_up"],
                next=f'warm_up = "{exact_duration(10 * self.steady_window)}"',
            )
        for key in ("start_after", "after", "duration"):
            if getattr(group, key):
                raise conflict(
                    f'"{group.name}" has times of its own, and it is not known when the warm-up of'
                    " all ends",
                    [("group", index, key), "steady_window"],
                    next="leave one of them out",
                )

    def _has_something_to_do(self, index: int, group: Group) -> None:
        """What a pace, or rests, leave a group to do in its measured time."""
        _, _, duration = self.span_ns(group)
        key = "think" if group.think else "bandwidth" if group.bandwidth else "rate"
        sweep.require_some_due(
            group.offered_per_second,
            duration,
            [("group", index, key), "duration"],
            together=group.burst,
        )

    def _judged(self, index: int, text: str) -> Judged:
        found = _OF_GROUP.fullmatch(text)
        names = [group.name for group in self.group]
        if found is None or found["group"] not in names:
            near = nearest(found["group"] if found else text, names)
            raise conflict(
                f'"{text}" names no group of this mix',
                [("primary", index)],
                hint=did_you_mean(near) if near else "",
                next=f'primary = "operations of {names[0]}"',
            )
        group = self.named(found["group"])
        what, measures = found["what"], _measures(group)
        if what not in measures:
            known = [each for each in measures if each in _RATES or each.endswith(" p99")]
            near = nearest(what, known)
            raise conflict(
                f'"{group.name}" has no {what}',
                [("primary", index)],
                hint=did_you_mean(near) if near else f"it has {', '.join(known)}",
                next=f'primary = "{(near or known)[0]} of {group.name}"',
            )
        return Judged(group.name, measures[what], what if what in _RATES else _WORK)

    def _cell(self, group: Group) -> Cell:
        found = (each for each in self.judged() if each.group == group.name)
        judged = next(found, None) or _usually_judged(group)
        factors = MixFactors(
            group=group.name,
            block_size_bytes=round(group.mean_block_bytes),
            queue_depth=group.queue_depth,
            jobs=group.jobs,
            read_percent=group.read_percent,
            interface=group.calls,
            judged_by=judged.metric,
            judged_as=judged.what,
            timed=group.timed,
        )
        return factors.cell(folder_of(group.name), group.name)


def _typed(duration_ns: int) -> str:
    return exact_duration(duration_ns).replace(" ", "")


def folder_of(name: str) -> str:
    """The folder of a group's files, and the id of its cell."""
    return name.replace(" ", "-")


def _usually_judged(group: Group) -> Judged:
    """By its rate, in bytes where its blocks are large, in commits where each write is one; of a
    pace, which sets that, by the p99 of what it does most."""
    if group.operations_per_second is not None:
        return Judged(group.name, f"{group.timed}.p99", _WORK)
    is_large = group.is_plain and group.mean_block_bytes >= LARGE_BYTES
    is_of_commits = group.sync != "none" and group.sync_every == 1
    what = "bandwidth" if is_large else _WORK
    if is_of_commits and set(group.operations) <= {"write", "append"}:
        what = "commits"
    return Judged(group.name, _RATES[what], what)


def _measures(group: Group) -> dict[str, str]:
    """By what it may be judged: words of `primary`, and the metric that each is."""
    timed = [*group.operations, *(["sync"] if group.is_synced_by_calls else [])]
    found = _RATES | {f"{each} {part}": f"{each}.{part}" for each in timed for part in _PARTS}
    return {what: found[what] for what in found if what != "commits" or group.sync != "none"}


KEYS = MixWorkload
