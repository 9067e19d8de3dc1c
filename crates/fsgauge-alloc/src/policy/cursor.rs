//! The first run that is long enough, from a place on.

use super::order_within;
use crate::free_map::{FreeMap, Run};

/// The first run of at least so many blocks that begins at or after `from` or reaches over it; of one that does, the part
/// from there on. Groups in which there can be none are passed over.
pub(super) fn run_from(space: &FreeMap, from: u64, at_least: u32) -> Option<Run> {
    let order = order_within(at_least);
    let (mut group, mut place) = if from < space.blocks() { space.place(from) } else { return None };
    loop {
        while let Some((start, end)) = space.next_in_group(group, place) {
            let start = start.max(place);
            if end - start >= at_least {
                return Some(Run { start: space.first_block(group) + u64::from(start), blocks: end - start });
            }
            place = end;
        }
        group = space.next_group(order, group + 1)?;
        place = 0;
    }
}

/// The same, once round the device.
pub(super) fn run_round(space: &FreeMap, from: u64, at_least: u32) -> Option<Run> {
    run_from(space, from, at_least).or_else(|| run_from(space, 0, at_least))
}
