"""From what the models refuse to what a person reads: the place, the nearest valid word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fsgauge.errors import InputError, SourceLocation, did_you_mean, nearest
from fsgauge.study.document import Document
from fsgauge.study.keys import (
    MOVED,
    all_dotted,
    dotted,
    kind_of,
    only_of_kind,
    sections,
    valid_keys,
    value_types,
)
from fsgauge.study.locate import Path
from fsgauge.study.other_tools import SWITCH
from fsgauge.study.value_type import ValueType
from fsgauge.study.wording import (
    WANTED,
    as_details,
    as_list,
    bound,
    one_for_all,
    quoted,
    shown,
    type_name,
    wanted,
)
from fsgauge.units import count


def explain_mistake(error: ValidationError, document: Document) -> InputError:
    """The first mistake of the file, located, and how many more there are."""
    mistakes = [_Mistake(details, document) for details in error.errors(include_url=False)]
    mistakes.sort(key=lambda mistake: mistake.place())
    found = mistakes[0].explained()
    if len(mistakes) > 1:
        others = len(mistakes) - sum(each.path == mistakes[0].path for each in mistakes)
        more = (f"{count(others, 'more mistake')} after this one",)
        found.details += more if others else ()
    return found


class _Mistake:
    """One refusal of pydantic, with its path in the file."""

    def __init__(self, details: ErrorDetails, document: Document) -> None:
        self.type = details["type"]
        self.message = details["msg"]
        self.context: dict[str, Any] = details.get("ctx", {})
        self.document = document
        self.path = _path_in_file(details["loc"])
        if self.type == "twice":
            self.path = (*self.path, self.context["index"])
        if self.type in ("union_tag_invalid", "union_tag_not_found"):
            self.path = (*self.path, "kind")
        self.key = next((str(step) for step in reversed(self.path) if isinstance(step, str)), "")

    def place(self) -> tuple[int, int]:
        """For sorting: the file from its start to its end, the command line, what is missing."""
        origin = self.document.origin(self.path)
        if origin is None or self.type == "missing":
            return (2, 0)
        return (0, origin.spans.key[0]) if origin.numbered else (1, 0)

    def explained(self) -> InputError:
        return _EXPLAIN.get(self.type, _Mistake._other)(self)

    def _unknown_key(self) -> InputError:
        section = self._section()
        valid = valid_keys(section, kind_of(self.document.data, section))
        near = nearest(self.key, valid)
        elsewhere = [name for name in all_dotted() if name.split(".")[-1] == self.key]
        hint, target = "", section
        moved = MOVED.get(f"{section}.{self.key}")
        if moved is not None:
            near, elsewhere, target = [], [moved], moved
            hint = f"it is now {moved}"
        elif len(self.path) > 1 and self.path[0] == "system" and "tunables" in self.path:
            target = "system.tunables"
        elif of_parts := [
            name
            for name in elsewhere
            if name.startswith(f"{section}.") and name.split(".")[-2] in valid
        ]:
            target = of_parts[0]
            hint = f"write {target.removesuffix(self.key)}NAME.{self.key}"
        elif f"{section}.{self.key}" in elsewhere:
            target = f"{section}.{self.key}"
            hint = self._belongs(target, section)
        elif near:
            target = f"{section}.{near[0]}" if section else near[0]
            hint = did_you_mean(near)
        elif elsewhere:
            target = elsewhere[0]
            hint = self._belongs(elsewhere[0], section)
        details = () if near or elsewhere else (f"valid here: {', '.join(valid)}",)
        return self._error(
            f'unknown key "{self.key}"',
            self.document.key(self.path, hint),
            details=details,
            next=f"fsgauge explain {target}".rstrip(),
        )

    def _section(self) -> str:
        """The section in which a key stands: "", "system", "workload.disk"."""
        around = dotted(self.path[:-1])
        return around if sections(around) else str(self.path[0]) if around else ""

    def _belongs(self, name: str, section: str) -> str:
        owner = all_dotted()[name][0]
        if owner.name == section:
            return only_of_kind(all_dotted()[name])
        return f"it belongs in {owner.header}" if owner.header else "it belongs above all sections"

    def _missing(self) -> InputError:
        parent = self.path[:-1]
        owner = sections(self._section())[0].header or f'"{self.document.label}"'
        noun = "section" if not parent and self.key in ("storage", "workload") else "key"
        what = f'{owner} has no {noun} "{self.key}"'
        if not parent and self.key == "system":
            what = f"{owner} has nothing to compare: it has no [[system]]"
        return self._error(what, self.document.key(parent))

    def _unit(self) -> InputError:
        what = f"{self.key}: {self.context['what']}"
        return self._error(what, self._at_value(self.context["hint"]))

    def _conflict(self) -> InputError:
        base = self.path
        first, *others = [(*base, *key) for key in self.context["keys"]]
        self.path = first
        written = [path for path in others if self.document.written(path)]
        location = self._at_value(self.context["hint"])
        if not self.document.written(first) and written:
            location, written = self.document.value(written[0]), written[1:]
        details = tuple(line for path in written for line in as_details(self.document.value(path)))
        return self._error(
            self.context["what"], location, details=details, next=self.context["next"]
        )

    def _choice(self) -> InputError:
        words = quoted(self.context.get("expected") or self.context.get("expected_tags", ""))
        given = self._value()
        if self.path == ("format",):
            what = f"this file's format is {shown(given)}, and this fsgauge reads format 1"
            return self._error(what, self._at_value())
        return self._error(
            f"{self.key}: {shown(given)} is not known",
            self._at_value(did_you_mean(nearest(str(given), words))),
            details=(f"known: {', '.join(words)}",),
        )

    def _no_kind(self) -> InputError:
        words = [section.variant for section in sections(str(self.path[0]))]
        return self._error(
            f'[{self.path[0]}] has no key "kind"',
            self.document.key(self.path),
            details=(f"known: {', '.join(words)}",),
        )

    def _wrong_type(self) -> InputError:
        takes = self._takes()
        noun, example = wanted(self.type, takes)
        given = self._value()
        hint = f"write {example}" if example else ""
        if self.type == "bool_type" and str(given).lower() in SWITCH:
            hint = f"write {str(SWITCH[str(given).lower()]).lower()}"
        if self.path == ("system",) and isinstance(given, dict):
            hint = "write [[system]], once for each"
        elif self.type == "list_type" and isinstance(given, str | int) and given != "":
            hint = as_list(given, takes.entry if takes is not None else None)
        what = f"{self._noun()} must be {noun}, not {type_name(given)}"
        is_one = isinstance(given, list) and self.type != "list_type"
        details = (one_for_all(dotted(self.path)),) if is_one else ()
        return self._error(what, self._at_value(hint), details=details)

    def _bound(self) -> InputError:
        takes = self._takes()
        limit = bound(self.type, self.context, takes.quantity if takes is not None else None)
        return self._error(f"{self._noun()} must be {limit}", self._at_value())

    def _length(self) -> InputError:
        short = "min_length" in self.context
        limit = self.context["min_length" if short else "max_length"]
        value = self._value()
        unit = "characters" if isinstance(value, str) else "entries"
        if limit == 1:
            unit = unit.replace("ies", "y").removesuffix("s")
        size = len(value) if isinstance(value, str | list | dict) else 0
        bound = "at least" if short else "at most"
        what = f"{self._noun()} must have {bound} {limit} {unit}, not {size}"
        return self._error(what, self._at_value())

    def _spelling(self) -> InputError:
        """What a key takes is in its description: a pattern says it to programs."""
        fields = (each.fields.get(self.key) for each in sections(self._section()))
        told = next((each.description for each in fields if each is not None), None)
        return self._error(
            f"{self.key} cannot be {shown(self._value())}",
            self._at_value(),
            details=(told.partition(". ")[0] if told else self.message,),
        )

    def _other(self) -> InputError:
        text = self.message[:1].lower() + self.message[1:]
        return self._error(f"{self.key}: {text}" if self.key else text, self._at_value())

    def _error(
        self,
        what: str,
        location: SourceLocation | None,
        *,
        details: tuple[str, ...] = (),
        next: str = "",
    ) -> InputError:
        if location is None:
            details = (f"in {self.document.label}", *details)
        return InputError(what, details=details, location=location, next=next or self._explain())

    def _noun(self) -> str:
        is_entry = isinstance(self.path[-1], int)
        is_entry = is_entry and isinstance(self.document.at(self.path[:-1]), list)
        return f"each of {self.key}" if is_entry else self.key

    def _takes(self) -> ValueType | None:
        kind = kind_of(self.document.data, str(self.path[0])) if self.path else ""
        return next(iter(value_types(self.path, kind)), None)

    def _explain(self) -> str:
        known = all_dotted()
        name = dotted(self.path)
        while name and name not in known and not sections(name):
            name = name.rpartition(".")[0]
        return f"fsgauge explain {name}".rstrip() if name else "fsgauge study new NAME"

    def _at_value(self, hint: str = "") -> SourceLocation | None:
        return self.document.value(self.path, hint)

    def _value(self) -> object:
        value = self.document.at(self.path)
        if value is None and self.path and isinstance(self.path[-1], int):
            return self.document.at(self.path[:-1])  # one that stands alone, without a list
        return value


def _path_in_file(location: tuple[int | str, ...]) -> Path:
    """pydantic's location without the kind that it puts behind a union's key, and without the type
    that it tried."""
    if not location:
        return location
    if location[0] == "system" and "vary" in location:
        return location[:5]
    if location[0] in ("storage", "workload"):
        return (location[0], *location[2:])
    return location


_EXPLAIN: dict[str, Callable[[_Mistake], InputError]] = {
    "extra_forbidden": _Mistake._unknown_key,
    "missing": _Mistake._missing,
    "unit": _Mistake._unit,
    "conflict": _Mistake._conflict,
    "literal_error": _Mistake._choice,
    "union_tag_invalid": _Mistake._choice,
    "union_tag_not_found": _Mistake._no_kind,
    "greater_than_equal": _Mistake._bound,
    "greater_than": _Mistake._bound,
    "less_than_equal": _Mistake._bound,
    "less_than": _Mistake._bound,
    "too_short": _Mistake._length,
    "too_long": _Mistake._length,
    "string_too_long": _Mistake._length,
    "string_pattern_mismatch": _Mistake._spelling,
    **dict.fromkeys(WANTED, _Mistake._wrong_type),
}
