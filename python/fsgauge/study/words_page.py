"""The tables of other tools' words, for docs/reference/words.md and `fsgauge explain fio`."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.study.other_tools import (
    NUMBERS,
    STUDIES,
    Tool,
    Word,
    differing,
    kinds_with,
    meaning,
    table_of_words,
    tools,
)

_INTRODUCTION = """\
# The words of other tools

<!-- Made by `python -m fsgauge.study words` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What you type in fio, IOzone, bonnie++, elbencho, IOR, mdtest, hyperfine, pgbench, \
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
    """docs/reference/words.md."""
    of_tools = (f"\n{_table(tool)}" for tool in tools().values())
    return "".join(
        [
            _INTRODUCTION,
            *of_tools,
            *(_NUMBERS_CALLED, *_leading_to(NUMBERS)),
            *(_STUDIES_CALLED, *_leading_to(STUDIES)),
        ]
    )


def _leading_to(table: str) -> Iterator[str]:
    for name, words in table_of_words()[table].items():
        yield f"| {', '.join(words)} | `{name}` |\n"


def words_of_tool(name: str) -> str:
    """The table of one tool as plain text, for `fsgauge explain fio`."""
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
    return f"| {spelled} | {here} | {differing(word)} | {kinds_with(word.key)} |"
