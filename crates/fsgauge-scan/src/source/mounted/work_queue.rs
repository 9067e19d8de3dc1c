//! WorkQueue work among threads: a queue of bounded length. What finds no room in it is done by who found it.

use std::collections::VecDeque;
use std::ffi::CString;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::folder::{Folder, Portion};

/// Portions of work that wait, for each thread.
const WAITING_EACH: usize = 4;

/// Work that any thread may do, with the path of the folder.
#[derive(Debug)]
pub(super) enum Work {
    /// Walk a folder of this one.
    Walk(Arc<Folder>, CString, Vec<u8>),
    /// Walk this folder itself.
    Begin(Arc<Folder>, Vec<u8>),
    /// Read these files of a portion.
    Files(Arc<Folder>, Arc<Portion>, Range<usize>, Vec<u8>),
}

/// The queue.
#[derive(Debug)]
pub(super) struct WorkQueue {
    room: usize,
    /// How much waits, read without the lock.
    length: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
    ended: bool,
}

impl WorkQueue {
    pub(super) fn new(threads: usize, first: Work) -> Self {
        let state = State { waiting: VecDeque::from([first]), threads: 0, idle: 0, ended: false };
        WorkQueue {
            room: if threads > 1 { threads * WAITING_EACH } else { 0 },
            length: AtomicUsize::new(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether work may be offered; it costs a load alone.
    #[inline]
    pub(super) fn has_space(&self) -> bool {
        self.length.load(Ordering::Relaxed) < self.room
    }

    /// Adds work. Called after [`WorkQueue::has_space`]: each thread exceeds the bound by one at most.
    pub(super) fn give(&self, work: Work) {
        let mut state = self.state();
        state.waiting.push_back(work);
        self.length.store(state.waiting.len(), Ordering::Relaxed);
        if state.idle > 0 {
            self.changed.notify_one();
        }
    }

    /// One thread more that will take work until there is none.
    pub(super) fn enter(&self) {
        self.state().threads += 1;
    }

    /// The next work; `None` when all is done: nothing waits and every thread that entered is here.
    pub(super) fn take(&self) -> Option<Work> {
        let mut state = self.state();
        loop {
            if let Some(work) = state.waiting.pop_front() {
                self.length.store(state.waiting.len(), Ordering::Relaxed);
                return Some(work);
            }
            state.idle += 1;
            if state.ended || state.idle == state.threads {
                state.ended = true;
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            if state.ended {
                return None;
            }
            state.idle -= 1;
        }
    }
}
