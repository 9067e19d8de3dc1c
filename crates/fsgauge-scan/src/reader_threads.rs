//! Reader threads, and progress events while they read; without a listener they stop. What one reads, the thread of the
//! caller reads: to start and to end another one takes as long as all the free space of a small file system.

use std::cell::{Cell, RefCell};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fsgauge_wire::{Event, Listener, ScanProgress, ScanStage, Stop};

use crate::progress::Progress;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(250);

/// Says whether to end with what there is: whoever reads asks again and again.
pub(crate) type IsStopped<'a> = &'a dyn Fn() -> bool;

/// Threads that read, and their listener.
pub(crate) struct ReaderThreads<'a> {
    threads: usize,
    listener: &'a mut dyn Listener,
    stop: Stop,
    /// Files to come, where that is known.
    pub(crate) of_files: Option<u64>,
    /// What is read now, and files and extents that were read before.
    pub(crate) stage: ScanStage,
    done: (u64, u64),
}

impl<'a> ReaderThreads<'a> {
    pub(crate) fn new(threads: usize, listener: &'a mut dyn Listener, stop: Stop) -> Self {
        ReaderThreads { threads, listener, stop, of_files: None, stage: ScanStage::Files, done: (0, 0) }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop
    }

    /// Runs `work` on all threads, each with counters of its own and a function that says whether to end, and gives
    /// what each came to. A thread that cannot be started is done without.
    pub(crate) fn run<T: Send>(&mut self, work: impl Fn(&Progress, IsStopped<'_>) -> T + Sync) -> Vec<T> {
        let found = if self.threads > 1 { self.run_threads(&work) } else { Vec::new() };
        if found.is_empty() { vec![self.run_here(work)] } else { found }
    }

    /// Runs `work` on this thread. Whenever it asks whether to end, progress is told when it is due.
    pub(crate) fn run_here<T>(&mut self, work: impl FnOnce(&Progress, IsStopped<'_>) -> T) -> T {
        let (progress, stop) = ([Progress::default()], self.stop);
        let (readers, told) = (RefCell::new(&mut *self), Cell::new(Instant::now()));
        let is_stopped = || {
            if told.get().elapsed() >= TICK {
                told.set(Instant::now());
                readers.borrow_mut().tell(&progress);
            }
            stop.is_set()
        };
        let found = work(&progress[0], &is_stopped);
        self.done = self.so_far(&progress);
        found
    }

    /// Runs `work` on threads of their own, while this one tells progress; gives nothing where none can be started.
    fn run_threads<T: Send>(&mut self, work: &(impl Fn(&Progress, IsStopped<'_>) -> T + Sync)) -> Vec<T> {
        let progress: Vec<Progress> = (0..self.threads).map(|_| Progress::default()).collect();
        let (stop, (sender, results)) = (self.stop, channel());
        std::thread::scope(|scope| {
            let mut found = Vec::with_capacity(progress.len());
            for (number, progress) in progress.iter().enumerate() {
                let sender = sender.clone();
                let thread = std::thread::Builder::new().name(format!("scan-{number}"));
                // The other end is there until all have sent.
                let run = move || drop(sender.send(work(progress, &|| stop.is_set())));
                if thread.spawn_scoped(scope, run).is_err() {
                    break;
                }
            }
            drop(sender);
            loop {
                match results.recv_timeout(TICK) {
                    Ok(result) => found.push(result),
                    Err(RecvTimeoutError::Timeout) => self.tell(&progress),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            self.done = self.so_far(&progress);
            found
        })
    }

    fn so_far(&self, progress: &[Progress]) -> (u64, u64) {
        let (files, extents) = Progress::sum(progress);
        (self.done.0 + files, self.done.1 + extents)
    }

    /// Reports progress; when the listener is gone, the scan stops.
    fn tell(&mut self, progress: &[Progress]) {
        let (files, extents) = self.so_far(progress);
        let stage = self.stage;
        let event = Event::ScanProgress(ScanProgress { files, of_files: self.of_files, extents, stage });
        if self.listener.event(event).is_err() || self.listener.gone() {
            self.stop.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hears everything, and goes away after so many events.
    struct Ears {
        heard: Vec<Event>,
        patience: usize,
    }

    impl Listener for Ears {
        fn event(&mut self, event: Event) -> std::io::Result<()> {
            self.heard.push(event);
            Ok(())
        }

        fn gone(&self) -> bool {
            self.heard.len() >= self.patience
        }
    }

    /// Whether it was told to end. Bounded: a crew that never says stop fails the test.
    fn until_stopped(progress: &Progress, is_stopped: IsStopped<'_>) -> bool {
        progress.set(3, 4);
        (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            is_stopped()
        })
    }

    #[test]
    fn progress_is_told_until_nobody_listens_and_then_the_threads_end() {
        let mut ears = Ears { heard: Vec::new(), patience: 2 };
        let mut readers = ReaderThreads::new(2, &mut ears, Stop::new());
        readers.of_files = Some(9);
        assert_eq!(readers.run(until_stopped), [true, true]);
        let stage = ScanStage::Files;
        let expected = ScanProgress { files: 6, of_files: Some(9), extents: 8, stage };
        assert_eq!(ears.heard.last(), Some(&Event::ScanProgress(expected)));
    }

    #[test]
    fn what_was_read_before_is_still_told_of_the_next_stage() {
        let mut ears = Ears { heard: Vec::new(), patience: 1 };
        let mut readers = ReaderThreads::new(2, &mut ears, Stop::new());
        readers.run(|progress, _| progress.set(3, 4));
        readers.stage = ScanStage::Names;
        assert!(readers.run_here(until_stopped));
        let stage = ScanStage::Names;
        let expected = ScanProgress { files: 9, of_files: None, extents: 12, stage };
        assert_eq!(ears.heard.last(), Some(&Event::ScanProgress(expected)));
    }

    #[test]
    fn every_thread_gives_its_part_and_one_alone_is_the_callers() {
        let here = std::thread::current().id();
        for (threads, expected) in [(3, vec![false; 3]), (1, vec![true]), (0, vec![true])] {
            let mut ears = Ears { heard: Vec::new(), patience: 1 };
            let mut readers = ReaderThreads::new(threads, &mut ears, Stop::new());
            assert_eq!(readers.run(|_, _| std::thread::current().id() == here), expected);
        }
    }
}
