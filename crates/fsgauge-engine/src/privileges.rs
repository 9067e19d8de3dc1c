//! What the engine keeps of root's powers: those that its kind of job needs, and no others.
//!
//! It is called once, with the job read and nothing else done: capabilities belong to a thread, and the threads
//! and worker processes that begin later have what this one has. SECURITY.md has the same table for people.

use fsgauge_wire::{Failure, Job};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

/// 1: only those with CAP_SYS_ADMIN may have a ring (Linux 6.6).
const IO_URING_DISABLED: &str = "/proc/sys/kernel/io_uring_disabled";

/// Gives up what this kind of job does not need. Nothing to do for an ordinary user.
pub(crate) fn keep_for(job: &Job) -> Result<(), Failure> {
    let had = capabilities(None).map_err(|error| refused(error, "read"))?;
    if had.permitted.is_empty() && had.inheritable.is_empty() {
        return Ok(());
    }
    let keep = needed_by(job, rings_are_for_administrators);
    // A process may start no program that has more than itself; without CAP_SETPCAP this alone says it.
    set_no_new_privs(true).map_err(|error| refused(error, "limited"))?;
    for capability in CapabilitySet::all().difference(keep).iter() {
        match remove_capability_from_bounding_set(capability) {
            // EINVAL: this kernel does not know it. EPERM: without CAP_SETPCAP the others suffice.
            Ok(()) | Err(Errno::INVAL | Errno::PERM) => {}
            Err(error) => return Err(refused(error, "dropped")),
        }
    }
    // Older kernels have no ambient set; where there is one, it follows the permitted set anyway.
    let _ = clear_ambient_capability_set();
    let kept = had.permitted.intersection(keep);
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).map_err(|error| refused(error, "dropped"))
}

/// What each kind of job needs of root's powers.
fn needed_by(job: &Job, rings_are_for_administrators: fn() -> bool) -> CapabilitySet {
    // Files and devices of others: root measures what lies there, whoever owns it.
    let files = CapabilitySet::DAC_OVERRIDE;
    // Buffers that the ring has registered count against no limit of locked memory.
    let rings = || match rings_are_for_administrators() {
        true => CapabilitySet::IPC_LOCK | CapabilitySet::SYS_ADMIN,
        false => CapabilitySet::IPC_LOCK,
    };
    // O_NOATIME on files of others.
    let access_times = CapabilitySet::FOWNER;
    // Real-time priority for the last 50 ms before a start in common with other engines.
    let is_common = job.wanted_start().is_some_and(|wanted| wanted.is_common());
    let start = if is_common { CapabilitySet::SYS_NICE } else { CapabilitySet::empty() };
    match job {
        Job::Load(_) | Job::Mix(_) | Job::Clients(_) => files | rings() | access_times | start,
        Job::Layout(_) | Job::Probe(_) | Job::Age(_) => files | rings() | start,
        // Messages over ordinary ports; and memory alone.
        Job::ServeClock(_) | Job::ExchangeClock(_) | Job::Simulate(_) | Job::Predict(_) => {
            CapabilitySet::empty()
        }
        // GETFSMAP and the trees of btrfs are for administrators alone; it writes nothing.
        Job::Scan(_) => CapabilitySet::DAC_READ_SEARCH | access_times | CapabilitySet::SYS_ADMIN,
    }
}

fn rings_are_for_administrators() -> bool {
    std::fs::read_to_string(IO_URING_DISABLED).is_ok_and(|text| text.trim() == "1")
}

fn refused(error: Errno, done: &str) -> Failure {
    let what = format!("the engine's privileges cannot be {done}: {error}");
    let cause = "a container or a security module forbids it; the job was not begun";
    Failure::system("privileges", Some(error.raw_os_error()), what, cause, "run it outside of the container")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::parse_job;

    #[test]
    fn a_ring_is_kept_where_it_is_for_administrators_alone() {
        let probe = parse_job(r#"{"format": 1, "kind": "probe", "directory": "/tmp"}"#).unwrap();
        assert!(!needed_by(&probe, || false).contains(CapabilitySet::SYS_ADMIN));
        assert!(needed_by(&probe, || true).contains(CapabilitySet::SYS_ADMIN | CapabilitySet::IPC_LOCK));
    }
}
