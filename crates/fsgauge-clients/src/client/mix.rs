//! What a client of a mix chooses, and the files that it has made.
//!
//! The files of the set stay: they are read, saved and looked at. The mix makes more of them, numbered on from
//! the set, and removes the oldest of those: what later phases find is the whole set, and some more.

use super::Lane;
use crate::plan::{Draws, Plan, Task};

/// So often a removal is drawn in vain before something else is done.
const DRAWS: usize = 64;

/// The files that a lane has made, counted by itself: all from the oldest to before the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Made {
    oldest: u32,
    next: u32,
}

impl Made {
    fn count(&self) -> u32 {
        self.next - self.oldest
    }

    /// A task was done.
    #[inline]
    pub(super) fn whole(&mut self, task: Task) {
        match task {
            Task::Make => self.next += 1,
            Task::Drop => self.oldest += 1,
            _ => {}
        }
    }

    /// A task was given up: a file that cannot be removed is not tried again.
    pub(super) fn given_up(&mut self, task: Task) {
        if task == Task::Drop {
            self.oldest += 1;
        }
    }

    /// Another's file has the name of the next one: it is passed over, and those before it are left alone.
    pub(super) fn in_the_way(&mut self, task: Task) {
        if task == Task::Make {
            self.next += 1;
            self.oldest = self.next;
        }
    }
}

impl Lane {
    /// Draws an activity and its file.
    pub(super) fn draw(&mut self, plan: &Plan, draws: &Draws) {
        self.task = self.draw_task(draws);
        self.file = match self.task {
            Task::Make => self.made_file(plan, self.made.next),
            Task::Drop => self.made_file(plan, self.made.oldest),
            _ => self.draw_file(plan),
        };
    }

    fn draw_task(&mut self, draws: &Draws) -> Task {
        for _ in 0..DRAWS {
            let task = draws.task(self.random.next());
            if task != Task::Drop || self.made.count() > 0 {
                return task;
            }
        }
        draws.instead_of_drop()
    }

    /// One of the lane's files, each as likely: of the set, and of those that it has made.
    fn draw_file(&mut self, plan: &Plan) -> u32 {
        let of_set = (plan.job.files.files_per_client - self.slot).div_ceil(plan.job.outstanding);
        let all = u64::from(of_set) + u64::from(self.made.count());
        let drawn = ((u128::from(self.random.next()) * u128::from(all)) >> 64) as u64;
        match u32::try_from(drawn) {
            Ok(drawn) if drawn < of_set => self.slot + drawn * plan.job.outstanding,
            _ => self.made_file(plan, self.made.oldest + (drawn - u64::from(of_set)) as u32),
        }
    }

    /// The number of the file that the lane made as its own number `made`.
    fn made_file(&self, plan: &Plan, made: u32) -> u32 {
        let first = plan.job.files.files_per_client + self.slot;
        first.saturating_add(made.saturating_mul(plan.job.outstanding))
    }
}
