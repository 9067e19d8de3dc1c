//! Reader threads, and progress events while they read; without a listener they stop.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fsgauge_wire::{Event, Failure, Listener, Outcome, ScanProgress, ScanStage, Stop};

use crate::error_text::error_text;
use crate::progress::Progress;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(250);

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

    /// Runs `work` on so many threads, each with counters of its own, and gives what each came to. A thread that
    /// cannot be started is done without, as long as there is one.
    pub(crate) fn run<T: Send>(
        &mut self,
        threads: usize,
        work: impl Fn(&Progress) -> T + Sync,
    ) -> Outcome<Vec<T>> {
        let progress: Vec<Progress> = (0..threads.max(1)).map(|_| Progress::default()).collect();
        let (sender, results) = channel();
        std::thread::scope(|scope| {
            let mut found = Vec::with_capacity(progress.len());
            let mut refused = None;
            for (number, progress) in progress.iter().enumerate() {
                let (sender, work) = (sender.clone(), &work);
                let thread = std::thread::Builder::new().name(format!("scan-{number}"));
                // The other end is there until all have sent.
                let run = move || drop(sender.send(work(progress)));
                if let Err(error) = thread.spawn_scoped(scope, run) {
                    refused = Some(error);
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
            match refused.filter(|_| found.is_empty()) {
                Some(error) => Err(no_thread(&error)),
                None => Ok(found),
            }
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

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::system(
        "threads",
        error.raw_os_error(),
        format!("no thread of the scan can be started: {}", error_text(error)),
        "a limit on processes is reached",
        "ulimit -u",
    )
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

    #[test]
    fn progress_is_told_until_nobody_listens_and_then_the_threads_end() {
        let (mut ears, stop) = (Ears { heard: Vec::new(), patience: 2 }, Stop::new());
        let mut readers = ReaderThreads::new(2, &mut ears, stop);
        readers.of_files = Some(9);
        let found = readers
            .run(2, |progress| {
                progress.set(3, 4);
                // Bounded: a crew that never says stop fails the test.
                for _ in 0..1000 {
                    if stop.is_set() {
                        return true;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                false
            })
            .unwrap();
        assert_eq!(found, [true, true]);
        let stage = ScanStage::Files;
        let expected = ScanProgress { files: 6, of_files: Some(9), extents: 8, stage };
        assert_eq!(ears.heard.last(), Some(&Event::ScanProgress(expected)));
    }

    #[test]
    fn what_was_read_before_is_still_told_of_the_next_stage() {
        let (mut ears, stop) = (Ears { heard: Vec::new(), patience: 1 }, Stop::new());
        let mut readers = ReaderThreads::new(1, &mut ears, stop);
        readers.run(2, |progress| progress.set(3, 4)).unwrap();
        readers.stage = ScanStage::Names;
        readers.run(1, |_| std::thread::sleep(2 * TICK)).unwrap();
        let stage = ScanStage::Names;
        let expected = ScanProgress { files: 6, of_files: None, extents: 8, stage };
        assert_eq!(ears.heard.last(), Some(&Event::ScanProgress(expected)));
    }

    #[test]
    fn every_thread_gives_its_part() {
        let mut ears = Ears { heard: Vec::new(), patience: 1 };
        let mut readers = ReaderThreads::new(3, &mut ears, Stop::new());
        assert_eq!(readers.run(3, |_| 1).unwrap(), [1, 1, 1]);
        assert_eq!(readers.run(0, |_| 1).unwrap(), [1], "one at least");
    }
}
