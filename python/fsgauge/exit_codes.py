"""Exit codes: what each means, and with which one a command ends.

Nothing else in the package decides one or names its number. The help of commands, the manual page
and docs/reference/exit-codes.md are made from the tables here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class ExitCode(IntEnum):
    """The status of the process; MEANINGS says what each tells a caller."""

    ANSWERED = 0
    FINDING = 1
    REFUSED = 2
    FAILED = 3
    UNDECIDED = 4
    TOO_NOISY = 5
    INTERRUPTED = 130


_GRAVEST_FIRST = (
    ExitCode.INTERRUPTED,
    ExitCode.FINDING,
    ExitCode.REFUSED,
    ExitCode.FAILED,
    ExitCode.TOO_NOISY,
    ExitCode.UNDECIDED,
    ExitCode.ANSWERED,
)

MEANINGS = {
    ExitCode.ANSWERED: "answered, or done",
    ExitCode.FINDING: "a finding: data was lost or wrong, a study is not valid, a limit is crossed",
    ExitCode.REFUSED: "wrong input, or refused: nothing was touched",
    ExitCode.FAILED: "the machine or a tool failed, records were changed by hand, or nothing of"
    " what is compared could be measured",
    ExitCode.UNDECIDED: "undecided, of commands that are asked to decide",
    ExitCode.TOO_NOISY: "too noisy to see the loss that matters",
    ExitCode.INTERRUPTED: "interrupted, by Ctrl-C or a signal: what was measured is kept",
}
"""What a code means unless OF_COMMANDS says otherwise of a command."""

OF_COMMANDS: dict[str, dict[ExitCode, str]] = {
    "run": {
        ExitCode.ANSWERED: "measured, decided or not",
        ExitCode.FINDING: "data was lost or wrong, or the study is not valid",
    },
    "plan": {
        ExitCode.ANSWERED: "the run would begin, as far as can be known before it",
        ExitCode.REFUSED: "run would refuse; the reasons come first",
    },
    "choose": {ExitCode.ANSWERED: "raced, proven or not"},
    "compare": {
        ExitCode.ANSWERED: "no limit is crossed",
        ExitCode.FINDING: "a limit is crossed, or a side lost data or is not valid",
        ExitCode.REFUSED: "the folders are not comparable, or a condition is wrong",
        ExitCode.UNDECIDED: "a limit cannot be decided, and --on-undecided is fail",
    },
    "history": {
        ExitCode.ANSWERED: "followed, with steps or without",
        ExitCode.FINDING: "a folder lost data",
    },
    "import": {
        ExitCode.ANSWERED: "stored",
        ExitCode.REFUSED: "a file is not known here, or files do not repeat one another",
    },
    "gate accept": {
        ExitCode.ANSWERED: "written",
        ExitCode.REFUSED: "a folder does not belong here, or an option is wrong",
        ExitCode.TOO_NOISY: "written, but the accepted runs are too noisy to see the loss",
    },
    "gate check": {
        ExitCode.ANSWERED: "pass",
        ExitCode.FINDING: "a line is worse, a limit is broken, a condition is met, data was lost,"
        " or a folder is not valid",
        ExitCode.REFUSED: "a folder does not belong here, or an option is wrong",
        ExitCode.UNDECIDED: "undecided",
        ExitCode.TOO_NOISY: "too noisy, or too few accepted runs, to see the loss",
    },
    "crosscheck": {ExitCode.ANSWERED: "compared, in agreement or not"},
    "rig bisect": {
        ExitCode.ANSWERED: "the first bad kernel is found",
        ExitCode.FINDING: "the bad kernel is within all limits",
        ExitCode.UNDECIDED: "undecided",
    },
    "rig coherence": {
        ExitCode.ANSWERED: "all was tested",
        ExitCode.FINDING: "a system failed",
        ExitCode.REFUSED: "wrong input, or folders that are not one file system",
    },
    "rig failure": {
        ExitCode.ANSWERED: "nothing that had been synced was lost",
        ExitCode.FINDING: "something that had been synced was lost",
        ExitCode.REFUSED: "a system does not have what should fail",
        ExitCode.FAILED: "a failure could not be carried out",
    },
    "rig test": {
        ExitCode.ANSWERED: "all of them work, apart from what is known not to",
        ExitCode.FINDING: "others do not",
        ExitCode.FAILED: "no machine starts",
    },
    "age": {
        ExitCode.ANSWERED: "aged, and scanned before and after",
        ExitCode.FINDING: "it stopped early, or operations failed; the result is kept",
        ExitCode.INTERRUPTED: "stopped by Ctrl-C; the result is kept",
    },
    "scan": {
        ExitCode.FAILED: "unreadable",
        ExitCode.INTERRUPTED: "stopped early; what was read is reported",
    },
}
"""What a code means of one command. `run` is `resume`, `report` and `demo` as well."""


def ends(command: str) -> Callable[[F], F]:
    """Says in a command's help what its exit codes mean."""

    def described(function: F) -> F:
        said = "; ".join(f"{code:d} {words}" for code, words in OF_COMMANDS[command].items())
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n    Exit codes: {said}.\n"
        return function

    return described


def of_report(report: Mapping[str, Any]) -> ExitCode:
    """What a study came to, from its report.json: `run`, `resume` and `report` end with it."""
    return of_studies([report["sureness"]["valid"]], is_compared=is_compared(report))


def is_compared(report: Mapping[str, Any]) -> bool:
    """Whether anything was measured of what is compared; of one system alone, anything at all. The
    bound of a load curve is an answer."""
    if any(each["bound"] for each in (report.get("own") or {}).get("capacities", ())):
        return True
    if len(report["systems"]) < 2:
        return bool(report["measurements"])
    layouts = report["layouts"] or {}
    return bool(report["comparisons"] or layouts.get("ratios"))


def of_studies(valid: Iterable[bool], *, is_compared: bool) -> ExitCode:
    """What studies came to; one that lost data is not valid either."""
    if not all(valid):
        return ExitCode.FINDING
    return ExitCode.ANSWERED if is_compared else ExitCode.FAILED


def of_decision(decision: ExitCode, studies: ExitCode, *, undecided_passes: bool) -> ExitCode:
    """What a command ends with that decides about studies, `decision` being what it decided."""
    if undecided_passes and decision in (ExitCode.UNDECIDED, ExitCode.TOO_NOISY):
        decision = ExitCode.ANSWERED
    return gravest([decision, studies])


def gravest(codes: Iterable[int]) -> ExitCode:
    """The code that comes first in the order of gravity; ANSWERED where there is none."""
    return min(map(ExitCode, codes), key=_GRAVEST_FIRST.index, default=ExitCode.ANSWERED)


def page() -> str:
    """docs/reference/exit-codes.md."""
    lines = [
        "# Exit codes",
        "",
        "<!-- Made by `python -m fsgauge.exit_codes` from its tables; edits are lost. -->",
        "",
        "Of several reasons the gravest decides: "
        + ", ".join(f"{code:d}" for code in _GRAVEST_FIRST[:-1])
        + ", in this order.",
        "",
        "| exit code | means |",
        "| --- | --- |",
        *(f"| {code:d} | {words} |" for code, words in MEANINGS.items()),
        "",
        "`resume`, `report` and `demo` end as `run` does, with what the study came to; of several"
        " folders, and of the points of a sweep, with the gravest. What was not measured to its"
        " end has the code of what ended it. These commands say more:",
        "",
        "| command | exit code | means |",
        "| --- | --- | --- |",
    ]
    for command, own in OF_COMMANDS.items():
        lines += [f"| `{command}` | {code:d} | {words} |" for code, words in own.items()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.stdout.write(page())
