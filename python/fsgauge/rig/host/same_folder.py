"""Two systems that are one folder, reached in one way, differ in nothing."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.study.model import PathStorage, Study
from fsgauge.study.reached import accesses_of


def require_distinct_folders(study: Study) -> None:
    """InputError for the first two that are the same in all but their name.

    Folders are compared by what they are, so that a link or a bind mount is no other folder.
    """
    if not isinstance(study.storage, PathStorage):
        return
    seen: dict[str, str] = {}
    for system, access in zip(study.systems, accesses_of(study), strict=True):
        path = system.path or study.storage.path
        place: object = path
        with suppress(OSError):  # one that is not there is refused elsewhere
            found = Path(path).stat()
            place = (found.st_dev, found.st_ino)
        keys = system.model_dump(mode="json", exclude={"name", "path"})
        same = repr((place, access, sorted(keys.items(), key=lambda pair: pair[0])))
        if same in seen:
            raise InputError(
                f'"{seen[same]}" and "{system.name}" are one folder, {path}',
                cause="two systems that differ in nothing compare a folder with itself",
                next=f"another folder for {system.name}; the baseline is measured twice in each"
                " block as it is, which shows the noise",
            )
        seen[same] = system.name
