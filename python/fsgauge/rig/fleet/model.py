"""A fleet as it was asked for: its hosts, by name, and what starts fsgauge on them; and how a small
TOML file is read against a model: the first mistake is shown with its line and column."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.plain_files import MissingError, read_plain, require_few_in_toml
from fsgauge.plain_files.bounds import HOSTS, MOST_HOSTS
from fsgauge.study.base import OneLine, StudyModel
from fsgauge.study.document import Document, NotTomlError, document_of, source_location
from fsgauge.study.storage import AbsolutePath
from fsgauge.units import DurationNs, count

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$"

LauncherName = Literal["ssh", "local", "slurm", "kubernetes", "scheduler"]


def _no_option(text: str) -> str:
    """Refuse what ssh would take for an option of its own."""
    if text.startswith("-") or any(letter.isspace() for letter in text):
        raise PydanticCustomError("not_an_address", "it begins with - or holds a blank")
    return text


HostName = Annotated[str, Field(pattern=_NAME)]
"""Letters, digits, dots, dashes: it is also the name of a folder."""
Address = Annotated[OneLine, AfterValidator(_no_option)]
Port = Annotated[int, Field(ge=1, le=65535)]


class HostKeys(StudyModel):
    user: Address | None = None
    port: Port | None = None
    fsgauge: OneLine | None = None
    path: AbsolutePath | None = None
    device: OneLine | None = None
    interface: Address | None = None


class Host(HostKeys):
    """One host. `address` is where ssh finds it, by default its name; `fsgauge` is the command
    there; `path` and `device` replace the study's folder or device on this host; `interface` is the
    one whose address the host listens on."""

    name: HostName
    address: Address | None = None

    @property
    def reached_at(self) -> str:
        return self.address or self.name


class Fleet(StudyModel):
    """Hosts in the order in which they were named. Machines and parts have this order too.

    `listen` is the address of this machine that hosts find; `lead` is how long before the start of
    a run all hosts are told of it, at least.
    """

    launcher: LauncherName = "ssh"
    listen: Address | None = None
    lead: Annotated[DurationNs, Field(ge=200_000_000, le=60_000_000_000)] = 2_000_000_000
    defaults: HostKeys = HostKeys()
    host: Annotated[list[Host], Field(min_length=1, max_length=MOST_HOSTS)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for key in ("name", "reached_at"):
            seen: set[tuple[str, int | None]] = set()
            for index, host in enumerate(self.host):
                found = (getattr(host, key), host.port if key == "reached_at" else None)
                if found in seen and not (key == "reached_at" and self.launcher == "local"):
                    raise PydanticCustomError(
                        "host_twice",
                        "this host is in the list already",
                        {"index": index, "key": "name" if key == "name" else "address"},
                    )
                seen.add(found)
        return self

    @property
    def hosts(self) -> list[Host]:
        common = {key: value for key, value in self.defaults if value is not None}
        return [
            host.model_copy(update={k: v for k, v in common.items() if getattr(host, k) is None})
            for host in self.host
        ]


M = TypeVar("M", bound=BaseModel)
KeyPath = tuple[str | int, ...]


def read_text(path: Path, what: str, option: str) -> str:
    """A file's text; InputError where it cannot be read. `what` it is: "the hosts file"."""
    try:
        raw = read_plain(path, HOSTS.size_bytes)
    except MissingError:
        raise InputError(
            f"{what} {path} cannot be read: {os.strerror(errno.ENOENT)}",
            cause="the name is mistyped, or it is in another folder",
            next=option,
        ) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not text: {error.reason} at byte {error.start}",
            cause="it is another kind of file, or saved in another encoding than UTF-8",
            next=option,
        ) from None
    hosts = sum(line.lstrip().startswith("[[") for line in text.splitlines())
    if hosts > MOST_HOSTS:
        raise InputError(
            f"{path} lists {hosts:,} hosts, and {MOST_HOSTS:,} are allowed", next=option
        )
    require_few_in_toml(text, str(path), HOSTS)
    return text


class TomlFile:
    """A text and what was found in it; `label` stands before line numbers.

    `keys` gives the keys that are known where one is not; `example` says what such a file has;
    `own_words` is asked first what a mistake means.
    """

    def __init__(
        self,
        text: str,
        label: str,
        *,
        keys: Callable[[KeyPath], Sequence[str]],
        example: str,
        own_words: Callable[[ErrorDetails, Document], InputError | None] = lambda *_: None,
    ) -> None:
        self.example = example
        self._keys, self._own_words = keys, own_words
        try:
            self.document: Document = document_of(text, label)
        except NotTomlError as mistake:
            raise InputError(
                mistake.what, location=source_location(label, text, mistake.span), next=example
            ) from None

    def model(self, of: type[M]) -> M:
        """What it says; InputError with the place of its first mistake."""
        try:
            return of.model_validate(self.document.data)
        except ValidationError as error:
            raise self._explained(error) from None

    def _explained(self, error: ValidationError) -> InputError:
        found = [self._in_words(each) for each in error.errors(include_url=False)]
        found.sort(key=_line)
        first = found[0]
        if len(found) > 1:
            first.details += (f"{count(len(found) - 1, 'more mistake')} after this one",)
        return first

    def _in_words(self, details: ErrorDetails) -> InputError:
        file = self.document
        if (own := self._own_words(details, self.document)) is not None:
            return own
        path = tuple(details["loc"])
        key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
        if details["type"] == "extra_forbidden":
            known = self._keys(path)
            near = nearest(key, known)
            hint = did_you_mean(near)
            return InputError(
                f'unknown key "{key}"',
                location=file.key(path, hint),
                details=() if near else (f"valid here: {', '.join(known)}",),
                next=self.example,
            )
        if details["type"] == "missing":
            return InputError(
                f'{file.label} does not say "{key}"', location=file.value(path), next=self.example
            )
        message = details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        return InputError(
            f'"{key}" is not valid', location=file.value(path, message), next=self.example
        )


def _line(error: InputError) -> tuple[int, int]:
    place = error.location
    return (place.line, place.column) if place else (1 << 30, 0)
