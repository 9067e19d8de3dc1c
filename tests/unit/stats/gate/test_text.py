"""A gate's file: what is written is read back, and what was changed is refused."""

from __future__ import annotations

import json

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.report.gate_file import read_text, text_of
from fsgauge.stats.gate.accept import accept
from fsgauge.stats.gate.learned import Learned
from tests.unit.stats.gate.folders import side


def learned() -> Learned:
    return accept(None, [side(1), side(2)], version="1", label="gate.json").learned


def test_what_is_written_is_read_back() -> None:
    made = learned()
    assert read_text(text_of(made), "gate.json") == made


def test_a_person_can_read_it_a_line_a_run_and_a_line_of_numbers() -> None:
    made = learned()
    lines = text_of(made).splitlines()
    assert sum('"direct"' in line for line in lines) == len(made.lines)
    assert sum('"started_unix_ns"' in line for line in lines) == 2
    assert text_of(made).endswith("}\n")


def test_layout_is_free_and_numbers_are_not() -> None:
    text = text_of(learned())
    document = json.loads(text)
    assert read_text(json.dumps(document), "gate.json") == learned()
    document["loss_percent"] = 50.0
    with pytest.raises(RigError, match="changed after it was written"):
        read_text(json.dumps(document), "gate.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a gate's file"),
        ("[]", "not a gate's file"),
        ("{}", "not a gate's file"),
        ("[" * 100_000, "not a gate's file"),
        ('{"format": 2, "sha256": ""}', "format 2"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_text(text, "gate.json")


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
def test_a_right_checksum_over_nonsense_is_refused_as_well() -> None:
    made = learned().model_copy(update={"runs": [{"label": 1}]})
    with pytest.raises(InputError, match="not a gate's file"):
        read_text(text_of(made), "gate.json")
