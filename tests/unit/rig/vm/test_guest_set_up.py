"""A step of a system in bash: what it printed, or its last words."""

from __future__ import annotations

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.vm.guest_set_up import run


def test_a_step_gives_what_it_printed() -> None:
    assert run('echo "$WORD"', {"WORD": "done"}, 10.0) == "done\n"


def test_the_last_words_of_one_that_fails_are_its_own() -> None:
    """Where few lines of an error are kept, they are the last ones: what mount said."""
    with pytest.raises(RigError, match="exit code 32") as failed:
        run("echo first; echo access denied by server >&2; exit 32", {}, 10.0)
    assert failed.value.details[-2:] == ("first", "access denied by server")
    assert all(line.startswith("kernel: ") for line in failed.value.details[:-2])
