"""Processes are started, and modules imported by name, in few places, each with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "fsgauge"
STARTS = {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
OF_SUBPROCESS = {"Popen", "PIPE", "DEVNULL", "STDOUT", "TimeoutExpired", "CompletedProcess"}
OF_OS = ("exec", "spawn", "posix_spawn", "system", "popen", "fork", "startfile")
ELSEWHERE = {
    "multiprocessing": "import multiprocessing",
    "concurrent.futures.process": "import concurrent.futures.process",
    "pty": "import pty",
    "runpy": "import runpy",
}
BY_NAME = {"import_module", "__import__", "ProcessPoolExecutor", "exec", "eval"}
EXCEPTIONS = {
    "programs/starting.py": {"Popen"},  # the one place
    "kinds/__init__.py": {"import_module"},  # a kind is a folder of this package
    "system/__init__.py": {"import_module"},  # a file system is a file of this package
    "cli/__init__.py": {"import_module"},  # a command is a file of this package
    "distributions.py": {"import_module"},  # scipy's, by two names that it has
}
"""What each file does itself, and why it may."""


def starts(tree: ast.AST) -> Iterator[str]:
    """What a file starts or imports by a name that it is given, whatever it calls the module."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                modules[each.asname or each.name.partition(".")[0]] = each.name
                if each.name in ELSEWHERE or each.name.startswith("multiprocessing."):
                    yield each.name
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = {each.name for each in node.names}
            if node.module == "subprocess":
                yield from names - OF_SUBPROCESS | names & {"Popen"}
            if node.module == "os":
                yield from (name for name in names if name.startswith(OF_OS))
            if (node.module or "").partition(".")[0] in ELSEWHERE or node.module in ELSEWHERE:
                yield str(node.module)
            yield from (f"asyncio.{name}" for name in names if "create_subprocess" in name)
            yield from names & {"ProcessPoolExecutor"}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id in BY_NAME:
            yield function.id
        if not isinstance(function, ast.Attribute):
            continue
        owner, name = function.value, function.attr
        module = modules.get(owner.id, "") if isinstance(owner, ast.Name) else ""
        if module == "subprocess" and name in STARTS:
            yield name
        if module == "os" and name.startswith(OF_OS):
            yield name
        if name in BY_NAME - {"exec", "eval"} or "create_subprocess" in name:
            yield name
        if name in ("subprocess_exec", "subprocess_shell"):
            yield name


def test_processes_are_started_in_one_place() -> None:
    wrong = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        found = set(starts(ast.parse(path.read_text(encoding="utf-8"))))
        if found - EXCEPTIONS.get(name, set()):
            wrong[name] = found
    assert wrong == {}, "start processes with fsgauge.programs.start or run_to_end"


def test_no_interpreter_is_started_that_is_not_isolated() -> None:
    users = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "sys.executable" in path.read_text(encoding="utf-8")
    }
    packed = "rig/vm/build/lab.py"  # copies the interpreter into the guest's image
    assert users == {"programs/starting.py", packed}


def test_an_exception_is_one() -> None:
    for name, allowed in EXCEPTIONS.items():
        found = set(starts(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))))
        assert found == allowed, f"{name} does no longer need its exception"


def test_every_way_to_start_a_process_is_seen() -> None:
    ways = [
        "import subprocess as s\ns.run(['x'])",
        "from subprocess import Popen as P\nP(['x'])",
        "from subprocess import check_output\ncheck_output(['x'])",
        "import os\nos.execvp('x', ['x'])",
        "import os\nos.posix_spawnp('x', ['x'], {})",
        "import os as o\no.system('x')",
        "from os import popen\npopen('x')",
        "import os\nos.forkpty()",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "from asyncio import create_subprocess_shell",
        "import multiprocessing",
        "from multiprocessing.pool import Pool",
        "from concurrent.futures import ProcessPoolExecutor",
        "import pty\npty.spawn('x')",
        "import importlib\nimportlib.import_module('x')",
        "from importlib import import_module\nimport_module('x')",
        "__import__('x')",
        "import runpy\nrunpy.run_path('x')",
        "exec('import x')",
        "def f(loop):\n    loop.subprocess_exec(None, 'x')",
    ]
    assert [way for way in ways if not set(starts(ast.parse(way)))] == []
    fine = "import subprocess\ndef f(p: subprocess.Popen[bytes]) -> None:\n    p.run(1)"
    assert set(starts(ast.parse(fine))) == set()


def test_no_part_of_the_package_is_found_in_another_folder() -> None:
    """One without __init__.py is joined from all of sys.path: a planted one would add to it."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [each for each in folders if not (each / "__init__.py").is_file()] == []


def test_what_is_registered_by_its_folder_comes_from_the_package() -> None:
    from fsgauge import kinds, system

    assert list(kinds.__path__) == [str(PACKAGE / "kinds")]
    assert list(system.__path__) == [str(PACKAGE / "system")]
