"""The commands in the groups of the help, and the new names of those that were renamed."""

from __future__ import annotations

import shlex
import sys

from fsgauge.errors import FsgaugeError

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
MOVED_OPTIONS = {
    "--ssh": "--hosts {}",
    "--slurm": "--hosts slurm:{}",
    "--kubernetes": "--hosts kubernetes:{}",
    "--scheduler": "--hosts {}",
    "--struck": "--fault {}",
    "--lasts": "--duration {}",
    "--times": "--repeat {}",
}
"""Options that have another name now, with the word that follows them."""


def typed_after(option: str) -> str:
    """The word that follows an option of the command line; "..." for none."""
    words = [part for each in sys.argv for part in each.split("=", 1)]
    after = words[words.index(option) + 1 :] if option in words else []
    return next((each for each in after[:1] if not each.startswith("-")), "...")


def moved_option(option: str) -> str:
    now = MOVED_OPTIONS[option].format(shlex.quote(typed_after(option)))
    return FsgaugeError(f"{option} is now {now}", next=now).render()
