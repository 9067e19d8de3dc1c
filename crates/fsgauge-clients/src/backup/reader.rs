//! The reader: finds the files, puts them in order, and reads them; a thread of its own.

use fsgauge_load::instruments::RunQueue;
use fsgauge_load::instruments::cpu::thread_user_system_ns;
use fsgauge_wire::{BackupOrder, ClientsJob, Cpu, Outcome};

use super::check::BackupPlan;
use super::open::Opener;
use super::order::put_in_order;
use super::outcome::BackupOutcome;
use super::pass::read_all;
use super::stopwatch::Stopwatch;
use super::verify::Verifier;
use super::walk::walk;

/// Everything that a backup needs, made before it is measured.
#[derive(Debug)]
pub(super) struct Reader {
    order: BackupOrder,
    opener: Opener,
    block: Vec<u8>,
    verifier: Option<Verifier>,
}

impl Reader {
    pub(super) fn new(job: &ClientsJob, plan: &BackupPlan, opener: Opener) -> Self {
        // Ones, so that the memory is there: zeros would come with the first read of each page.
        let block = vec![1; plan.block_size_bytes as usize];
        Reader { order: plan.order, opener, block, verifier: Verifier::of(job) }
    }

    /// Backs the tree up.
    pub(super) fn back_up(mut self, mut watch: Stopwatch) -> Outcome<BackupOutcome> {
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
        Ok(BackupOutcome {
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
            common_start: None,
        })
    }
}
