#!/usr/bin/env python3
"""The fake engine with three quarters of its rate: a regression that a gate has to find."""

import fake_engine

honest = fake_engine.part


def part(job, share, rate, depth):
    return honest(job, share, 0.75 * rate, depth)


fake_engine.part = part

if __name__ == "__main__":
    fake_engine.main()
