"""What somebody else may have made is opened in one place, which follows no link:
fsgauge.plain_files. Whatever else opens a file by its name is listed here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "fsgauge"
TOUCHES = {
    *("open", "read_text", "write_text", "read_bytes", "write_bytes", "touch", "unlink"),
    *("mkdir", "makedirs", "glob", "rglob", "iterdir", "rename", "symlink_to", "hardlink_to"),
    *("scandir", "listdir", "copyfile", "copytree", "copy2", "rmtree", "memmap", "fromfile"),
    *("read_csv", "from_parquet", "mkfifo", "mknod"),
}
IN_SQL = ("read_parquet", "read_json", "parquet_metadata", "parquet_file_metadata", "read_csv")
"""Ways of DuckDB to open a file, in the words of a query."""
OF_THE_PACKAGE = {"files", "template"}
"""Calls that reach what fsgauge itself brings: importlib.resources."""
KERNEL = ("/proc/", "/sys/", "/dev/", "/etc/")
"""What stands there is the kernel's or root's."""

ELSEWHERE = {
    "plain_files/": "the door itself",
    "machine/": "the machine, and scratch folders, whose door is machine/folder",
    "programs/supervisor.py": "the folder of a run, which the rig has made",
    "programs/streams.py": "the standard streams, by their descriptors",
    "rig/host/": "systems in folders that the machine's door has opened",
    "rig/vm/": "the cache of images, private folders of a run, and the inside of a guest",
    "rig/fleet/files_of_all.py": "a shared folder that is measured",
    "rig/fleet/hosts.py": "the engine of this installation",
    "rig/fleet/identity.py": "the engine of this installation, and the machine's id",
    "rig/fleet/plain_comm.py": "bytes of a connection, which has no name",
    "rig/fleet/host_answers.py": "a gate, which is no file; an engine, anew in a private folder",
    "access/": "the private folder of a server that this run started",
    "agents/agent.py": "the folder that is measured, on a host without fsgauge",
    "agents/processes.py": "a module of the package",
    "age/image.py": "an image and its copy, which are checked when they are open",
    "report/beside.py": "names of folders, each opened by the door if it is read",
    "storage/loop.py": "made anew in a scratch folder",
    "storage/path.py": "the folder that is measured, whose quotas are asked for",
    "converting/check.py": "a private folder that was made anew for the check",
    "chromium/__init__.py": "a private folder of the browser",
    "cli/rig.py": "the cache of images",
    "cli/study.py": "a new file, made where there is none: O_EXCL follows no link",
    "crosscheck/sitting.py": "takes away a folder of its own in which nothing was measured",
    "store/folder.py": "takes away a folder of its own in which nothing was measured",
    "store/parquet.py": "a descriptor that plain_files opened",
    "store/blocks.py": "a descriptor that plain_files opened",
    "store/sources.py": "files that plain_files has looked at, in a database that is locked in",
    "kinds/__init__.py": "the package",
    "pages/__init__.py": "the package",
    "study/shipped.py": "studies of the package; a person's own pass the door",
    "published/ledger.py": "the package",
    "published/runs.py": "the package",
    "published/archive.py": "an archive in memory",
}
"""Files and folders that open others by their names, each with the reason why it may."""


def opened(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of whatever opens a file by its path."""
    constant = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_of_the_kernel(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, f"SQL {each}") for each in IN_SQL if f"{each}(" in node.value)
        if isinstance(node, ast.Call) and (what := _reaches(node, constant)):
            yield node.lineno, what
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from ((node.lineno, each.name) for each in node.names if each.name in TOUCHES)


def _reaches(call: ast.Call, constant: set[str]) -> str | None:
    function = call.func
    if isinstance(function, ast.Name):
        return "open" if function.id == "open" else None
    if not isinstance(function, ast.Attribute) or function.attr not in TOUCHES:
        return None
    names = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)}
    if names & (OF_THE_PACKAGE | constant) or _is_of_the_kernel(call):
        return None
    if "os" in names and any(each.arg == "dir_fd" for each in call.keywords):
        return None
    return function.attr


def _is_of_the_kernel(node: ast.AST) -> bool:
    """Whether a path is spelled there that lies below the kernel's places."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    if any(isinstance(each, ast.Attribute) and each.attr == "devnull" for each in ast.walk(node)):
        return True
    return any(isinstance(text, str) and f"{text}/".startswith(KERNEL) for text in texts)


def wrong() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        if not any(name.startswith(each) for each in ELSEWHERE):
            for line, what in opened(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{name}:{line} calls {what}"


def test_what_others_may_have_made_is_opened_in_one_place() -> None:
    assert list(wrong()) == []


def test_every_exception_is_needed() -> None:
    for each in ELSEWHERE:
        place = PACKAGE / each
        files = [place] if place.is_file() else sorted(place.rglob("*.py"))
        assert any(list(opened(ast.parse(file.read_text(encoding="utf-8")))) for file in files), (
            each
        )


def test_each_way_to_open_a_file_is_seen() -> None:
    """Of each of them the test once saw none."""
    ways = [
        *("open(x)", "x.open()", "Path(x).read_text()", "os.open(x, 0)", "shutil.copytree(x, y)"),
        *("io.open(x)", "from os import open", "np.memmap(x)", "q = 'FROM read_parquet(...)'"),
        *("(a / 'sweep.toml').write_bytes(y)", "os.scandir(x)", "log.open('ab')"),
    ]
    for way in ways:
        assert list(opened(ast.parse(way))), way
    for fine in ("files('x').read_text()", "Path('/proc/swaps').read_text()", "folder.read(x)"):
        assert not list(opened(ast.parse(fine))), fine
