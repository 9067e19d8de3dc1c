//! What a mix must be before anything is touched.

use fsgauge_clock::check_start;
use fsgauge_wire::{Failure, MixJob, Workers};

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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::LoadJob;

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
        let ordered = MixJob { start_on_order: true, ..mix(vec![LoadJob::plain()]) };
        assert_eq!(check_mix(&ordered).unwrap_err().code, "job.start_on_order");
    }
}
