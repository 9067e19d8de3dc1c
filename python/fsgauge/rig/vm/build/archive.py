"""The distribution's packages, fetched and unpacked by an ordinary user.

apt works in a folder of its own: own lists, own cache, an empty list of installed packages, and the
machine's own sources and keys. No script of a package is run.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import RigError, quoted
from fsgauge.machine.process.tool import Said, find_tool, run_tool
from fsgauge.programs import child_environment, run_to_end, start

_SOURCES = Path("/etc/apt/sources.list")
_SOURCE_PARTS = Path("/etc/apt/sources.list.d")
_SETTINGS = Path("/etc/apt/apt.conf.d")
_OWN_KEYRING = "archive-keyring"
_META_KERNEL = "linux-image-amd64"
_ANY_KERNEL = re.compile(r"linux-image-[0-9]\S*")
_SECONDS = 900.0
_LINE = re.compile(r"'(?P<url>[^']+)' (?P<file>\S+) (?P<size>\d+) ?(?P<hash>\S*)")
_LEFT_OUT = ("./usr/share/man/*", "./usr/share/doc/*", "./usr/share/locale/*", "./usr/share/info/*")


@dataclass(frozen=True)
class Package:
    """A package file as the archive offers it; `hash` says what is in it."""

    file: str
    size_bytes: int
    hash: str

    @property
    def name(self) -> str:
        name, _, rest = self.file.partition("_")
        return f"{name} {rest.partition('_')[0].replace('%3a', ':')}"


class Archive:
    """apt in a folder of its own, which its owner removes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache = folder / "cache" / "archives"
        for each in (folder / "lists" / "partial", self._cache / "partial"):
            each.mkdir(parents=True)
        self._parts, self._settings = folder / "parts", folder / "settings"
        self._parts.mkdir()
        self._settings.mkdir()
        (folder / "status").touch()
        (folder / "sources.list").touch()
        self._copy_sources()
        self._copy_settings()

    def update(self) -> None:
        self._get("-qq", "update", what="the lists of packages cannot be fetched")

    def resolved(self, packages: Sequence[str]) -> list[Package]:
        said = self._get(
            *("-qq", "-y", "--print-uris", "install", *packages),
            what="the packages of the guest cannot be resolved",
        )
        return sorted(_packages(said), key=lambda each: each.file)

    def newest_kernel(self) -> str:
        said = self._run("apt-cache", "depends", _META_KERNEL)
        found = _ANY_KERNEL.search(said.output)
        if said.exit_code or found is None:
            raise RigError(
                f"the package {_META_KERNEL} is not offered here",
                details=tuple(said.words.splitlines()[-2:]),
                cause="the virtual rig takes its kernel from Debian's archive",
                next="apt-cache search linux-image; fsgauge rig build --kernel PACKAGE",
            )
        return found[0]

    def kernels(self) -> list[str]:
        said = self._run("apt-cache", "pkgnames", "linux-image-")
        return sorted(word for word in said.output.split() if _ANY_KERNEL.fullmatch(word))

    def kernel(self, package: str) -> Package:
        """The package of one kernel alone; RigError with those that are offered."""
        offered = [each for each in self.kernels() if _is_usual(each)]
        return self.one(
            package,
            details=(f"offered: {', '.join(offered[-12:])}",) if offered else (),
            cause="the name is mistyped, or the distribution has replaced it by a newer one",
            next="apt-cache search linux-image",
        )

    def one(
        self,
        package: str,
        details: tuple[str, ...] = (),
        cause: str = "the guest's recipe is for Debian 12",
        next: str = "",
    ) -> Package:
        """A package without what it depends on; RigError where it is not offered."""
        said = self._run("apt-get", "-qq", "--print-uris", "download", package)
        found = _packages(said)
        if not found or said.exit_code:
            what, usual = f"the archive offers no package {package}", f"apt-cache search {package}"
            raise RigError(what, details=details, cause=cause, next=next or usual)
        return found[0]

    def fetch(self, packages: Sequence[str]) -> list[Path]:
        self._get(
            *("-qq", "-y", "--download-only", "install", *packages),
            what="the packages of the guest cannot be fetched",
        )
        return sorted(self._cache.glob("*.deb"))

    def fetch_alone(self, package: str) -> Path:
        place = self._folder / "alone"
        place.mkdir(exist_ok=True)
        self._get("-qq", "download", package, what=f"{package} cannot be fetched", where=place)
        return max(place.glob("*.deb"), key=lambda each: each.stat().st_mtime_ns)

    def _copy_sources(self) -> None:
        """The distribution's own, if they can be told from others; else all of them."""
        files = [_SOURCES, *sorted(_SOURCE_PARTS.glob("*.list"))]
        files += sorted(_SOURCE_PARTS.glob("*.sources"))
        texts = {path: path.read_text() for path in files if path.is_file()}
        own = {path: text for path, text in texts.items() if _OWN_KEYRING in text}
        for path, text in (own or texts).items():
            (self._parts / path.name).write_text(text)
        if not texts:
            raise RigError(
                "this machine has no sources of packages",
                cause=f"there is neither {_SOURCES} nor a file in {_SOURCE_PARTS}",
                next="the virtual rig is built on Debian",
            )

    def _copy_settings(self) -> None:
        """Proxies and certificates, without hooks, which would work on the machine's own cache."""
        for path in sorted(_SETTINGS.glob("*")) if _SETTINGS.is_dir() else []:
            if path.is_file() and "Invoke" not in (text := path.read_text(errors="replace")):
                (self._settings / path.name).write_text(text)
        (self._folder / "first.conf").write_text(f'Dir::Etc::parts "{self._settings}";\n')

    def _get(self, *words: str, what: str, where: Path | None = None) -> Said:
        said = self._run("apt-get", *words, where=where)
        if said.exit_code:
            raise RigError(
                what,
                details=tuple(said.words.splitlines()[-4:]),
                cause="the archive cannot be reached, or does not have a package",
                next="apt-get update",
            )
        return said

    def _run(self, program: str, *words: str, where: Path | None = None) -> Said:
        own = self._folder
        options = {
            "Dir::State": own,
            "Dir::State::lists": own / "lists",
            "Dir::State::status": own / "status",
            "Dir::Cache": own / "cache",
            "Dir::Cache::archives": self._cache,
            "Dir::Etc::sourcelist": own / "sources.list",
            "Dir::Etc::sourceparts": self._parts,
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::Log": own,
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "",
            "APT::Keep-Downloaded-Packages": "true",
            "Acquire::Languages": "none",
            "Debug::NoLocking": "1",
        }
        given = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        command = ["env", "-C", str(where or own), f"APT_CONFIG={own / 'first.conf'}"]
        return run_tool([*command, program, *given, *words], seconds=_SECONDS)


def _is_usual(kernel: str) -> bool:
    """Whether it is neither for real time, nor for one cloud, nor without a signature."""
    others = ("-rt-", "-cloud-", "-dbg", "-unsigned")
    return kernel.endswith("-amd64") and not any(word in kernel for word in others)


def _packages(said: Said) -> list[Package]:
    lines = filter(None, (_LINE.match(line.strip()) for line in said.output.splitlines()))
    return [Package(each["file"], int(each["size"]), each["hash"]) for each in lines]


def unpack(archive: Path, tree: Path) -> None:
    """A package's files into a tree whose /bin, /lib and /sbin are links into /usr."""
    if not tree.exists():
        for name in ("bin", "sbin", "lib", "lib64"):
            (tree / "usr" / name).mkdir(parents=True)
            (tree / name).symlink_to(f"usr/{name}")
    out = [f"--exclude={each}" for each in _LEFT_OUT]
    plain = child_environment(LC_ALL="C")
    reading = start(
        ["dpkg-deb", "--fsys-tarfile", str(archive.absolute())],
        stdout=subprocess.PIPE,
        environment=plain,
        dies_with_us=True,
    )
    assert reading.stdout is not None  # noqa: S101 - a pipe
    with reading.stdout:
        words = ["-x", "--keep-directory-symlink", "--no-same-owner", *out]
        writing = run_to_end(
            ["tar", *words, "-C", str(tree.absolute()), "-f", "-"],
            seconds=_SECONDS,
            stdin=reading.stdout,
            environment=plain,
        )
    if reading.wait(_SECONDS) or writing.returncode:
        raise RigError(
            f"{archive.name} cannot be unpacked",
            details=tuple(writing.stderr.decode(errors="replace").splitlines()[-3:]),
            cause="the disk is full, or the download was cut short",
            next=f"df -h {quoted(tree)}",
        )


def require_programs() -> None:
    """RigError where the machine is not one that packages can be fetched on."""
    for program in ("apt-get", "apt-cache", "dpkg-deb", "tar"):
        if find_tool(program) is None:
            raise RigError(
                f"the program {program} is not installed",
                cause="the guest is built from Debian's packages, on Debian or a relative of it",
                next="build it there, and copy ~/.cache/fsgauge/rig",
            )
