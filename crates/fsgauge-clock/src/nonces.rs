//! The requests that were answered of late: one that comes again is a replay.

use std::collections::{HashSet, VecDeque};

use crate::message::Nonce;

/// How many are remembered. A replay that is older costs one more reply, and the one who asked has long given it up.
const REMEMBERED: usize = 4096;

/// The last nonces, at most [`REMEMBERED`].
#[derive(Debug, Default)]
pub(crate) struct Nonces {
    known: HashSet<Nonce>,
    order: VecDeque<Nonce>,
}

impl Nonces {
    /// Whether a nonce is new; it is known from now on.
    pub(crate) fn is_new(&mut self, nonce: Nonce) -> bool {
        if !self.known.insert(nonce) {
            return false;
        }
        self.order.push_back(nonce);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_new_once_and_memory_is_bounded() {
        let mut nonces = Nonces::default();
        let nonce = |number: usize| (number as u128).to_le_bytes();
        assert!(nonces.is_new(nonce(0)) && !nonces.is_new(nonce(0)));
        assert!((1..3 * REMEMBERED).all(|number| nonces.is_new(nonce(number))));
        assert!(!nonces.is_new(nonce(3 * REMEMBERED - 1)));
        assert_eq!((nonces.known.len(), nonces.order.len()), (REMEMBERED, REMEMBERED));
        assert!(nonces.is_new(nonce(0)));
    }
}
