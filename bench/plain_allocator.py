"""First fit in plain Python: `plain_allocator.py DEVICE_BYTES OPERATIONS`.

Free runs are a sorted list, and neighbours are joined again. The same history as
crates/fsgauge-alloc/examples/allocations.rs makes: filled to 80 %, then a drawn piece is given back
and another taken, in turns; pieces are drawn 64 together. Prints operations, seconds and seconds of
processor time.
"""

from __future__ import annotations

import bisect
import random
import sys
import time

BLOCK_BYTES = 4096
GROUP_BLOCKS = 32768
FULL_PERCENT = 80
DRAWN_AT_ONCE = 64


class FirstFit:
    """Free runs by their starts, each within a group, and their lengths."""

    def __init__(self, blocks: int) -> None:
        self.starts = list(range(0, blocks, GROUP_BLOCKS))
        self.lengths = [min(GROUP_BLOCKS, blocks - start) for start in self.starts]
        self.free = blocks

    def take(self, blocks: int) -> tuple[int, int]:
        """The first run that is long enough, else the longest."""
        long_enough = (at for at, length in enumerate(self.lengths) if length >= blocks)
        at = next(long_enough, -1)
        if at < 0:
            at = max(range(len(self.lengths)), key=self.lengths.__getitem__)
            blocks = self.lengths[at]
        start = self.starts[at]
        if self.lengths[at] == blocks:
            del self.starts[at], self.lengths[at]
        else:
            self.starts[at] += blocks
            self.lengths[at] -= blocks
        self.free -= blocks
        return start, blocks

    def give(self, start: int, blocks: int) -> None:
        """Joined with its neighbours in the same group."""
        self.free += blocks
        at = bisect.bisect(self.starts, start)
        end = start + blocks
        if at < len(self.starts) and self.starts[at] == end and end % GROUP_BLOCKS:
            blocks += self.lengths[at]
            del self.starts[at], self.lengths[at]
        if at and self.starts[at - 1] + self.lengths[at - 1] == start and start % GROUP_BLOCKS:
            self.lengths[at - 1] += blocks
        else:
            self.starts.insert(at, start)
            self.lengths.insert(at, blocks)


def drawn_blocks() -> int:
    """1 to 1024 blocks, each power of two as likely as the next."""
    order = random.randrange(10)
    return (1 << order) + random.randrange(1 << order)


def main(device_bytes: int, operations: int) -> None:
    """Fill, churn, print."""
    random.seed(1)
    space = FirstFit(device_bytes // BLOCK_BYTES)
    taken: list[tuple[int, int]] = []
    drawn: list[tuple[int, int]] = []
    free_at_the_end = space.free // 100 * (100 - FULL_PERCENT)
    while space.free > free_at_the_end:
        taken.append(space.take(drawn_blocks()))
    wall, cpu = time.perf_counter(), time.process_time()
    for step in range(operations):
        if step % 2 == 0:
            if not drawn:
                for _ in range(min(DRAWN_AT_ONCE, len(taken))):
                    at = random.randrange(len(taken))
                    taken[at], taken[-1] = taken[-1], taken[at]
                    drawn.append(taken.pop())
            space.give(*drawn.pop())
        else:
            taken.append(space.take(drawn_blocks()))
    print(operations, time.perf_counter() - wall, time.process_time() - cpu)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
