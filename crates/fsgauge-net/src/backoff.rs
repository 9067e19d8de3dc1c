//! Backoff between attempts to reconnect to a server, up to a time limit.

/// The delay between two attempts; it doubles each time.
const DELAY_MIN_MS: u64 = 50;
const DELAY_MAX_MS: u64 = 1000;
/// After this time without a session, operations that wait for one fail.
pub(crate) const TRYING_LIMIT_MS: u64 = 30_000;
/// After so many operations in a row without an answer a client is given up, although the server lets it in again
/// each time: ten files in a row would take it ten times as long as one answer is waited for.
const TIMEOUTS_LIMIT: u32 = 2;

/// A connection's attempts, on a clock of milliseconds.
#[derive(Debug)]
pub(crate) struct Backoff {
    since_ms: u64,
    delay_ms: u64,
    timeouts: u32,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Backoff { since_ms: 0, delay_ms: DELAY_MIN_MS, timeouts: 0 }
    }

    /// The first attempt.
    pub(crate) fn begin(&mut self, now_ms: u64) {
        (self.since_ms, self.delay_ms) = (now_ms, DELAY_MIN_MS);
    }

    /// Whether the time limit has passed.
    pub(crate) fn is_over(&self, now_ms: u64, limit_ms: u64) -> bool {
        now_ms.saturating_sub(self.since_ms) > limit_ms
    }

    /// When the next attempt is; none after the limit.
    pub(crate) fn next_attempt_ms(&mut self, now_ms: u64, limit_ms: u64) -> Option<u64> {
        if now_ms.saturating_sub(self.since_ms) + self.delay_ms > limit_ms {
            return None;
        }
        let next_ms = now_ms + self.delay_ms;
        self.delay_ms = (2 * self.delay_ms).min(DELAY_MAX_MS);
        Some(next_ms)
    }

    /// An operation was answered.
    #[inline]
    pub(crate) fn reset_timeouts(&mut self) {
        self.timeouts = 0;
    }

    /// An operation timed out; whether the server counts as unresponsive.
    pub(crate) fn is_unresponsive(&mut self) -> bool {
        self.timeouts += 1;
        self.timeouts >= TIMEOUTS_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_grow_apart_and_end() {
        let (mut backoff, mut now_ms, mut delays) = (Backoff::new(), 7, Vec::new());
        backoff.begin(now_ms);
        while let Some(next_ms) = backoff.next_attempt_ms(now_ms, TRYING_LIMIT_MS) {
            delays.push(next_ms - now_ms);
            now_ms = next_ms;
        }
        assert_eq!(delays[..6], [50, 100, 200, 400, 800, 1000]);
        assert!(delays[6..].iter().all(|delay| *delay == 1000) && delays.len() < 40);
        assert!((29_000..=30_000).contains(&(now_ms - 7)));
        assert!(!backoff.is_over(7 + TRYING_LIMIT_MS, TRYING_LIMIT_MS));
        assert!(backoff.is_over(8 + TRYING_LIMIT_MS, TRYING_LIMIT_MS));
        backoff.begin(now_ms);
        assert_eq!(backoff.next_attempt_ms(now_ms, TRYING_LIMIT_MS), Some(now_ms + 50));
    }

    #[test]
    fn silence_counts_until_something_is_heard() {
        let mut backoff = Backoff::new();
        assert!(!backoff.is_unresponsive());
        backoff.reset_timeouts();
        // Coming back is no answer to an operation.
        backoff.begin(7);
        assert!(!backoff.is_unresponsive());
        backoff.begin(8);
        assert!(backoff.is_unresponsive());
    }
}
