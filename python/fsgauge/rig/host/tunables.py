"""Tunables: settings of the kernel that a system asks for, set back after its turn.

Of the client of a mounted file system there may be several, one for each of its servers: all of
them are set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RefusedError, RigError, quoted
from fsgauge.machine.device import loop_devices
from fsgauge.machine.device.block_device import (
    BlockDevice,
    device_at,
    device_with_numbers,
    numbers_of,
)
from fsgauge.machine.facts.setting import (
    former,
    read_setting,
    real_setting,
    setting_held,
    twin_of,
    write_setting,
)
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import SettingTrace
from fsgauge.storage import Base
from fsgauge.study.model import System
from fsgauge.study.tunable_places import (
    DEVICE,
    MOUNT,
    TunablePlace,
    nearest_places,
    place_of,
    possible_value,
)

_LINKS_LIMIT = 64
_BDI = Path("/sys/class/bdi")
LUSTRE_ROOTS = (Path("/sys/fs/lustre"), Path("/proc/fs/lustre"), Path("/sys/kernel/debug/lustre"))
"""Where versions of its client have a setting; the first of them that has it."""
_Setting = tuple[Path, str]
"""The kernel's own folder, and the file's name below it."""


def check_tunables(system: System) -> None:
    """RefusedError for a tunable that is not in the list of those that a study may change."""
    seen: dict[str, str] = {}
    for key, value in system.tunables.items():
        place = _place(key, value, system)
        path = Path(place.path)
        other = seen.setdefault(str(min(path, twin_of(path) or path)), key)
        if other != key:
            raise InputError(
                f'the tunables "{other}" and "{key}" of the system "{system.name}" are one setting',
                next="leave one of them out",
            )


def require_tunables_of(system: System, folder: str) -> None:
    """InputError or RigError where a setting of a folder's client is not there, or is not ours."""
    check_tunables(system)
    for key, value in system.tunables.items():
        for home, rest in _of_folder(_place(key, value, system), folder, key, system):
            path = real_setting(home, rest)
            _read(path, system)
            if not os.access(path, os.W_OK):
                raise RigError(
                    f'{path} cannot be written, and "{system.name}" sets it',
                    cause="this is an ordinary user"
                    if os.geteuid() != 0
                    else "the kernel does not let it be changed",
                    next="sudo fsgauge ..., or without the tunable",
                )


def tuned(system: System, base: Base, ledger: Ledger) -> AbstractContextManager[dict[str, str]]:
    """Write each tunable; gives what the kernel reads back; sets all back at the end."""
    device = device_at(base.device) if base.device else None

    def own(place: TunablePlace, key: str) -> list[_Setting]:
        return [_own(place, device, key, system)]

    return _set(system, own, base.device, ledger)


def tuned_client(
    system: System, folder: str, ledger: Ledger
) -> AbstractContextManager[dict[str, str]]:
    """The same for a folder that is used as it is: settings of its client on this machine."""
    return _set(system, lambda place, key: _of_folder(place, folder, key, system), None, ledger)


@contextmanager
def _set(
    system: System,
    settings_of: Callable[[TunablePlace, str], list[_Setting]],
    device: str | None,
    ledger: Ledger,
) -> Iterator[dict[str, str]]:
    check_tunables(system)
    found = [
        (setting, value)
        for key, value in system.tunables.items()
        for setting in settings_of(_place(key, value, system), key)
    ]
    file = loop_devices.backing_file(device) if device else None
    with ExitStack() as stack:
        in_force = {}
        for (home, rest), value in found:
            path = real_setting(home, rest)
            held = stack.enter_context(setting_held(ledger.path.parent, path, ledger.path))
            _read(path, system)
            before, value_before = former(path)
            trace = SettingTrace(
                path=str(before),
                value=value_before,
                device=device,
                file=file,
                lock=str(held.file),
            )
            held.changed = True
            stack.enter_context(ledger.holding(trace))
            _write(path, value, system)
            in_force[str(home / rest)] = _read(path, system)
        yield in_force


def _of_folder(place: TunablePlace, folder: str, key: str, system: System) -> list[_Setting]:
    if place.is_lustre:
        return _of_lustre(place, key, system)
    if place.device != MOUNT:
        return [_own(place, None, key, system)]
    home = _bdi_of(folder)
    if home is None:
        raise InputError(
            f'the tunable "{key}" of the system "{system.name}" is not there: the file system of'
            f" {folder} has no settings of its own",
            cause="file systems in memory have none",
            next=f"stat --format=%Hd:%Ld {quoted(folder)}; ls /sys/class/bdi",
        )
    return [(home, place.rest)]


def _of_lustre(place: TunablePlace, key: str, system: System) -> list[_Setting]:
    for root in LUSTRE_ROOTS:
        found = sorted(root.glob(f"{place.home}/{place.rest}"))
        if found:
            return [(path.parent, place.rest) for path in found]
    raise InputError(
        f'the tunable "{key}" of the system "{system.name}" is not there',
        cause="no Lustre file system is mounted here, or its client has no such setting",
        next=f"lctl get_param '{key}'; mount -t lustre",
    )


def _bdi_of(folder: str) -> Path | None:
    """Where the kernel keeps the read-ahead and writeback of a mounted file system."""
    name = numbers_of(Path(folder).stat().st_dev)
    found = [_BDI / name, *sorted(_BDI.glob(f"{name}-*"))]
    device = device_with_numbers(name)
    if device is not None:
        found.append(_BDI / device.disk.numbers)
    return next((each for each in found if each.is_dir()), None)


def _place(key: str, value: str, system: System) -> TunablePlace:
    place = place_of(key)
    if place is None:
        raise RefusedError(
            f'the tunable "{key}" is not known to be safe as root (system "{system.name}")',
            details=(nearest_places(key),),
            cause="most settings affect the whole machine, and some name programs that root starts",
            next="fsgauge explain system.tunables",
        )
    if not possible_value(value):
        raise RefusedError(
            f'"{value}" is not a value for the tunable "{key}" (system "{system.name}")',
            cause="values are numbers and words",
            next=f"cat {place.path}",
        )
    return place


def _own(
    place: TunablePlace, device: BlockDevice | None, key: str, system: System
) -> tuple[Path, str]:
    if not place.device:
        return Path(place.home), place.rest
    if device is None:
        raise InputError(
            f'the tunable "{key}" of the system "{system.name}" needs a device',
            next="leave it out: this storage has none",
        )
    if place.device == DEVICE:
        of_the_disk = place.home.startswith("/sys/block/")
        name = device.disk.name if of_the_disk else device.name
        return Path(place.home.replace(DEVICE, name)), place.rest
    own = _chain(device)
    if place.device not in own:
        raise RefusedError(
            f'the tunable "{key}" belongs to another device (system "{system.name}")',
            details=(f"this study's devices: {', '.join(own)}",),
            cause="a study changes only its own device's settings",
            next=f'write {DEVICE} for its name: "{key.replace(place.device, DEVICE)}"',
        )
    return Path(place.home), place.rest


def _chain(device: BlockDevice) -> list[str]:
    """The device, its disk, and what it is made of, by the kernel's names; each once."""
    found: dict[str, None] = {}
    waiting = [device]
    while waiting and len(found) < _LINKS_LIMIT:
        each = waiting.pop()
        if each.name not in found:
            found[each.name] = None
            waiting += [each.disk, *each.slaves()]
    return list(found)


def _read(path: Path, system: System) -> str:
    try:
        return read_setting(path)
    except OSError as error:
        raise InputError(
            f'the tunable {path} of the system "{system.name}" cannot be read: {error.strerror}',
            cause="this kernel, or this kind of device, does not have it",
            next=f"ls {quoted(path.parent)}",
        ) from error


def _write(path: Path, value: str, system: System) -> None:
    try:
        write_setting(path, value)
    except OSError as error:
        raise InputError(
            f'the kernel refused "{value}" for {path} (system "{system.name}"): {error.strerror}',
            cause="the value is none that the setting takes, or this device does not have it",
            next=f"cat {path}",
        ) from error
