//! What single exchanges say together: the fastest counts, and all must agree with it.

use fsgauge_wire::ClockReading;

use crate::line::drift_ns;

/// Rounding of halves, at both ends.
const ROUNDING_NS: u64 = 1;

/// One exchange: two moments of one's own clock, and between them two of the other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) sent_ns: u64,
    pub(crate) received_ns: u64,
    pub(crate) replied_ns: u64,
    pub(crate) returned_ns: u64,
    pub(crate) peer_suspended_ns: i64,
}

impl Sample {
    /// On the way, there and back. None where more time passed at the other end than here: a clock jumped.
    pub(crate) fn round_trip_ns(&self) -> Option<u64> {
        let away_ns = self.returned_ns.checked_sub(self.sent_ns)?;
        away_ns.checked_sub(self.replied_ns.checked_sub(self.received_ns)?)
    }

    /// The other clock minus this one, were both ways as long.
    fn offset_ns(&self) -> i64 {
        let there = i128::from(self.received_ns) - i128::from(self.sent_ns);
        let back = i128::from(self.replied_ns) - i128::from(self.returned_ns);
        (there + back).div_euclid(2) as i64
    }

    /// The moment that the offset is of.
    fn at_ns(&self) -> u64 {
        self.sent_ns + self.returned_ns.saturating_sub(self.sent_ns) / 2
    }
}

/// A clock did not run on meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Jumped;

/// The reading that samples give; there must be one at least.
///
/// Each sample says where the offset must be: within half its round trip. All must be able to hold at once, or a clock
/// jumped between them.
pub(crate) fn reading(
    samples: &[Sample],
    drift_limit_ppm: f64,
    suspended_ns: i64,
) -> Result<ClockReading, Jumped> {
    let mut bounded = Vec::with_capacity(samples.len());
    for sample in samples {
        let round_trip_ns = sample.round_trip_ns().ok_or(Jumped)?;
        let span_ns = sample.returned_ns - sample.sent_ns;
        let bound_ns = round_trip_ns.div_ceil(2) + drift_ns(drift_limit_ppm, span_ns) + ROUNDING_NS;
        bounded.push((round_trip_ns, bound_ns, sample));
    }
    bounded.sort_by_key(|(round_trip_ns, ..)| *round_trip_ns);
    let &(round_trip_ns, bound_ns, fastest) = bounded.first().ok_or(Jumped)?;
    for (_, other_bound_ns, other) in &bounded {
        let apart_ns = other.offset_ns().abs_diff(fastest.offset_ns());
        let age_ns = other.at_ns().abs_diff(fastest.at_ns());
        if apart_ns > bound_ns + other_bound_ns + drift_ns(drift_limit_ppm, age_ns) {
            return Err(Jumped);
        }
    }
    Ok(ClockReading {
        at_ns: fastest.at_ns(),
        offset_ns: fastest.offset_ns(),
        bound_ns,
        round_trip_ns,
        median_round_trip_ns: bounded[bounded.len() / 2].0,
        suspended_ns,
        peer_suspended_ns: fastest.peer_suspended_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other clock is 1,000 ahead; so long there, 5 at the other end, so long back.
    fn sample(sent_ns: u64, there_ns: u64, back_ns: u64) -> Sample {
        let received_ns = sent_ns + there_ns + 1000;
        let replied_ns = received_ns + 5;
        let returned_ns = replied_ns - 1000 + back_ns;
        Sample { sent_ns, received_ns, replied_ns, returned_ns, peer_suspended_ns: 3 }
    }

    #[test]
    fn the_fastest_counts_and_its_asymmetry_is_within_the_bound() {
        let found = reading(&[sample(0, 50, 70), sample(500, 12, 2), sample(900, 7, 90)], 0.0, 9).unwrap();
        assert_eq!((found.round_trip_ns, found.median_round_trip_ns), (14, 97));
        assert_eq!((found.offset_ns, found.bound_ns, found.at_ns), (1005, 8, 509));
        assert_eq!((found.suspended_ns, found.peer_suspended_ns), (9, 3));
    }

    #[test]
    fn all_delay_on_one_way_just_keeps_the_bound() {
        for (there_ns, back_ns) in [(101, 0), (0, 101), (100, 0), (0, 100)] {
            let found = reading(&[sample(0, there_ns, back_ns)], 0.0, 0).unwrap();
            assert!(found.offset_ns.abs_diff(1000) <= found.bound_ns, "{found:?}");
        }
    }

    #[test]
    fn samples_that_cannot_hold_at_once_are_a_jump() {
        let mut later = sample(500, 12, 2);
        (later.received_ns, later.replied_ns) = (later.received_ns + 40, later.replied_ns + 40);
        assert_eq!(reading(&[sample(0, 3, 3), later], 0.0, 0), Err(Jumped));
        let backwards = Sample { replied_ns: 1000, ..sample(0, 50, 50) };
        assert_eq!(reading(&[backwards], 0.0, 0), Err(Jumped));
        let stretched = Sample { replied_ns: 5000, ..sample(0, 50, 50) };
        assert_eq!(reading(&[stretched], 0.0, 0), Err(Jumped));
    }

    #[test]
    fn clocks_that_are_far_apart_both_ways_have_an_offset() {
        let far = 100_000_000_000_000;
        let ahead = Sample { received_ns: far, replied_ns: far, ..sample(0, 0, 0) };
        assert_eq!(
            reading(&[Sample { returned_ns: 10, ..ahead }], 50.0, 0).unwrap().offset_ns,
            far as i64 - 5
        );
        let behind = Sample { sent_ns: far, returned_ns: far, received_ns: 3, replied_ns: 3, ..ahead };
        assert_eq!(reading(&[behind], 50.0, 0).unwrap().offset_ns, 3 - far as i64);
    }
}
