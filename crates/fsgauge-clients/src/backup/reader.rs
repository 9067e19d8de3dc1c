//! The reader: finds the files, puts them in order, and reads them; a thread of its own.

use fsgauge_load::instruments::RunQueue;
use fsgauge_load::instruments::cpu::thread_user_system_ns;
use fsgauge_wire::{BackupOrder, ClientsJob, Cpu, Ended, Outcome};

use super::check::Plan;
use super::open::Opener;
use super::order::{Extents, put_in_order};
use super::pass::read_all;
use super::server::OverNetwork;
use super::stopwatch::{Stopwatch, Timed};
use super::verify::Verifier;
use super::walk::walk;

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
    pub(super) ended: Ended,
    pub(super) timed: Timed,
    pub(super) changed_access_times: bool,
    /// Files that were to be compared and have names that say nothing.
    pub(super) unchecked_files: u64,
    /// Names on a server that no client gives, which were left out.
    pub(super) strangers: u64,
    pub(super) cpu: Cpu,
    /// Ready to run and without a processor; none where the kernel does not say.
    pub(super) starved_ns: Option<u64>,
    /// Of a backup over the network.
    pub(super) over_network: Option<OverNetwork>,
}

/// Everything that a backup needs, made before it is measured.
#[derive(Debug)]
pub(super) struct Reader {
    order: BackupOrder,
    opener: Opener,
    block: Vec<u8>,
    verifier: Option<Verifier>,
}

impl Reader {
    pub(super) fn new(job: &ClientsJob, plan: &Plan, opener: Opener) -> Self {
        // Ones, so that the memory is there: zeros would come with the first read of each page.
        let block = vec![1; plan.block_size_bytes as usize];
        Reader { order: plan.order, opener, block, verifier: Verifier::of(job) }
    }

    /// Backs the tree up.
    pub(super) fn back_up(mut self, mut watch: Stopwatch) -> Outcome<BackedUp> {
        let opener = &mut self.opener;
        let ((user_ns, system_ns), run_queue) = (thread_user_system_ns(), RunQueue::of_thread());
        let mut found = walk(opener, &mut watch)?;
        let extents = put_in_order(&mut found.tree, self.order, opener, &mut watch)?;
        watch.look();
        let listing_ns = watch.elapsed_ns();
        let ended = read_all(&found.tree, &mut self.block, opener, &mut watch, self.verifier.as_mut());
        let timed = watch.finish();
        let (user_end_ns, system_end_ns) = thread_user_system_ns();
        let cpu = Cpu { user_ns: user_end_ns - user_ns, system_ns: system_end_ns - system_ns, threads: 1 };
        Ok(BackedUp {
            files: found.tree.files.len() as u64,
            directories: found.directories,
            left_out: found.left_out,
            listing_ns,
            extents,
            ended,
            timed,
            changed_access_times: opener.changes_access_times(),
            unchecked_files: self.verifier.map_or(0, |verifier| verifier.unchecked_files),
            strangers: 0,
            cpu,
            starved_ns: run_queue.waited_ns(),
            over_network: None,
        })
    }
}
