"""What servers are told: places of their own, loopback, the study's options in their part."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.access import ganesha, samba
from fsgauge.access.kind import Account, Clients, Serving, new_password, write_private
from fsgauge.engine.wire import SmbTarget
from fsgauge.errors import InputError
from fsgauge.machine.process.tool import find_tool
from fsgauge.study.access import AccessKeys
from tests.needs import need


def serving(options: dict[str, str], folder: Path = Path("/run/own")) -> Serving:
    return Serving(
        folder=folder,
        shared=Path("/run/shared"),
        clients=Clients(AccessKeys(), 590),
        account=Account(58_000, 58_000, "an unprivileged user", "fsgauge"),
        options=options,
    )


def parts(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            current = found.setdefault(line.strip("[]"), {})
        elif line:
            name, _, value = line.partition(" = ")
            current[name] = value
    return found


def test_samba_writes_nowhere_but_in_its_own_folder() -> None:
    told = parts(samba.configuration(serving({})))["global"]
    for name in (
        "private dir",
        "state directory",
        "cache directory",
        "lock directory",
        "pid directory",
        "ncalrpc dir",
        "log file",
    ):
        assert told[name].startswith("/run/own/"), name
    assert told["passdb backend"].startswith("smbpasswd:/run/own/")
    assert told["interfaces"] == "127.0.0.1" and told["bind interfaces only"] == "yes"
    assert told["rpc start on demand helpers"] == "no"
    assert told["map to guest"] == "Never"


def test_options_of_samba_stand_where_they_belong() -> None:
    told = parts(samba.configuration(serving({"aio read size": "0", "smb2 max credits": "64"})))
    assert told["fsgauge"]["aio read size"] == "0" and told["fsgauge"]["path"] == "/run/shared"
    assert told["global"]["smb2 max credits"] == "64"
    assert "aio read size" not in told["global"]


def test_ganesha_takes_all_clients_and_takes_each_for_one_unprivileged_user() -> None:
    text = ganesha.configuration(serving({"MaxRead": "65536", "Dir_Chunk": "128"}))
    assert "NFS_Port = 20445;" in text and "Squash = All_Squash;" in text
    assert "Anonymous_Uid = 58000;" in text and "Anonymous_Gid = 58000;" in text
    connections = int(text.split("RPC_Max_Connections = ")[1].split(";")[0])
    assert connections >= 2 * 590
    export = text[text.index("EXPORT {") : text.index("LOG")]
    assert "MaxRead = 65536;" in export and "Dir_Chunk" not in export
    assert "Dir_Chunk = 128;" in text[text.index("MDCACHE {") : text.index("EXPORT {")]


@pytest.mark.parametrize("kind", [samba.SAMBA, ganesha.GANESHA])
def test_the_command_names_the_private_folder_so_that_it_can_be_found(
    kind: samba.Samba | ganesha.Ganesha,
) -> None:
    assert any(word.startswith("/run/own") for word in kind.command(serving({})))
    assert not any("password" in word for word in kind.command(serving({})))


def test_clients_sign_and_encrypt_as_the_systems_server_wants_it() -> None:
    def target(**options: str) -> tuple[bool, bool]:
        named = {name.replace("_", " "): value for name, value in options.items()}
        found = samba.SAMBA.target(serving(named))
        assert isinstance(found, SmbTarget)
        return found.signing, found.encryption

    assert target() == (False, False)
    assert target(server_signing="mandatory") == (True, False)
    assert target(server_smb_encrypt="required") == (False, True)


def test_a_private_file_is_its_owners_alone(tmp_path: Path) -> None:
    write_private(tmp_path / "password", new_password())
    assert (tmp_path / "password").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "password", "another")


def test_every_server_has_a_password_of_its_own() -> None:
    assert new_password() != new_password()


def test_a_value_that_samba_refuses_is_found_before_anything_is_made() -> None:
    if find_tool("testparm") is None:
        need("testparm: apt-get install samba")
    access = AccessKeys()
    samba.SAMBA.check_options(access, {"aio read size": "1", "server signing": "auto"})
    for name, value in (("aio read size", "quark"), ("strict sync", "quark")):
        with pytest.raises(InputError, match=f"{name} = {value}"):
            samba.SAMBA.check_options(access, {name: value})
