//! Buddies: aligned pieces of a power of two of blocks. Every free run consists of buddies in exactly one way, each
//! as large as its place allows.

/// Orders of buddies: of 1 to 8192 blocks.
pub const ORDERS: usize = 14;

const LARGEST: u32 = ORDERS as u32 - 1;

/// Place and order of the buddies of a free run, from its start to its end.
pub(super) fn buddies_of(start: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = start;
    std::iter::from_fn(move || {
        let left = end.checked_sub(at).filter(|left| *left > 0)?;
        let aligned = if at == 0 { LARGEST } else { at.trailing_zeros().min(LARGEST) };
        let order = aligned.min(left.ilog2());
        let place = at;
        at += 1 << order;
        Some((place, order))
    })
}

/// The order of the buddy that holds `block` of a free run.
pub(crate) fn order_at(block: u32, start: u32, end: u32) -> u32 {
    let mut order = 0;
    while order < LARGEST {
        let size = 2 << order;
        let first = block & !(size - 1);
        if first < start || first + size > end {
            break;
        }
        order += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cut_at_its_alignment() {
        assert_eq!(buddies_of(3, 17).collect::<Vec<_>>(), [(3, 0), (4, 2), (8, 3), (16, 0)]);
        assert_eq!(buddies_of(0, 32768).map(|(_, order)| order).collect::<Vec<_>>(), [13; 4]);
        assert_eq!(buddies_of(5, 5).next(), None);
    }

    #[test]
    fn the_order_at_a_block_is_that_of_its_buddy() {
        for (start, end) in [(3, 17), (0, 32768), (100, 9000), (8191, 8193)] {
            for (place, order) in buddies_of(start, end) {
                for block in [place, place + (1 << order) - 1] {
                    assert_eq!(order_at(block, start, end), order, "{block} of {start} to {end}");
                }
            }
        }
    }
}
