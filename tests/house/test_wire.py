"""The types in Python are those that scripts/wire makes from schema/, and hold what they are given.

That they say the same as the schemas is seen without that script in test_schema.py.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from fsgauge.engine.wire import Event, Job, LoadJob, NoSync, Wire, generated

ROOT = Path(__file__).parents[2]
TYPES = [
    each
    for each in vars(generated).values()
    if isinstance(each, type) and issubclass(each, BaseModel) and each is not Wire
]


def check(schema: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts/wire", "--check", "--schema", schema]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_types_are_as_made_from_the_schemas() -> None:
    done = check(ROOT / "schema")
    assert done.returncode == 0, done.stderr


def test_types_that_are_not_as_made_are_found(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "schema", tmp_path, dirs_exist_ok=True)
    changed = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    changed["$defs"]["Histogram"]["properties"]["median_ns"] = {"type": "integer"}
    (tmp_path / "result.json").write_text(json.dumps(changed), encoding="utf-8")
    done = check(tmp_path)
    assert done.returncode == 1
    assert "generated.py is stale" in done.stderr


def test_no_type_takes_an_unknown_key_or_is_changed_later() -> None:
    kept = {each: (each.model_config["extra"], each.model_config["frozen"]) for each in TYPES}
    assert kept == dict.fromkeys(TYPES, ("forbid", True))


def test_a_default_is_what_the_crate_takes_where_a_key_is_left_out() -> None:
    job = LoadJob.model_validate(
        {
            "target": {"kind": "null", "size_bytes": 4096},
            "interface": "psync",
            "direct": False,
            "access": {"kind": "random"},
            "read_percent": 100,
            "block_sizes": [{"size_bytes": 4096}],
            "queue_depth": 1,
            "jobs": 1,
            "duration_ns": 1,
            "seed": 2**64 - 1,
        }
    )
    assert job.sync == NoSync()
    assert (job.kind, job.format, job.interval_ns, job.companions) == ("load", 1, 10**9, [])


@pytest.mark.parametrize(
    ("types", "text", "said"),
    [
        (Job, '{"kind": "no such"}', "does not match any of the expected tags"),
        (Job, '{"kind": "probe", "format": 2}', "Input should be 1"),
        (Event, '{"event": "clients_in", "connect_ns": -1}', "greater than or equal to 0"),
        (Event, "{}", "Unable to extract tag"),
        (Event, '{"event": "finished", "result": {"kind": "layout"}}', "format\n  Field required"),
    ],
)
def test_what_the_schema_refuses_is_refused(types: object, text: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        TypeAdapter(types).validate_json(text)
