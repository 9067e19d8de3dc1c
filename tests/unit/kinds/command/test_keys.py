"""What a study of a program may say, and how its cells come from its parameters."""

from __future__ import annotations

import json

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.study.model import Study
from tests.unit.kinds.command.studies import NUMBER, study, workload

TOOL = 'program = ["tool", "-t", "{threads}", "{print}"]\n'


def refused(lines: str) -> str:
    with pytest.raises(InputError) as refusal:
        workload(lines)
    return refusal.value.render()


def test_a_cell_for_each_combination_of_the_parameters() -> None:
    found = workload(
        TOOL + 'prepare = ["make {scale}"]\n'
        'parameters = { threads = ["1", "4"], scale = ["10", "20"] }'
    )
    cells = found.cells()
    assert [cell.name for cell in cells] == [
        f"threads={threads}, scale={scale}" for threads in (1, 4) for scale in (10, 20)
    ]
    assert len({cell.id for cell in cells}) == 4
    assert found.default_primary() == [cells[0].id]
    assert found.filled_in("-t {threads} {print}", cells[2], "/mnt") == "-t 4 {print}"
    assert found.filled_in("cd {folder}", cells[0], "/mnt") == "cd /mnt"


@pytest.mark.parametrize(
    ("program", "called"),
    [
        ('["git", "clone", "-q", "a"]', "git clone"),
        ('["git", "-C", "tree", "status"]', "git tree"),
        ('["/usr/bin/tar", "xf", "a"]', "tar"),
        ('["make", "-j4"]', "make"),
        ('["sh", "-c", "exit 1"]', "sh"),
        ('["python3", "-c", "print(1)"]', "python3"),
    ],
)
def test_what_it_is_called(program: str, called: str) -> None:
    assert workload(f"program = {program}").called == called
    assert workload(f'program = {program}\nname = "mine"').called == "mine"


def test_a_record_that_has_null_where_nothing_was_said_is_read() -> None:
    """A study of it could not be resumed."""
    record = study('program = ["git", "clone"]').model_dump(mode="json", by_alias=True)
    record["workload"] |= {"name": None, "writes": None}
    found = Study.model_validate_json(json.dumps(record)).workload
    assert isinstance(found, CommandWorkload)
    assert (found.called, found.writes) == ("git clone", 0)


def test_a_parameter_that_changes_nothing_is_refused() -> None:
    said = refused('program = ["tool"]\nparameters = { threads = ["1", "4"] }')
    assert "{threads}, so it changes nothing" in said


@pytest.mark.parametrize("name", ["Folder", "folder", "a-b", "1"])
def test_names_that_no_word_can_have(name: str) -> None:
    said = refused(f'program = ["tool", "{{{name}}}"]\nparameters = {{ {name} = ["1"] }}')
    assert f'a parameter cannot be called "{name}"' in said


@pytest.mark.parametrize("value", ["", "a b", "$(rm)", "a;b", "`x`", "'", "x" * 61])
def test_values_that_a_shell_would_read_otherwise_are_refused(value: str) -> None:
    said = refused(TOOL + f'parameters = {{ threads = ["{value}"] }}')
    assert "threads" in said and "letters, digits and ._+:/-" in said


def test_too_many_cells() -> None:
    many = ", ".join(f'"{n}"' for n in range(100))
    lists = f"a = [{many}], b = [{many}]"
    assert "10000 cells" in refused('program = ["t", "{a}", "{b}"]\nparameters = { ' + lists + " }")


def test_values_whose_files_would_have_one_name() -> None:
    said = refused('program = ["t", "{a}"]\nparameters = { a = ["x/y", "x:y"] }')
    assert "the same name of a file" in said


def test_numbers() -> None:
    found = workload(f'program = ["tool"]\nprimary = "tps"\n{NUMBER}')
    assert found.number[0].better == "higher"
    assert 'no number "tpz"' in refused(f'program = ["tool"]\nprimary = "tpz"\n{NUMBER}')
    assert "there twice" in refused(f'program = ["tool"]\n{NUMBER}{NUMBER}')
    assert "one of them" in refused(f'program = ["tool"]\n{NUMBER}json_path = "a"\n')
    both = NUMBER.replace("^tps = (\\S+)", "(")
    assert "no regular expression" in refused(f'program = ["tool"]\n{both}')


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        (".results[0].mean", "results.0.mean"),
        ("$.results[0]['mean']", "results.0.mean"),
        ("results..mean", "results.mean"),
        ("results[0]", "results.0"),
    ],
)
def test_a_path_as_jq_has_it_is_refused_before_anything_is_measured(path: str, meant: str) -> None:
    number = NUMBER.replace("pattern = '^tps = (\\S+)'", f'json_path = "{path}"')
    assert f'json_path = "{meant}"' in refused(f'program = ["tool"]\n{number}')
    workload(f'program = ["tool"]\n{number.replace(path, meant)}')


def test_there_is_a_program_and_files() -> None:
    assert "program" in refused("")
    assert "program" in refused("program = []")
    assert workload('program = ["tool"]').needs_files() is not None


def test_a_program_that_is_killed_before_its_end_is_refused() -> None:
    """Each run was killed after the default limit of ten minutes, and the study failed."""
    slow = 'program = ["tool"]\ntakes = "20 min"\n'
    said = refused(slow)
    assert "takes 20 min, and its program is killed after 10 min" in said
    assert 'time_limit = "40 min"' in said
    assert workload(slow + 'time_limit = "40 min"')
    assert workload(slow + 'prepare = ["sleep 900"]'), "steps have a limit of their own"
    assert workload('program = ["tool"]\ntime_limit = "5 s"'), "what takes is not said"
