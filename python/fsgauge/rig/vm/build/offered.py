"""The kernels between two, in order of version: those that the archive offers, and those built."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.rig.vm import cache
from fsgauge.rig.vm.build.archive import Archive, require_programs
from fsgauge.rig.vm.build.making import Say, build, require_here
from fsgauge.rig.vm.recipe import recipe

_NAME = re.compile(r"linux-image-(?P<version>\d+\.\d+\.\d\S*?)-(?P<flavour>[a-z]\S*)")


def kernels_between(say: Say, good: str, bad: str) -> list[str]:
    """Packages of one flavour from `good` to `bad`, both included.

    Raises InputError for a package that is neither offered nor built, for two flavours, and where
    `good` is not the older one; RigError where the archive cannot be reached.
    """
    require_here()
    require_programs()
    with (
        cache.only_builder(say),
        tempfile.TemporaryDirectory(prefix="new-apt-", dir=cache.cache_folder()) as scratch,
    ):
        say("reading the archive's lists of packages")
        archive = Archive(Path(scratch) / "apt")
        archive.update()
        offered = archive.kernels()
    return chosen_between([*offered, *_built()], good, bad)


def require_built(say: Say, package: str) -> None:
    """Build a kernel that is not there yet; RigError where that fails."""
    if package not in _built():
        build(say, package)


def _built() -> list[str]:
    key = recipe().key
    return [each.facts.package for each in cache.kernels() if each.facts.recipe == key]


def chosen_between(known: list[str], good: str, bad: str) -> list[str]:
    """Those of `known` from one to the other, each once."""
    flavours = {_flavour(each) for each in (good, bad)}
    alike = sorted({each for each in known if {_flavour(each)} == flavours}, key=_version)
    for each in (good, bad):
        if each not in alike:
            raise InputError(
                f"the kernel {each} is neither offered by the archive nor built",
                details=(f"known: {', '.join(alike[-12:])}",) if alike else (),
                cause="" if len(flavours) == 1 else "the two kernels are of different flavours",
                next="apt-cache search linux-image; fsgauge rig list",
            )
    first, last = alike.index(good), alike.index(bad)
    if first >= last:
        raise InputError(
            f"{good} is not older than {bad}", next="--good OLDER --bad NEWER, by version"
        )
    return alike[first : last + 1]


def _flavour(package: str) -> str:
    found = _NAME.fullmatch(package)
    return found["flavour"] if found else ""


def _version(package: str) -> list[int]:
    found = _NAME.fullmatch(package)
    return [int(number) for number in re.findall(r"\d+", found["version"])] if found else []
