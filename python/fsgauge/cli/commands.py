"""The commands in the groups of the help, and the new names of those that were renamed."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection

from fsgauge.errors import FsgaugeError, did_you_mean, nearest
from fsgauge.kinds import DEFAULT

GROUPS = {
    "Measure": {
        "demo": "Compare the file systems of this machine in about three minutes.",
        "plan": "Show what a study would compare, how long it takes and what would show.",
        "run": "Run a study and write its report.",
        "choose": "Race configurations of file systems: which is best for a load?",
        "resume": "Continue a study that was interrupted or killed.",
        "study": "List the shipped studies, or start one of your own.",
    },
    "Compare": {
        "compare": "Compare two results folders of one study; a gate for builds.",
        "gate": "Judge new builds against the run-to-run noise of accepted ones, in CI.",
        "history": "Find the steps in a series of results folders of one study.",
        "import": "Store results of fio, IOzone, bonnie++, elbencho or IOR, to compare them.",
    },
    "Look": {
        "report": "Rebuild the report of a results folder; as PDF, PNG or Markdown too.",
        "query": "Query the records of a results folder with SQL.",
        "explain": "Explain a number or word of a report, a key of a study, a word of fio.",
        "scan": "Measure fragmentation of files and free space, as numbers and as a map.",
        "age": "Age a file system in minutes: an image or an empty folder.",
    },
    "Machines": {
        "doctor": "Check what works here, what is missing and which command installs it.",
        "rig": "Virtual machines: build them; kernels, shared file systems and failures in them.",
    },
    "Is fsgauge right?": {
        "published": "List the claims of the published studies and what came of them here.",
        "crosscheck": "Run the same load with the engine and with fio: do they agree?",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
MOVED = {
    "bisect": ("rig", "bisect"),
    "coherence": ("rig", "coherence"),
    "failure": ("rig", "failure"),
    "systems": ("doctor", "--systems"),
}
"""Commands that were commands of their own."""
_MEANT = {
    **dict.fromkeys(("list", "ls", "studies"), ("study", "list")),
    **dict.fromkeys(("init", "new", "create"), ("study", "new")),
    **dict.fromkeys(("start", "bench", "benchmark", "measure"), ("run",)),
    **dict.fromkeys(("show", "results"), ("report",)),
    "diff": ("compare",),
    "sql": ("query",),
    "help": ("--help",),
    "version": ("--version",),
}
"""Commands of other programs, with what they are here."""
_DISK = re.compile(r"(sd|vd|xvd|nvme|mmcblk|loop|md|dm-)[a-z0-9]+")
_DRY_RUN = ("--plan", "--dry-run", "--dryrun", "--preview", "--no-act", "-n")
_SAID_HERE = {
    **dict.fromkeys(("--fs", "--filesystem", "--fstype"), ("--system {}", "ext4")),
    "--mount": ("--system {}", "noatime"),
    "--mkfs": ("--system {}", "-I 512"),
    "--device": ("--storage {}", "loop:8GiB"),
    "--disk": ("--storage {}", "window=16"),
    "--md": ("--markdown", ""),
    **dict.fromkeys(_DRY_RUN, ("--plan", "")),
}
"""Options that people expect, with what says the same here, and the word that the next command has
where none follows."""
_OF_RUN = ("--yes", "-y", "--quiet")
"""Options of `run` that `plan` does not take."""
MOVED_OPTIONS = {
    "--ssh": "--hosts {}",
    "--slurm": "--hosts slurm:{}",
    "--kubernetes": "--hosts kubernetes:{}",
    "--scheduler": "--hosts {}",
    "--struck": "--fault {}",
    "--lasts": "--duration {}",
    "--times": "--repeat {}",
    "--same": "--hosts same:{}",
    "--accept-changed": "--despite changed-records",
    "--to-baseline": "--despite machine",
}
"""Options that have another name now, with the word that follows them; of --same, that which
followed --hosts."""


def typed_after(option: str) -> str:
    """The word that follows an option, "..." for none; those of mkfs begin with a dash."""
    words = [p for w in sys.argv for p in (w.split("=", 1) if w.startswith(f"{option}=") else [w])]
    after = words[words.index(option) + 1 :] if option in words else []
    dashes = "--" if option == "--mkfs" else "-"
    return next((each for each in after[:1] if not each.startswith(dashes)), "...")


def moved_option(option: str) -> str:
    from fsgauge.study.tunable_places import IO_SCHEDULERS

    follows = typed_after("--hosts" if option == "--same" else option)
    if option == "--scheduler" and follows in IO_SCHEDULERS:
        return FsgaugeError(
            "--scheduler is no option here: a scheduler is a setting of a system's device",
            next=f"--system ext4:tunables.queue/scheduler={follows}",
        ).render()
    now = MOVED_OPTIONS[option].format(shlex.quote(follows))
    return FsgaugeError(f"{option} is now {now}", next=now).render()


def no_such_command(path: str, takes: Collection[str], word: str) -> str:
    """What is said of a command that there is not: what is meant by it, or the nearest three."""
    from fsgauge.study.shipped import shipped_names, study_meant

    rest = sys.argv[sys.argv.index(word) + 1 :] if word in sys.argv else []
    near = nearest(word.lower(), takes, most=3)
    meant: tuple[str, ...] = ()
    if path == "fsgauge":
        is_study = study_meant(word) in shipped_names()
        meant = _MEANT.get(word.lower(), ("run", word) if is_study and not near else ())
    words = [*rest, *meant] if meant[:1] == ("--help",) else [*(meant or near[:1]), *rest]
    return FsgaugeError(
        f'there is no command "{word}"',
        details=() if meant or not near else (did_you_mean(near),),
        next=f"{path} {shlex.join(words)}" if meant or near else f"{path} --help",
    ).render()


def said_here(option: str, command: str, takes: Collection[str]) -> str:
    """What is said of an option that is called otherwise here; "" for any other."""
    from fsgauge.study.specs import several_kinds

    value = typed_after(option)
    now, example = _SAID_HERE.get(option, ("", ""))
    if option == "--disk" and command == "report":
        now = "--set workload.disk.{}"
        value = value.removeprefix("workload.").removeprefix("disk.")
    elif option == "-n" and value.isdecimal():  # a number of something, as in mdtest
        return ""
    elif option in _DRY_RUN and command == "run":
        words = sys.argv[sys.argv.index("run") + 1 :]
        others = [each for each in words if each.partition("=")[0] not in (option, *_OF_RUN)]
        now = shlex.join(["fsgauge", "plan", *(others or [DEFAULT])])
    elif now.partition(" ")[0] not in takes or (option == "--disk" and not _DISK.search(value)):
        return ""
    called = now.partition(" ")[0] if value == "..." and "{}" in now else ""
    if value == "...":
        value = example or value
    if option in ("--mount", "--mkfs"):
        value = f"ext4:{option[2:]}={value}"
    elif len(kinds := several_kinds(value)) > 1 and now == "--system {}":
        now = " ".join(f"--system {each}" for each in kinds)
    elif option in ("--device", "--disk") and _DISK.fullmatch(value):
        value = f"/dev/{value}"
    now = now.replace("{}", shlex.quote(value))
    return FsgaugeError(f"{option} is {called or now} here", next=now).render()
