"""What the .deb says of itself, and what runs when it is installed and removed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MAINTAINER = "fsgauge maintainers <maintainers@fsgauge.invalid>"

POSTINST = """#!/bin/sh
# Compiled modules: without them every start by an ordinary user takes seconds longer, as only root
# could keep them. What cannot be compiled is still read as it is.
set -e
if [ "$1" = configure ]; then
  python=/usr/lib/fsgauge/bin/python3
  version=$($python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  $python -m compileall -q -x '/tests/' "/usr/lib/fsgauge/lib/python$version" >/dev/null || true
fi
"""

PRERM = """#!/bin/sh
# Compiled modules are no files of the package, so dpkg would leave them and their folders.
set -e
find /usr/lib/fsgauge -name __pycache__ -type d -prune -exec rm -rf {} +
"""

_CONTROL = """Package: fsgauge
Version: {version}
Section: utils
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size_kib}
Depends: {depends}
Recommends: btrfs-progs, e2fsprogs, mount, xfsprogs
Suggests: chromium, fio, nfs-ganesha, qemu-system-x86, samba
Description: laboratory for file systems
 Compares file systems, mount options or kernels on your storage under your
 load, and answers in one sentence with an error bar.
 .
 The engine is one static program. The Python packages that the lab needs are
 included, as they are on PyPI, for Python {pythons}.
"""

_COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: fsgauge
Comment:
 The engine is linked with the GNU C library (LGPL-2.1-or-later). The Python
 packages below /usr/lib/fsgauge/lib come from PyPI unchanged; the licence of
 each is in its .dist-info folder.

Files: *
Copyright: the fsgauge authors
License: Apache-2.0
{licence}"""


def control(version: str, architecture: str, size_kib: int, pythons: Sequence[str]) -> str:
    """The control file; `pythons` are the versions it has packages for, in order."""
    return _CONTROL.format(
        version=version,
        architecture=architecture,
        maintainer=MAINTAINER,
        size_kib=size_kib,
        depends=", ".join([*_python(pythons), "libc6 (>= 2.28)", "libgcc-s1", "libstdc++6"]),
        pythons=" and ".join(pythons),
    )


def _python(pythons: Sequence[str]) -> list[str]:
    """Dependencies that hold for the given versions of Python and for none between or after."""
    words = [f"python3 (>= {pythons[0]}~)"]
    for before, after in pairwise(pythons):
        if _next(before) != after:
            words.append(f"python3 (<< {_next(before)}~) | python3 (>= {after}~)")
    return [*words, f"python3 (<< {_next(pythons[-1])}~)"]


def _next(python: str) -> str:
    major, minor = python.split(".")
    return f"{major}.{int(minor) + 1}"


def copyright_of(licence: str) -> str:
    """The copyright file, with the licence's text in it."""
    lines = (f" {line}".rstrip() or " ." for line in licence.strip().splitlines())
    return _COPYRIGHT.format(licence="\n".join(lines) + "\n")
