//! The straight line between two readings: moments of one clock by the other, each with its bound.

use fsgauge_wire::{ClockMoment, ClockReading, Outcome};

use crate::failures;

/// CLOCK_BOOTTIME and CLOCK_MONOTONIC are read one after the other: they move apart by less without a suspension.
const SUSPENSION_NS: u64 = 10_000_000;
/// No clock that runs on drifts by more: NTP slews a kernel's clock by 500 ppm.
const JUMP_PPM: f64 = 1000.0;
/// Offset and bound between two readings are rounded down.
const ROUNDINGS_NS: u64 = 2;

/// How far two clocks may drift apart in a time.
pub(crate) fn drift_ns(drift_limit_ppm: f64, age_ns: u64) -> u64 {
    (drift_limit_ppm * age_ns as f64 / 1e6).ceil() as u64
}

/// How another machine's clock stood to this one's, over a time.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    earlier: Option<ClockReading>,
    later: ClockReading,
    drift_limit_ppm: f64,
}

impl Line {
    /// From one reading, or between two. Clocks that jumped or drifted by more than the limit are refused, and
    /// machines that were suspended.
    pub fn new(earlier: Option<ClockReading>, later: ClockReading, drift_limit_ppm: f64) -> Outcome<Self> {
        if let Some(earlier) = earlier {
            check(&earlier, &later, drift_limit_ppm)?;
        }
        Ok(Line { earlier, later, drift_limit_ppm })
    }

    /// How fast the other clock gained on this one; none with one reading.
    pub fn drift_ppm(&self) -> Option<f64> {
        self.earlier.map(|earlier| drift_ppm(&earlier, &self.later))
    }

    /// A moment of this clock by the other's.
    pub fn at(&self, own_ns: u64) -> ClockMoment {
        let (offset_ns, bound_ns) = match &self.earlier {
            Some(earlier) if own_ns <= earlier.at_ns => self.beyond(earlier, own_ns),
            Some(earlier) if own_ns < self.later.at_ns => self.between(earlier, own_ns),
            Some(_) | None => self.beyond(&self.later, own_ns),
        };
        let peer_ns = i128::from(own_ns) + i128::from(offset_ns);
        let peer_ns = peer_ns.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        ClockMoment { own_ns, peer_ns, bound_ns }
    }

    /// Outside of the readings: the offset of the nearest, and what the clocks may have drifted since.
    fn beyond(&self, reading: &ClockReading, own_ns: u64) -> (i64, u64) {
        let age_ns = own_ns.abs_diff(reading.at_ns);
        (reading.offset_ns, reading.bound_ns.saturating_add(drift_ns(self.drift_limit_ppm, age_ns)))
    }

    /// Between two readings. Clocks that drift by at most d are at most 2 d u v / (u + v) off the line, u after the
    /// one reading and v before the other: there one way at full drift meets the other.
    fn between(&self, earlier: &ClockReading, own_ns: u64) -> (i64, u64) {
        let (after_ns, before_ns) = (own_ns - earlier.at_ns, self.later.at_ns - own_ns);
        let whole_ns = i128::from(after_ns) + i128::from(before_ns);
        let mix = |first: i128, second: i128| {
            (first * i128::from(before_ns) + second * i128::from(after_ns)).div_euclid(whole_ns)
        };
        let offset_ns = mix(earlier.offset_ns.into(), self.later.offset_ns.into());
        let bound_ns = mix(earlier.bound_ns.into(), self.later.bound_ns.into()) as u64;
        let age_ns = 2 * i128::from(after_ns) * i128::from(before_ns) / whole_ns;
        let drifted_ns = drift_ns(self.drift_limit_ppm, age_ns as u64);
        (offset_ns as i64, bound_ns.saturating_add(ROUNDINGS_NS).saturating_add(drifted_ns))
    }
}

fn check(earlier: &ClockReading, later: &ClockReading, drift_limit_ppm: f64) -> Outcome<()> {
    if later.at_ns <= earlier.at_ns {
        return Err(failures::not_earlier(earlier.at_ns, later.at_ns));
    }
    let suspensions = [
        ("this machine", later.suspended_ns.abs_diff(earlier.suspended_ns)),
        ("the machine that was asked", later.peer_suspended_ns.abs_diff(earlier.peer_suspended_ns)),
    ];
    if let Some((who, suspended_ns)) = suspensions.into_iter().find(|(_, ns)| *ns > SUSPENSION_NS) {
        return Err(failures::suspended(who, suspended_ns));
    }
    let moved_ns = later.offset_ns.abs_diff(earlier.offset_ns);
    let bounds_ns = earlier.bound_ns.saturating_add(later.bound_ns);
    let age_ns = later.at_ns - earlier.at_ns;
    if moved_ns > bounds_ns.saturating_add(drift_ns(JUMP_PPM.max(drift_limit_ppm), age_ns)) {
        return Err(failures::jumped_between(moved_ns, age_ns));
    }
    if moved_ns > bounds_ns.saturating_add(drift_ns(drift_limit_ppm, age_ns)) {
        return Err(failures::drifted(drift_ppm(earlier, later), drift_limit_ppm));
    }
    Ok(())
}

fn drift_ppm(earlier: &ClockReading, later: &ClockReading) -> f64 {
    let moved_ns = i128::from(later.offset_ns) - i128::from(earlier.offset_ns);
    moved_ns as f64 / (later.at_ns - earlier.at_ns) as f64 * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn at(at_ns: u64, offset_ns: i64) -> ClockReading {
        ClockReading {
            at_ns,
            offset_ns,
            bound_ns: 10,
            round_trip_ns: 20,
            median_round_trip_ns: 30,
            suspended_ns: 5,
            peer_suspended_ns: 6,
        }
    }

    #[test]
    fn one_reading_ages_by_the_limit_of_drift() {
        let line = Line::new(None, at(5 * SECOND_NS, -7), 50.0).unwrap();
        let moment = line.at(10 * SECOND_NS);
        assert_eq!((moment.peer_ns, moment.bound_ns), (10 * SECOND_NS as i64 - 7, 250_010));
        assert_eq!(line.at(0).bound_ns, 250_010);
        assert_eq!(line.drift_ppm(), None);
    }

    #[test]
    fn every_clock_that_drifts_within_the_limit_is_within_the_bound_of_the_line() {
        // Full drift one way up to a turn, then as far the other way as both readings allow.
        let (limit_ppm, whole_ns) = (50.0, 10 * SECOND_NS);
        for turn_s in 0..=10 {
            for sign in [-1, 1] {
                let truth = |own_ns: u64| {
                    let (turn_ns, own_ns) = (turn_s * SECOND_NS as i64, own_ns as i64);
                    let up = own_ns.min(turn_ns) - (own_ns - turn_ns).max(0);
                    sign * (up as f64 * limit_ppm / 1e6) as i64
                };
                let line =
                    Line::new(Some(at(0, truth(0))), at(whole_ns, truth(whole_ns)), limit_ppm).unwrap();
                for tenth in 0..=100 {
                    let own_ns = tenth * whole_ns / 100;
                    let moment = line.at(own_ns);
                    let error_ns = (moment.peer_ns - own_ns as i64).abs_diff(truth(own_ns));
                    assert!(error_ns <= moment.bound_ns, "turn {turn_s} at {own_ns}: {error_ns} {moment:?}");
                }
            }
        }
    }

    #[test]
    fn the_line_is_straight_and_says_the_drift() {
        let line = Line::new(Some(at(0, 0)), at(10 * SECOND_NS, 100_000), 50.0).unwrap();
        assert_eq!(line.at(3 * SECOND_NS).peer_ns, 3 * SECOND_NS as i64 + 30_000);
        assert_eq!(line.drift_ppm(), Some(10.0));
    }

    #[test]
    fn clocks_that_did_not_run_on_are_refused() {
        let early = at(0, 0);
        let code = |later| Line::new(Some(early), later, 50.0).map(|_| ()).map_err(|failure| failure.code);
        let late = at(10 * SECOND_NS, 0);
        assert_eq!(code(ClockReading { offset_ns: 500_020, ..late }), Ok(()));
        assert_eq!(code(ClockReading { offset_ns: 500_030, ..late }), Err("clock.drift".into()));
        assert_eq!(code(ClockReading { offset_ns: -(SECOND_NS as i64), ..late }), Err("clock.jumped".into()));
        assert_eq!(code(ClockReading { suspended_ns: 20_000_000, ..late }), Err("clock.suspended".into()));
        assert_eq!(
            code(ClockReading { peer_suspended_ns: -20_000_000, ..late }),
            Err("clock.suspended".into())
        );
        assert_eq!(code(at(0, 0)), Err("job.earlier".into()));
    }
}
