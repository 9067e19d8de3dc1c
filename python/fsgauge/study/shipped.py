"""Where studies are found: the shipped ones by name, a person's own by path."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from fsgauge import kinds
from fsgauge.errors import InputError, nearest, quoted
from fsgauge.plain_files import read_plain, require_few_in_toml
from fsgauge.plain_files.bounds import STUDY
from fsgauge.study.wording import shown

_TEMPLATE = "template"
_MISSPELT, _SPELT_ALIKE, _NAMED_ALIKE = 0.9, 0.75, 0.6
_QUESTION = re.compile(r'^question = "([^"\\]*)"$', re.MULTILINE)
"""As every shipped study has it: to parse them all would take longer than what is asked."""
_MADE_BY_OTHERS = (
    "zfs bcachefs ntfs ntfs3 exfat vfat fat fat32 ceph cephfs lustre gluster glusterfs fuse sshfs"
    " nfs cifs reiserfs jfs beegfs gpfs apfs hfsplus overlayfs erofs squashfs"
)


def shipped_studies() -> dict[str, str]:
    """The studies that come with fsgauge: name and question, by name."""
    return {name: _QUESTION.findall(text)[0] for name, text in shipped_texts().items()}


def shipped_texts() -> dict[str, str]:
    texts = {path.name.removesuffix(".toml"): path.read_text("utf-8") for path in _shipped()}
    return dict(sorted(texts.items()))


def shipped_names() -> set[str]:
    return {path.name.removesuffix(".toml") for path in _shipped()}


def is_measured_mounted(name: str) -> bool:
    """Whether it is a file system that a study does not make, only measures."""
    return name.lower() in _MADE_BY_OTHERS.split()


def variant_of(study: str, variant: str) -> str:
    """The name of a shipped study's variant, "full" or "as-published"; InputError without one."""
    known = shipped_names()
    name = f"{study}-{variant}"
    if name in known:
        return name
    having = sorted(
        each.removesuffix(f"-{variant}") for each in known if each.endswith(f"-{variant}")
    )
    raise InputError(
        f"{shown(study)} has no variant --{variant}",
        cause=f"these have: {', '.join(having)}",
        next="fsgauge study list",
    )


def template() -> str:
    """The commented study that `fsgauge study new` writes."""
    return (files("fsgauge") / "studies" / f"{_TEMPLATE}.toml").read_text("utf-8")


def require_study(path_or_name: str) -> None:
    """Raise InputError where no study is called so, on any rig, and no file."""
    known = shipped_names()
    if not (path_or_name in known or any(each.startswith(f"{path_or_name}-") for each in known)):
        find_study(path_or_name)


def find_study(path_or_name: str) -> tuple[str, str]:
    """What to call a study's file in messages, and its text; raises InputError."""
    for shipped in _shipped():
        if shipped.name == f"{path_or_name}.toml":
            return shipped.name, shipped.read_text("utf-8")
    path = Path(path_or_name)
    if path_or_name.isprintable() and path_or_name and _is_there(path):
        return path_or_name, read_study_text(path)
    raise _not_found(path_or_name)


def is_shipped(label: str) -> bool:
    """Whether `find_study` gave the label for a shipped study; a file of that name is another."""
    return any(label == shipped.name for shipped in _shipped()) and not Path(label).is_file()


def _shipped() -> list[Traversable]:
    general = (files("fsgauge") / "studies").iterdir()
    return [
        entry
        for entry in (*general, *kinds.study_files())
        if entry.name.endswith(".toml") and entry.name != f"{_TEMPLATE}.toml"
    ]


_NEAREST = 3


def _not_found(name: str) -> InputError:
    known = shipped_studies()
    near = _nearest_studies(name.removesuffix(".toml").lower(), known)
    is_path = "." in name or "/" in name
    return InputError(
        f"there is no file {shown(name)}" if is_path else f"there is no study {shown(name)}",
        details=tuple(f"{each}: {known[each]}" for each in near),
        next=f"fsgauge plan {near[0]}" if near else "fsgauge study list",
    )


def _nearest_studies(wanted: str, known: Mapping[str, str]) -> list[str]:
    """At most three: by name, by a word that leads to one, by their questions; else by any
    name."""
    from fsgauge.study.other_tools import studies_called

    names = [name for name in known if not any(name.startswith(f"{each}-") for each in known)]
    called = studies_called()
    by_word = [called[word] for word in nearest(wanted, called, most=_NEAREST, least=_SPELT_ALIKE)]
    asking = [name for name in names if wanted in re.findall(r"[\w-]+", known[name].lower())]
    misspelt = nearest(wanted, names, most=_NEAREST, least=_MISSPELT)
    found = [
        *misspelt,
        *by_word,
        *nearest(wanted, names, most=_NEAREST, least=_NAMED_ALIKE),
        *asking,
    ]
    found = found or nearest(wanted, known, least=_SPELT_ALIKE)
    return list(dict.fromkeys(found))[:_NEAREST]


def study_meant(name: str) -> str:
    """The shipped study that a word leads to: "pgbench" is postgresql; else the name as it is."""
    if name in shipped_names() or _is_there(Path(name)):
        return name
    from fsgauge.study.other_tools import studies_called

    return studies_called().get(name.lower(), name)


def _is_there(path: Path) -> bool:
    """Whether there is anything that may be a file: what it is, is seen when it is opened."""
    return os.path.lexists(path) and not path.is_dir()


def read_study_text(path: Path) -> str:
    """The text of a study's file; raises InputError."""
    content = read_plain(path, STUDY.size_bytes)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        from fsgauge.study.document import source_location

        text = content.decode("utf-8", errors="replace")
        start = len(content[: error.start].decode("utf-8"))
        raise InputError(
            f"{path} is not UTF-8 text",
            location=source_location(str(path), text, (start, start + 1)),
            next=f"iconv -f LATIN1 -t UTF-8 {quoted(path)} converts a file of an older editor",
        ) from None
    require_few_in_toml(text, str(path), STUDY)
    return text
