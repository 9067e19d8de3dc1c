"""`fsgauge explain ldiskfs`: an allocation policy and its settings, with limits that hold."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fsgauge.cli.explain import command
from fsgauge.study.policies import POLICIES


def explained(name: str) -> str:
    shown = CliRunner().invoke(command, [name])
    assert shown.exit_code == 0, shown.output
    return " ".join(shown.output.split())


@pytest.mark.parametrize("kind", POLICIES)
def test_every_policy_is_explained_with_its_settings(kind: str) -> None:
    """No word, number or key was called "ldiskfs"."""
    said = explained(kind)
    for name, setting in POLICIES[kind].settings.items():
        assert f"{name}: {setting.what}. Takes {setting.limits()}." in said
        setting.read(setting.default)
    assert f"--system {kind}" in said or f"--system '{kind}" in said


def test_a_setting_is_explained_by_its_name_and_by_its_key() -> None:
    said = explained("prealloc_table")
    assert said == explained("system.settings.prealloc_table")
    assert "of ldiskfs" in said and "from 1 to 32768" in said
    assert "allocsize=0" in explained("allocsize")
