"""What programs are told: of root's environment only what is on the list."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from fsgauge.programs import child_environment, clean_own_environment, engine_environment

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="of root's environment")
LOADING = {
    **dict.fromkeys(("LD_PRELOAD", "LD_AUDIT", "GCONV_PATH"), "/x"),
    **dict.fromkeys(("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE"), "/x"),
    **dict.fromkeys(("MKE2FS_CONFIG", "BLKID_FILE", "LIBMOUNT_FSTAB", "APT_CONFIG"), "/x"),
    **dict.fromkeys(("QEMU_MODULE_DIR", "SSL_CERT_FILE", "OPENSSL_CONF", "BASH_ENV"), "/x"),
    **dict.fromkeys(("ENV", "IFS", "PERL5LIB", "TAR_OPTIONS", "SSH_ASKPASS"), "/x"),
}


@AS_ROOT
def test_root_gives_nothing_that_names_code(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LOADING.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("FSGAUGE_STATE", "/state")
    for found in (child_environment(), engine_environment()):
        assert not set(LOADING) & set(found)
        assert (found["LC_ALL"], found["FSGAUGE_STATE"]) == ("C.UTF-8", "/state")


@AS_ROOT
@pytest.mark.parametrize("name", ["HOME", "TMPDIR", "KUBECONFIG", "LD_LIBRARY_PATH"])
def test_a_place_of_another_user_is_left_out(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    own.mkdir(mode=0o700)
    theirs.mkdir()
    (theirs / "below").mkdir()
    os.chown(theirs, 65534, 65534)
    monkeypatch.setenv(name, str(own))
    assert child_environment()[name] == str(own)
    instead = pwd.getpwuid(0).pw_dir if name == "HOME" else None
    link = tmp_path / "link"
    link.symlink_to(theirs)
    for place in (
        theirs,
        theirs / "below",
        theirs / "not there",
        link,
        "relative",
        f"{own}:",
        f"{own}:{theirs}",
    ):
        monkeypatch.setenv(name, str(place))
        assert child_environment().get(name) == instead, place
    monkeypatch.setenv(name, "/tmp")
    assert child_environment().get(name) == ("/tmp" if name == "TMPDIR" else instead)


@AS_ROOT
def test_root_cleans_its_own_for_the_libraries_that_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(tmp_path, 65534, 65534)
    changed = {"HOME": str(tmp_path), "GCONV_PATH": "/x", "FSGAUGE_SMB_PASSWORD": "hunter2"}
    monkeypatch.setattr(os, "environ", os.environ.copy() | changed)
    clean_own_environment()
    assert os.environ["HOME"] == pwd.getpwuid(0).pw_dir and "GCONV_PATH" not in os.environ
    assert changed["FSGAUGE_SMB_PASSWORD"] in os.environ.values(), "the engine needs it"


def test_of_an_ordinary_user_it_is_that_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/modules/lib")
    monkeypatch.setenv("FSGAUGE_SMB_PASSWORD", "hunter2")
    assert child_environment()["LD_LIBRARY_PATH"] == "/modules/lib"
    assert "FSGAUGE_SMB_PASSWORD" not in child_environment()


def test_the_engines_place_is_the_same_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FSGAUGE_ENGINE", "here/engine")
    assert child_environment()["FSGAUGE_ENGINE"] == str(tmp_path / "here/engine")
