"""`fsgauge explain MODEL`: the formula, its limits, and every number with its source."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fsgauge.cli.explain import command
from fsgauge.devices import device_named, device_names
from fsgauge.errors import InputError


@pytest.mark.parametrize("model", device_names())
def test_a_device_is_explained_with_every_number(model: str) -> None:
    shown = CliRunner().invoke(command, [model])
    assert shown.exit_code == 0, shown.output
    whole = " ".join(shown.output.split())
    for number in device_named(model).parameters:
        assert number.name in whole and number.source.split()[0] in whole
    assert "nothing of it is measured" in whole and "Not in it" in whole


def test_a_name_that_is_near_leads_to_it() -> None:
    shown = CliRunner().invoke(command, ["disk-2013"])
    assert isinstance(shown.exception, InputError)
    assert "disk-2012" in shown.exception.details[0]
