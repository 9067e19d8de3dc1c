"""The study file described from its models: `fsgauge explain KEY` and the reference page; and the
words of other tools with the keys that mean them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.quantities import Quantity, UnitError
from fsgauge.study.keys import SECTIONS, Section, all_dotted, sections
from fsgauge.study.other_tools import (
    NUMBERS,
    STUDIES,
    Tool,
    Word,
    differing,
    kinds_of,
    kinds_with,
    meaning,
    table_of_words,
    tools,
    words_called,
)
from fsgauge.study.policies import POLICIES, Setting
from fsgauge.study.value_type import value_type
from fsgauge.units import QUANTITIES, SIZE, binary_size

_INTRODUCTION = """\
# The study file

<!-- Made by `python -m fsgauge.study` from python/fsgauge/study; edits are lost. -->

A study is a question with its method, as a TOML file. `fsgauge study new NAME` writes a commented
one, `fsgauge plan FILE` shows what it would do, `fsgauge explain workload.block_sizes` prints an
entry of this page.

- Quantities carry their unit, in quotes: `"4 KiB"` (of 1024 bytes) or `"4 kB"` (of 1000). A bare
  number is an error.
- An unknown key, and a key that would have no effect, are errors.
- On the command line, `--set workload.duration=5s` changes a key; `--set system.ext4.mount=noatime`
  changes one of the system ext4.

## Quantities

"""


def reference_page() -> str:
    tables = "\n".join(_section_page(section) for section in SECTIONS)
    return f"{_INTRODUCTION}{_quantities()}\n{tables}"


def _quantities() -> str:
    lines = ["| quantity | units | such as |", "| --- | --- | --- |"]
    for quantity in QUANTITIES:
        units = ", ".join(quantity.units)
        lines.append(f'| {quantity.name} | {units} | "{quantity.example}" |')
    return "\n".join(lines) + "\n"


def explain_key(name: str) -> str:
    """What a key or a section is, as plain text; raises InputError with the nearest key."""
    name = name.strip().strip("[]")
    known = all_dotted()
    if name in known and not (sections(name) and name):
        return "\n\n".join(_explained(name, known[name]))
    if sections(name):
        return "\n\n".join(_explained_section(section) for section in sections(name))
    matches = [key for key in known if key.split(".")[-1] == name]
    if matches:
        return "\n\n".join(explain_key(match) for match in matches)
    near = nearest(name, known)
    raise InputError(
        f'there is no key "{name}" in a study file',
        details=(did_you_mean(near),) if near else (),
        next=f"fsgauge explain {near[0]}" if near else "fsgauge explain workload",
    )


def _explained(name: str, owners: list[Section]) -> list[str]:
    key = name.rpartition(".")[2]
    entries: dict[str, list[str]] = {}
    for owner in owners:
        field = owner.fields[key]
        text = f"{field.description}\n  takes: {_takes(field)}\n  default: {_default(field)}"
        entries.setdefault(text, []).append(owner.variant)
    if len(entries) == 1:
        return [f"{name}\n  {next(iter(entries))}"]
    return [f"{name} (kind {' or '.join(kinds)})\n  {text}" for text, kinds in entries.items()]


def _explained_section(section: Section) -> str:
    head = section.header or "top of the file"
    lines = [f"{head}{_variant(section)}: {_summary(section)}"]
    lines += [f"  {key}: {field.description}" for key, field in section.fields.items()]
    return "\n".join(lines)


def _section_page(section: Section) -> str:
    head = f"`{section.header}`" if section.header else "Top of the file"
    lines = [f"## {head}{_variant(section)}", "", _summary(section), ""]
    lines += ["| key | takes | default | what it is |", "| --- | --- | --- | --- |"]
    for key, field in section.fields.items():
        takes = _takes(field).replace("|", "\\|")
        lines.append(f"| `{key}` | {takes} | {_default(field)} | {field.description} |")
    return "\n".join(lines) + "\n"


def _variant(section: Section) -> str:
    return f', kind "{section.variant}"' if section.variant else ""


def _summary(section: Section) -> str:
    return (section.model.__doc__ or "").strip().splitlines()[0]


def _default(field: FieldInfo) -> str:
    value = _default_value(field)
    if value is None:
        return _told_default(field) or ("none; required" if field.is_required() else "none")
    if isinstance(value, BaseModel):
        return "the defaults of the section"
    return value_type(field).item(value).as_string()


def _told_default(field: FieldInfo) -> str:
    """What a description ends with where a default depends on something else; empty if nothing."""
    told = (field.description or "").partition("Default: ")[2]
    return told.partition(". ")[0].removesuffix(".")


def _takes(field: FieldInfo) -> str:
    """With an example of the unit where the default shows none."""
    return value_type(field).words(example=_default_value(field) is None)


def _default_value(field: FieldInfo) -> object:
    value = field.get_default(call_default_factory=True, validated_data={})
    return None if value is PydanticUndefined else value


_USUAL = {
    "size": ("bs", "size"),
    "duration": ("runtime", "ramp_time"),
    "percentage": ("rwmixread",),
    "pace": ("rate_iops",),
}
"""By quantity: fio's words for what people mean by such a value, the likeliest first."""
_OF_STORAGE = {"percentage": "workload.fill", "transfer rate": "storage.bandwidth"}
"""Keys for which fio has no word."""


def explain_value(text: str) -> str:
    """What "4k", "30 s" or "70 %" is and which keys usually have it; "" where it is no quantity."""
    ways = [(each, binary_size(text) or each.in_our_unit(text) or text) for each in QUANTITIES]
    quantity, given = next(((each, way) for each, way in ways if _reads(each, way)), (None, text))
    if quantity is None:
        return ""
    words = [word.key for each in _USUAL.get(quantity.name, ()) for word in words_called(each)]
    keys = [each for each in (*words, _OF_STORAGE.get(quantity.name, "")) if each]
    return "\n".join(
        (
            text,
            f"  {quantity.noun.capitalize()}: {_in_full(quantity, given, text)}.",
            f"  Keys that usually take one: {', '.join(map(_with_kinds, dict.fromkeys(keys)))}.",
            f"  more: fsgauge explain {keys[0]}",
        )
    )


def _in_full(quantity: Quantity, given: str, text: str) -> str:
    written = f'in a study file "{quantity.text(quantity.read(given))}"'
    if quantity is not SIZE:
        return written
    letter = ", of 1024 as in fio and dd" if binary_size(text) else ""
    return f"{quantity.read(given):,} bytes{letter}; {written}"


def _reads(quantity: Quantity, text: str) -> bool:
    try:
        quantity.read(text)
    except UnitError:
        return False
    return True


def _with_kinds(key: str) -> str:
    kinds = kinds_with(key)
    return f"{key} ({kinds})" if kinds else key


_KEY = "system.settings."


def policy_words(kind: str) -> str:
    """A policy with its settings, their defaults and limits; "" where no policy is called that."""
    policy = POLICIES.get(kind)
    if policy is None:
        return ""
    settings = [f"  {name}: {_of_setting(each)}" for name, each in policy.settings.items()]
    head = f"{kind}, a model of the simulator: {policy.summary}."
    return "\n".join([head, *(settings or ["  It has no settings."]), _next(kind)])


def setting_words(name: str) -> str:
    """A setting in each policy that has it, by its name or as system.settings.NAME; "" for none."""
    setting = name.removeprefix(_KEY)
    kinds = [kind for kind, policy in POLICIES.items() if setting in policy.settings]
    if not kinds:
        return ""
    found = dict.fromkeys(f"  {_of_setting(POLICIES[kind].settings[setting])}" for kind in kinds)
    default = POLICIES[kinds[0]].settings[setting].default
    head = f"{_KEY}{setting}, of {', '.join(kinds)}"
    return "\n".join([head, *found, _next(f"{kinds[0]}:settings.{setting}={default}")])


def _of_setting(setting: Setting) -> str:
    return f"{setting.what}. Takes {setting.limits()}. Default: {setting.default}."


def _next(system: str) -> str:
    return f"next: --rig simulator --system {shlex.quote(system)}"


_OF_WORDS = """\
# The words of other tools

<!-- Made by `python -m fsgauge.study words` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What you type in fio, IOzone, bonnie++, elbencho, IOR, mdtest, fs_mark, hyperfine, pgbench, \
pg_test_fsync, filebench or dd, and the key of a study file that means it. `fsgauge explain \
iodepth` prints a row of this page and the key's own entry.

Words marked *read* can be used as they are, in a study file or with `--set`, with the values that \
the tool takes; a note says what they were taken for:

```sh
fsgauge plan overhead --set bs=4k --set iodepth=32 --set runtime=30 --set rw=randrw \\
    --set rwmixwrite=40 --set ioengine=libaio --set time_based
```

What would be another load here is refused, with the reason, the line, the column and the key that \
comes nearest. Sizes such as `4k`, `1M` or `8G` are read everywhere as multiples of 1024 bytes, as \
in these tools; with a unit they are exact: `"4 KiB"` is 4096 bytes, `"4 kB"` is 4000. Other \
spellings of one unit are read with a note (`1Mi`, `10k iops`, `5 msec`); what may mean two (`10m` \
of a pace, `100 Mb/s`) is refused with both.

A study has one file for all of this (`fsgauge study new mine`), and names its systems as well: \
what to make, mount and compare is no longer the shell script around the tool.
"""


_NUMBERS_CALLED = """
## Numbers by other words

`fsgauge explain bw` explains the number of a report that comes nearest to what another tool prints:

| word | number |
| --- | --- |
"""
_STUDIES_CALLED = """
## Studies by other words

`fsgauge run pgbench` runs the study that a program's name or a word leads to:

| word | study |
| --- | --- |
"""


def words_page() -> str:
    of_tools = (f"\n{_table(tool)}" for tool in tools().values())
    return "".join(
        [
            _OF_WORDS,
            *of_tools,
            *(_NUMBERS_CALLED, *_leading_to(NUMBERS)),
            *(_STUDIES_CALLED, *_leading_to(STUDIES)),
        ]
    )


def _leading_to(table: str) -> Iterator[str]:
    for name, words in table_of_words()[table].items():
        yield f"| {', '.join(words)} | `{name}` |\n"


def words_of_tool(name: str) -> str:
    tool = tools()[name]
    width = max(len(word.word) for word in tool.words)
    lines = [f"{tool.title}'s words and the keys of a study file that mean them", ""]
    return "\n".join([*lines, *(f"{word.word:<{width}}  {meaning(word)}" for word in tool.words)])


def _table(tool: Tool) -> str:
    lines = [
        f"## {tool.title}",
        "",
        "| word | here | what differs | studies |",
        "| --- | --- | --- | --- |",
    ]
    lines += [_row(word) for word in tool.words]
    return "\n".join(lines) + "\n"


def _row(word: Word) -> str:
    spelled = ", ".join(f"`{each}`" for each in (word.word, *word.also))
    here = f"`{word.key}`" if word.key else "always so" if word.always else "none"
    if word.is_read:
        here += ", *read*"
    elif word.example:
        here += f": `{word.example}`"
    return f"| {spelled} | {here} | {differing(word)} | {kinds_of(word)} |"
