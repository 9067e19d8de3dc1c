"""What each shell needs to complete `fsgauge`: click's own scripts, which ask the command itself.

They hold no command and no option, so they do not age; what they offer is in the command line.
"""

from __future__ import annotations

from pathlib import Path

from click.shell_completion import get_completion_class

from fsgauge.cli import group

IN_A_WHEEL = {
    "bash": "share/bash-completion/completions/fsgauge",
    "zsh": "share/zsh/site-functions/_fsgauge",
    "fish": "share/fish/vendor_completions.d/fsgauge.fish",
}
IN_DEBIAN = {**IN_A_WHEEL, "zsh": "share/zsh/vendor-completions/_fsgauge"}
"""Debian's zsh looks in folders of its own for what packages bring."""


def script(shell: str) -> str:
    """The completion script of a shell."""
    of_shell = get_completion_class(shell)
    if of_shell is None:
        raise KeyError(shell)
    return of_shell(group, {}, "fsgauge", "_FSGAUGE_COMPLETE").source()


def write(root: Path, places: dict[str, str]) -> None:
    """Below `root`, at a place for each shell."""
    for shell, place in places.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(shell), encoding="utf-8")
