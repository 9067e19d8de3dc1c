"""Each package is installed as README.md says, in a clean Debian without Rust, and measures there.

Too slow for `make test`: each of the eight takes minutes of apt and pip, those of the other
processor under emulation. `make test-packages` builds the packages and runs this file by name, the
tests of each processor one after the other in a process of their own: they share what mmdebstrap
made. fsgauge runs without a network: apt or pip has fetched everything, it fetches nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packages import ROOT
from tests.packages.clean_root import NATIVE, CleanRoot, clean_root

BUILT = ROOT / "target/packages"
SUITES = {"bookworm": "3.11", "trixie": "3.13"}
ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}
EVERY = [
    pytest.param((suite, each), id=f"{suite}-{each}", marks=pytest.mark.xdist_group(each))
    for each in ARCHITECTURES
    for suite in SUITES
]
SHORT = """ --quiet --set plan.blocks=2 --set 'workload.duration=100 ms' \
  --set 'workload.warm_up=20 ms' --set 'workload.queue_depths=[1]'
"""
OF_FOLDERS = f"""mkdir -p /srv/a /srv/b
fsgauge run demo-user --system /srv/a --system /srv/b --set 'storage.size=16 MiB' {SHORT}"""
BUFFERED = OF_FOLDERS.replace("demo-user", "demo-user --set workload.direct=false")
OF_MADE_SYSTEMS = f"fsgauge run demo --set storage.directory=/srv {SHORT}"

pytestmark = [pytest.mark.root, pytest.mark.timeout(7200)]


@pytest.fixture(params=EVERY)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[CleanRoot, str, str]]:
    """A root with the packages in the place that README.md names; its release and processor."""
    suite, architecture = request.param
    with clean_root(suite, architecture, tmp_path) as made:
        place = made.path / "srv/target/packages"
        place.mkdir(parents=True)
        for path in [*BUILT.glob("*.whl"), *BUILT.glob("*.deb")]:
            shutil.copy2(path, place)
        yield made, suite, architecture


def line_of_readme(start: str, architecture: str) -> str:
    """The README's command for a processor; it shows that of amd64."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^(?:sudo )?({start} \./\S+)", text, flags=re.MULTILINE)
    return str(found).replace("x86_64", ARCHITECTURES[architecture]).replace("amd64", architecture)


def assert_measures(root: CleanRoot, architecture: str) -> None:
    assert root.run("fsgauge --version") == "fsgauge 0.1.0\n"
    assert "works here" in root.run("fsgauge doctor", seconds=900)
    # qemu-user 7.2 says that statx has the alignment of direct I/O, and gives 0: there is none
    assert_answers(root, OF_FOLDERS if architecture == NATIVE else BUFFERED)
    if architecture == NATIVE:  # an emulator has not all that makes a file system on a loop device
        assert_answers(root, OF_MADE_SYSTEMS)
    assert root.run("! command -v cargo rustc cc && echo none") == "none\n"


def assert_answers(root: CleanRoot, study: str) -> None:
    answer, page = root.run(study, seconds=1800).splitlines()[-2:]
    assert answer.startswith("answer: ")
    report = root.path / "srv" / page.removeprefix("report: ")
    assert report.stat().st_size > 100_000
    assert "</html>" in report.read_text(encoding="utf-8")


def test_the_deb(root: tuple[CleanRoot, str, str]) -> None:
    made, suite, architecture = root
    install = line_of_readme("apt install", architecture)
    made.run(f"apt-get -q update; {install} --yes", network=True, seconds=3000)
    assert_measures(made, architecture)
    python = made.run("/usr/lib/fsgauge/bin/python3 -c 'import numpy; print(numpy.__file__)'")
    assert f"/usr/lib/fsgauge/lib/python{SUITES[suite]}/" in python
    made.run("apt-get purge --yes fsgauge; test ! -e /usr/lib/fsgauge; ! command -v fsgauge")


def test_the_wheel(root: tuple[CleanRoot, str, str]) -> None:
    made, _, architecture = root
    packages = "pipx e2fsprogs xfsprogs btrfs-progs"  # a wheel does not bring what makes systems
    made.run(f"apt-get -q update; apt-get -q install --yes {packages}", network=True, seconds=1800)
    made.run(line_of_readme("pipx install", architecture), network=True, seconds=3000)
    assert_measures(made, architecture)


@pytest.mark.xdist_group("amd64")
def test_shells_and_man_find_what_the_deb_brings(tmp_path: Path) -> None:
    with clean_root("trixie", "amd64", tmp_path) as made:
        shutil.copy2(next(BUILT.glob("*_amd64.deb")), made.path / "srv")
        packages = "./*.deb man-db zsh fish bash-completion"
        install = f"apt-get -q install --yes --no-install-recommends {packages}"
        made.run(f"apt-get -q update; {install}", network=True, seconds=1800)
        assert made.run("man -w fsgauge") == "/usr/share/man/man1/fsgauge.1.gz\n"
        assert "fsgauge run" in made.run("man fsgauge | cat")
        assert "plan" in made.run("fish -c \"complete -C 'fsgauge pl'\"")
        zsh = "autoload -Uz compinit; compinit -u -D; print $_comps[fsgauge]"
        assert made.run(f"zsh -fc '{zsh}'") == "_fsgauge\n"
        loaded = "source /usr/share/bash-completion/bash_completion"
        by_name = "_comp_load fsgauge; complete -p fsgauge"  # what Tab does on a new command
        assert "_fsgauge_completion" in made.run(f"{loaded}; {by_name}")


@pytest.mark.xdist_group("amd64")
def test_name_services_of_another_c_library_do_not_reach_the_engine(tmp_path: Path) -> None:
    """Debian 13 has a newer one than the engine: loading its module would end in a crash."""
    with clean_root("trixie", "amd64", tmp_path) as made:
        shutil.copy2(next(BUILT.glob("*_amd64.deb")), made.path / "srv")
        install = "apt-get -q install --yes --no-install-recommends ./*.deb libnss-myhostname"
        made.run(f"apt-get -q update; {install}", network=True, seconds=1800)
        made.run("sed -i 's/^hosts:.*/hosts: myhostname files dns/' /etc/nsswitch.conf")
        share = "fsgauge run connections --set access.share=smb://localhost/x"
        said = made.run(f"{share} 2>&1 || echo ended with $?")
        assert "127.0.0.1" in said or "localhost:445" in said, said
        assert "ended with 3" in said


def test_two_clones_of_the_commit_give_the_same_bytes(tmp_path: Path) -> None:
    """The other clone has a longer name, with a space, and an engine that is compiled anew."""
    clone = tmp_path / "another place"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    here = {path.name: path for path in BUILT.iterdir() if path.suffix in (".whl", ".deb")}
    subprocess.run(["make", "packages-release"], cwd=clone, check=True, timeout=3600)
    built = clone / "target/packages"
    assert len(here) == 4
    for name, path in here.items():
        assert (built / name).read_bytes() == path.read_bytes(), name
