"""File-system workloads of vdbench's as groups: each fwd of each rd, on the files of its fsd."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from fsgauge.converting import numbers
from fsgauge.converting.fio_options import of_each
from fsgauge.converting.groups import Converted, Findings, Group, free_name
from fsgauge.converting.job_file import Option, joined_lines
from fsgauge.errors import InputError, quoted
from fsgauge.study.other_tools import table_of_words
from fsgauge.study.sweep import mean_bytes
from fsgauge.units import exact_percent, exact_rate

Given = Mapping[str, str]
_LINE = re.compile(r"(fsd|fwd|rd)=([^,\s]+)(\S*)")
_PAIR = re.compile(r"(\w+)=(\([^)]*\)|[^,\s]*)")
_TABLE = table_of_words()["vdbench"]["files"]
_OPERATIONS: dict[str, str] = _TABLE["operations"]
_OF_FILES, _OF_LOADS = _TABLE["of_files"].split(), _TABLE["of_loads"].split()
_KNOWN = (*_OF_FILES, *_OF_LOADS, *_TABLE["of_runs"].split())
_REFUSED = of_each(_TABLE["refused"])
_BLOCK_BYTES = 4096
_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}


def is_vdbench(text: str) -> bool:
    return bool(re.search(r"^(fwd|fsd|wd|sd)=[^,\s]+,", text, re.MULTILINE))


def convert_vdbench(path: Path, text: str, without: frozenset[str] = frozenset()) -> Converted:
    """Raises InputError for what no group does."""
    reader = _Reader(path, Findings(without))
    reader.read(text)
    groups: list[Group] = []
    for rd in reader.found["rd"]:
        if "only" in _words(rd.keys.get("format", "")):
            continue
        together = reader.called("fwd", rd.keys.get("fwd", "fwd*"), rd.at)
        phase: list[Group] = []
        for fwd in together:
            group = Group(free_name(fwd.name, [each.name for each in (*groups, *phase)]))
            _fill(reader, group, fwd, rd, together)
            if groups:
                group.follow(groups[-1], rd.at)
            phase.append(group)
        groups += phase
    if not groups:
        last = reader.found["rd"][-1].at
        raise last.wrong("no rd does anything but make files", "leave format=only out")
    reader.findings.raise_refusals(f"fsgauge study from-fio {quoted(path)}")
    return Converted(path.name, "vdbench", groups, reader.findings)


class _Definition(NamedTuple):
    name: str
    keys: Given
    at: Option


@dataclass
class _Reader:
    """Definitions by their kinds, in the file's order, each with what `default` gave it before."""

    path: Path
    findings: Findings
    found: dict[str, list[_Definition]] = field(default_factory=lambda: defaultdict(list))
    owners: dict[tuple[str, ...], Group] = field(default_factory=dict)
    compressible: tuple[str, Option] | None = None

    def read(self, text: str) -> None:
        defaults: dict[str, dict[str, str]] = defaultdict(dict)
        for first, line in joined_lines(text, _bare):
            option = Option(line.partition("=")[0], None, str(self.path), first, 1, line)
            match = _LINE.match(line)
            if match is None:
                self._of_all(option)
                continue
            kind, name, rest = match.groups()
            found = {pair[1].lower(): pair[2] for pair in _PAIR.finditer(rest)}
            given = {_TABLE["same"].get(key, key): value for key, value in found.items()}
            for key in (each for each in given if each not in _KNOWN):
                several = "a run for each; the nearest is an rd of each"
                why = several if key.startswith("for") else "no key of a study means it"
                self.findings.refuse(_about(option, key), why)
            if name == "default":
                defaults[kind] |= given
            elif (kind, name) != ("fwd", "format"):
                self.found[kind].append(_Definition(name, {**defaults[kind], **given}, option))
        if not self.found["fwd"] or not self.found["rd"]:
            raise InputError(
                f"{self.path} has no fwd and rd",
                cause="read are file-system workloads (fsd, fwd, rd), no raw ones (sd, wd)",
                next="fsgauge run overhead, or the same load as a job file of fio's",
            )

    def _of_all(self, option: Option) -> None:
        """What stands above all: data, hosts, and what commands are to be run."""
        name, _, value = option.text.partition("=")
        if name == "compratio" and re.fullmatch(r"[1-9]\d*(\.\d+)?", value):
            self.compressible = exact_percent(round(100 - 100 / float(value))), option
        elif name in _REFUSED:
            self.findings.refuse(option, _REFUSED[name])
        elif name == "hd":
            self.findings.note(option, "hosts are not in a study: --rig fleet --hosts a,b")

    def called(self, kind: str, named: str, at: Option) -> list[_Definition]:
        """Definitions that match a pattern, or one of a list in parentheses; InputError without."""
        patterns, known = _words(named), self.found[kind]
        found = [each for each in known if any(fnmatchcase(each.name, word) for word in patterns)]
        if not found:
            names = ", ".join(each.name for each in known)
            near = f"one of these: {names}" if names else f"define an {kind} above it"
            raise at.wrong(f"no {kind} is called {named}", near)
        return found


def _bare(line: str) -> str:
    """What is behind a blank is a comment, as some lines are."""
    word = next(iter(line.split()), "#")
    return "" if word[0] in "#*/" else word


def _words(value: str) -> list[str]:
    """The values of a key: one, or a list in parentheses."""
    return value.strip("()").split(",")


def _drawn(key: str, value: str) -> list[tuple[int, int]]:
    words = _words(value)
    if len(words) == 1:
        return [(numbers.size(words[0]), 100)]
    if len(words) % 2 or sum(map(int, words[1::2])) != 100:
        raise ValueError(
            f"{key}={value}: the nearest is a size, or sizes with percentages that add to 100"
        )
    return list(zip(map(numbers.size, words[::2]), map(int, words[1::2]), strict=True))


def _about(option: Option, key: str) -> Option:
    found = re.search(rf",{re.escape(key)}s?=", option.text)
    column = found.start() + 2 if found else 1
    return Option(key, None, option.path, option.line, column, option.text, f"{key}=")


def _fill(
    reader: _Reader, group: Group, fwd: _Definition, rd: _Definition, together: list[_Definition]
) -> None:
    """What a run has a workload do: keys of its rd come before those of the fwd."""
    run, option, findings = rd.keys, fwd.at, reader.findings
    fsd, *others = reader.called("fsd", fwd.keys.get("fsd", "*"), option)
    if others:
        why = "a group has the files of one fsd; the nearest is an fwd for each"
        findings.refuse(_about(option, "fsd"), why)
    given = {"openflags": fsd.keys.get("openflags", ""), **fwd.keys}
    given |= {key: value for key, value in run.items() if key in _OF_LOADS}
    if asked := run.get("operations", run.get("operation")):
        given["operation"] = asked
    group.duration_ns = _seconds(run.get("elapsed", "30"), rd.at) * 10**9
    group.warm_up_ns = _seconds(run.get("warmup", "0"), rd.at) * 10**9
    try:
        _load(findings, group, given, option, rd.at)
        group.put_jobs(int(given.get("threads", "1")), option)
        _files(reader, group, fsd, run)
        _pace(findings, group, given, rd, together)
    except ValueError as error:
        said = re.sub(r".*: ('.*')", r"\1", str(error))  # Python's own words are none for people
        why = f"{fwd.name} has a value that cannot be read: {said}"
        raise option.wrong(why, "a whole number, with k, m or g where it is a size") from error
    if reader.compressible and any(map(group.does, ("write", "write_file", "create"))):
        group.put("compressible", *reader.compressible)


def _seconds(text: str, rd: Option) -> int:
    match = re.fullmatch(r"(\d+)([smh]?)", text)
    if match is None:
        raise rd.wrong(f"{text} is no time", "a number of seconds, or with m or h: 10m")
    return int(match[1]) * _UNITS_S[match[2]]


def _load(findings: Findings, group: Group, given: Given, option: Option, rd: Option) -> None:
    def at(key: str) -> Option:
        in_run = _about(rd, key)
        return in_run if in_run.column > 1 else _about(option, key)

    fileio = _words(given.get("fileio", "sequential"))
    kind = given.get("operation", given.get("operations", "read")).strip("()")
    share = given.get("rdpct", {"write": "0"}.get(kind, "100"))
    flags = _words(given.get("openflags", ""))
    is_direct = bool({"o_direct", "directio"} & set(flags))
    if {"o_sync", "sync", "fsync"} & set(flags):
        findings.refuse(at("openflags"), "the nearest is openflags=o_dsync")
    if unknown := set(fileio) - {"random", "sequential", "shared"}:
        findings.refuse(at("fileio"), f"{min(unknown)}: the nearest is sequential")
    chosen = given.get("fileselect", "sequential")
    if chosen not in ("random", "sequential", "seq", "once"):
        why = "files are drawn evenly; the nearest is fileselect=random"
        findings.refuse(at("fileselect"), why)
    if "random" not in chosen:
        findings.note(at("fileselect"), "files are drawn evenly, not one after the other")
    if kind in ("access", "close"):
        findings.note(at("operation"), f"{kind} is {_OPERATIONS[kind]} here")
    if kind not in ("read", "write"):
        group.put_operations({_OPERATIONS.get(kind, "stat"): 1}, findings, option)
        if kind not in _OPERATIONS:
            usual = "an rd of each" if "," in kind else "an rd without it"
            near = _TABLE["nearest"].get(kind, usual)
            findings.refuse(at("operation"), f"no group does {kind}; the nearest is {near}")
        return
    sizes = _drawn("xfersize", given.get("xfersize", "4k"))
    group.put_drawn("block", sizes, option)
    weights = {"read": int(share), "write": 100 - int(share)}
    weights = {name: weight for name, weight in weights.items() if weight}
    if "random" in fileio:
        group.put("operations", weights, option)
        group.put("order", "random", option)
        group.put("direct", is_direct, option)
        if group.does("write") and "o_dsync" in flags:
            group.put("sync", "dsync", option)
        what = "files stay open; vdbench opens one, and closes it after stopafter operations"
        findings.note(at("fileio"), what)
        return
    group.put("operations", {f"{name}_file": weight for name, weight in weights.items()}, option)
    if "stopafter" in given:
        why = "whole files are read and written; the nearest is a smaller size of files"
        findings.refuse(at("stopafter"), why)
    if is_direct:
        why = "whole files go through the page cache; the nearest is fileio=random"
        findings.refuse(at("openflags"), why)


def _pace(
    findings: Findings, group: Group, given: Given, rd: _Definition, together: list[_Definition]
) -> None:
    """A rate is shared by skew; those without share what is left evenly. Without a rate, groups are
    not kept in proportion."""
    rate = rd.keys.get("fwdrate", "max")
    if rate.isdecimal():
        skews = [float({**each.keys, **rd.keys}.get("skew", "0")) for each in together]
        if sum(skews) > 100:
            raise ValueError(f"skews are shares of 100, and these are {sum(skews):g}")
        left = (100 - sum(skews)) / max(skews.count(0), 1)
        share = (float(given.get("skew", "0")) or left) / 100
        if not share:
            raise ValueError("skews of 100 leave no rate for it")
        paced = int(rate) * share / _pieces(group)
        group.put("rate", exact_rate(round(paced, 6)), rd.at)
        group.put("arrival", "exponential")
    elif rate != "max":
        findings.refuse(_about(rd.at, "fwdrate"), "a run for each rate; the nearest is one rate")
    elif "skew" in given and len(together) > 1:
        why = "groups are not kept in proportion; the nearest is a fwdrate, which skew shares"
        findings.refuse(_about(rd.at, "fwdrate"), why)


def _pieces(group: Group) -> float:
    """Operations of vdbench's in one of the group: the blocks of a whole file."""
    if not (group.does("read_file") or group.does("write_file")):
        return 1
    block, files = mean_bytes(group.drawn("block")), group.drawn("file")
    return mean_bytes([(max(math.ceil(size / block), 1), weight) for size, weight in files])


def _files(reader: _Reader, group: Group, of: _Definition, run: Given) -> None:
    name, fsd, at = of
    changed = {key: run[key] for key in _OF_FILES if key in run}
    owner = reader.owners.setdefault((name, *map("=".join, changed.items())), group)
    if owner is not group:
        group.share_files(owner, reader.findings, at)
        return
    is_sized = {"size", "sizes"} & changed.keys()
    kept = {key: fsd[key] for key in fsd if not (is_sized and key in ("size", "sizes"))}
    fsd = {**kept, **changed}
    depth, width = int(fsd.get("depth", "1")), int(fsd.get("width", "1"))
    is_all = fsd.get("distribution") == "all"
    folders = numbers.folders(width, depth) if is_all else numbers.leaves(width, depth)
    count = int(fsd.get("files", "1")) * folders
    key = "sizes" if "sizes" in fsd else "size"
    drawn = _drawn(key, fsd.get(key, "1m"))
    bytes_of_files = count * sum(size * weight for size, weight in drawn) // 100
    size_bytes = drawn[0][0]
    if len(drawn) > 1:
        mean = bytes_of_files // max(count, 1)
        size_bytes = max(mean // _BLOCK_BYTES, 1) * _BLOCK_BYTES
    group.put_files(count, size_bytes, own=False, sources=[at])
    reader.findings.note(_about(at, "depth"), "files of a group stand in one folder")
    if len(drawn) == 1:
        return
    if group.is_plain:
        why = "blocks at random are in files of one size; the nearest is their mean"
        reader.findings.refuse(_about(at, key), why)
        return
    group.put_drawn("file", drawn, at)
    group.bytes_of_files = bytes_of_files
