"""A section of a job file with its options asked for by their usual names; what becomes of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from fsgauge.converting import numbers
from fsgauge.converting.fio_options import FioOption, by_name, canonical, engines, listed
from fsgauge.converting.groups import ALIKE, Findings
from fsgauge.converting.job_file import OF_BARE_US, Option, Section, contradiction
from fsgauge.errors import did_you_mean, nearest

T = TypeVar("T")
READ, WRITE, TRIM = 0, 1, 2
DIRECTIONS = {"read": READ, "write": WRITE, "trim": TRIM}
_OFF = ("0", "none", "false")


@dataclass(frozen=True)
class FioJob:
    """One section of a fio job file; aliases of options are resolved to fio's main names."""

    section: Section
    findings: Findings

    def option(self, name: str) -> Option | None:
        """By any of its names; of two of them the one that stands last."""
        options, names = self.section.options, by_name()[name].names
        given = [each for each in names if each in options and canonical().get(each, each) == name]
        return options[max(given, key=list(options).index)] if given else None

    def last_of(self, *names: str) -> Option | None:
        order = list(self.section.options.values())
        return max(filter(None, map(self.option, names)), key=order.index, default=None)

    def text(self, name: str, usual: str) -> str:
        option = self.option(name)
        return usual if option is None or option.value is None else option.value

    def read(self, name: str, read: Callable[[str], T], usual: T) -> T:
        """The value as it is read; InputError at its place for one that fio does not take."""
        option = self.option(name)
        if option is None:
            return usual
        try:
            found = read(option.value or "")
        except ValueError as error:
            self.wrong(option, "a number" if read is float else str(error))
        self.findings.carry(option)
        return found

    def positive(self, name: str) -> int:
        """A count, 1 by itself; InputError at its place for none."""
        found = self.read(name, numbers.size, 1)
        if found < 1:
            self.wrong(self.option(name), "1 or more")
        return found

    def refuse(self, about: Option | str | None, why: str) -> None:
        """An option, or one of this name, that would make another load; nothing without one."""
        option = self.option(about) if isinstance(about, str) else about
        if option is not None:
            self.findings.refuse(option, why)

    def note(self, about: Option | str | None, text: str) -> None:
        self.findings.note(about, text)

    def percent(self, name: str, usual: int, sign: str = "") -> int:
        """A share of 100, with a sign behind it; InputError at its place for another number."""
        found = self.read(name, lambda text: numbers.size(text.rstrip(sign)), usual)
        option = self.option(name)
        if option is not None and not 0 <= found <= 100:
            self.wrong(option, "0 to 100")
        return found

    def choice(self, name: str, known: Sequence[str]) -> str:
        """One of some words, the first one the usual; what stands behind a colon is left out.
        InputError at its place for another word."""
        found = self.text(name, known[0]).partition(":")[0]
        if found not in known:
            self.wrong(self.option(name), ", ".join(known))
        return found

    def wrong(self, option: Option | None, takes: str) -> NoReturn:
        assert option is not None  # noqa: S101 - what fio takes where there is none is right
        said = f'{option.name} takes {takes}, and it is "{option.value or ""}"'
        raise option.wrong(said, next=f"fio --cmdhelp={option.name}")

    def switch(self, name: str, usual: bool = False) -> bool:
        """Alone, it is on."""
        option = self.option(name)
        return self.read(name, lambda _: numbers.switch(option.value if option else None), usual)

    def time_ns(self, name: str) -> int:
        """0 where it says none."""
        return self.read(name, lambda text: numbers.time_ns(text, of_bare_us=OF_BARE_US[name]), 0)

    def size(self, text: str) -> int:
        """Bytes, in the units that kb_base says."""
        return numbers.size(text, self.read("kb_base", numbers.size, 1024))

    def size_in(self, option: Option | None, text: str) -> int:
        """The same of what an option says; InputError at its place for what is no size."""
        try:
            return self.size(text)
        except ValueError as error:
            self.wrong(option, str(error))

    def of_direction(self, name: str, usual: str) -> list[str]:
        given = self.read(name, numbers.by_direction, [usual] * 3)
        return [each or usual for each in given]

    def size_of(self, name: str, direction: int, usual: str) -> int:
        """Bytes of reads, writes or trims; InputError at its place for what is no size."""
        return self.size_in(self.option(name), self.of_direction(name, usual)[direction])

    @property
    def engine(self) -> str:
        """The name of its ioengine; psync where it says none, as on Linux."""
        return self.text("ioengine", "psync").partition(":")[0]

    @property
    def is_asynchronous(self) -> bool:
        return self.engine in listed("asynchronous")

    @property
    def depth(self) -> int:
        """Operations in flight: one where the engine waits for each."""
        depth = self.positive("iodepth")
        if self.is_asynchronous or depth == 1:
            return depth
        option = self.option("iodepth")
        self.note(option, f"{self.engine} waits for each operation: one is in flight")
        return 1

    def require_one_of(self, name: str, other: str, *, agree: bool) -> None:
        """InputError for two lines of one section that say unlike things; fio takes the last, as it
        does where a section says otherwise than [global]."""
        one, two = self.option(name), self.option(other)
        if agree or one is None or two is None or one.path != two.path:
            return
        head = self.section.head.line
        if (one.line > head) == (two.line > head):
            raise contradiction(*sorted((one, two), key=lambda each: each.line))

    def check_options(self) -> None:
        """Find unknown options; note or refuse what the table says. A refused engine may have
        options that no one here knows."""
        is_refused = self._engine is not None and self._engine.fate == "refused"
        for option in self.section.options.values():
            known = by_name().get(option.name)
            if known is not None:
                is_carried = known.fate == "carried"
                if is_carried and not option.value and option.name not in listed("alone"):
                    self.wrong(option, "a value")
                changes_nothing = option.value in _OFF and option.name not in listed("on_at_zero")
                if is_carried or not changes_nothing:
                    self.findings.take(option, known.fate, known.why)
            elif not is_refused:
                near = nearest(option.name, by_name(), least=ALIKE)
                self.findings.unknown[option.key] = option.wrong(
                    f"fio 3.33 has no option {option.name}",
                    next=f"fio --cmdhelp={near[0] if near else 'all'}",
                    cause="it is misspelt, or of another version of fio",
                    hint=did_you_mean(near),
                )
        named, engine = self.option("ioengine"), self._engine
        if named is not None and engine is not None:
            self.findings.take(named, engine.fate, engine.why)
        elif named is not None:
            hint = did_you_mean(nearest(self.engine, engines(), least=ALIKE))
            self.findings.unknown[named.key] = named.wrong(
                f"fio 3.33 has no ioengine {self.engine}", next="fio --enghelp", hint=hint
            )

    @property
    def _engine(self) -> FioOption | None:
        """What becomes of its ioengine, in a library of its own or not; None for an unknown one."""
        name = self.engine
        return engines().get("external" if "/" in name or name.endswith(".so") else name)


def drawing(section: Section) -> list[Option]:
    """Of a job's section what says which requests there are and how they are submitted; not where,
    when and for how long, which a study has. Nothing else of a job is told to fio, so that none of
    it runs a command, writes another file or changes the machine. kb_base is first, for all sizes
    behind it."""
    known = [name for name in section.options if name in by_name()]
    carried = {name for name in known if by_name()[name].fate == "carried"}
    told = (carried | listed("of_draws")) - listed("places_and_times")
    units = [name for name in known if name == "kb_base"]
    return [section.options[name] for name in (*units, *(each for each in known if each in told))]
