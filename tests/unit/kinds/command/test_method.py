"""A job of a program: words filled in, what is needed, and who does not start one."""

from __future__ import annotations

import pytest

from fsgauge.kinds.command.method import CommandMethod
from fsgauge.rig.registry import rig_named
from fsgauge.workload.folders import ClientFolders
from tests.unit.kinds.command.studies import NUMBER, study, workload

PLACE = ClientFolders(directory="/mnt", files_per_client=0, backup_files_per_client=0)
LINES = """\
program = ["tool", "{threads}", "{folder}/out"]
prepare = ["make-input {threads}"]
finish = ["stop {folder}"]
parameters = { threads = ["1", "4"] }
caches = "kept"
written_back = true
time_limit = "20 s"
exit_codes = [0, 24]
packages = { make-input = "inputs" }
"""


def test_a_job() -> None:
    method = CommandMethod(workload(LINES + NUMBER))
    job = method.load_job(method.workload.cells()[1], PLACE, 7)
    assert job.folder == "/mnt/command/run"
    assert job.program == ["tool", "4", "/mnt/command/run/out"]
    assert (job.prepare, job.finish) == (["make-input 4"], ["stop /mnt/command/run"])
    assert (job.kept_caches, job.written_back, job.time_limit_ns) == (True, True, 20 * 10**9)
    assert job.exit_codes == [0, 24]
    assert [(each.name, each.better) for each in job.numbers] == [("tps", "higher")]


def test_what_it_needs() -> None:
    method = CommandMethod(workload(LINES))
    assert method.programs == {"make-input": "inputs", "tool": ""}
    varied = 'program = ["tool{n}"]\nparameters = { n = ["1", "2"] }'
    assert CommandMethod(workload(varied)).programs == {}
    assert method.file_sets.folders == ("command",)


def test_what_it_starts_is_said_whatever_it_is_called() -> None:
    """A study that was called git clone had no word of what it ran."""
    method = CommandMethod(workload(f'name = "git clone"\n{LINES}'))
    assert method.starts() == [
        "program: tool '{threads}' '{folder}/out'",
        "prepare: make-input {threads}",
        "finish: stop {folder}",
    ]


def test_any_number_of_hosts_starts_it() -> None:
    CommandMethod(workload(LINES)).require_dealable(3)


def test_what_is_held_equal_is_said() -> None:
    said = "; ".join(CommandMethod(workload(LINES)).held_equal("", has_raw=False))
    assert "after 1 untimed steps" not in said
    assert "after its untimed steps" in said
    assert "as its steps left them" in said
    assert "until all that it wrote is on the storage, 20 s at most" in said
    plain = "; ".join(CommandMethod(workload('program = ["a"]')).held_equal("", has_raw=False))
    assert "emptied before it" in plain
    assert "steps" not in plain


@pytest.mark.parametrize(
    ("name", "why"), [("vm", "no mytool in the virtual machine"), ("simulator", "has no model")]
)
def test_a_rig_without_the_program_refuses_it(name: str, why: str) -> None:
    found = study('program = ["mytool"]\n')
    said = [each.render() for each in rig_named(name, lambda _: None).refusals(found)]
    assert any(why in each for each in said)
