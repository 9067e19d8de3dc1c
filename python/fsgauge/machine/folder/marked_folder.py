"""A folder that fsgauge makes: its marker names the owner, and only a marked folder is removed.

It is made, filled and removed by descriptors. Another user may rename it at any moment, or put a
link or another folder in its place: then that is left alone, and so is all that it leads to.
Removal follows no link and enters no other file system.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from fsgauge.errors import RigError, quoted
from fsgauge.machine.facts.mounts import mount_of
from fsgauge.machine.folder.open_folder import BELOW, OpenFolder, Which, which_of
from fsgauge.plain_files import open_to_read, write_all
from fsgauge.plain_files.opening import closing, names_in

MARKER = ".made-by-fsgauge"
_MARKER_LIMIT_BYTES = 4096
_MINE = 0o700
_NOT_THERE = -1
_LOOK_AGAIN = (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST)
"""Another thing has the name, or nothing has."""
_MOST_RENAMES = 1000
"""While an empty folder is removed. Each takes another user a system call, as each try takes us."""
_ABOVE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Owner(BaseModel):
    """The run that made something: a process, told apart from later ones with the same id."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    token: str
    pid: int
    start_ticks: int
    boot_id: str


def make_marked(place: OpenFolder, name: str, owner: Owner) -> OpenFolder:
    """Make a folder in `place` for this user alone, with its marker; gives it open. Raises OSError,
    and RigError where another folder took its place at once."""
    before_ns = os.fstat(place.descriptor).st_mtime_ns
    os.mkdir(name, _MINE, dir_fd=place.descriptor)
    folder = OpenFolder(place.path / name, _open_if_there(place, name), is_made=True)
    try:
        if folder.descriptor != _NOT_THERE and _leave_marker(folder.descriptor, owner):
            return folder
        _remove_renamed(place, before_ns)
        raise folder.moved()
    except BaseException:
        if folder.descriptor != _NOT_THERE:
            folder.close()
        raise


def _open_if_there(place: OpenFolder, name: str) -> int:
    """`_NOT_THERE` where something else, or nothing, has the name; raises OSError."""
    try:
        return os.open(name, BELOW, dir_fd=place.descriptor)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return _NOT_THERE
        raise


def _remove_renamed(place: OpenFolder, before_ns: int) -> None:
    """Remove what was renamed before it could be opened: it is empty, this user's alone, and no
    older than the last change of `place` before it was made. What cannot be seen stays."""
    with contextlib.suppress(OSError), place.opened(place.path) as here:
        for name in names_in(here):
            status = os.stat(name, dir_fd=here, follow_symlinks=False)
            is_made = status.st_mode == stat.S_IFDIR | _MINE and status.st_uid == os.geteuid()
            if is_made and status.st_mtime_ns >= before_ns:
                with contextlib.suppress(OSError):  # it is in use, by another run
                    os.rmdir(name, dir_fd=here)


def _leave_marker(folder: int, owner: Owner) -> bool:
    """False where the folder is not new, or another user's: what we make in it has another owner.
    Its owner need not be this user: on a network file system root may be another one."""
    if names_in(folder):
        return False
    marker = os.open(MARKER, _NEW_FILE, 0o600, dir_fd=folder)
    with closing(marker):
        if os.fstat(marker).st_uid != os.fstat(folder).st_uid:
            os.unlink(MARKER, dir_fd=folder)
            return False
        write_all(marker, (owner.model_dump_json() + "\n").encode())
        os.fsync(marker)
    return True


def owner_of(path: Path) -> Owner | None:
    """Who made the folder, or None when it has no readable marker or is no folder."""
    try:
        with closing(os.open(path, BELOW)) as folder:
            return _read_marker(folder)
    except OSError:
        return None


def remove_made(folder: OpenFolder) -> bool:
    """Remove an open folder with everything in it; False where its name led elsewhere before. What
    has its name now is left alone. Raises RigError where a file system is mounted in the folder,
    OSError where something stays."""
    _empty(folder.descriptor, folder.path)
    is_still = folder.is_still()
    _remove_empty(folder)
    return is_still


def _remove_empty(folder: OpenFolder) -> None:
    """Where it is now, which is not where it was made if somebody moved it, even meanwhile."""
    for _ in range(_MOST_RENAMES):
        if os.fstat(folder.descriptor).st_nlink == 0:  # another user removed it, once empty
            return
        with closing(os.open("..", _ABOVE, dir_fd=folder.descriptor)) as above:
            try:
                name = Path(f"/proc/self/fd/{folder.descriptor}").readlink().name
                if which_of(os.stat(name, dir_fd=above, follow_symlinks=False)) == folder.which:
                    os.rmdir(name, dir_fd=above)
                    return
            except OSError as error:
                if error.errno not in _LOOK_AGAIN or names_in(folder.descriptor):
                    raise
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(folder.path))


def remove_left(path: Path, token: str, which: Which | None, *, same_boot: bool) -> bool:
    """Remove what a dead run made, if it is that and `token` marked it; gives whether it was there.
    A folder without a marker goes only when it is empty: a kill may have come between the two.
    Raises RigError when it is someone else's or another file system is mounted in it."""
    try:
        folder = OpenFolder(path, os.open(path, BELOW), is_made=True)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _not_ours(path) from error
    try:
        if which is not None and not _are_one(folder.which, which, same_boot=same_boot):
            raise _not_ours(path)
        owner = _read_marker(folder.descriptor)
        if owner is None or owner.token != token:
            _refuse_unless_empty(path, folder.descriptor)
        if not remove_made(folder):
            raise folder.moved()
    finally:
        folder.close()
    return True


def _are_one(found: Which, made: Which, *, same_boot: bool) -> bool:
    """Whether the folder is the one that was made: the kernel gives devices other numbers at a boot
    and, where no block device is below, at each mount."""
    lasting = same_boot and os.major(made[0]) != 0
    return found[1] == made[1] and (not lasting or found[0] == made[0])


def _not_ours(path: Path) -> RigError:
    return RigError(
        f"{path} is no longer a folder of fsgauge, so it is left alone",
        cause=f"a user who can write in {path.parent} replaced it with a link, a file or another"
        " folder",
        next=f"ls -la {quoted(path.parent)}; remove {quoted(path)} if it is not needed;"
        " fsgauge doctor",
    )


def _read_marker(folder: int) -> Owner | None:
    """What the marker says, if it has the folder's owner; a pipe in its place, which would keep its
    reader waiting, is none."""
    try:
        with closing(open_to_read(folder, MARKER)) as marker:
            if os.fstat(marker).st_uid != os.fstat(folder).st_uid:
                return None
            return Owner.model_validate_json(os.read(marker, _MARKER_LIMIT_BYTES))
    except (ValidationError, OSError):
        return None


def _refuse_unless_empty(path: Path, folder: int) -> None:
    """A marker that the kill cut short is the only thing that may lie here."""
    for name in names_in(folder):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if name != MARKER or not stat.S_ISREG(status.st_mode) or status.st_size > 0:
            raise RigError(
                f"{path} does not have this run's marker, so it is left alone",
                cause="another program removed the marker, or made a folder of that name",
                next=f"ls -la {quoted(path)}; if none of it is needed: rm -r {quoted(path)}",
            )


def _empty(folder: int, path: Path) -> None:
    """Delete everything below an open folder, the marker last."""
    for name in sorted(names_in(folder), key=lambda name: name == MARKER):
        remove_in(folder, name, path)


def remove_in(folder: int, name: str, path: Path = Path()) -> None:
    """Remove a file, or a folder with everything in it, from an open folder; `path` is for words.
    Raises RigError where a file system is mounted in it, OSError where something stays."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        return
    with closing(_opened(folder, name)) as below:
        if _place_of(below) != _place_of(folder):
            raise RigError(
                f"another file system is mounted at {path / name}, so it is left alone",
                cause="it was mounted there during the run, or its own unmounting failed",
                next=f"umount {quoted(path / name)}; fsgauge doctor then removes the folder",
            )
        _empty(below, path / name)
    os.rmdir(name, dir_fd=folder)


def _opened(folder: int, name: str) -> int:
    """A folder that is to be emptied. A program may leave some that it has no right to change, as
    Go does with its modules."""
    try:
        below = os.open(name, BELOW, dir_fd=folder)
    except PermissionError:
        with closing(os.open(name, BELOW | os.O_PATH, dir_fd=folder)) as found:
            Path(f"/proc/self/fd/{found}").chmod(_MINE)
        below = os.open(name, BELOW, dir_fd=folder)
    if os.fstat(below).st_mode & _MINE != _MINE and _place_of(below) == _place_of(folder):
        with contextlib.suppress(OSError):
            os.fchmod(below, _MINE)
    return below


def _place_of(folder: int) -> tuple[int, str]:
    """The device of an open folder, and its mount: bind mounts have one device."""
    return os.fstat(folder).st_dev, mount_of(folder)
