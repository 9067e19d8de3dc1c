//! Where to look first: behind a file's last block, and from a place that files share.

use super::Request;
use crate::free_map::{FreeMap, Run};

/// The first run of at least so many blocks from a place on, once round the device; of one that reaches over the place, the
/// part from there on.
pub(super) fn run_round(space: &FreeMap, from: u64, at_least: u32) -> Option<Run> {
    space.next_long(from, at_least).or_else(|| space.next_long(0, at_least))
}

/// The free blocks behind the file's last one, if there are so many.
pub(super) fn run_behind(space: &FreeMap, request: &Request, at_least: u32) -> Option<Run> {
    let start = request.last?.physical_end();
    let blocks = (space.run_at(start)?.end() - start) as u32;
    (blocks >= at_least).then_some(Run { start, blocks })
}
