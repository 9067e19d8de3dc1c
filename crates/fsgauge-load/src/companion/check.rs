//! What companions must be before anything is touched.

use fsgauge_wire::{Companion, CompanionKind, Failure, LoadJob, Target};

use super::{CHECKPOINT_EVERY_BYTES, LOG_BYTES};
use crate::target::Geometry;

/// The most threads beside the jobs.
const COMPANIONS_LIMIT: u64 = 1024;

fn refuse(what: String, cause: &str, next: &str) -> Result<(), Failure> {
    Err(Failure::job("companions", what, cause, next))
}

/// Checks the companions of a load.
pub(crate) fn check_companions(load: &LoadJob) -> Result<(), Failure> {
    let total: u64 = load.companions.iter().map(|companion| u64::from(companion.count)).sum();
    if total > COMPANIONS_LIMIT {
        return refuse(
            format!("{total} companions are more than {COMPANIONS_LIMIT}"),
            "each is a thread",
            "choose fewer",
        );
    }
    load.companions.iter().try_for_each(|companion| check_companion(load, companion))
}

fn check_companion(load: &LoadJob, companion: &Companion) -> Result<(), Failure> {
    let name = match companion.role {
        CompanionKind::Reader => "reader",
        CompanionKind::Log => "log",
        CompanionKind::Checkpoint => "checkpoint",
    };
    if companion.count == 0 {
        return refuse(
            format!("a {name} has count 0"),
            "it would do nothing",
            "leave it out, or give it a count",
        );
    }
    let longest_bytes = match companion.role {
        CompanionKind::Reader => Geometry::of(&load.target).file_size_bytes.min(1 << 30),
        CompanionKind::Log => LOG_BYTES,
        CompanionKind::Checkpoint => CHECKPOINT_EVERY_BYTES,
    };
    let size_bytes = companion.block_size_bytes;
    if size_bytes == 0 || u64::from(size_bytes) > longest_bytes {
        return refuse(
            format!("the {name}'s block size {size_bytes} is not between 1 and {longest_bytes}"),
            "no operation would fit",
            "choose for example 8192",
        );
    }
    match companion.role {
        CompanionKind::Reader => check_reader(load, size_bytes),
        CompanionKind::Log | CompanionKind::Checkpoint => check_beside(name, &load.target),
    }
}

fn check_reader(load: &LoadJob, size_bytes: u32) -> Result<(), Failure> {
    if matches!(load.target, Target::Null { .. }) {
        return refuse(
            "a reader cannot read the null target".into(),
            "it has no bytes",
            "name files or a device, or leave the reader out",
        );
    }
    if load.direct && !size_bytes.is_multiple_of(512) {
        return refuse(
            format!("the reader's block size {size_bytes} is not a multiple of 512"),
            "direct I/O moves whole sectors",
            "choose a multiple, or direct=false",
        );
    }
    Ok(())
}

fn check_beside(name: &str, target: &Target) -> Result<(), Failure> {
    match target {
        // Companions of a load on a share were refused before.
        Target::ShareFile { .. } | Target::ShareFiles { .. } => Ok(()),
        Target::File { .. } | Target::Files { .. } => Ok(()),
        Target::Block { path, .. } => refuse(
            format!("a {name} cannot be written next to {path}"),
            "a bare device holds no second file",
            "choose a target of kind \"file\" or \"files\", or leave it out",
        ),
        Target::Null { .. } => refuse(
            format!("a {name} cannot be written next to the null target"),
            "it has no directory",
            "choose a target of kind \"file\" or \"files\", or leave it out",
        ),
    }
}
