"""A cell measured on all systems of a block by turns: in what order, and with which jobs.

The order is by lot for each block and cell, and it alternates: A B C A', then A' C B A, and so on.
Forward and backward rounds come in pairs, so a linear drift cancels; each system follows its
neighbours on either side and, where rounds meet, itself. Simulated with noise as on a shared disk,
its intervals are as narrow as those of any other order without drift, and the narrowest with it; a
system that slows its successor by 10 % moves a ratio by less than 1 %, where lots in every round or
Williams squares let it move by 2 to 3 % (tests/known/test_slice_orders.py).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from fsgauge.engine.wire import ClientsJob, LoadJob
from fsgauge.plan.turns import derived_seed
from fsgauge.record.records import Plan
from fsgauge.workload.slicing import Slicing


@dataclass(frozen=True)
class SliceJobs:
    """The engine's jobs of one run. `lead_in` warms it up and is not recorded."""

    lead_in: LoadJob | None
    slices: list[LoadJob | ClientsJob]


def slice_rounds(plan: Plan, block: int, cell: str, turns: int, rounds: int) -> list[list[int]]:
    """For each round, the places of a block's turns in the order in which each has its slice."""
    chance = random.Random(derived_seed(plan.seed, block, f"side by side {cell}"))  # noqa: S311
    order = sorted(range(turns), key=lambda _: chance.random())
    return [order if number % 2 == 0 else order[::-1] for number in range(rounds)]


def slice_jobs(job: LoadJob | ClientsJob, slicing: Slicing) -> SliceJobs:
    """A run's job cut into slices of equal length, each with offsets of its own.

    A run that pays for its syncs has its warm-up in a job before: what that leaves is no slice's to
    write back. Seeds come of the job's, so slices of one number are equal for all systems of a
    block.
    """
    if slicing.is_whole:
        return SliceJobs(None, [job])
    if isinstance(job, ClientsJob):
        raise TypeError("the work of clients is not cut into slices")
    duration_ns = slicing.slice_ns
    interval_ns = min(job.interval_ns, duration_ns)
    before = slicing.charges_sync and job.warm_up_ns > 0
    slices = [
        job.model_copy(
            update={
                "warm_up_ns": job.warm_up_ns if number == 0 and not before else 0,
                "duration_ns": duration_ns,
                "interval_ns": interval_ns,
                "seed": derived_seed(job.seed, number, "slice"),
            }
        )
        for number in range(slicing.count)
    ]
    if not before:
        return SliceJobs(None, list(slices))
    lead_in = job.model_copy(
        update={
            "warm_up_ns": 0,
            "duration_ns": job.warm_up_ns,
            "interval_ns": min(job.interval_ns, job.warm_up_ns),
            "seed": derived_seed(job.seed, 0, "lead-in"),
        }
    )
    return SliceJobs(lead_in, list(slices))
