//! The reader: finds the files, puts them in order, and reads them; a thread of its own.

use fsgauge_wire::{Cpu, Outcome};

use super::check::Plan;
use super::open::Opener;
use super::order::{Extents, put_in_order};
use super::pass::{Passed, read_all};
use super::tally::{Counted, Tally};
use super::verify::{Verified, Verifier};
use super::walk::walk;
use crate::cpu::thread_user_system_ns;

/// What a backup did.
#[derive(Debug)]
pub(super) struct BackedUp {
    /// Files that were found.
    pub(super) files: u64,
    pub(super) directories: u64,
    /// Directories that are mounted from elsewhere.
    pub(super) left_out: u64,
    /// Found, sorted, and asked for their places.
    pub(super) listing_ns: u64,
    pub(super) extents: Option<Extents>,
    pub(super) passed: Passed,
    pub(super) counted: Counted,
    pub(super) changed_access_times: bool,
    pub(super) verified: Option<Verified>,
    pub(super) cpu: Cpu,
}

/// Backs a tree up.
pub(super) fn back_up(
    plan: &Plan,
    mut opener: Opener,
    mut tally: Tally,
    mut verifier: Option<Verifier>,
) -> Outcome<BackedUp> {
    let (user_ns, system_ns) = thread_user_system_ns();
    let mut found = walk(&mut opener, &mut tally)?;
    let extents = put_in_order(&mut found.tree, plan.order, &mut opener, &mut tally)?;
    tally.look();
    let listing_ns = tally.elapsed_ns();
    let passed = read_all(&found.tree, plan.block_size_bytes, &mut opener, &mut tally, verifier.as_mut());
    let counted = tally.finish();
    let (user_end_ns, system_end_ns) = thread_user_system_ns();
    let cpu = Cpu { user_ns: user_end_ns - user_ns, system_ns: system_end_ns - system_ns, threads: 1 };
    Ok(BackedUp {
        files: found.tree.files.len() as u64,
        directories: found.directories,
        left_out: found.left_out,
        listing_ns,
        extents,
        passed,
        counted,
        changed_access_times: opener.changes_access_times(),
        verified: verifier.map(|verifier| verifier.verified),
        cpu,
    })
}
