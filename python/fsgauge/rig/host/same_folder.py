"""Two systems that are one folder, reached in one way, differ in nothing."""

from __future__ import annotations

import os

from fsgauge.errors import InputError
from fsgauge.study.model import PathStorage, Study
from fsgauge.study.reached import accesses_of


def require_distinct_folders(study: Study) -> None:
    """InputError for the first two systems with folders of their own that are the same in all but
    their name.

    Folders are compared by their paths, so that a link is no other folder, and a bind mount is. The
    storage's own folder may be measured under several names: that is how equal systems are told
    from noise.
    """
    if not isinstance(study.storage, PathStorage):
        return
    seen: dict[str, str] = {}
    for system, access in zip(study.systems, accesses_of(study), strict=True):
        if system.path is None:
            continue
        place = os.path.realpath(system.path)
        keys = system.model_dump(mode="json", exclude={"name", "path"})
        same = repr((place, access, sorted(keys.items(), key=lambda pair: pair[0])))
        if same in seen:
            raise InputError(
                f'"{seen[same]}" and "{system.name}" are one folder, {system.path}',
                cause="two systems that differ in nothing compare a folder with itself",
                next=f"another folder for {system.name}; the baseline is measured twice in each"
                " block as it is, which shows the noise",
            )
        seen[same] = system.name
