//! What a mix must be before anything is touched.

use fsgauge_clock::check_start;
use fsgauge_wire::{Failure, LoadJob, MixJob, Workers};

use crate::steady::INTERVALS_MIN;

const LOADS_LIMIT: usize = 64;

fn refuse(key: &str, what: String, cause: &str, next: &str) -> Result<(), Failure> {
    Err(Failure::job(key, what, cause, next))
}

/// Checks what belongs to the mix; each load is checked when it is prepared.
pub(crate) fn check_mix(mix: &MixJob) -> Result<(), Failure> {
    check_start(&mix.wanted_start())?;
    let count = mix.loads.len();
    if count == 0 || count > LOADS_LIMIT {
        let what = format!("{count} loads are not between 1 and {LOADS_LIMIT}");
        return refuse("loads", what, "each has threads of its own", "fewer loads, or one at least");
    }
    for (number, load) in mix.loads.iter().enumerate() {
        let asked = [
            ("lease", load.lease.is_some()),
            ("held", !load.held.is_empty()),
            ("start_at_ns", load.wanted_start().is_common()),
            ("workers", load.workers != Workers::Threads),
            ("passes", load.passes.is_some() || load.size_limit_bytes.is_some()),
        ];
        if let Some((key, _)) = asked.into_iter().find(|(_, is_asked)| *is_asked) {
            let what = format!("loads[{number}] has {key} of its own");
            return refuse("loads", what, "loads of a mix begin and end together", "leave it out");
        }
    }
    check_steady_window(mix)
}

fn check_steady_window(mix: &MixJob) -> Result<(), Failure> {
    let first = &mix.loads[0];
    let Some(window_ns) = mix.loads.iter().find_map(|load| load.steady_window_ns) else { return Ok(()) };
    let times =
        |load: &LoadJob| (load.steady_window_ns, load.warm_up_ns, load.interval_ns, load.start_after_ns);
    let are_equal = mix.loads.iter().all(|load| times(load) == times(first)) && first.start_after_ns == 0;
    let has_companions = mix.loads.iter().any(|load| !load.companions.is_empty());
    let is_judged =
        (first.interval_ns.saturating_mul(INTERVALS_MIN as u64)..=first.warm_up_ns).contains(&window_ns);
    if are_equal && is_judged && !has_companions && !mix.wanted_start().is_common() {
        return Ok(());
    }
    refuse(
        "steady_window_ns",
        format!("steady_window_ns {window_ns} does not fit all loads of the mix"),
        "one warm-up ends for all loads of one engine, at a moment that is not known before",
        "one window, warm-up and interval for all; ten intervals at least, and no longer than the warm-up",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    fn mix(loads: Vec<LoadJob>) -> MixJob {
        MixJob {
            format: 1,
            loads,
            lay_out: false,
            held: Vec::new(),
            lease: None,
            start_at_ns: None,
            start_on_order: false,
        }
    }

    #[test]
    fn a_mix_has_loads_that_begin_with_it() {
        assert!(check_mix(&mix(vec![LoadJob::plain(), LoadJob::plain()])).is_ok());
        assert!(check_mix(&mix(Vec::new())).is_err());
        assert!(check_mix(&mix(vec![LoadJob::plain(); 65])).is_err());
        let alone = LoadJob { start_at_ns: Some(1), ..LoadJob::plain() };
        let processes = LoadJob { workers: Workers::Processes, ..LoadJob::plain() };
        let bounded = LoadJob { passes: Some(1), ..LoadJob::plain() };
        for load in [alone, processes, bounded] {
            assert!(check_mix(&mix(vec![LoadJob::plain(), load])).is_err());
        }
        let second = LoadJob { interval_ns: 10_000_000, warm_up_ns: 200_000_000, ..LoadJob::plain() };
        let steady = |window_ns| LoadJob { steady_window_ns: Some(window_ns), ..second.clone() };
        assert!(check_mix(&mix(vec![steady(100_000_000); 2])).is_ok());
        let late = LoadJob { start_after_ns: 1, ..steady(100_000_000) };
        for unlike in [second.clone(), steady(99_999_999), steady(200_000_001), late] {
            assert!(check_mix(&mix(vec![unlike.clone(), steady(100_000_000)])).is_err());
        }
        let soon_ns = fsgauge_clock::now_ns() + 60_000_000_000;
        let common = MixJob { start_at_ns: Some(soon_ns), ..mix(vec![steady(100_000_000)]) };
        assert_eq!(check_mix(&common).unwrap_err().code, "job.steady_window_ns");
        let ordered = MixJob { start_on_order: true, ..mix(vec![LoadJob::plain()]) };
        assert_eq!(check_mix(&ordered).unwrap_err().code, "job.start_on_order");
    }
}
