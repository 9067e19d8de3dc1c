"""What a shell offers on Tab where an argument is neither a command, an option nor a file."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_study(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Shipped studies with their questions; files where none begins in this way."""
    from fsgauge.study.shipped import shipped_studies

    return _matching(shipped_studies(), incomplete) or [CompletionItem(incomplete, type="file")]


def complete_system(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Kinds of systems with their summaries; files, for a mounted folder, where none begins so.

    Models are offered once a rig is named: this machine cannot mount them.
    """
    from fsgauge.system import system_kinds

    mountable = context.params.get("rig") in (None, "host")
    kinds = {
        name: kind.summary
        for name, kind in system_kinds().items()
        if not (mountable and kind.placement == "modelled")
    }
    return _matching(kinds, incomplete) or [CompletionItem(incomplete, type="file")]


def _matching(texts: dict[str, str], incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(name, help=text)
        for name, text in texts.items()
        if name.startswith(incomplete)
    ]
