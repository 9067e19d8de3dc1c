//! Coming back to a server: tries with rests between them, for so long and no longer.

/// Between two tries; twice as long each time.
const REST_MIN_MS: u64 = 50;
const REST_MAX_MS: u64 = 1000;
/// After so long without a session, what waits for it is given up.
pub(crate) const TRYING_LIMIT_MS: u64 = 30_000;
/// After so many operations in a row without an answer a client is given up, although the server lets it in again
/// each time: ten files in a row would take it ten times as long as one answer is waited for.
const SILENCES_LIMIT: u32 = 2;

/// A connection's tries, by a clock of milliseconds.
#[derive(Debug)]
pub(crate) struct Tries {
    since_ms: u64,
    rest_ms: u64,
    silences: u32,
}

impl Tries {
    pub(crate) fn new() -> Self {
        Tries { since_ms: 0, rest_ms: REST_MIN_MS, silences: 0 }
    }

    /// The first try.
    pub(crate) fn begin(&mut self, now_ms: u64) {
        (self.since_ms, self.rest_ms) = (now_ms, REST_MIN_MS);
    }

    /// Whether the time for trying is over.
    pub(crate) fn are_over(&self, now_ms: u64, limit_ms: u64) -> bool {
        now_ms.saturating_sub(self.since_ms) > limit_ms
    }

    /// When the next try is, if there is one: not after the limit.
    pub(crate) fn rest(&mut self, now_ms: u64, limit_ms: u64) -> Option<u64> {
        if now_ms.saturating_sub(self.since_ms) + self.rest_ms > limit_ms {
            return None;
        }
        let again_ms = now_ms + self.rest_ms;
        self.rest_ms = (2 * self.rest_ms).min(REST_MAX_MS);
        Some(again_ms)
    }

    /// An operation was answered.
    #[inline]
    pub(crate) fn heard(&mut self) {
        self.silences = 0;
    }

    /// An operation was not; whether that is enough.
    pub(crate) fn silence_is_enough(&mut self) -> bool {
        self.silences += 1;
        self.silences >= SILENCES_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_grow_apart_and_end() {
        let (mut tries, mut now_ms, mut rests) = (Tries::new(), 7, Vec::new());
        tries.begin(now_ms);
        while let Some(again_ms) = tries.rest(now_ms, TRYING_LIMIT_MS) {
            rests.push(again_ms - now_ms);
            now_ms = again_ms;
        }
        assert_eq!(rests[..6], [50, 100, 200, 400, 800, 1000]);
        assert!(rests[6..].iter().all(|rest| *rest == 1000) && rests.len() < 40);
        assert!((29_000..=30_000).contains(&(now_ms - 7)));
        assert!(!tries.are_over(7 + TRYING_LIMIT_MS, TRYING_LIMIT_MS));
        assert!(tries.are_over(8 + TRYING_LIMIT_MS, TRYING_LIMIT_MS));
        tries.begin(now_ms);
        assert_eq!(tries.rest(now_ms, TRYING_LIMIT_MS), Some(now_ms + 50));
    }

    #[test]
    fn silence_counts_until_something_is_heard() {
        let mut tries = Tries::new();
        assert!(!tries.silence_is_enough());
        tries.heard();
        // Coming back is no answer to an operation.
        tries.begin(7);
        assert!(!tries.silence_is_enough());
        tries.begin(8);
        assert!(tries.silence_is_enough());
    }
}
