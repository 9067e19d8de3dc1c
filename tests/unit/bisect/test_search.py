"""Which kernel is tried next, and what is said of what was found."""

from __future__ import annotations

import pytest

from fsgauge.bisect.log import Asked, Log, Step, steps
from fsgauge.bisect.search import Outcome, answer, bounds, is_found, next_kernel

KERNELS = [f"linux-image-6.1.0-{number}-amd64" for number in range(20, 36)]
ASKED = Asked(
    study="overhead",
    overrides=[],
    system="ext4",
    storage=None,
    seed=None,
    good=KERNELS[0],
    bad=KERNELS[-1],
    limits=["ratio(iops, randread) < 0.95"],
)


def searched(first_bad: int, undecided: dict[int, int] | None = None) -> Log:
    """A search where kernels from this one on are bad; some are undecided with fewer blocks."""
    slow = undecided or {}

    def measure(kernel: str, times: int) -> Step:
        at = KERNELS.index(kernel)
        outcome: Outcome = "bad" if at >= first_bad else "good"
        if times < slow.get(at, 1):
            outcome = "undecided"
        return Step(kernel=kernel, directory="d", blocks=5 * times, outcome=outcome, limits=[])

    log = Log(asked=ASKED, kernels=KERNELS)
    for reached in steps(log, measure):
        log = reached
        assert len(log.steps) < 30
    return log


@pytest.mark.parametrize("first_bad", range(1, len(KERNELS)))
def test_the_first_bad_kernel_is_found_in_few_steps(first_bad: int) -> None:
    log = searched(first_bad)
    assert is_found(log.kernels, log.tried)
    assert bounds(log.kernels, log.tried) == (first_bad - 1, first_bad)
    assert len(log.steps) <= 5
    assert log.steps[0].kernel == KERNELS[-1]
    said = answer(log.kernels, log.tried)
    assert said.startswith(f"{KERNELS[first_bad]} is the first kernel beyond a limit")


def test_a_kernel_that_is_undecided_gets_more_blocks() -> None:
    log = searched(8, {8: 4})
    assert is_found(log.kernels, log.tried)
    again = [step.blocks for step in log.steps if step.kernel == KERNELS[8]]
    assert again == [5, 10, 20]


def test_one_that_stays_undecided_is_passed_over_and_named() -> None:
    log = searched(8, {7: 9, 8: 9})
    assert not is_found(log.kernels, log.tried)
    assert bounds(log.kernels, log.tried) == (6, 9)
    said = answer(log.kernels, log.tried)
    assert said == (
        f"The loss came after {KERNELS[6]}, and with {KERNELS[9]} at the latest; {KERNELS[7]} and"
        f" {KERNELS[8]} could not be decided."
    )


def test_a_bad_kernel_that_is_not_bad_ends_the_search_at_once() -> None:
    log = searched(99)
    assert [step.kernel for step in log.steps] == [KERNELS[-1]]
    assert answer(log.kernels, log.tried).endswith("there is nothing to look for.")
    log = searched(1, {len(KERNELS) - 1: 9})
    assert len(log.steps) == 3
    assert answer(log.kernels, log.tried).startswith("It cannot be decided whether")


def test_a_search_goes_on_where_it_was_interrupted() -> None:
    whole = searched(11)
    for done in range(len(whole.steps)):
        log = whole.model_copy(update={"steps": whole.steps[:done]})
        assert next_kernel(log.kernels, log.tried) == whole.steps[done].kernel
