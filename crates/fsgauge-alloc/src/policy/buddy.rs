//! Buddies: the first group with a free aligned piece of a power of two of blocks that holds the request, and in it the
//! smallest such piece; what it holds more stays free. If none holds it, the largest there is.

use super::{Extent, Policy, Request, take};
use crate::free_map::{FreeMap, ORDERS};

/// The policy; it remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct Buddy;

impl Policy for Buddy {
    fn name(&self) -> &'static str {
        "buddy"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let largest = ORDERS as u32 - 1;
        let wanted = request.blocks.min(1 << largest);
        let order = wanted.next_power_of_two().ilog2();
        let (group, found) = match space.next_group(order, 0) {
            Some(group) => {
                let buddies = space.tally(group).buddies;
                (group, (order..=largest).find(|&order| buddies[order as usize] > 0)?)
            }
            None => (0..order).rev().find_map(|order| Some((space.next_group(order, 0)?, order)))?,
        };
        let start = space.first_block(group) + u64::from(space.first_buddy(group, found)?);
        Some(take(space, request, start, wanted.min(1 << found)))
    }
}
