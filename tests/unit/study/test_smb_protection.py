"""Signing and encryption follow a system's server, and what contradicts itself is refused."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.study.access import AccessKeys
from fsgauge.study.parse import load_study
from fsgauge.study.server_options import Protection, protection_of

SIGNS = {"server signing": "mandatory"}
ENCRYPTS = {"server smb encrypt": "required"}


def access(**keys: object) -> AccessKeys:
    return AccessKeys.model_validate({"server": "samba"} | keys)


@pytest.mark.parametrize(
    ("keys", "options", "expected"),
    [
        ({}, {}, (False, False)),
        ({"smb_signing": True}, {}, (True, False)),
        ({"smb_encryption": True}, {}, (False, True)),
        ({}, SIGNS, (True, False)),
        ({}, {"server signing": "Required"}, (True, False)),
        ({}, {"server signing": "auto"}, (False, False)),
        ({}, {"server signing": "desired"}, (False, False)),
        ({}, {"server signing": "disabled"}, (False, False)),
        ({}, ENCRYPTS, (False, True)),
        ({}, {"server smb encrypt": "mandatory"}, (False, True)),
        ({}, {"server smb encrypt": "if_required"}, (False, False)),
        ({}, {"server smb encrypt": "desired"}, (False, True)),
        ({"smb_dialect": "2.1"}, {"server smb encrypt": "desired"}, (False, False)),
        ({"smb_signing": True}, ENCRYPTS, (True, True)),
    ],
)
def test_clients_do_what_the_study_or_the_server_wants(
    keys: dict[str, object], options: dict[str, str], expected: tuple[bool, bool]
) -> None:
    assert protection_of(access(**keys), options) == Protection(*expected)


def test_in_words_encryption_stands_for_both() -> None:
    words = [str(Protection(*each)) for each in ((False, False), (True, False), (True, True))]
    assert words == ["not signed", "signed", "encrypted"]


@pytest.mark.parametrize(
    ("option", "overrides", "what"),
    [
        ("server smb encrypt=required", ["access.smb_dialect=2.1"], "SMB 2.1 has none"),
        ("server smb encrypt=mandatory", ["access.smb_dialect=2.0.2"], "SMB 2.0.2 has none"),
        ("server smb encrypt=off", ["access.smb_encryption=true"], "encryption is switched off"),
        ("server signing=disabled", ["access.smb_signing=true"], "cannot switch off signing"),
    ],
)
def test_a_server_that_contradicts_the_clients_is_refused_with_the_plan(
    option: str, overrides: list[str], what: str
) -> None:
    with pytest.raises(InputError) as refusal:
        load_study("connections", overrides, [f"a=ext4:server.{option}"], serve="samba")
    assert what in refusal.value.what and refusal.value.next
    assert refusal.value.location is not None
    load_study("connections", [], [f"a=ext4:server.{option}"], serve="samba")
