"""From a study's file and the command line's changes to a checked Study. Takes TOML; whatever is
wrong with it ends in an InputError that shows the place."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath

from pydantic import ValidationError

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import require_few_in_toml
from fsgauge.plain_files.bounds import STUDY
from fsgauge.quantities import WRITTEN
from fsgauge.study.access import refuse_passwords
from fsgauge.study.document import (
    Document,
    NotTomlError,
    document_of,
    number_beyond_toml,
    source_location,
)
from fsgauge.study.mistakes import explain_mistake
from fsgauge.study.model import Study
from fsgauge.study.other_tools import words_called
from fsgauge.study.overrides import (
    change_serving,
    change_storage,
    change_systems,
    give_way,
    leave_out,
    set_key,
)
from fsgauge.study.points import check_points
from fsgauge.study.shipped import find_study
from fsgauge.study.specs import option_origin
from fsgauge.study.understanding import understand
from fsgauge.study.varying import Known, vary_systems


def load_study(
    path_or_shipped_name: str,
    overrides: list[str] | None = None,
    systems: list[str] | None = None,
    storage: str | None = None,
    seed: int | None = None,
    serve: str | None = None,
    baseline: str | None = None,
    without: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
    known: Known | None = None,
    text: str | None = None,
    budget: str | None = None,
) -> Study:
    """Read and check a study; raises InputError with the place of the first mistake.

    A `text` that was made is read in place of a file, and only called so.

    `overrides` are KEY=VALUE as of --set, the others as of the options of their names. They are
    applied in the order storage, systems and baseline, without, serve, budget, overrides, seed.
    `say` is told what words of other tools were taken for; `known` are the options that systems
    have.
    """
    _check_printable("--storage", [storage or ""])
    _check_printable("--system", systems or [])
    _check_printable("--set", overrides or [])
    _check_printable("--baseline", [baseline or ""])
    label = path_or_shipped_name
    if text is None:
        label, text = find_study(path_or_shipped_name)
    refuse_passwords([text, *(overrides or []), *(systems or [])])
    document = read_document(text, label, FilePath(path_or_shipped_name).stem)
    vary_systems(document, known, say)
    if storage is not None:
        change_storage(document, storage)
    if systems or baseline is not None:
        change_systems(document, systems or [], baseline)
    leave_out(document, without)
    if serve is not None:
        change_serving(document, serve)
    give_way(document, overrides or [], systems or [])
    if budget is not None:
        document.put(("plan", "budget"), budget, option_origin("--budget", budget))
    for override in overrides or []:
        require_few_in_toml(override, "--set", STUDY)
        set_key(document, override)
    if seed is not None:
        document.put(("plan", "seed"), seed, option_origin("--seed", str(seed)))
    return check(document, say)


def shipped_study(name: str, text: str) -> Study:
    """A study that comes with fsgauge: it has no mistakes whose places would have to be known."""
    return Study.model_validate({"name": name, **tomllib.loads(text)}, context=WRITTEN)


def _check_printable(option: str, texts: list[str]) -> None:
    for text in texts:
        if not text.isprintable():
            raise InputError(
                f"{option} {text!r} holds a character that cannot be printed",
                cause="copied text may contain one",
                next="type it again",
            )


def parse_study(text: str, label: str, name: str) -> Study:
    """Check a study's text; `label` stands before line numbers, `name` is its default name."""
    document = read_document(text, label, name)
    vary_systems(document, None)
    return check(document)


def read_document(text: str, label: str, name: str) -> Document:
    """The raw values of a TOML text with their places; raises InputError for a syntax error."""
    try:
        document = document_of(text, label)
    except NotTomlError as mistake:
        raise _syntax_error(mistake, text, label) from None
    document.data.setdefault("name", name)
    endless = number_beyond_toml(document.data)
    if endless is not None:
        raise InputError(
            "a TOML integer has 64 bits, and this one is larger",
            location=document.value(endless),
            next="fsgauge explain KEY shows what a key takes",
        )
    return document


def check(document: Document, say: Callable[[str], None] = lambda _: None) -> Study:
    """The study that a document describes, also in words of other tools; raises InputError."""
    for note in understand(document):
        say(note)
    try:
        study = Study.model_validate(document.data, context=WRITTEN)
    except ValidationError as error:
        raise explain_mistake(error, document) from None
    check_points(study, document)
    return study


def _syntax_error(mistake: NotTomlError, text: str, label: str) -> InputError:
    location = source_location(label, text, mistake.span)
    if _is_job_of_fio(text):
        return InputError(
            f"{label} is a job file of fio, and a study is a TOML file",
            location=location,
            cause="a study says as well what is compared, how often and in what order",
            next=f"fsgauge study from-fio {quoted(label)} writes one",
        )
    return InputError(
        mistake.what,
        location=location,
        cause=_cause_of_repetition(text[slice(*mistake.span)])
        if mistake.is_repeated
        else _likely_cause(text, mistake.span[0]),
        next="https://toml.io explains the format; fsgauge study new NAME writes an example",
    )


_FEWEST_WORDS_OF_A_JOB = 2


def _is_job_of_fio(text: str) -> bool:
    """Whether lines of it are options of fio, without quotes, below its [global] or job names."""
    options = (line.partition("=") for line in text.splitlines())
    found = [
        name.strip()
        for name, _, value in options
        if any(word.title == "fio" for word in words_called(name.strip()))
        and not value.strip().startswith(('"', "'", "["))
    ]
    is_study = any(line.startswith(("[[", "[storage]", "[workload]")) for line in text.splitlines())
    return len(found) >= _FEWEST_WORDS_OF_A_JOB and not is_study


def _cause_of_repetition(name: str) -> str:
    return "each system has its own [[system]], in double brackets" if name == "system" else ""


def _likely_cause(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    _, equals, value = line.partition("=")
    value = value.strip()
    if equals and value and value[0] not in "\"'[{" and not value.startswith(("true", "false")):
        return f'text and quantities go in quotes: {line.partition("=")[0].strip()} = "{value}"'
    return ""
